// Takes the result of a method into the exchange: a value, a status, header fields, or a body that
// is sent unchanged.

import { Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import type { Context, Exchange } from '../feature-api/exchange.js'
import { isPromise, proceed } from '../feature-api/later.js'
import { pairsOf, Reply } from '../feature-api/reply.js'
import { HOP_BY_HOP, HttpException, isFinalStatus, ProblemFailure } from '../http/failure.js'
import { isJsonType } from '../http/media-type.js'
import { shown } from '../names.js'
import { Download, settleDownload } from './download.js'
import { giveNothingToKoa, setCombined } from './response.js'

/** How an operation interprets the result of its method. */
export interface Settling {
  /** For messages: `Pets.get (GET /pets/)`. */
  readonly place: string
  /** Whether an object with the `_tag` of an Either is one, and not a value of the codec. */
  readonly unwrapsEither: boolean
  /** Whether the value is a stream or another iterable, whose items a feature sends. */
  readonly streamsItems: boolean
}

/**
 * Takes the result of a method: promises and fp-ts Tasks are awaited, a Right is unwrapped, a
 * `Reply` sets status and header fields, and a `Response`, a stream, a buffer or a body that the
 * method gave to Koa is sent unchanged. A response that the method writes to `ctx.res` itself is
 * left alone. The status is that of the reply, or else the one that the method has set on `ctx`
 * since `before`, or else 0. Returns a promise only if the method did.
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
    const value = successIn(returned, settling)
    if (value !== returned) return settle(exchange, value, before, settling)
    if (value instanceof Reply) return settleReply(exchange, value, before, settling)
    if (!settling.streamsItems || value instanceof Response) {
      if (value instanceof Download)
        return settleDownload(exchange, value, statusSince(exchange.ctx, before, settling))
      if (isRawBody(value)) return settleRaw(exchange, value, before, settling)
    }
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

/** The status that the method has set; 0 if it has set none. */
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

/**
 * Returns the value of an fp-ts Right, or the value itself. Throws a declared problem, and the
 * problem or Error in a Left: neither can be data of a client, whatever the codec. Anything else in
 * a Left is wrapped.
 */
function successIn(value: object, { place, unwrapsEither }: Settling): unknown {
  if (value instanceof ProblemFailure) throw new HttpException(value)
  const { _tag, left, right } = value as { _tag?: unknown; left?: unknown; right?: unknown }
  if (_tag === 'Left') {
    if (left instanceof ProblemFailure) throw new HttpException(left)
    if (left instanceof Error) throw left
    if (unwrapsEither && 'left' in value)
      throw new Error(
        `${place}: the method returned a Left that is neither a declared problem nor an Error`,
        { cause: left },
      )
  }
  return unwrapsEither && _tag === 'Right' && 'right' in value ? right : value
}

function settleReply(
  exchange: Exchange,
  { value, status, headers }: Reply<unknown>,
  before: number | undefined,
  settling: Settling,
): void | Promise<void> {
  // the content of a reply is always a value, never an Either
  const outcome =
    value instanceof Download
      ? settleDownload(exchange, value, status ?? 0)
      : settle(exchange, value, before, { ...settling, unwrapsEither: false })
  const apply = (): void => {
    if (status !== undefined && !(value instanceof Download)) exchange.status = status
    for (const [name, text] of headers ? pairsOf(headers) : []) {
      addField(exchange.ctx, name, text)
      // a value stays JSON, whatever it is called
      const isType = name.toLowerCase() === 'content-type'
      if (isType && (exchange.isRaw || isJsonType(String(text)))) exchange.mediaType = String(text)
    }
  }
  return proceed(outcome, apply)
}

/** Fields with a single value. All others are lists, or may occur on several lines. */
const SINGLE = new Set(
  'age content-disposition content-length content-location content-range content-type date etag expires last-modified location retry-after'.split(
    ' ',
  ),
)

/**
 * Adds a field of a reply or a `Response` to what is set: a single value replaces, Cache-Control is
 * combined, any other field is appended.
 */
function addField(ctx: Context, name: string, text: string | string[]): void {
  const lower = name.toLowerCase()
  if (SINGLE.has(lower)) ctx.set(name, text)
  else if (lower === 'cache-control') setCombined(ctx.res, name, String(text))
  else ctx.append(name, text)
}

function isRawBody(value: object): boolean {
  if (Object.getPrototypeOf(value) === Object.prototype)
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

// A WHATWG `Response` as the result of a method: `return fetch(…)` passes another server's response
// on.

/**
 * Copies status, header fields and body of a `Response` to Koa, without the framing of its own
 * connection.
 */
function giveToKoa(ctx: Context, response: Response, place: string): void {
  if (response.bodyUsed || response.body?.locked)
    throw new TypeError(
      `${place}: the method returned a Response whose body was read already: return its clone(), or a new Response`,
    )
  if (!isFinalStatus(response.status))
    throw new RangeError(
      `${place}: the method returned a Response of status ${response.status}, as Response.error() does: return a new Response with one from 200 to 599, or call abort(502)`,
    )
  const listed = listedIn(response.headers.get('Connection'))
  if (response.body === null) giveNothingToKoa(ctx, response.status)
  else ctx.status = response.status
  for (const [name, value] of response.headers) {
    // the iterator gives every Set-Cookie its own line; Koa's setter would join them
    if (!HOP_BY_HOP.has(name) && !listed.has(name) && !isOfOtherBytes(name, response))
      addField(ctx, name, value)
  }
  if (response.body !== null) ctx.body = streamOf(response.body)
}

/**
 * Makes a stream that Koa releases. Koa never ends the source of a web stream that is not read to
 * its end (a HEAD request, a 304, an error instead of it), and gives the response to HEAD the
 * length of `{}`.
 */
function streamOf(stream: ReadableStream): Readable {
  return Readable.fromWeb(stream as WebStream)
}

/** Returns the names that a Connection field lists as hop-by-hop. */
function listedIn(connection: string | null): ReadonlySet<string> {
  return new Set((connection ?? '').split(',').map(name => name.trim().toLowerCase()))
}

/**
 * Returns whether a field describes the bytes as received: `fetch` has decoded them (only it sets
 * `url`), and their number is unknown until they have passed. A Response that a method created from
 * compressed bytes keeps its Content-Encoding.
 */
function isOfOtherBytes(name: string, { url }: Response): boolean {
  return name === 'content-length' || (name === 'content-encoding' && url !== '')
}
