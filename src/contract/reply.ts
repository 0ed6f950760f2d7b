/** Header fields of an answer, by name or as pairs (a name may stand twice). */
export type ReplyHeaders =
  | Readonly<Record<string, string | number | readonly string[]>>
  | readonly (readonly [name: string, value: string | number])[]

/** A status: a number, its text, or a member of an enum of either. */
export type StatusCode = number | string

/** A value with its own status and header fields: the specification's tuple (section 4.3). Made by `reply`. */
export class Reply<Value> {
  constructor(
    readonly value: Value,
    readonly status: number | undefined,
    readonly headers: ReplyHeaders | undefined,
  ) {}
}

/**
 * Answers a value with another status than the descriptor's, or with header fields:
 * `return reply(pet, 201, { Location: '/pets/1' })`. Without a status the descriptor's stands. Cookies go through `ctx.cookies`.
 */
export function reply<Value>(value: Value, status?: StatusCode | ReplyHeaders, headers?: ReplyHeaders): Reply<Value> {
  if (typeof status === 'object') return new Reply(value, undefined, status)
  return new Reply(value, status === undefined ? undefined : statusCode(status), headers)
}

/** A status in any of its forms as a number: `201`, `'201'`, `'203 Custom Reason'`. Throws TypeError for anything else. */
export function statusCode(status: StatusCode): number {
  const code = typeof status === 'number' ? status : /^\d{3}(?= |$)/.test(status) ? Number(status.slice(0, 3)) : Number.NaN
  if (!Number.isInteger(code) || code < 200 || code > 599) throw new TypeError(`Not a status code: ${String(status)}`)
  return code
}
