import { validateHeaderValue } from 'node:http'
import type Koa from 'koa'
import type { Middleware } from 'koa'
import { isAbort } from '../feature-api/abort-signal.js'
import type { Context, Exchange } from '../feature-api/exchange.js'
import { attempt } from '../feature-api/later.js'
import { drain, isUnread } from '../http/body/request-body.js'
import { isDroppedByError } from '../http/errors/dropped-header-fields.js'
import { type ErrorForms, errorForms, plainErrors } from '../http/errors/error-forms.js'
import { type Failure, isFinalStatus, isFraming } from '../http/failure.js'
import type { Matcher } from '../http/routing/matcher.js'
import { shown } from '../names.js'
import { addShortcut, isStockApp } from './application.js'
import { fieldsFor } from './header-fields.js'
import {
  type AdvertisedFields,
  type ErrorHandler,
  findRoute,
  forgetRoute,
  type Member,
  type Named,
  type RoutingResult,
  resultOf,
  routingOf,
} from './request-routing.js'
import {
  applyEveryHeader,
  isPlainResponse,
  JSON_TYPE,
  keepCookiesPrivate,
  setCombined,
  setField,
  writeDirectly,
} from './response.js'
import { breakOff } from './stream.js'
import { errorOf, failureOf, reportFault } from './thrown.js'

/**
 * The Apis of an app, in order, and the middleware that they added: the error boundary, and a
 * dispatcher for each Api.
 */
interface Joined {
  readonly members: Member[]
  readonly middleware: Middleware[]
}

const joined = new WeakMap<Koa, Joined>()

/**
 * Adds the error boundary before all middleware of the app, once for all its Apis. It responds to
 * errors thrown behind it and to requests that nothing responded to, so that all errors have one
 * form; header fields that are set by then are kept. Then adds the dispatcher of the Api. Returns a
 * function that finds the rule of a request; it reuses the result of the boundary as long as path
 * and method are unchanged.
 */
export function join<T extends Named>(
  app: Koa,
  handler: ErrorHandler,
  matcher: Matcher<T>,
  dispatch: Middleware,
): (ctx: Context) => RoutingResult<T> {
  const { members, middleware } = joined.get(app) ?? withBoundary(app)
  const index = members.push({ handler, matcher }) - 1
  middleware.push(dispatch)
  app.use(dispatch)
  return ctx => resultOf(ctx, members, index, matcher)
}

function withBoundary(app: Koa): Joined {
  const members: Member[] = []
  const settle = (ctx: Context) => settled(ctx, members)
  const fail = (ctx: Context, thrown: unknown) => failed(ctx, thrown, members)
  const boundary: Middleware = (ctx, next) => {
    const run = (ctx: Context) => {
      findRoute(ctx, members)
      return next()
    }
    return attempt(run, ctx, settle, fail)
  }
  const middleware = [boundary]
  joined.set(app, { members, middleware })
  app.middleware.unshift(boundary)
  const dispatch = (ctx: Context, index: number): unknown =>
    middleware[index]?.(ctx, async () => dispatch(ctx, index + 1))
  const dispatchAll = (ctx: Context) => {
    findRoute(ctx, members)
    return dispatch(ctx, 1)
  }
  addShortcut(app, { middleware, respond: ctx => attempt(dispatchAll, ctx, settle, fail) })
  return { members, middleware }
}

/**
 * Returns whether the app has no middleware other than the error boundary and the dispatchers of
 * its Apis, and nothing else can see the response.
 */
export function isAlone(ctx: Context): boolean {
  const apis = joined.get(ctx.app)
  return (
    apis !== undefined &&
    ctx.app.middleware.length === apis.middleware.length &&
    isStockApp(ctx.app) &&
    isPlainResponse(ctx)
  )
}

function settled(ctx: Context, members: readonly Member[]): void | Promise<void> {
  if (isUnhandled(ctx)) {
    try {
      respondToMiss(ctx, members)
    } catch (thrown) {
      return failed(ctx, thrown, members)
    }
  }
  const unsendable = unsendableOf(ctx)
  if (unsendable) return failed(ctx, unsendable, members)
  // here, since middleware for sessions sets its cookie after all others
  keepCookiesPrivate(ctx.res)
  return drained(ctx)
}

function failed(ctx: Context, thrown: unknown, members: readonly Member[]): void | Promise<void> {
  respondToThrown(ctx, thrown, members)
  const unsendable = ctx.headerSent ? undefined : unsendableOf(ctx)
  if (unsendable) {
    // the handler of the application made it so
    ctx.app.emit('error', unsendable, ctx)
    writeFailure(ctx, { code: 500 }, PLAIN_ERRORS)
  }
  keepCookiesPrivate(ctx.res)
  return drained(ctx)
}

const PLAIN_ERRORS = errorForms('plain')

/** Drains a request body that is still arriving when an error is sent. */
function drained(ctx: Context): void | Promise<void> {
  if (ctx.res.statusCode < 400 || !isUnread(ctx.req)) return undefined
  return drain(ctx.req).then(isAll => {
    // over HTTP/2 it is the stream that is closed, and Node warns of the field
    if (!isAll && !ctx.headerSent && ctx.req.httpVersionMajor < 2) ctx.set('Connection', 'close')
  })
}

