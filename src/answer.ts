import { STATUS_CODES } from 'node:http'
import { writeNotModified } from './errors.js'
import type { Context, Exchange, Step } from './feature.js'

/** Whether nobody but the operation has a part in the answer, so that it may be written past Koa's setters. */
export type IsAlone = (ctx: Context) => boolean

const JSON_TYPE = 'application/json; charset=utf-8'

/** 204 and 205 have no body (RFC 9110, sections 15.3.5 and 15.3.6). */
const EMPTY: ReadonlySet<number> = new Set([204, 205])

/**
 * The last step of an operation that answers a value: hands status, header fields and text to Koa, in the order in which Koa
 * infers none of them. `prepare` wraps the text's data. Where the operation is alone the same bytes are written directly,
 * which saves a fifth of what a small answer costs (docs/speed.md).
 */
export function answerStep(prepare: ((data: unknown) => unknown) | undefined, isAlone: IsAlone): Step {
  const textOf = (exchange: Exchange): string | undefined => {
    const { text } = exchange
    return prepare && text !== undefined ? JSON.stringify(prepare(JSON.parse(text))) : text
  }
  return exchange => {
    exchange.status ||= 200
    const text = hasBody(exchange) ? textOf(exchange) : undefined
    if (isAlone(exchange.ctx) && canWriteDirectly(exchange)) writeDirectly(exchange, text)
    else writeThroughKoa(exchange, text)
  }
}

function hasBody({ status, result }: Exchange): boolean {
  if (status === 304 || EMPTY.has(status)) return false
  // a redirect says all with its Location
  return result !== undefined || status < 300 || status >= 400
}

/** The last step of an operation that answered by Koa's own means. */
export const answerRaw: Step = ({ ctx, status, headers }) => {
  for (const [name, value] of headers) ctx.set(name, value)
  if (status === 304) writeNotModified(ctx)
}

function writeThroughKoa({ ctx, status, headers }: Exchange, text: string | undefined): void {
  for (const [name, value] of status === 304 ? validatorsOf(headers) : headers) ctx.set(name, value)
  if (status === 304) {
    writeNotModified(ctx)
    return
  }
  ctx.status = status
  if (text === undefined) {
    ctx.body = null
    return
  }
  ctx.set('Content-Type', JSON_TYPE)
  ctx.body = text
}

/** Koa frames a 205 otherwise than Node does, and sees to header fields of the method's own that a 304 must not have. */
function canWriteDirectly({ ctx, status }: Exchange): boolean {
  return !ctx.res.headersSent && status !== 205 && (status !== 304 || ctx.res.getHeaderNames().length === 0)
}

function writeDirectly({ ctx, status, headers }: Exchange, text: string | undefined): void {
  const fields: (string | number)[] = []
  for (const [name, value] of status === 304 ? validatorsOf(headers) : headers) fields.push(name, value)
  if (text !== undefined) fields.push('Content-Type', JSON_TYPE, 'Content-Length', Buffer.byteLength(text))
  ctx.respond = false
  ctx.res.writeHead(status, STATUS_CODES[status], fields)
  ctx.res.end(text)
}

/** Of the fields of a success a 304 has the entity tag, or the date where there is no tag (RFC 9110, section 15.4.5). */
function validatorsOf(headers: Exchange['headers']): Exchange['headers'] {
  const tags = headers.filter(([name]) => name === 'ETag')
  return tags.length > 0 ? tags : headers.filter(([name]) => name === 'Last-Modified')
}
