// Finds the rule of a request once, before all middleware, and keeps what the dispatchers find out.
// Called by the error boundary (error-boundary.ts) and by the dispatcher of each Api.
import type { Context } from '../feature-api/exchange.js'
import type { Failure } from '../http/failure.js'
import type { Malformed, Match, Matcher, Miss } from '../http/routing/matcher.js'

/** Responds to errors: an Api. */
export interface ErrorHandler {
  handleHttpException(failure: Failure, ctx: Context): void
}

/** The value that an Api registers for a rule; other tools know the route by its name. */
export interface Named {
  readonly name: string
}

/** One Api of an app. */
export interface Member {
  readonly handler: ErrorHandler
  readonly matcher: Matcher<Named>
}

export type RoutingResult<T = Named> = Match<T> | Miss | Malformed

/** The rules that match a request, and the decisions of the dispatchers. */
interface Routing {
  readonly members: readonly Member[]
  /** The properties behind Koa's `path` and `method`, when the results were computed. */
  url: string | undefined
  method: string | undefined
  /** The result of each Api's matcher for this path and method, computed as needed. */
  results: RoutingResult[]
  /** The Api that serves the request. */
  handler: ErrorHandler | undefined
  /** The first Api that has the path, but not the method. */
  missed: ErrorHandler | undefined
  /** The methods of the rules that match the path, if none matches the method of the request. */
  allowed: Set<string> | undefined
  /** The fields that features advertise in the response to OPTIONS, of all these methods. */
  advertised: AdvertisedFields
  isMalformed: boolean
  /** Compares the response to a thrown error with the document, in development and tests. */
  checkThrown?: () => void
}

/** Header fields of the response to OPTIONS, each with its values. */
export type AdvertisedFields = readonly (readonly [field: string, value: string])[]

const ROUTING = Symbol('koa-smorest')
type Routed = Context & { [ROUTING]?: Routing }

/**
 * Matches before any middleware runs: tools that trace or count requests (OpenTelemetry) read
 * `ctx._matchedRoute` before they call the middleware that they wrap. The first Api with a match
 * wins; later ones are not asked.
 */
export function findRoute(ctx: Context, members: readonly Member[]): void {
  const { method = 'GET' } = ctx.req
  const path = pathOf(ctx)
  const results: RoutingResult[] = []
  // the result of an app in front of this one, which shares the ctx if apps are mounted one behind
  // the other
  const earlier = routingOf(ctx)
  ;(ctx as Routed)[ROUTING] = {
    members,
    url: ctx.req.url,
    method,
    results,
    handler: undefined,
    missed: earlier?.missed,
    allowed: earlier?.allowed,
    advertised: earlier?.advertised ?? [],
    isMalformed: false,
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

/**
 * Returns `ctx.path`, without parsing the whole URL if the path is simply what precedes the query.
 */
function pathOf(ctx: Context): string {
  const { url = '' } = ctx.req
  if (!url.startsWith('/') || UNUSUAL.test(url)) return ctx.path
  const query = url.indexOf('?')
  return query === -1 ? url : url.slice(0, query)
}

/** Characters that Koa's parser leaves to the parser of Node. */
const UNUSUAL = /[\s#]/

function setRoute(ctx: Context, { rule, value }: Match<Named>): void {
  ctx._matchedRoute = rule.routerPath
  ctx._matchedRouteName = value.name
}

/** Removes the matched route from a request that no rule matches. */
export function forgetRoute(ctx: Context): void {
  if (ctx._matchedRoute === undefined) return
  ctx._matchedRoute = undefined
  ctx._matchedRouteName = undefined
}

/**
 * Returns the match of one Api: the result of `findRoute`, as long as path and method are
 * unchanged.
 */
export function resultOf<T extends Named>(
  ctx: Context,
  members: readonly Member[],
  index: number,
  matcher: Matcher<T>,
): RoutingResult<T> {
  const { url, method } = ctx.req
  const routing = routingOf(ctx)
  // an app that is mounted in another shares its ctx
  if (routing?.members !== members) return matcher.match(pathOf(ctx), ctx.method)
  if (routing.url !== url || routing.method !== method) {
    Object.assign(routing, { url, method, results: [] })
    forgetRoute(ctx)
  }
  routing.results[index] ??= matcher.match(pathOf(ctx), ctx.method)
  return routing.results[index] as RoutingResult<T>
}

/** Returns the routing of a request. */
export function routingOf(ctx: Context): Routing | undefined {
  return (ctx as Routed)[ROUTING]
}

/** Records the Api that serves a request, so that it also responds to its errors. */
export function noteMatch(ctx: Context, handler: ErrorHandler, match: Match<Named>): void {
  const routing = routingOf(ctx)
  if (routing) routing.handler = handler
  if (ctx._matchedRoute !== match.rule.routerPath) setRoute(ctx, match)
}

/** Records a check to run once the error boundary has responded to what an operation threw. */
export function noteThrown(ctx: Context, check: () => void): void {
  const routing = routingOf(ctx)
  if (routing) routing.checkThrown = check
}

/** Records why no rule of an Api matched: other middleware, or another Api, may still respond. */
export function noteMiss(
  ctx: Context,
  handler: ErrorHandler,
  miss: Miss | Malformed,
  advertisedBy: (method: string) => AdvertisedFields,
): void {
  const routing = routingOf(ctx)
  if (!routing) return
  if (miss.kind === 'malformed') routing.isMalformed = true
  else if (miss.allowed.length > 0) {
    routing.missed ??= handler
    routing.allowed = new Set([...(routing.allowed ?? []), ...miss.allowed])
    if (ctx.method === 'OPTIONS')
      routing.advertised = [...routing.advertised, ...miss.allowed.flatMap(advertisedBy)]
  }
}
