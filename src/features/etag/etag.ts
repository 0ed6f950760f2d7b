import type * as t from 'io-ts'
import { isCodec } from '../../codec/shape/annotations.js'
import { type Context, EarlyReturn, type Exchange } from '../../feature-api/exchange.js'
import type { Feature, Part, Route, Typing } from '../../feature-api/feature.js'
import { proceed } from '../../feature-api/later.js'
import { entityTagOf } from '../../http/entity-tag.js'
import { HttpException, NO_CONTENT, Refusal } from '../../http/failure.js'
import { reads } from '../../http/methods.js'
import { evaluate, lacksIfMatch, requiresIfMatch } from '../../http/preconditions.js'
import { optionsIn } from '../../names.js'
import { checkOptions, flag, func, type Rules } from '../../options.js'
import { type Taggable, type TagSource, tagOfData, tagOfText, tagText } from './data-tag.js'
import { describeConditions, describeTag, isTagged } from './describe.js'
import { tagOfKoaBody } from './koa-body.js'
import {
  type EtagLoader,
  type EtagOptions,
  type EtagWire,
  type Loader,
  loaderParts,
  loadOnly,
} from './loader.js'
import { findState, openState, type State, selectedTag, stateOf } from './state.js'

type Loaded<Current, Creates> = {
  current: Creates extends true ? NonNullable<Current> | undefined : NonNullable<Current>
}

/**
 * A method that has to call `checkEtag` did not. Thrown if the setting DEBUG or TESTING is on;
 * otherwise a warning is logged.
 */
export class CheckEtagNotCalledError extends Error {
  override readonly name = 'CheckEtagNotCalledError'
}

/**
 * Entity tags and preconditions (RFC 9110, sections 8.8.3 and 13). The response has a tag; GET and
 * HEAD respond with 304 to a client that has the current representation; PUT, PATCH and DELETE
 * require If-Match (428) and refuse a stale one (412).
 *
 * `etag()` tags the data of the response, `etag(codec)` the data as that codec encodes it; the
 * method then calls `checkEtag` before it changes anything. `etag({ load, tag })` loads the current
 * representation and compares before the method runs, responds with 404 or 412, and passes the
 * loaded value as `current`. (Specification, section 4.5.)
 */
export function etag<const Requires = unknown>(
  source?: t.Mixed | (EtagOptions<Requires> & { readonly load?: never }),
): Feature<{ wire: EtagWire<undefined, Requires> }, 'etag'>
// last, since the compiler explains only the last overload; an unannotated path parameter has to
// accept any type that its converter returns, and only `any` does
export function etag<
  Current,
  // biome-ignore lint/suspicious/noExplicitAny: see above
  Parameters extends object = Record<string, any>,
  const Creates extends boolean = false,
  Named extends object = Parameters,
  const Requires = unknown,
>(
  loader: EtagLoader<Parameters, Current, Creates, Named, Requires>,
): Feature<
  {
    named: Loaded<Current, Creates>
    needs: Parameters & Named
    wire: EtagWire<Creates, Requires>
  },
  'etag'
>
export function etag(
  given: t.Mixed | EtagOptions | EtagLoader<never, unknown, boolean> = {},
): Feature<Typing, 'etag'> {
  const source = isCodec(given) ? given : undefined
  const options = isCodec(given) ? {} : optionsIn(given)
  const loader = 'load' in options ? (options as Loader) : undefined
  return {
    kind: 'etag',
    ...(loader && { gives: ['current'] }),
    on(route) {
      checkEtagOptions(route, isCodec(given) ? {} : given)
      const create = loader?.create === true
      const isRequired = isConditionRequired(route, options)
      const open = openPart(route, source, isRequired ? !create : undefined)
      if (route.settings.ETAG_DISABLED) return loader ? [open, ...loadOnly(route, loader)] : [open]
      const parts = loader ? partsOfLoader(route, loader) : [responsePart(route)]
      return isRequired ? [open, requiredPart(route, create), ...parts] : [open, ...parts]
    },
  }
}

const RULES: Rules<Loader> = {
  load: func,
  view: func,
  tag: func,
  lastModified: func,
  create: flag,
  requireIfMatch: flag,
}

