// Writes responses without Koa's setters, with the bytes and the Node calls that Koa itself would
// use.
import { type OutgoingHttpHeader, ServerResponse, STATUS_CODES } from 'node:http'
import type { Context, Exchange } from '../feature-api/exchange.js'
import { combineCacheControl } from '../http/cache-control.js'
import { NO_CONTENT } from '../http/framing.js'
import { bytesOf, LONG_TEXT } from '../http/text-bytes.js'

/** Returns whether only the operation contributes to the response, so that it may bypass Koa. */
export type IsAlone = (ctx: Context) => boolean

/** The media type of every JSON body. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * Sends a response whose other header fields are already set, for a request for which `IsAlone` is
 * true. Fields are set one by one and not passed to `writeHead`, so that later readers (a logger, a
 * tracer) find them. It saves a fifth of the cost of a small response (docs/speed.md).
 */
export function writeDirectly(
  ctx: Context,
  status: number,
  text: string | Buffer | undefined,
  type = JSON_TYPE,
): void {
  const { res } = ctx
  const body = text !== undefined && text.length >= LONG_TEXT ? bodyOf(res, text) : text
  if (body !== undefined) {
    res.setHeader('Content-Type', type)
    res.setHeader('Content-Length', Buffer.byteLength(body))
  } else {
    if (res.hasHeader('Content-Type')) res.removeHeader('Content-Type')
    if (res.hasHeader('Content-Length')) res.removeHeader('Content-Length')
    if (!NO_CONTENT.has(status) && ctx.method !== 'HEAD') res.setHeader('Content-Length', 0)
  }
  res.statusCode = status
  res.statusMessage = STATUS_CODES[status] as string
  res.end(body)
  // last: what throws above is handled as any other error
  ctx.respond = false
}

/**
 * Returns the bytes of a long string. Node encodes header fields like the body, and as Latin-1 if
 * the body is bytes: a non-ASCII field would then differ from what Koa sends, so the string is
 * kept.
 */
function bodyOf(res: ServerResponse, text: string | Buffer): string | Buffer {
  for (const name of res.getHeaderNames()) if (!isAscii(res.getHeader(name))) return text.toString()
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
export function setField({ res }: Context, name: string, value: string): void {
  if (!res.headersSent) res.setHeader(name, value)
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
export function applyEveryHeader(exchange: Exchange): void {
  const { everyHeaders } = exchange
  if (everyHeaders === undefined) return
  exchange.everyHeaders = undefined
  const { res } = exchange.ctx
  if (res.headersSent) return
  for (const { name, value, append } of everyHeaders) if (!append) res.setHeader(name, value)
  for (const field of everyHeaders) {
    if (!field.append) continue
    // an error that takes the place of this response may have it
    if (field.when?.(exchange) === false) exchange.addHeader(field)
    else res.setHeader(field.name, joined(field.name, res.getHeader(field.name), field.value))
  }
}

/** The value of a header field that is set. */
type Present = number | string | readonly string[] | undefined

/**
 * Returns a list field with more in it (RFC 9110, section 5.6.1): Cache-Control is combined, to all
 * other lists what they do not contain is appended.
 */
export function joined(name: string, present: Present, more: string): string {
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
