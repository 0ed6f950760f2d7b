// The last step of an operation: passes status, header fields and body to Node, through Koa or
// directly.

import { type OutgoingHttpHeader, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type {
  CompleteResponse,
  Context,
  Exchange,
  ResultStream,
  SelectedRepresentation,
  Step,
  StepResult,
} from '../feature-api/exchange.js'
import type { Route } from '../feature-api/feature.js'
import { combineCacheControl } from '../http/cache-control.js'
import { isFinalStatus, NO_CONTENT } from '../http/failure.js'
import { isJsonType } from '../http/media-type.js'
import { droppedByNotModified, repeatedByNotModified } from '../http/not-modified.js'
import { bytesOf, LONG_TEXT } from '../http/text-bytes.js'
import { shown } from '../names.js'
import { fieldsFor, type HeaderFields, writeHead } from './header-fields.js'
import { bodyOf, breakOff, dropStream } from './stream.js'
import { reportFault } from './thrown.js'

/**
 * Returns the last step before a value is sent: it writes the body, wrapped by
 * `prepareResponseContent` of the Blueprint if it is JSON.
 */
export function bodyStep({
  place,
  attributes: { prepareResponseContent: prepare },
}: Pick<Route, 'place' | 'attributes'>): Step {
  return exchange => {
    exchange.status ||= 200
    // the method's status has been checked in settle, the descriptor's at registration
    if (!isFinalStatus(exchange.status))
      throw new RangeError(
        `${place}: a feature set the status ${shown(exchange.status)}, a response has one from 200 to 599`,
      )
    const text = exchange.stream === undefined && hasBody(exchange) ? exchange.text : undefined
    const { representation } = exchange
    if (representation && text !== undefined) {
      represent(exchange, representation, JSON.parse(text), place)
      return
    }
    exchange.body =
      prepare && text !== undefined && isJsonType(exchange.mediaType ?? JSON_TYPE)
        ? JSON.stringify(prepare(JSON.parse(text)))
        : text
  }
}

/** After how many milliseconds a client that takes nothing of a representation is disconnected. */
const STALL = 60_000

/**
 * Writes the selected representation of a value; an iterable becomes the stream of the response.
 */
function represent(
  exchange: Exchange,
  { mediaType, write }: SelectedRepresentation,
  value: unknown,
  place: string,
): void {
  const written: unknown = write(value, exchange)
  exchange.mediaType = mediaType
  if (typeof written === 'string' || written instanceof Uint8Array) exchange.body = written
  else if (typeof Object(written)[Symbol.asyncIterator] === 'function')
    exchange.stream = { mediaType, body: written as AsyncIterable<string>, stall: STALL }
  else
    throw new TypeError(
      `${place}: write() of the representation ${mediaType} must return a string, a Uint8Array or an async iterable of them, not ${shown(written)}`,
    )
}

/**
 * Sends a value: directly if nothing else can see the response, otherwise through Koa, for
 * middleware to see. The bytes are the same.
 */
export function sendValue(exchange: Exchange, isAlone: IsAlone): StepResult {
  if (exchange.stream) {
    if (!NO_CONTENT.has(exchange.status)) return sendStream(exchange, exchange.stream)
    dropStream(exchange)
  }
  const { ctx, status, body, bytes, mediaType = JSON_TYPE } = exchange
  // Koa frames a 205 differently from Node
  if (body instanceof Uint8Array || status === 205 || !isAlone(ctx)) {
    setFields(exchange, ctx.res)
    writeThroughKoa(ctx, status, body, mediaType)
    return undefined
  }
  const fields = fieldsFor(ctx.res)
  setFields(exchange, fields)
  applyEveryHeader(exchange, fields)
  keepCookiesPrivate(fields)
  // a Blueprint may have wrapped the string, so that the bytes are out of date
  const content = bytes !== undefined && body === exchange.text ? bytes : body
  writeDirectly(ctx, fields, status, content, mediaType)
  return undefined
}

function sendStream(exchange: Exchange, stream: ResultStream): StepResult {
  const { ctx, status } = exchange
  const refusal = exchange.beginStream()
  if (refusal) {
    dropStream(exchange)
    return refusal
  }
  setFields(exchange, ctx.res)
  ctx.response.status = status
  setField(ctx.res, 'Content-Type', stream.mediaType)
  ctx.response.body = bodyOf(exchange, stream)
  // from here on Koa has it
  exchange.stream = undefined
  return undefined
}

/** Sends a complete response, such as one that was kept. */
export function sendComplete(ctx: Context, { status, headers, body }: CompleteResponse): void {
  if (body === null) giveNothingToKoa(ctx, status)
  else {
    ctx.status = status
    ctx.body = typeof body === 'string' ? body : Buffer.from(body)
    // Koa has inferred one
    ctx.remove('Content-Type')
  }
  const fields = new Map<string, string[]>()
  for (const [name, value] of headers)
    fields.set(name.toLowerCase(), [...(fields.get(name.toLowerCase()) ?? []), value])
  for (const [name, values] of fields)
    setCombined(ctx.res, name, values.length === 1 ? (values[0] as string) : values)
}

function hasBody({ status, result }: Exchange): boolean {
  if (NO_CONTENT.has(status)) return false
  // a redirect needs only its Location
  return result !== undefined || status < 300 || status >= 400
}

/** Sends a raw response of a method: a stream, a buffer, a `Response`. */
export function sendRaw(exchange: Exchange): void {
  const { ctx, status, mediaType } = exchange
  setOwnFields(exchange, ctx.res)
  if (status === 304) {
    writeNotModified(ctx)
    return
  }
  if (mediaType) setField(ctx.res, 'Content-Type', mediaType)
  if (ctx.body instanceof Readable) breakOffWith(ctx, ctx.body)
  if (ctx.status !== status) ctx.status = status
}

/**
 * Middleware that wraps a stream, as koa-compress does, may not notice that it fails: the response
 * would never end.
 */
function breakOffWith(ctx: Context, stream: Readable): void {
  stream.once('error', error => {
    // Koa itself sees what it sends
    if (ctx.body === stream || ctx.res.writableEnded) return
    reportFault(ctx, error)
    breakOff(ctx)
  })
}

/** Turns a response into a 304: no content, and no header fields that would describe it. */
export function writeNotModified(ctx: Context): void {
  ctx.response.status = 304
  ctx.response.body = null
  dropFieldsOf304(ctx.res)
}

function dropFieldsOf304(fields: HeaderFields): void {
  for (const name of droppedByNotModified(fields.getHeaderNames())) fields.removeHeader(name)
}

/**
 * Sets the header fields of a value's response. Fields that the method has set are kept, except
 * those that would frame another body.
 */
function setFields(exchange: Exchange, fields: HeaderFields): void {
  const { status } = exchange
  // nothing is set yet as a rule, and then nothing has to be looked for
  const isBlank = fields.getHeaderNames().length === 0
  if (!isBlank && status !== 304)
    for (const name of OTHER_FRAMING) if (fields.hasHeader(name)) fields.removeHeader(name)
  setOwnFields(exchange, fields)
  if (!isBlank && status === 304) dropFieldsOf304(fields)
}

/** Sets the header fields of the features. */
function setOwnFields({ status, headers }: Exchange, fields: HeaderFields): void {
  for (const [name, value] of status === 304 ? repeatedByNotModified(headers) : headers)
    setCombined(fields, name, value)
}

/**
 * Sets a header field. Cache-Control and Vary are combined with what the method, middleware and
 * other features have set; the ages are those of `value`.
 */
export function setCombined(fields: HeaderFields, name: string, value: string | string[]): void {
  const lower = name.toLowerCase()
  const isVary = lower === 'vary'
  const present = isVary || lower === 'cache-control' ? fields.getHeader(name) : undefined
  if (present === undefined) setField(fields, name, value)
  else if (isVary) setField(fields, name, joined(name, present, String(value)))
  else setField(fields, name, joined(name, value, String(present)))
}

/** A string is framed by its length, and Node refuses to send a Trailer with it. */
const OTHER_FRAMING = ['Transfer-Encoding', 'Trailer']

function writeThroughKoa(
  ctx: Context,
  status: number,
  content: string | Uint8Array | undefined,
  mediaType: string,
): void {
  if (content === undefined) {
    giveNothingToKoa(ctx, status)
    return
  }
  ctx.response.status = status
  setField(ctx.res, 'Content-Type', mediaType)
  ctx.response.body =
    typeof content === 'string'
      ? content
      : Buffer.from(content.buffer, content.byteOffset, content.length)
}

// Writes responses without Koa's setters, with the bytes and the Node calls that Koa itself would
// use.

/** Returns whether only the operation contributes to the response, so that it may bypass Koa. */
export type IsAlone = (ctx: Context) => boolean

/** The media type of every JSON body. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * Sends a response with these header fields, those of the body apart, for a request for which
 * `IsAlone` is true. It saves a fifth of the cost of a small response (docs/speed.md).
 */
export function writeDirectly(
  ctx: Context,
  fields: HeaderFields,
  status: number,
  text: string | Buffer | undefined,
  type = JSON_TYPE,
): void {
  const { res } = ctx
  const body = text !== undefined && text.length >= LONG_TEXT ? contentOf(fields, text) : text
  if (body !== undefined) {
    fields.setHeader('Content-Type', type)
    fields.setHeader('Content-Length', Buffer.byteLength(body))
  } else {
    if (fields.hasHeader('Content-Type')) fields.removeHeader('Content-Type')
    if (fields.hasHeader('Content-Length')) fields.removeHeader('Content-Length')
    if (!NO_CONTENT.has(status) && ctx.method !== 'HEAD') fields.setHeader('Content-Length', 0)
  }
  writeHead(res, status, fields)
  res.end(body)
  // last: what throws above is handled as any other error
  ctx.respond = false
}

/**
 * Returns the bytes of a long string. Node encodes header fields like the body, and as Latin-1 if
 * the body is bytes: a non-ASCII field would then differ from what Koa sends, so the string is
 * kept.
 */
function contentOf(fields: HeaderFields, text: string | Buffer): string | Buffer {
  for (const name of fields.getHeaderNames())
    if (!isAscii(fields.getHeader(name))) return text.toString()
  return typeof text === 'string' ? bytesOf(text) : text
}

const BEYOND_ASCII = /[^\0-\x7f]/

function isAscii(value: OutgoingHttpHeader | undefined): boolean {
  return Array.isArray(value)
    ? value.every(isAscii)
    : typeof value === 'number' || !BEYOND_ASCII.test(String(value))
}

/**
 * Returns whether this is Node's own, unmodified response: mocks, serverless adapters and wrapped
 * methods go through Koa.
 */
export function isPlainResponse({ res, respond }: Context): boolean {
  return (
    respond === undefined &&
    !res.headersSent &&
    res.end === ServerResponse.prototype.end &&
    res.writeHead === ServerResponse.prototype.writeHead
  )
}

/**
 * Sets a header field for Koa to send, like Koa's own `set`, which copies all fields three times.
 */
export function setField(fields: HeaderFields, name: string, value: string | string[]): void {
  if (!fields.headersSent) fields.setHeader(name, value)
}

/**
 * Makes Koa send this status without a body. Otherwise Koa turns a missing body into a 204, or into
 * the string `null` under a JSON type.
 */
export function giveNothingToKoa({ response }: Context, status: number): void {
  response.status = 204
  response.body = null
  response.status = status
}

/**
 * Applies the header fields of every response to the response that is about to be sent, once. All
 * that replace come before all that append, so that nothing appended is lost.
 */
export function applyEveryHeader(
  exchange: Exchange,
  fields: HeaderFields = exchange.ctx.res,
): void {
  const { everyHeaders } = exchange
  if (everyHeaders === undefined) return
  exchange.everyHeaders = undefined
  if (fields.headersSent) return
  for (const { name, value, append } of everyHeaders) if (!append) fields.setHeader(name, value)
  for (const field of everyHeaders) {
    if (!field.append) continue
    // an error that takes the place of this response may have it
    if (field.when?.(exchange, fields) === false) exchange.addHeader(field)
    else {
      const present = fields.getHeader(field.name)
      fields.setHeader(field.name, joined(field.name, present, field.value))
    }
  }
}

/**
 * Forbids shared caches to keep a response that sets a cookie, which is that of one client.
 */
export function keepCookiesPrivate(fields: HeaderFields): void {
  if (fields.headersSent || !fields.hasHeader('Set-Cookie')) return
  const present = String(fields.getHeader('Cache-Control') ?? '')
  fields.setHeader('Cache-Control', combineCacheControl(present, 'private'))
}

/**
 * Returns a list field with more in it (RFC 9110, section 5.6.1): Cache-Control is combined, to all
 * other lists what they do not contain is appended.
 */
function joined(name: string, present: OutgoingHttpHeader | undefined, more: string): string {
  if (present === undefined) return more
  const text = Array.isArray(present) ? present.join(', ') : String(present)
  const lower = name.toLowerCase()
  if (lower === 'cache-control') return combineCacheControl(text, more)
  return lower === 'vary'
    ? more.split(',').reduce((list, element) => withElement(list, element.trim()), text)
    : withElement(text, more)
}

function withElement(list: string, element: string): string {
  const present = list.split(',').map(one => one.trim().toLowerCase())
  return present.includes(element.toLowerCase()) || list.trim() === '*'
    ? list
    : `${list}, ${element}`
}
