// The last step of an operation: status, header fields and text to Node, through Koa or past it.
import type { Context, Exchange } from '../contract/exchange.js'
import type { Step } from '../contract/stages.js'
import { droppedByNotModified, repeatedByNotModified } from '../http/not-modified.js'
import { NO_CONTENT } from '../http/status.js'
import { type IsAlone, JSON_TYPE, setField, writeDirectly } from './fast-response.js'

/**
 * The last step of an operation that answers a value. `prepare` wraps the text's data. Where the operation is alone the
 * response is written directly, otherwise it is handed to Koa for middleware to see; the bytes are the same.
 */
export function answerStep(prepare: ((data: unknown) => unknown) | undefined, isAlone: IsAlone): Step {
  const textOf = (exchange: Exchange): string | undefined => {
    const { text } = exchange
    return prepare && text !== undefined ? JSON.stringify(prepare(JSON.parse(text))) : text
  }
  return exchange => {
    const { ctx } = exchange
    exchange.status ||= 200
    const text = hasBody(exchange) ? textOf(exchange) : undefined
    setFields(exchange)
    // Koa frames a 205 otherwise than Node does
    if (exchange.status !== 205 && isAlone(ctx)) writeDirectly(ctx, exchange.status, text)
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
export function writeNotModified(ctx: Context): void {
  ctx.response.status = 304
  ctx.response.body = null
  dropFieldsOf304(ctx)
}

function dropFieldsOf304({ res, response }: Context): void {
  for (const name of droppedByNotModified(res.getHeaderNames())) response.remove(name)
}

/** Sets the header fields of a value's response; what the method has set stays, but for what would frame another body. */
function setFields(exchange: Exchange): void {
  const { ctx, status } = exchange
  for (const [name, value] of fieldsOf(exchange)) setField(ctx, name, value)
  if (status === 304) dropFieldsOf304(ctx)
  else for (const name of FRAMING) if (ctx.res.hasHeader(name)) ctx.remove(name)
}

/** A text is framed by its length; Node refuses to send a Trailer with it. */
const FRAMING = ['Transfer-Encoding', 'Trailer']

function writeThroughKoa({ ctx, status }: Exchange, text: string | undefined): void {
  const { response } = ctx
  // Koa makes a 204 of a missing body, and removes what describes a body from a 204
  response.status = text === undefined ? 204 : status
  if (text !== undefined) setField(ctx, 'Content-Type', JSON_TYPE)
  response.body = text ?? null
  response.status = status
}

function fieldsOf({ status, headers }: Exchange): Readonly<Exchange['headers']> {
  return status === 304 ? repeatedByNotModified(headers) : headers
}
