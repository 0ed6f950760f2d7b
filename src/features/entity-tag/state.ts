import type { Context } from '../../contract/exchange.js'
import type { Route } from '../../contract/feature.js'
import { type Conditions, conditionsOf } from '../../http/preconditions.js'
import type { TagSource } from './data-tag.js'

/** The state of a request of an operation with `etag`. */
export interface State {
  readonly route: Route
  /** The source of the tag, as given to `etag`. */
  readonly source: TagSource | undefined
  /** The request's preconditions. */
  readonly conditions: Conditions
  /** The loaded representation. */
  current: unknown
  /** The tag of the loaded representation, once it is known; or the one that `setEtag` has set. */
  tag: string | undefined
  /** `setEtag` was called. */
  isSet: boolean
  /** `checkEtag` was called. */
  isChecked: boolean
}

// kept on the context, where checkEtag and setEtag find it
const STATE = Symbol('etag')
type Tagged = Context & { [STATE]?: State }

/** Creates the state of a request: the first step of every operation with `etag`. */
export function openState(ctx: Context, route: Route, source: TagSource | undefined): State {
  const conditions = conditionsOf(ctx.req.headers)
  const state: State = {
    route,
    source,
    conditions,
    current: undefined,
    tag: undefined,
    isSet: false,
    isChecked: false,
  }
  ;(ctx as Tagged)[STATE] = state
  return state
}

/** Returns the state of a request of an operation with `etag`. */
export function stateOf(ctx: Context): State {
  return (ctx as Tagged)[STATE] as State
}

/** Returns the state, or undefined if the operation has no `etag`. */
export function findState(ctx: Context): State | undefined {
  return (ctx as Tagged)[STATE]
}
