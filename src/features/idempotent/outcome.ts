// Converts the result of a request to an outcome that a store can keep, and back.
import { CompleteResponse, type Exchange } from '../../feature-api/exchange.js'
import {
  type Failure,
  type FailureDetails,
  HttpException,
  isFraming,
  NO_CONTENT,
} from '../../http/failure.js'
import { shown } from '../../names.js'
import { JSON_TYPE } from '../../respond/response.js'
import type { Outcome, Store } from './store.js'

/**
 * The header fields set before the operation could set any: those of middleware, limits,
 * deprecation.
 */
export interface FieldsBefore {
  readonly fields: Readonly<Record<string, unknown>>
  /** The number of entries in `everyHeaders`. */
  readonly every: number
}

/** Records which header fields are set already. */
export function fieldsBefore({ ctx: { res }, everyHeaders }: Exchange): FieldsBefore {
  return { fields: res.getHeaders(), every: everyHeaders?.length ?? 0 }
}

/** Returns the outcome of a request, to be kept. A body of more than `maxSize` bytes is omitted. */
export function outcomeOf(exchange: Exchange, before: FieldsBefore, maxSize: number): Outcome {
  const headers = ownFields(exchange, before)
  const { failure, status } = exchange
  if (failure) {
    remove(headers, 'content-type')
    for (const [name, value] of Object.entries(failure.headers ?? {})) set(headers, name, value)
    return { status: failure.code, headers, body: jsonOf(failure), failed: true }
  }
  for (const [name, value] of exchange.headers) set(headers, name, value)
  const content = contentOf(exchange)
  // the library sets the media type of values; for anything else Koa may have set one
  if (!exchange.isRaw || content === null) remove(headers, 'content-type')
  const mediaType = mediaTypeOf(exchange)
  const body = content !== null && Buffer.byteLength(content) > maxSize ? null : content
  if (mediaType !== undefined) set(headers, 'Content-Type', mediaType)
  return { status, headers, body, failed: false }
}

function mediaTypeOf({ isRaw, body, mediaType }: Exchange): string | undefined {
  if (isRaw) return mediaType || undefined
  return body === undefined ? undefined : (mediaType ?? JSON_TYPE)
}

/** Returns whether the response had content that was not kept. */
export function lacksContent({ status, body, failed }: Outcome): boolean {
  return body === null && !failed && !NO_CONTENT.has(status)
}

/** Returns the response to send again; throws the same failure again. */
export function replay({ status, headers, body, failed }: Outcome): CompleteResponse {
  if (!failed) return new CompleteResponse(status, [...headers, [REPLAYED, 'true']], body)
  const fields: Record<string, string[]> = { [REPLAYED]: ['true'] }
  for (const [name, value] of headers) fields[name] = [...(fields[name] ?? []), value]
  throw new HttpException({
    ...(JSON.parse(textOf(body)) as FailureDetails),
    code: status,
    headers: fields,
  })
}

/** The field that marks a repeated response. */
export const REPLAYED = 'Idempotency-Replayed'

const textOf = (body: Outcome['body']): string =>
  typeof body === 'string' ? body : Buffer.from(body ?? '{}').toString()

/**
 * Writes a failure as JSON, without its header fields and its cause, which is for logs; `data` only
 * if it can be written.
 */
function jsonOf({ message, errors, instance, problem, data }: Failure): string {
  try {
    return JSON.stringify({ message, errors, instance, problem, data })
  } catch {
    return JSON.stringify({ message, errors, instance, problem })
  }
}

/**
 * Returns the content to keep: null for a response without content, and for a stream, whose content
 * is not known yet.
 */
function contentOf({ ctx, status, isRaw, stream, body: text }: Exchange): Outcome['body'] {
  if (NO_CONTENT.has(status) || stream) return null
  // the method has written to the socket itself
  if (ctx.respond === false || ctx.res.headersSent) return null
  if (!isRaw) return text ?? ''
  const body: unknown = ctx.body
  if (body === null || body === undefined) return ''
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  // the bodies that Koa would write as JSON
  const prototype: unknown = Object.getPrototypeOf(body)
  const isJson =
    prototype === Object.prototype ||
    prototype === null ||
    Array.isArray(body) ||
    typeof body !== 'object'
  return isJson && typeof (body as { pipe?: unknown }).pipe !== 'function'
    ? JSON.stringify(body)
    : null
}

/** Fields that belong to one response, or to one client. */
const NEVER_KEPT = new Set(['date', 'set-cookie'])

type Fields = [name: string, value: string][]

/** The header fields that the operation has set so far. */
function ownFields(
  { ctx: { res }, everyHeaders }: Exchange,
  { fields, every }: FieldsBefore,
): Fields {
  const own: Fields = []
  for (const name of res.getHeaderNames()) {
    const value = res.getHeader(name)
    if (!isSame(value, fields[name])) add(own, name, value)
  }
  for (const { name, value, append } of everyHeaders?.slice(every) ?? [])
    append ? add(own, name, value) : set(own, name, value)
  return own
}

function set(fields: Fields, name: string, value: unknown): void {
  remove(fields, name.toLowerCase())
  add(fields, name, value)
}

function add(fields: Fields, name: string, value: unknown): void {
  if (
    value === undefined ||
    value === null ||
    isFraming(name) ||
    NEVER_KEPT.has(name.toLowerCase())
  )
    return
  for (const one of Array.isArray(value) ? value : [value]) fields.push([name, String(one)])
}

function remove(fields: Fields, name: string): void {
  for (let index = fields.length - 1; index >= 0; index--)
    if (fields[index]?.[0].toLowerCase() === name) fields.splice(index, 1)
}

function isSame(left: unknown, right: unknown): boolean {
  return (
    left === right ||
    (Array.isArray(left) && Array.isArray(right) && left.join('\n') === right.join('\n'))
  )
}

// Checks the results of a store before they are acted on: an application may write its own.

type Begun<Tx> = Awaited<ReturnType<Store<Tx>['begin']>>

/** Throws a TypeError if a store forgets to return: the request must not be carried out then. */
export function begun<Tx>(said: Begun<Tx>): Begun<Tx> {
  const { state, run, outcome } = Object(said) as Partial<
    Record<'state' | 'run' | 'outcome', unknown>
  >
  if (state === 'running' || (state === 'fresh' && run) || (state === 'done' && outcome))
    return said
  throw new TypeError(
    `idempotent: begin() of the store returned ${said ? `an incomplete result with the state ${shown(state)}` : shown(said)}`,
  )
}

/** The same for `finish`: nobody knows whether the outcome was kept. */
export function finished(said: boolean): boolean {
  if (typeof said === 'boolean') return said
  throw new TypeError(
    `idempotent: finish() of the store must return true or false, not ${shown(said)}`,
  )
}