function checkEtagOptions(route: Route, given: object): void {
  checkOptions(route, 'etag', given, RULES)
  const names = Object.keys(optionsIn(given)).filter(
    name => name !== 'requireIfMatch' && Object.hasOwn(RULES, name),
  )
  if (!names.includes('load'))
    for (const name of names)
      route.fault(`etag: "${name}" is about the loaded value: add load, etag({ load, ${name} })`)
}

function partsOfLoader(route: Route, loader: Loader): Part[] {
  // the loaded value depends on the URL alone, but conditions of a QUERY are about its result (RFC
  // 10008, section 2)
  return route.method === 'QUERY'
    ? [...loadOnly(route, loader), responsePart(route)]
    : loaderParts(route, loader)
}

function isConditionRequired(
  { method, settings }: Route,
  { requireIfMatch = settings.ETAG_REQUIRE_IF_MATCH ?? true }: EtagOptions,
): boolean {
  return requiresIfMatch(method) && requireIfMatch
}

/** 428, not 412: the client sent no condition, rather than a false one (RFC 6585, section 3). */
function requiredPart({ method }: Route, create: boolean): Part {
  const missing = new Refusal(428)
  return {
    stage: 'required',
    step: ({ ctx }) =>
      lacksIfMatch(method, stateOf(ctx).conditions, { create }) ? missing : undefined,
    docs: schemas => ({ responses: { 428: schemas.errorResponse(428) } }),
  }
}

/** Reads the conditions of the request, for later parts and for `checkEtag` and `setEtag`. */
function openPart(
  route: Route,
  source: TagSource | undefined,
  requiresIfMatch: boolean | undefined,
): Part {
  return {
    stage: 'required',
    step: openState(route, source),
    docs: schemas => describeConditions(route, schemas, requiresIfMatch),
  }
}

/**
 * Tags the response by its content, and turns it into a 304 (or, for a false If-Match, a 412) if
 * the tag matches the condition.
 */
function responsePart(route: Route): Part {
  const { method, settings } = route
  const mustCheck = requiresIfMatch(method)
  const missed = `${route.place}: checkEtag() was not called, so an update can be lost: call it before anything is changed`

  const finish = (exchange: Exchange, tag: string | undefined): Refusal | undefined => {
    const etag = selectedTag(stateOf(exchange.ctx), tag)
    if (etag !== undefined) exchange.headers.push(['ETag', etag])
    if (!reads(method)) return undefined
    const outcome = evaluate(method, stateOf(exchange.ctx).conditions, { etag })
    if (outcome === 304) exchange.status = 304
    return outcome === 412 ? new Refusal(412) : undefined
  }

  return {
    stage: 'tag',
    raw: true,
    step(exchange) {
      const state = stateOf(exchange.ctx)
      if (mustCheck && !state.isChecked) {
        if (settings.DEBUG || settings.TESTING) throw new CheckEtagNotCalledError(missed)
        route.warn(missed)
      }
      // conditions are about the representation: any other response ignores them (RFC 9110, section
      // 13.2.1)
      if (exchange.status >= 300) return undefined
      const etag = state.isSet ? state.tag : tagOfResponse(route, exchange, state)
      return proceed(etag, tag => finish(exchange, tag))
    },
    docs: schemas => describeTag(route, schemas),
  }
}

/** Returns the tag of the response; a promise if the body given to Koa has to be read for it. */
function tagOfResponse(
  route: Route,
  exchange: Exchange,
  state: State,
): string | undefined | Promise<string | undefined> {
  if (!isTagged(route.method)) return undefined
  if (exchange.isRaw) return tagOfKoaBody(exchange.ctx)
  if (NO_CONTENT.has(exchange.status) || exchange.writer === undefined) return undefined
  const included = includedHeaders(route, exchange)
  return state.source
    ? entityTagOf(tagText(exchange.result, state.source) + included)
    : tagOfText(exchange, included)
}

/** Returns the header fields that are part of the tag, as a string. */
function includedHeaders({ attributes }: Route, { ctx, headers }: Exchange): string {
  let text = ''
  for (const name of attributes.ETAG_INCLUDE_HEADERS) {
    const value = headers.find(([field]) => field === name)?.[1] ?? ctx.res.getHeader(name)
    if (value !== undefined) text += `\n${name.toLowerCase()}: ${String(value)}`
  }
  return text
}

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
  if (evaluate(ctx.method, state.conditions, { etag }) === 412)
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
  if (!reads(route.method)) return
  const etag = selectedTag(state, state.tag)
  const outcome = evaluate(route.method, state.conditions, { etag })
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
