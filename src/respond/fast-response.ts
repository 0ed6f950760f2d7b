// Responses written past Koa's setters, in the bytes and by the calls of Node with which Koa itself would have sent them.
import { type OutgoingHttpHeader, ServerResponse, STATUS_CODES } from 'node:http'
import type { Context, Exchange } from '../contract/exchange.js'
import { NO_CONTENT } from '../http/status.js'
import { bytesOf, LONG_TEXT } from '../http/text-bytes.js'

/** Whether nothing but the operation has a part in the response, so that it may be written past Koa's setters. */
export type IsAlone = (ctx: Context) => boolean

/** The media type of every text that is sent. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * Sends a response whose other header fields are set already, for a request of which `IsAlone` is true. Whoever reads
 * header fields later (a logger, a tracer) finds them, since each is set and not handed to `writeHead`. It saves a fifth of
 * what a small response costs (docs/speed.md).
 */
export function writeDirectly(ctx: Context, status: number, text: string | Buffer | undefined, type = JSON_TYPE): void {
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
 * The bytes of a long text. Node writes header fields in the encoding of the body, and as Latin-1 before bytes: a field that is not ASCII would be
 * other bytes than with Koa, which sends the text.
 */
function bodyOf(res: ServerResponse, text: string | Buffer): string | Buffer {
  for (const name of res.getHeaderNames()) if (!isAscii(res.getHeader(name))) return text.toString()
  return typeof text === 'string' ? bytesOf(text) : text
}

const BEYOND_ASCII = /[^\0-\x7f]/

function isAscii(value: OutgoingHttpHeader | undefined): boolean {
  return Array.isArray(value) ? value.every(isAscii) : typeof value === 'number' || !BEYOND_ASCII.test(String(value))
}

/** Whether Node's own response will see the calls: mocks, serverless adapters and whatever wraps its methods go through Koa. */
export function isPlainResponse({ res, respond }: Context): boolean {
  return (
    respond === undefined &&
    !res.headersSent &&
    res.end === ServerResponse.prototype.end &&
    res.writeHead === ServerResponse.prototype.writeHead
  )
}

/** Sets a header field for Koa to send: what its own `set` does, which makes three lists of every field. */
export function setField({ res }: Context, name: string, value: string): void {
  if (!res.headersSent) res.setHeader(name, value)
}

/** Gives Koa a response of this status without a body. Koa makes a 204 of a missing body, or the text `null` under a JSON type. */
export function giveNothingToKoa({ response }: Context, status: number): void {
  response.status = 204
  response.body = null
  response.status = status
}

/** Puts the header fields of every response into what is about to be sent, once. */
export function applyEveryHeader(exchange: Exchange): void {
  const { everyHeaders } = exchange
  if (everyHeaders === undefined) return
  exchange.everyHeaders = undefined
  const { res } = exchange.ctx
  if (res.headersSent) return
  for (const { name, value, append } of everyHeaders) res.setHeader(name, append ? withElement(res.getHeader(name), value) : value)
}

/** A list field with one more element, unless it is in the list already (RFC 9110, section 5.6.1). */
function withElement(list: number | string | string[] | undefined, element: string): string {
  if (list === undefined) return element
  const text = Array.isArray(list) ? list.join(', ') : String(list)
  const isThere = text.split(',').some(one => one.trim().toLowerCase() === element.toLowerCase())
  return isThere ? text : `${text}, ${element}`
}
