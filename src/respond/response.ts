import type { Context, Exchange } from '../contract/exchange.js'
import type { Step } from '../contract/stages.js'
import { droppedByNotModified, repeatedByNotModified } from '../http/not-modified.js'
import { NO_CONTENT } from '../http/status.js'
import { type IsAlone, JSON_TYPE, setField, writeDirectly } from './fast-response.js'

/**
 * The last step of an operation that answers a value: hands status, header fields and text to Koa, in the order in which Koa
 * infers none of them. `prepare` wraps the text's data. Where the operation is alone the same bytes are written directly.
 */
export function answerStep(prepare: ((data: unknown) => unknown) | undefined, isAlone: IsAlone): Step {
  const textOf = (exchange: Exchange): string | undefined => {
    const { text } = exchange
    return prepare && text !== undefined ? JSON.stringify(prepare(JSON.parse(text))) : text
  }
  return exchange => {
    exchange.status ||= 200
    const text = hasBody(exchange) ? textOf(exchange) : undefined
    if (isAlone(exchange.ctx) && canWriteDirectly(exchange)) writeDirectly(exchange.ctx, exchange.status, fieldsOf(exchange), text)
    else writeThroughKoa(exchange, text)
  }
}

function hasBody({ status, result }: Exchange): boolean {
  if (NO_CONTENT.has(status)) return false
  // a redirect says all with its Location
  return result !== undefined || status < 300 || status >= 400
}

/** The last step of an operation that answered by Koa's own means. */
export const answerRaw: Step = exchange => {
  const { ctx, status } = exchange
  for (const [name, value] of fieldsOf(exchange)) setField(ctx, name, value)
  if (status === 304) writeNotModified(ctx)
}

/** Turns a response into a 304: no content, and none of the header fields that would describe it. */
export function writeNotModified({ res, response }: Context): void {
  response.status = 304
  response.body = null
  for (const name of droppedByNotModified(res.getHeaderNames())) response.remove(name)
}

function writeThroughKoa(exchange: Exchange, text: string | undefined): void {
  const { ctx, status } = exchange
  const { response } = ctx
  for (const [name, value] of fieldsOf(exchange)) setField(ctx, name, value)
  if (status === 304) {
    writeNotModified(ctx)
    return
  }
  response.status = status
  if (text !== undefined) setField(ctx, 'Content-Type', JSON_TYPE)
  response.body = text ?? null
}

/** Koa frames a 205 otherwise than Node does, and sees to header fields of the method's own that a 304 must not have. */
function canWriteDirectly({ ctx, status }: Exchange): boolean {
  return !ctx.res.headersSent && status !== 205 && (status !== 304 || ctx.res.getHeaderNames().length === 0)
}

function fieldsOf({ status, headers }: Exchange): Readonly<Exchange['headers']> {
  return status === 304 ? repeatedByNotModified(headers) : headers
}