function isUnhandled(ctx: Context): boolean {
  return ctx.res.statusCode === 404 && ctx.body == null && ctx.respond !== false && !ctx.headerSent
}

function respondToMiss(ctx: Context, members: readonly Member[]): void {
  const { allowed, missed, advertised = [], isMalformed = false } = routingOf(ctx) ?? {}
  forgetRoute(ctx)
  if (allowed && ctx.method === 'OPTIONS') respondToOptions(ctx, allowed, advertised)
  else (missed ?? handlerOf(ctx, members)).handleHttpException(missOf(allowed, isMalformed), ctx)
}

function missOf(allowed: ReadonlySet<string> | undefined, isMalformed: boolean): Failure {
  if (isMalformed) return { code: 400, message: 'The path is not valid percent-encoded UTF-8.' }
  return allowed ? { code: 405, headers: { Allow: allowOf(allowed) } } : { code: 404 }
}

function respondToOptions(
  ctx: Context,
  allowed: ReadonlySet<string>,
  advertised: AdvertisedFields,
): void {
  ctx.status = 200
  ctx.set('Allow', allowOf(allowed))
  const fields = new Map<string, { readonly name: string; readonly values: Set<string> }>()
  for (const [name, value] of advertised) {
    const field = fields.get(name.toLowerCase()) ?? { name, values: new Set() }
    field.values.add(value)
    fields.set(name.toLowerCase(), field)
  }
  for (const { name, values } of fields.values()) ctx.set(name, [...values].join(', '))
  ctx.body = ''
  ctx.remove('Content-Type')
}

function allowOf(allowed: ReadonlySet<string>): string {
  return [...new Set(['OPTIONS', ...allowed])]
    .sort((left, right) => rank(left) - rank(right))
    .join(', ')
}

const ALLOW_ORDER = ['OPTIONS', 'HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY']
const rank = (method: string): number =>
  ALLOW_ORDER.includes(method) ? ALLOW_ORDER.indexOf(method) : ALLOW_ORDER.length

function respondToThrown(ctx: Context, thrown: unknown, members: readonly Member[]): void {
  // nobody is there to respond to, and nothing has failed
  if (isAbort(ctx, thrown) && !ctx.writable) {
    ctx.respond = false
    return
  }
  const failure = isAbort(ctx, thrown) ? STOPPED : failureOf(thrown)
  reportFault(ctx, thrown)
  // the response has begun: the client can only be shown that it is incomplete, unless it is
  // complete
  if (ctx.headerSent) {
    if (!ctx.res.writableEnded) breakOff(ctx)
    return
  }
  // whoever wanted to bypass Koa has failed
  ctx.respond = true
  const handler = handlerOf(ctx, members)
  handler.handleHttpException(failure, ctx)
  try {
    routingOf(ctx)?.checkThrown?.()
  } catch (undocumented) {
    ctx.app.emit('error', errorOf(undocumented), ctx)
    handler.handleHttpException({ code: 500, cause: undocumented }, ctx)
  }
}

/** The client is there, and its signal has aborted: the Api has stopped. */
const STOPPED: Failure = { code: 503, headers: { 'Retry-After': '1' } }

function handlerOf(ctx: Context, members: readonly Member[]): ErrorHandler {
  return routingOf(ctx)?.handler ?? (members[0] as Member).handler
}

/**
 * Returns the reason why a response cannot be sent, as an error that explains the remedy; otherwise
 * undefined. Middleware and error handlers of the application can produce a response that Node
 * sends and no client understands; operations check the results of their methods themselves.
 */
function unsendableOf(ctx: Context): Error | undefined {
  const { statusCode, headersSent } = ctx.res
  // what is written past Koa cannot be taken back
  if (ctx.respond === false || headersSent || isFinalStatus(statusCode)) return undefined
  return new RangeError(
    `the response to ${ctx.method} ${ctx.path} has the status ${shown(statusCode)}, which no response can have: set ctx.status to one from 200 to 599`,
  )
}

// Writes the response for a failure, in the error form of its Api.

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
  setField(ctx.res, 'Content-Type', contentType)
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
  const fields = fieldsFor(ctx.res)
  if (forms.isNegotiated) fields.setHeader('Vary', 'Accept')
  applyEveryHeader(exchange, fields)
  writeDirectly(ctx, fields, failure.code, text, contentType)
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
    throw new TypeError(
      `text() of the ErrorForm "${form.name}" must return a string, not ${shown(text)}`,
    )
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
  if (isFraming(name) || name.toLowerCase() === 'content-type' || value == null) return
  try {
    // Node's HTTP/2 refuses nothing here
    for (const one of [value].flat()) validateHeaderValue(name, String(one))
    setCombined(ctx.res, name, Array.isArray(value) ? value.map(String) : String(value))
  } catch {
    ctx.remove(name)
  }
}
