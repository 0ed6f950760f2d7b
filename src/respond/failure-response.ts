// Writes the response for a failure, in the error form of its Api.
import { validateHeaderValue } from 'node:http'
import type { Context, Exchange } from '../feature-api/exchange.js'
import { isUnread } from '../http/body/request-body.js'
import { isDroppedByError } from '../http/errors/dropped-header-fields.js'
import type { ErrorForms } from '../http/errors/error-forms.js'
import { plainErrors } from '../http/errors/plain-errors.js'
import type { Failure } from '../http/failure.js'
import { isFraming } from '../http/framing.js'
import { shown } from '../names.js'
import { applyEveryHeader, JSON_TYPE, setField, writeDirectly } from './fast-response.js'
import { errorOf } from './thrown.js'

/**
 * Writes the error response through Koa. Header fields that are already set are kept, except those
 * that describe a success.
 */
export function writeFailure(ctx: Context, failure: Failure, forms: ErrorForms): void {
  const { code, headers } = failure
  const { res, response } = ctx
  for (const name of res.getHeaderNames())
    if (isDroppedByError(name, res.getHeader(name) ?? '')) ctx.remove(name)
  if (headers) for (const [name, value] of Object.entries(headers)) setHeader(ctx, name, value)
  const { text, contentType } = bodyOf(ctx, failure, forms)
  if (forms.isNegotiated) ctx.vary('Accept')
  response.status = code
  setField(ctx, 'Content-Type', contentType)
  response.body = text
}

/**
 * Writes the error response without Koa. Returns false if Koa is needed: for other header fields,
 * or to drain a request body.
 */
export function writeFailureDirectly(
  exchange: Exchange,
  failure: Failure,
  forms: ErrorForms,
): boolean {
  const { ctx } = exchange
  if (failure.headers || ctx.res.getHeaderNames().length > 0 || isUnread(ctx.req)) return false
  const { text, contentType } = bodyOf(ctx, failure, forms)
  if (forms.isNegotiated) ctx.res.setHeader('Vary', 'Accept')
  applyEveryHeader(exchange)
  writeDirectly(ctx, failure.code, text, contentType)
  return true
}

/**
 * Returns the body of a failure in the form for this request. If a form of the application fails,
 * the client gets a minimal plain error.
 */
function bodyOf(
  ctx: Context,
  failure: Failure,
  forms: ErrorForms,
): { text: string; contentType: string } {
  const { form, contentType } = forms.choose(ctx.req.headers.accept)
  try {
    const text: unknown = form.text(failure)
    if (typeof text === 'string') return { text, contentType }
    throw new TypeError(`text() of the ErrorForm "${form.name}" returns a text, not ${shown(text)}`)
  } catch (error) {
    ctx.app.emit('error', errorOf(error), ctx)
    return { text: plainErrors.text({ code: failure.code }), contentType: JSON_TYPE }
  }
}

/**
 * Sets a header field, but omits one that Node rejects (a line break in it): sending the response
 * matters more.
 */
function setHeader(ctx: Context, name: string, value: unknown): void {
  if (
    isFraming(name) ||
    name.toLowerCase() === 'content-type' ||
    value === undefined ||
    value === null
  )
    return
  try {
    // Node's HTTP/2 refuses nothing here
    for (const one of [value].flat()) validateHeaderValue(name, String(one))
    ctx.set(name, Array.isArray(value) ? value.map(String) : String(value))
  } catch {
    ctx.remove(name)
  }
}
