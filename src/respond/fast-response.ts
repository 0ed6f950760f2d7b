import { STATUS_CODES } from 'node:http'
import type { Context, Exchange } from '../contract/exchange.js'

/** Whether nobody but the operation has a part in the answer, so that it may be written past Koa's setters. */
export type IsAlone = (ctx: Context) => boolean

/** The media type of every text that is answered. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * Writes an answer past Koa, in the bytes that Koa would have sent: for a request of which `IsAlone` is true and whose header
 * fields are not sent yet. It saves a fifth of what a small answer costs (docs/speed.md).
 */
export function writeDirectly(ctx: Context, status: number, headers: Readonly<Exchange['headers']>, text: string | undefined): void {
  const fields: (string | number)[] = []
  for (const [name, value] of headers) fields.push(name, value)
  if (text !== undefined) fields.push('Content-Type', JSON_TYPE, 'Content-Length', Buffer.byteLength(text))
  ctx.respond = false
  ctx.res.writeHead(status, STATUS_CODES[status], fields)
  ctx.res.end(text)
}

/** Sets a header field for Koa to send: what its own `set` does, which makes three lists of every field. */
export function setField({ res }: Context, name: string, value: string): void {
  if (!res.headersSent) res.setHeader(name, value)
}
