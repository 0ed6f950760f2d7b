import type { Context, Exchange } from '../contract/exchange.js'
import { isUnread } from '../http/body/request-body.js'
import { errorText } from '../http/error-body.js'
import { isDroppedByError } from '../http/error-fields.js'
import type { Failure } from '../http/failure.js'
import { isFraming } from '../http/framing.js'
import { applyEveryHeader, JSON_TYPE, setField, writeDirectly } from './fast-response.js'

/** Writes the error response. Header fields that were set by then stay, but for those that speak of a success. */
export function writeFailure(ctx: Context, failure: Failure): void {
  const { code, headers } = failure
  const { res, response } = ctx
  for (const name of res.getHeaderNames()) if (isDroppedByError(name, res.getHeader(name) ?? '')) ctx.remove(name)
  if (headers) for (const [name, value] of Object.entries(headers)) setHeader(ctx, name, value)
  response.status = code
  setField(ctx, 'Content-Type', JSON_TYPE)
  response.body = errorText(code, failure)
}

/** The same past Koa; false where it has a part all the same: in header fields, or in a body that is still to be drained. */
export function writeFailureDirectly(exchange: Exchange, failure: Failure): boolean {
  const { ctx } = exchange
  if (failure.headers || ctx.res.getHeaderNames().length > 0 || isUnread(ctx.req)) return false
  applyEveryHeader(exchange)
  writeDirectly(ctx, failure.code, errorText(failure.code, failure))
  return true
}

/** A header field that Node refuses (a line break in it) is left out: the answer matters more, and never becomes two. */
function setHeader(ctx: Context, name: string, value: unknown): void {
  if (isFraming(name) || name.toLowerCase() === 'content-type' || value === undefined || value === null) return
  try {
    ctx.set(name, Array.isArray(value) ? value.map(String) : String(value))
  } catch {
    ctx.remove(name)
  }
}
