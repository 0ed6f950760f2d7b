import type { Context, Exchange } from '../../feature-api/exchange.js'
import type { Route } from '../../feature-api/feature.js'
import { withoutSuffixes, withSuffix } from '../../http/entity-tag.js'
import { type Conditions, conditionsOf, requiresIfMatch } from '../../http/preconditions.js'
import type { TagSource } from './data-tag.js'

/** The state of a request of an operation with `etag`. */
export interface State {
  readonly exchange: Exchange
  readonly route: Route
  /** The source of the tag, as given to `etag`. */
  readonly source: TagSource | undefined
  /** The request's preconditions; of those of a write, If-Match is about any representation. */
  readonly conditions: Conditions
  /** The loaded representation. */
  current: unknown
  /**
   * The tag of the loaded representation, once it is known; or the one that `setEtag` has set. That
   * of JSON: `selectedTag` makes it the one of what is sent.
   */
  tag: string | undefined
  /** `setEtag` was called. */
  isSet: boolean
  /** `checkEtag` was called. */
  isChecked: boolean
}

// kept on the context, for checkEtag and setEtag
const STATE = Symbol('etag')
type Tagged = Context & { [STATE]?: State }

/**
 * Returns the first step of every operation with `etag`, which creates the state of a request.
 */
export function openState(
  route: Route,
  source: TagSource | undefined,
): (exchange: Exchange) => void {
  const { method, features } = route
  // a response of the write itself may be represented in a form that the GET does not have
  const suffixes = requiresIfMatch(method)
    ? [...route.suffixes, ...features.flatMap(({ suffixes = [] }) => suffixes)]
    : []
  return exchange => {
    ;(exchange.ctx as Tagged)[STATE] = {
      exchange,
      route,
      source,
      conditions: conditionsIn(exchange.ctx, suffixes),
      current: undefined,
      tag: undefined,
      isSet: false,
      isChecked: false,
    }
  }
}

function conditionsIn({ req }: Context, suffixes: readonly string[]): Conditions {
  const conditions = conditionsOf(req.headers)
  const { ifMatch } = conditions
  return ifMatch === undefined || suffixes.length === 0
    ? conditions
    : { ...conditions, ifMatch: withoutSuffixes(ifMatch, suffixes) }
}

/**
 * Returns the tag of the representation that is sent, given that of JSON. A raw body is what it is,
 * whatever the client accepts, unless `setEtag` has ended the method with a 304.
 */
export function selectedTag(
  { exchange: { representation, isRaw }, isSet }: State,
  tag: string | undefined,
): string | undefined {
  if (tag === undefined || representation === undefined || (isRaw && !isSet)) return tag
  return withSuffix(tag, representation.suffix)
}

/** Returns the state of a request of an operation with `etag`. */
export function stateOf(ctx: Context): State {
  return findState(ctx) as State
}

/** Returns the state, or undefined if the operation has no `etag`. */
export function findState(ctx: Context): State | undefined {
  return (ctx as Tagged)[STATE]
}
