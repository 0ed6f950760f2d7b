import type Koa from 'koa'
import type { Next } from 'koa'
import type { Context } from '../contract/exchange.js'
import { drain } from '../http/body/drain.js'
import { isUnread } from '../http/body/request-body.js'
import type { Failure } from '../http/failure.js'
import type { Matcher } from '../http/routing/matcher.js'
import { isStockApp } from './application.js'
import { isPlainResponse } from './fast-response.js'
import {
  type ErrorHandler,
  findRoute,
  forgetRoute,
  type Member,
  type Named,
  type RoutingResult,
  resultOf,
  routingOf,
} from './request-routing.js'
import { errorOf, failureOf, reportFault } from './thrown.js'

/** The Apis of an app, in their order. */
const joined = new WeakMap<Koa, Member[]>()

/**
 * Puts the guard in front of all middleware of the app, once, whatever the number of its Apis. It responds to what is thrown
 * behind it and to what nothing responds to, so that every error has the one form; header fields that are set by then stay.
 * Returns how the Api finds the rule of a request: from what the guard found, while path and method are unchanged.
 */
export function join<T extends Named>(app: Koa, handler: ErrorHandler, matcher: Matcher<T>): (ctx: Context) => RoutingResult<T> {
  const members = joined.get(app) ?? guarded(app)
  const index = members.push({ handler, matcher }) - 1
  return ctx => resultOf(ctx, members, index, matcher)
}

function guarded(app: Koa): Member[] {
  const members: Member[] = []
  joined.set(app, members)
  app.middleware.unshift((ctx, next) => guard(ctx, next, members))
  return members
}

/** Whether the app of a request has no middleware but the guard and its Apis' own, and nothing else that sees the response. */
export function isAlone(ctx: Context): boolean {
  const members = joined.get(ctx.app)
  return members !== undefined && ctx.app.middleware.length === members.length + 1 && isStockApp(ctx.app) && isPlainResponse(ctx)
}

async function guard(ctx: Context, next: Next, members: readonly Member[]): Promise<void> {
  try {
    findRoute(ctx, members)
    await next()
    if (isUnhandled(ctx)) respondToMiss(ctx, members)
  } catch (thrown) {
    respondToThrown(ctx, thrown, members)
  }
  // an error response while the body of the request still comes
  if (ctx.res.statusCode >= 400 && isUnread(ctx.req) && !(await drain(ctx.req)) && !ctx.headerSent) ctx.set('Connection', 'close')
}

function isUnhandled(ctx: Context): boolean {
  return ctx.res.statusCode === 404 && ctx.body == null && ctx.respond !== false && !ctx.headerSent
}

function respondToMiss(ctx: Context, members: readonly Member[]): void {
  const { allowed, missed, isMalformed = false } = routingOf(ctx) ?? {}
  forgetRoute(ctx)
  if (allowed && ctx.method === 'OPTIONS') respondToOptions(ctx, allowed)
  else (missed ?? handlerOf(ctx, members)).handleHttpException(missOf(allowed, isMalformed), ctx)
}

function missOf(allowed: ReadonlySet<string> | undefined, isMalformed: boolean): Failure {
  if (isMalformed) return { code: 400, message: 'The path is not valid percent-encoded UTF-8.' }
  return allowed ? { code: 405, headers: { Allow: allowOf(allowed) } } : { code: 404 }
}

function respondToOptions(ctx: Context, allowed: ReadonlySet<string>): void {
  ctx.status = 200
  ctx.set('Allow', allowOf(allowed))
  ctx.body = ''
  ctx.remove('Content-Type')
}

function allowOf(allowed: ReadonlySet<string>): string {
  return [...new Set(['OPTIONS', ...allowed])].sort((left, right) => rank(left) - rank(right)).join(', ')
}

const ALLOW_ORDER = ['OPTIONS', 'HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY']
const rank = (method: string): number => (ALLOW_ORDER.includes(method) ? ALLOW_ORDER.indexOf(method) : ALLOW_ORDER.length)

function respondToThrown(ctx: Context, thrown: unknown, members: readonly Member[]): void {
  const failure = failureOf(thrown)
  reportFault(ctx, thrown)
  // the response has begun: all that can be done is to let the client see that it is not whole
  if (ctx.headerSent) {
    ctx.res.destroy()
    return
  }
  const handler = handlerOf(ctx, members)
  handler.handleHttpException(failure, ctx)
  try {
    routingOf(ctx)?.checkThrown?.()
  } catch (undocumented) {
    ctx.app.emit('error', errorOf(undocumented), ctx)
    handler.handleHttpException({ code: 500, cause: undocumented }, ctx)
  }
}

function handlerOf(ctx: Context, members: readonly Member[]): ErrorHandler {
  return routingOf(ctx)?.handler ?? (members[0] as Member).handler
}
