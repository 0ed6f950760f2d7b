import { Readable } from 'node:stream'
import { HOP_BY_HOP, isFinalStatus } from '../http/failure.js'
import { isToken } from '../http/token.js'
import { shown } from '../names.js'

/** Header fields of a response, by name or as pairs (a name may occur more than once). */
export type ReplyHeaders =
  | Readonly<Record<string, string | number | readonly string[]>>
  | readonly (readonly [name: string, value: string | number])[]

/** A status: a number, its digits, or a member of an enum of either. */
export type StatusCode = number | string

/**
 * A value with its own status and header fields: the tuple of the specification (section 4.3).
 * Created by `reply`.
 */
export class Reply<Value> {
  constructor(
    readonly value: Value,
    readonly status: number | undefined,
    readonly headers: ReplyHeaders | undefined,
  ) {}
}

/**
 * Returns a value with another status than the descriptor's, or with header fields: `return
 * reply(pet, 201, { Location: '/pets/1' })`. Without a status, `ctx.status` is used if the method
 * has set it, otherwise the descriptor's. For cookies use `ctx.cookies`. Throws a TypeError for an
 * invalid status, and for header fields that frame the response, which are set by the server (only
 * a stream may have a Content-Length); a stream is then destroyed.
 */
export function reply<Value>(
  value: Value,
  status?: StatusCode | ReplyHeaders,
  headers?: ReplyHeaders,
): Reply<Value> {
  if (typeof status === 'object' && status !== null) return reply(value, undefined, status)
  try {
    checkHeaders(headers)
    return new Reply(value, status === undefined ? undefined : statusCode('reply', status), headers)
  } catch (error) {
    release(value)
    throw error
  }
}

/** Lets go of a stream that will not be sent: nobody else would close it. */
function release(value: unknown): void {
  if (value instanceof Response) release(value.body)
  else if (value instanceof ReadableStream) value.cancel().catch(() => undefined)
  else if (value instanceof Readable) value.once('error', () => undefined).destroy()
}

function checkHeaders(headers: ReplyHeaders | undefined): void {
  if (headers === undefined) return
  if (typeof headers !== 'object' || headers === null)
    throw new TypeError(`reply() takes header fields as an object or pairs, not ${shown(headers)}`)
  for (const [name, value] of entriesOf(headers)) checkField(name, value)
}

/** Header fields as pairs of name and value. */
export function pairsOf(
  headers: ReplyHeaders,
): readonly (readonly [name: string, value: string | string[]])[] {
  return entriesOf(headers).map(
    ([name, value]) => [name, Array.isArray(value) ? value.map(String) : String(value)] as const,
  )
}

function entriesOf(headers: ReplyHeaders): readonly (readonly [name: string, value: unknown])[] {
  return Array.isArray(headers)
    ? (headers as readonly (readonly [string, unknown])[])
    : Object.entries(headers)
}

/**
 * Finds values that Node would refuse only when the field is set, or would send as the string
 * `undefined`.
 */
function checkField(name: unknown, value: unknown): void {
  if (typeof name !== 'string' || !isToken(name))
    throw new TypeError(`reply(): ${shown(name)} cannot be the name of a header field`)
  if (HOP_BY_HOP.has(name.toLowerCase()))
    throw new TypeError(`reply() cannot set ${name}: the server frames the response`)
  for (const text of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
    if (typeof text !== 'string' && !Number.isFinite(text))
      throw new TypeError(
        `reply(): the header field ${name} must be a string or a number, not ${shown(text)}; omit fields without a value`,
      )
    if (/[^\t -~\x80-\xff]/.test(String(text)))
      throw new TypeError(
        `reply(): the header field ${name} has a line break or a character beyond Latin-1: encode it, as encodeURIComponent() does`,
      )
  }
}

/**
 * Converts a status in any of its forms to a number: `201`, `'201'`, `'203 Custom Reason'`. Throws
 * a TypeError that names the caller if it is not a status.
 */
export function statusCode(caller: string, status: StatusCode): number {
  const code =
    typeof status === 'string' && /^\d{3}(?: |$)/.test(status) ? Number(status.slice(0, 3)) : status
  if (isFinalStatus(code)) return code
  throw new TypeError(`${caller}(): ${shown(status)} is not a status code, 200 to 599`)
}

/** The statuses of a redirect (RFC 9110, section 15.4). */
const REDIRECTS = [300, 301, 302, 303, 307, 308] as const

/** A status of a redirect. */
export type RedirectCode = (typeof REDIRECTS)[number]

export function isRedirect(code: number): code is RedirectCode {
  return (REDIRECTS as readonly number[]).includes(code)
}

/**
 * Redirects the client: `return redirect('/pets/7', 303)`. The location is a URL, or a reference
 * relative to the URL of the request; characters that a URL cannot contain are percent-encoded.
 * Default 302. Declare the status with `response({ code: 303 })` or `altResponse(303)`. Throws a
 * TypeError for a status that is not a redirect.
 */
export function redirect(location: string | URL, code: RedirectCode = 302): Reply<never> {
  if (typeof location !== 'string' && !(location instanceof URL))
    throw new TypeError(`redirect() takes a location, a string or a URL, not ${shown(location)}`)
  if (!isRedirect(code))
    throw new TypeError(
      `redirect() takes one of the statuses ${REDIRECTS.join(', ')}, not ${String(code)}`,
    )
  // the reply does not have a value, whatever its declared type
  return new Reply(undefined as never, code, { Location: asUriReference(String(location)) })
}

/**
 * Percent-encodes, as UTF-8, what RFC 3986 does not allow in a reference, a stray percent sign
 * included.
 */
function asUriReference(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\w\-.~:/?#[\]@!$&'()*+,;=%]+|%(?![\dA-Fa-f]{2})/g, encodeURIComponent)
}
