// Takes the result of a method into the exchange: a value, a status, header fields, or a body that is sent as it is.
import type { Context, Exchange } from '../contract/exchange.js'
import { pairsOf, Reply } from '../contract/reply.js'
import { HttpException, ProblemFailure } from '../http/failure.js'
import { isJsonType } from '../http/media-type.js'
import { isFinalStatus } from '../http/status.js'
import { shown } from '../names.js'
import { giveToKoa, streamOf } from './fetch-response.js'
import { isInstance } from './thrown.js'

/** Returns whether a value has to be awaited: a promise, or any other thenable (a query builder). */
export function isPromise<T>(value: T | PromiseLike<T>): value is Promise<T> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { then?: unknown }).then === 'function'
  )
}

/** How an operation interprets the result of its method. */
export interface Settling {
  /** For messages: `Pets.get (GET /pets/)`. */
  readonly place: string
  /** Whether an object with the `_tag` of an Either is one, and not a value of the codec. */
  readonly unwrapsEither: boolean
}

/**
 * Takes the result of a method: promises and fp-ts Tasks are awaited, a Right is unwrapped, a `Reply` sets status and header fields, and a
 * `Response`, a stream, a buffer or a body that the method gave to Koa is sent as it is. What the method writes to `ctx.res` itself is left
 * alone. The status is that of the reply, or else the one that the method has set on `ctx` since `before`, or else 0. Returns a promise
 * only if the method did.
 */
export function settle(
  exchange: Exchange,
  returned: unknown,
  before: number | undefined,
  settling: Settling,
): void | Promise<void> {
  if (isPromise(returned))
    return Promise.resolve(returned).then(value => settle(exchange, value, before, settling))
  if (typeof returned === 'function')
    return settle(exchange, (returned as () => unknown)(), before, settling)
  if (typeof returned === 'object' && returned !== null && !Array.isArray(returned)) {
    throwFailure(returned)
    const value = settling.unwrapsEither ? rightOf(returned, settling) : returned
    if (value !== returned) return settle(exchange, value, before, settling)
    if (value instanceof Reply) return settleReply(exchange, value, before, settling)
    if (isRawBody(value)) return settleRaw(exchange, value, before, settling)
  }
  exchange.result = returned
  if (returned === undefined && (exchange.ctx.body != null || isOwn(exchange.ctx)))
    takeRaw(exchange, settling)
  else exchange.status = statusSince(exchange.ctx, before, settling)
  return undefined
}

/** Returns whether the response bypasses Koa: `ctx.respond` is false, or the head has been sent. */
export function isOwn(ctx: Context): boolean {
  return ctx.respond === false || ctx.headerSent
}

/** Returns the status that has been set on this context; 0 if none has, which to Koa is a 404. */
export function statusSet({ res, response }: Context): number | undefined {
  const isExplicit = (response as { _explicitStatus?: boolean })._explicitStatus === true
  return res.statusCode === 404 && !isExplicit ? undefined : res.statusCode
}

/** The status that the method has set; 0 where it has set none. */
function statusSince(ctx: Context, before: number | undefined, settling: Settling): number {
  const status = statusSet(ctx)
  return status === before || status === undefined ? 0 : finalStatus(status, settling)
}

/** Throws for a status that no response can have: clients would wait for ever. */
function finalStatus(status: number, { place }: Settling): number {
  if (isFinalStatus(status)) return status
  const informational =
    status >= 100 && status < 200
      ? '; ctx.res.writeEarlyHints() and its like send an informational one'
      : ''
  throw new RangeError(
    `${place}: the method set the status ${shown(status)}, a response has one from 200 to 599${informational}`,
  )
}

/** Throws a declared problem, or the problem or Error in a Left. Neither can be data of a client, whatever the codec. */
function throwFailure(value: object): void {
  if (isInstance(value, ProblemFailure)) throw new HttpException(value)
  const { _tag, left } = value as { _tag?: unknown; left?: unknown }
  if (_tag !== 'Left') return
  if (isInstance(left, ProblemFailure)) throw new HttpException(left)
  if (isInstance(left, Error)) throw left
}

/** Returns the value of an fp-ts Right; throws the content of a Left, wrapped if it is not an Error. */
function rightOf(value: object, { place }: Settling): unknown {
  const either = value as { _tag?: unknown; right?: unknown; left?: unknown }
  if (either._tag === 'Right' && 'right' in either) return either.right
  if (either._tag === 'Left' && 'left' in either) {
    throw new Error(
      `${place}: the method returned a Left that is neither a declared problem nor an Error`,
      { cause: either.left },
    )
  }
  return value
}

function settleReply(
  exchange: Exchange,
  { value, status, headers }: Reply<unknown>,
  before: number | undefined,
  { place }: Settling,
): void | Promise<void> {
  // the content of a reply is always a value, never an Either
  const outcome = settle(exchange, value, before, { place, unwrapsEither: false })
  const apply = (): void => {
    if (status !== undefined) exchange.status = status
    for (const [name, text] of headers ? pairsOf(headers) : []) addHeader(exchange, name, text)
  }
  return outcome instanceof Promise ? outcome.then(apply) : apply()
}

/** Fields with a single value, which replaces an existing one. All others are lists, or may occur on several lines, and are appended. */
const SINGLE = new Set(
  'age content-disposition content-length content-location content-range content-type date etag expires last-modified location retry-after'.split(
    ' ',
  ),
)

function addHeader(exchange: Exchange, name: string, text: string | string[]): void {
  const lower = name.toLowerCase()
  if (!SINGLE.has(lower)) exchange.ctx.append(name, text)
  else exchange.ctx.set(name, text)
  // a value stays JSON, whatever it is called
  if (lower === 'content-type' && (exchange.isRaw || isJsonType(String(text))))
    exchange.mediaType = String(text)
}

function isRawBody(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null)
    return typeof (value as { pipe?: unknown }).pipe === 'function'
  return (
    value instanceof Response ||
    value instanceof Uint8Array ||
    value instanceof Blob ||
    value instanceof ReadableStream ||
    typeof (value as { pipe?: unknown }).pipe === 'function'
  )
}

function settleRaw(
  exchange: Exchange,
  body: unknown,
  before: number | undefined,
  settling: Settling,
): void {
  const { ctx } = exchange
  if (body instanceof Response) {
    giveToKoa(ctx, body, settling.place)
    takeRaw(exchange, settling)
    return
  }
  exchange.isRaw = true
  exchange.status = statusSince(ctx, before, settling)
  exchange.mediaType =
    (body instanceof Blob && body.type) || ctx.response.get('Content-Type') || undefined
  ctx.body = bodyForKoa(body)
}

function bodyForKoa(body: unknown): unknown {
  if (body instanceof ReadableStream) return streamOf(body)
  return body instanceof Uint8Array && !Buffer.isBuffer(body)
    ? Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    : body
}

/** Takes a response that the method gave to Koa. */
function takeRaw(exchange: Exchange, settling: Settling): void {
  const { ctx } = exchange
  exchange.isRaw = true
  exchange.status = isOwn(ctx) ? ctx.status : finalStatus(ctx.status, settling)
  exchange.mediaType = ctx.response.get('Content-Type')
}
