import type { Context } from '../../feature-api/exchange.js'
import type { Route } from '../../feature-api/feature.js'
import { EarlyReturn } from '../../feature-api/step.js'
import { HttpException } from '../../http/failure.js'
import { evaluate, requiresIfMatch } from '../../http/preconditions.js'
import { type Taggable, type TagSource, tagOfData } from './data-tag.js'
import { isSafe, isTagged } from './methods.js'
import { findState, type State, selectedTag } from './state.js'

/**
 * Compares If-Match with the tag of the current data; throws 412 if it does not match. Call it
 * before anything is changed. The source is a codec or field names, by default the source given to
 * `etag`. It only compares: two processes can pass it at the same time, so let the UPDATE check the
 * version as well. Throws a TypeError for data that would have the same tag in every version: a
 * promise, an instance of a class without a codec, an absent field. Warns, once for each operation,
 * in methods that change nothing, such as GET.
 */
export function checkEtag<Data>(
  ctx: Context,
  data: Data & Taggable<Data>,
  source?: TagSource<Data>,
): void {
  const state = enabledState(ctx, 'checkEtag')
  if (!state) return
  state.isChecked = true
  warnOfRead(state)
  const etag = tagOfData(data, (source as TagSource | undefined) ?? state.source)
  if (
    evaluate(ctx.method, state.conditions, { exists: true, etag, lastModified: undefined }) === 412
  )
    throw new HttpException({ code: 412 })
}

const warned = new WeakSet<Route>()

function warnOfRead({ route }: State): void {
  if (requiresIfMatch(route.method) || warned.has(route)) return
  warned.add(route)
  route.warn(`${route.place}: checkEtag() has no use in ${route.method}`)
}

/**
 * Sets the entity tag of the response to that of this data; a GET or HEAD ends here with 304 if the
 * client has it already. Data and source are as in `checkEtag`. Warns in methods whose response has
 * no tag, such as DELETE.
 */
export function setEtag<Data>(
  ctx: Context,
  data: Data & Taggable<Data>,
  source?: TagSource<Data>,
): void {
  const state = enabledState(ctx, 'setEtag')
  if (!state) return
  const { route } = state
  if (!isTagged(route.method)) {
    route.warn(`${route.place}: setEtag() has no use in ${route.method}`)
    return
  }
  state.tag = tagOfData(data, (source as TagSource | undefined) ?? state.source)
  state.isSet = true
  if (!isSafe(route.method)) return
  const outcome = evaluate(route.method, state.conditions, {
    exists: true,
    etag: selectedTag(state, state.tag),
    lastModified: undefined,
  })
  if (outcome === 412) throw new HttpException({ code: 412 })
  if (outcome === 304)
    throw new EarlyReturn(`${route.place}: setEtag() has to be called in the method`)
}

/**
 * Returns the state of a request of an operation with `etag`; undefined if the settings disable
 * tags.
 */
function enabledState(ctx: Context, caller: string): State | undefined {
  const state = findState(Object(ctx) as Context)
  if (state === undefined)
    throw new TypeError(`${caller}() needs etag() in the descriptor of the operation`)
  return state.route.settings.ETAG_DISABLED ? undefined : state
}
