// Finds the rule of a request once, in front of all middleware, and keeps what the dispatchers make of it. Called by the error boundary
// (error-boundary.ts) and by the dispatcher of each Api.
import type { Context } from '../contract/exchange.js'
import type { Failure } from '../http/failure.js'
import type { Malformed, Match, Matcher, Miss } from '../http/routing/matcher.js'

/** What responds to errors: an Api. */
export interface ErrorHandler {
  handleHttpException(failure: Failure, ctx: Context): void
}

/** What an Api registers for a rule; the name is what other tools know the route by. */
export interface Named {
  readonly name: string
}

/** One Api of an app. */
export interface Member {
  readonly handler: ErrorHandler
  readonly matcher: Matcher<Named>
}

export type RoutingResult<T = Named> = Match<T> | Miss | Malformed

/** Which rules match a request, and what the dispatchers have made of it. */
export interface Routing {
  readonly members: readonly Member[]
  /** What Koa's `path` and `method` are read of, and written to. */
  url: string | undefined
  method: string | undefined
  /** What each Api's rules say of this path and method, as far as it was asked for. */
  results: RoutingResult[]
  /** The Api that serves the request. */
  handler: ErrorHandler | undefined
  /** The first Api that has the path, but not with this method. */
  missed: ErrorHandler | undefined
  /** The methods of the rules that match the path, where none has the request's. */
  allowed: Set<string> | undefined
  isMalformed: boolean
  /** Compares the response of what the operation threw with its document, in development and tests. */
  checkThrown?: () => void
}
const ROUTING = Symbol('koa-smorest')
type Routed = Context & { [ROUTING]?: Routing }

/**
 * Matches before any middleware runs: tools that trace or count requests (OpenTelemetry) read `ctx._matchedRoute` before they
 * call the middleware that they wrap. The first Api with a match counts; those after it are not asked.
 */
export function findRoute(ctx: Context, members: readonly Member[]): void {
  const { method = 'GET' } = ctx.req
  const path = pathOf(ctx)
  const results: RoutingResult[] = []
  // what an app in front of this one has found out, which shares the ctx where apps are mounted one behind the other
  const earlier = (ctx as Routed)[ROUTING]
  ;(ctx as Routed)[ROUTING] = {
    members,
    url: ctx.req.url,
    method,
    results,
    handler: undefined,
    missed: earlier?.missed,
    allowed: earlier?.allowed,
    isMalformed: earlier?.isMalformed ?? false,
  }
  for (const { matcher } of members) {
    const result = matcher.match(path, method)
    results.push(result)
    if (result.kind === 'match') {
      setRoute(ctx, result)
      return
    }
  }
  forgetRoute(ctx)
}

/** `ctx.path`, which parses the whole URL; of most the path is what stands in front of the query. */
function pathOf(ctx: Context): string {
  const { url = '' } = ctx.req
  if (!url.startsWith('/') || UNUSUAL.test(url)) return ctx.path
  const query = url.indexOf('?')
  return query === -1 ? url : url.slice(0, query)
}

/** What Koa's parser leaves to that of Node. */
const UNUSUAL = /[\s#]/

function setRoute(ctx: Context, { rule, value }: Match<Named>): void {
  ctx._matchedRoute = rule.routerPath
  ctx._matchedRouteName = value.name
}

/** Of a request that no rule matches, nothing may say that one did. */
export function forgetRoute(ctx: Context): void {
  if (ctx._matchedRoute === undefined) return
  ctx._matchedRoute = undefined
  ctx._matchedRouteName = undefined
}

/** What the rules of one Api say of a request: from what `findRoute` found, while path and method are unchanged. */
export function resultOf<T extends Named>(ctx: Context, members: readonly Member[], index: number, matcher: Matcher<T>): RoutingResult<T> {
  const { url, method } = ctx.req
  const routing = (ctx as Routed)[ROUTING]
  // an app that is mounted in another shares its ctx
  if (routing?.members !== members) return matcher.match(pathOf(ctx), ctx.method)
  if (routing.url !== url || routing.method !== method) {
    Object.assign(routing, { url, method, results: [] })
    forgetRoute(ctx)
  }
  routing.results[index] ??= matcher.match(pathOf(ctx), ctx.method)
  return routing.results[index] as RoutingResult<T>
}

/** What was found, for the error boundary. */
export function routingOf(ctx: Context): Routing | undefined {
  return (ctx as Routed)[ROUTING]
}

/** Keeps which Api serves a request, so that its errors are that Api's. */
export function noteMatch(ctx: Context, handler: ErrorHandler, match: Match<Named>): void {
  const routing = (ctx as Routed)[ROUTING]
  if (routing) routing.handler = handler
  if (ctx._matchedRoute !== match.rule.routerPath) setRoute(ctx, match)
}

/** Keeps what is to be checked once the error boundary has responded to what an operation threw. */
export function noteThrown(ctx: Context, check: () => void): void {
  const routing = (ctx as Routed)[ROUTING]
  if (routing) routing.checkThrown = check
}

/** Keeps why no rule of an Api matched: other middleware, or another Api, may still respond. */
export function noteMiss(ctx: Context, handler: ErrorHandler, miss: Miss | Malformed): void {
  const routing = (ctx as Routed)[ROUTING]
  if (!routing) return
  if (miss.kind === 'malformed') routing.isMalformed = true
  else if (miss.allowed.length > 0) {
    routing.missed ??= handler
    routing.allowed = new Set([...(routing.allowed ?? []), ...miss.allowed])
  }
}
