import type { Context } from '../../contract/exchange.js'
import type { Route } from '../../contract/feature.js'
import { type Conditions, conditionsOf } from '../../http/preconditions.js'
import type { TagSource } from './data-tag.js'

/** What an operation under `etag` knows of its request. */
export interface State {
  readonly route: Route
  /** What the tag is made of, as `etag` was told. */
  readonly source: TagSource | undefined
  /** The request's preconditions. */
  readonly conditions: Conditions
  /** What the loader gave. */
  current: unknown
  /** The tag of what the loader gave, where it is known already; or what `setEtag` was given. */
  tag: string | undefined
  /** `setEtag` was called. */
  isSet: boolean
  /** `checkEtag` was called. */
  isChecked: boolean
}

// it lives on the context, so that checkEtag and setEtag find it
const STATE = Symbol('etag')
type Tagged = Context & { [STATE]?: State }

/** Begins the state of a request: the first step of every operation under `etag`. */
export function openState(ctx: Context, route: Route, source: TagSource | undefined): State {
  const conditions = conditionsOf(ctx.req.headers)
  const state: State = { route, source, conditions, current: undefined, tag: undefined, isSet: false, isChecked: false }
  ;(ctx as Tagged)[STATE] = state
  return state
}

/** The state of a request whose operation is under `etag`. */
export function stateOf(ctx: Context): State {
  return (ctx as Tagged)[STATE] as State
}

/** The same for callers that cannot know whether it is. */
export function findState(ctx: Context): State | undefined {
  return (ctx as Tagged)[STATE]
}
