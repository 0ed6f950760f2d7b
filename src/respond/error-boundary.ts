import type Koa from 'koa'
import type { Next } from 'koa'
import type { Context } from '../contract/exchange.js'
import { drain } from '../http/body/drain.js'
import { isUnread } from '../http/body/request-body.js'
import type { Failure } from '../http/failure.js'
import type { Malformed, Miss } from '../http/routing/matcher.js'
import { isStockApp } from './application.js'
import { errorOf, failureOf } from './failure-response.js'
import { isPlainResponse } from './fast-response.js'

/** What answers errors: an Api. */
export interface ErrorHandler {
  handleHttpException(failure: Failure, ctx: Context): void
}

/** The Apis of an app, in their order. */
const joined = new WeakMap<Koa, ErrorHandler[]>()

/**
 * Puts the guard in front of all middleware of the app, once, whatever the number of its Apis. It answers what is thrown
 * behind it and what nobody answers, so that every error has the one form; header fields that are set by then stay.
 */
export function join(app: Koa, api: ErrorHandler): void {
  const apis = joined.get(app)
  if (apis) {
    apis.push(api)
    return
  }
  const all = [api]
  joined.set(app, all)
  app.middleware.unshift((ctx, next) => guard(ctx, next, all))
}

/** Whether the app of a request has no middleware but the guard and its Apis' own, and nothing else that sees the response. */
export function isAlone(ctx: Context): boolean {
  const apis = joined.get(ctx.app)
  return apis !== undefined && ctx.app.middleware.length === apis.length + 1 && isStockApp(ctx.app) && isPlainResponse(ctx)
}

/** What the dispatchers found out about a request that none of them could answer, or which of them did. */
interface Notes {
  api?: ErrorHandler
  allowed?: Set<string>
  malformed?: boolean
}
const NOTES = Symbol('koa-smorest')
type Noted = Context & { [NOTES]?: Notes }

/** Keeps which Api answers a request, so that its errors are that Api's. */
export function noteMatch(ctx: Context, api: ErrorHandler): void {
  ;(ctx as Noted)[NOTES] = { api }
}

/** Keeps why no rule of an Api matched: other middleware, or another Api, may still answer. */
export function noteMiss(ctx: Context, miss: Miss | Malformed): void {
  const noted = ctx as Noted
  noted[NOTES] ??= {}
  if (miss.kind === 'malformed') noted[NOTES].malformed = true
  else if (miss.allowed.length > 0) noted[NOTES].allowed = new Set([...(noted[NOTES].allowed ?? []), ...miss.allowed])
}

async function guard(ctx: Context, next: Next, apis: readonly ErrorHandler[]): Promise<void> {
  try {
    await next()
    if (isUnanswered(ctx)) answerMiss(ctx, apis)
  } catch (thrown) {
    answerThrown(ctx, thrown, apis)
  }
  // an error that is answered while its body still comes
  if (ctx.res.statusCode >= 400 && isUnread(ctx.req) && !(await drain(ctx.req)) && !ctx.headerSent) ctx.set('Connection', 'close')
}

function isUnanswered(ctx: Context): boolean {
  return ctx.res.statusCode === 404 && ctx.body == null && ctx.respond !== false && !ctx.headerSent
}

function answerMiss(ctx: Context, apis: readonly ErrorHandler[]): void {
  const { allowed, malformed } = (ctx as Noted)[NOTES] ?? {}
  if (allowed && ctx.method === 'OPTIONS') answerOptions(ctx, allowed)
  else handlerOf(ctx, apis).handleHttpException(missOf(allowed, malformed), ctx)
}

function missOf(allowed: ReadonlySet<string> | undefined, malformed = false): Failure {
  if (malformed) return { code: 400, message: 'The path is not valid percent-encoded UTF-8.' }
  return allowed ? { code: 405, headers: { Allow: allowOf(allowed) } } : { code: 404 }
}

function answerOptions(ctx: Context, allowed: ReadonlySet<string>): void {
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

function answerThrown(ctx: Context, thrown: unknown, apis: readonly ErrorHandler[]): void {
  const failure = failureOf(thrown)
  if (failure.code >= 500) ctx.app.emit('error', errorOf(thrown), ctx)
  // the answer has begun: all that can be done is to let the client see that it is not whole
  if (ctx.headerSent) ctx.res.destroy()
  else handlerOf(ctx, apis).handleHttpException(failure, ctx)
}

function handlerOf(ctx: Context, apis: readonly ErrorHandler[]): ErrorHandler {
  return (ctx as Noted)[NOTES]?.api ?? (apis[0] as ErrorHandler)
}
