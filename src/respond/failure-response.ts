// The response of a failure, in the form of its Api's errors.
import { validateHeaderValue } from 'node:http'
import type { Context, Exchange } from '../contract/exchange.js'
import { isUnread } from '../http/body/request-body.js'
import { isDroppedByError } from '../http/error-fields.js'
import type { ErrorForms } from '../http/errors/error-forms.js'
import { plainErrors } from '../http/errors/plain-errors.js'
import type { Failure } from '../http/failure.js'
import { isFraming } from '../http/framing.js'
import { shown } from '../names.js'
import { applyEveryHeader, JSON_TYPE, setField, writeDirectly } from './fast-response.js'
import { errorOf } from './thrown.js'

/** Writes the error response. Header fields that were set by then stay, but for those that speak of a success. */
export function writeFailure(ctx: Context, failure: Failure, forms: ErrorForms): void {
  const { code, headers } = failure
  const { res, response } = ctx
  for (const name of res.getHeaderNames()) if (isDroppedByError(name, res.getHeader(name) ?? '')) ctx.remove(name)
  if (headers) for (const [name, value] of Object.entries(headers)) setHeader(ctx, name, value)
  const { text, contentType } = bodyOf(ctx, failure, forms)
  if (forms.isNegotiated) ctx.vary('Accept')
  response.status = code
  setField(ctx, 'Content-Type', contentType)
  response.body = text
}

/** The same past Koa; false where it has a part all the same: in header fields, or in a body that is still to be drained. */
export function writeFailureDirectly(exchange: Exchange, failure: Failure, forms: ErrorForms): boolean {
  const { ctx } = exchange
  if (failure.headers || ctx.res.getHeaderNames().length > 0 || isUnread(ctx.req)) return false
  const { text, contentType } = bodyOf(ctx, failure, forms)
  if (forms.isNegotiated) ctx.res.setHeader('Vary', 'Accept')
  applyEveryHeader(exchange)
  writeDirectly(ctx, failure.code, text, contentType)
  return true
}

/** The text of a failure in the form for this request. Where a form of the application fails, the client gets a bare error all the same. */
function bodyOf(ctx: Context, failure: Failure, forms: ErrorForms): { text: string; contentType: string } {
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

/** A header field that Node refuses (a line break in it) is left out: the response matters more, and never becomes two. */
function setHeader(ctx: Context, name: string, value: unknown): void {
  if (isFraming(name) || name.toLowerCase() === 'content-type' || value === undefined || value === null) return
  try {
    // Node's HTTP/2 refuses nothing here
    for (const one of [value].flat()) validateHeaderValue(name, String(one))
    ctx.set(name, Array.isArray(value) ? value.map(String) : String(value))
  } catch {
    ctx.remove(name)
  }
}
