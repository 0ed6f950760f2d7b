import type { Context } from '../../contract/exchange.js'
import type { Route } from '../../contract/feature.js'
import type { TagSource } from './data-tag.js'

/** What an operation under `etag` knows of its request. */
export interface State {
  readonly route: Route
  /** What the tag is made of, as `etag` was told. */
  readonly source: TagSource | undefined
  /** What the loader gave. */
  readonly current: unknown
  /** The tag of what the loader gave, where it is known already; or what `setEtag` was given. */
  tag: string | undefined
  /** `setEtag` was called. */
  isSet: boolean
  /** `checkEtag` was called, or the loader's tag compared. */
  isChecked: boolean
}

// it lives on the context, so that checkEtag and setEtag find it
const STATE = Symbol('etag')
type Tagged = Context & { [STATE]?: State }

/** The state of the request; undefined where its operation is not under `etag`. */
export function stateOf(ctx: Context): State | undefined {
  return (ctx as Tagged)[STATE]
}

export function keepState(ctx: Context, state: State): void {
  ;(ctx as Tagged)[STATE] = state
}
