import type { Context, Exchange } from '../../feature-api/exchange.js'
import type { Part, Route } from '../../feature-api/feature.js'
import { proceed } from '../../feature-api/later.js'
import type { SettingOf, WireFunction, WireResponse } from '../../feature-api/wire/facts.js'
import { Refusal } from '../../http/failure.js'
import { reads } from '../../http/methods.js'
import { type Conditions, evaluate } from '../../http/preconditions.js'
import { tagOfData, tagOfText, tagOfVersion } from './data-tag.js'
import { describeTag, isTagged } from './describe.js'
import { type State, selectedTag, stateOf } from './state.js'

/** Options of `etag` without a loader. */
export interface EtagOptions<Requires = unknown> {
  /**
   * Whether PUT, PATCH and DELETE without If-Match are refused with 428. Default: the setting
   * `ETAG_REQUIRE_IF_MATCH`.
   */
  readonly requireIfMatch?: boolean & Requires
}

/**
 * Options of `etag` with a loader: the library loads the current representation, compares, and
 * passes it to the method.
 */
export interface EtagLoader<
  Parameters,
  Current,
  Creates extends boolean,
  Named = Parameters,
  Requires = unknown,
> extends EtagOptions<Requires> {
  /**
   * Returns the current representation; `undefined` or `null` if it does not exist. The second
   * argument contains the path parameters and the values of earlier features and arguments, such as
   * a user. Annotate it to have it checked.
   */
  readonly load: (ctx: Context, named: Parameters) => Current | Promise<Current>
  /**
   * Returns the part that this caller may see. Default: all of it. Tag, 304 and If-Match are
   * about this view; the GET of the view class has to return it, or a value with the same encoding.
   */
  readonly view?: (current: NonNullable<Current>, named: Named) => unknown
  /**
   * Returns its version for this caller: a number or bare string is quoted, a complete entity tag
   * is used unchanged, `null` means no tag. Default: a hash of what `view` returns, encoded by the
   * codec of the GET.
   */
  readonly tag?: (current: NonNullable<Current>, named: Named) => string | number | null
  /** Returns when it was last changed, for conditions by date. */
  readonly lastModified?: (current: NonNullable<Current>) => Date | undefined
  /**
   * Whether the operation may create an absent resource (PUT). If so, there is no 404, `current`
   * may be undefined, and `If-None-Match: *` may be sent instead of If-Match.
   */
  readonly create?: Creates
}

/** A loader without its types. */
export type Loader = EtagLoader<Readonly<Record<string, unknown>>, unknown, boolean>

/**
 * Returns the parts of an operation with a loader: it loads and compares before the method, and
 * tags the response after it.
 */
export function loaderParts(route: Route, loader: Loader): Part[] {
  const tagging = taggingOf(route, loader)
  return [loadPart(route, loader, tagging), tagPart(route, loader, tagging)]
}

/**
 * Returns the parts if tags are disabled: the loader still loads, responds with 404, and passes the
 * value on.
 */
export function loadOnly(route: Route, loader: Loader): Part[] {
  return [loadPart(route, loader, undefined)]
}

/** How a representation is tagged. */
interface Tagging {
  /** Returns what the caller is shown of a value that was loaded or written. */
  readonly view: (value: unknown, named: Record<string, unknown>) => unknown
  /** Returns the tag of a value and its view. */
  readonly tag: (
    value: unknown,
    view: unknown,
    named: Record<string, unknown>,
  ) => string | undefined
  /**
   * Returns the tag of a response with the body of the view; computed from the encoded body if
   * possible.
   */
  readonly tagOfText: ((exchange: Exchange) => string | undefined) | undefined
}

function taggingOf(route: Route, { view: viewOf, tag: versionOf }: Loader): Tagging {
  const view: Tagging['view'] = viewOf
    ? (value, named) => viewOf(value as object, named)
    : value => value
  if (versionOf)
    return {
      view,
      tag: (value, _view, named) => tagOfVersion(versionOf(value as object, named)),
      tagOfText: undefined,
    }
  const { represented } = route
  if (represented === undefined) {
    route.fault(
      'etag({ load }) has neither a tag nor a codec to make one with: add tag, or response(codec) to the get of the view',
    )
    return { view, tag: () => undefined, tagOfText: undefined }
  }
  return {
    view,
    tag: (_value, view) => tagOfData(view, represented),
    tagOfText: exchange => (exchange.codec === represented ? tagOfText(exchange) : undefined),
  }
}

const ABSENT = new Refusal(404)
const STALE = new Refusal(412)

function loadPart(route: Route, loader: Loader, tagging: Tagging | undefined): Part {
  const { load, lastModified: dateOf } = loader
  const safe = reads(route.method)
  // without create, an absent representation is a 404, whatever the conditions (RFC 9110, section
  // 13.2.1)
  const create = loader.create === true && isTagged(route.method) && !safe
  // for safe methods If-None-Match leads to a 304, which is decided when the response is tagged
  const canRefuse = ({ ifMatch, ifUnmodifiedSince, ifNoneMatch }: Conditions) =>
    ifMatch !== undefined || ifUnmodifiedSince !== undefined || (ifNoneMatch !== undefined && !safe)

  const compare = (exchange: Exchange, loaded: unknown): Refusal | undefined => {
    const exists = loaded !== undefined && loaded !== null
    if (!exists && !create) return ABSENT
    const { named } = exchange
    const state = stateOf(exchange.ctx)
    state.current = exists ? loaded : undefined
    if (tagging && canRefuse(state.conditions)) {
      if (exists) state.tag = tagging.tag(loaded, tagging.view(loaded, named), named)
      const lastModified = exists ? dateOf?.(loaded) : undefined
      const etag = safe ? selectedTag(state, state.tag) : state.tag
      if (evaluate(route.method, state.conditions, { exists, etag, lastModified }) === 412)
        return STALE
    }
    named.current = state.current
    return undefined
  }
  return {
    stage: 'load',
    step(exchange) {
      return proceed(load(exchange.ctx, exchange.named), loaded => compare(exchange, loaded))
    },
    docs: schemas => (create ? {} : { responses: { 404: schemas.errorResponse(404) } }),
  }
}

/** Tags the response; a GET or HEAD becomes a 304 if the client has the current representation. */
function tagPart(route: Route, loader: Loader, tagging: Tagging): Part {
  // only a call could tell for certain
  const isWeak = loader.tag !== undefined && /["'`]W\//.test(String(loader.tag))
  const step = reads(route.method)
    ? tagRead(route, loader, tagging)
    : tagWrite(route, loader, tagging)
  return {
    stage: 'tag',
    raw: true,
    step(exchange) {
      // conditions are about the representation: any other response ignores them (RFC 9110, section
      // 13.2.1)
      if (exchange.status < 300 && exchange.status !== 204 && isTagged(route.method))
        step(exchange, stateOf(exchange.ctx))
    },
    docs: schemas => describeTag(route, schemas, isWeak),
  }
}

type TagStep = (exchange: Exchange, state: State) => void

/**
 * A read is tagged by its view, and a 304 confirms that view: the response has to be the view
 * itself.
 */
function tagRead(
  route: Route,
  { view, tag, lastModified: dateOf }: Loader,
  tagging: Tagging,
): TagStep {
  const { method, settings } = route
  // an application that gives the version is responsible for it; a hash or a view has to match the
  // response
  const isHeld = (view !== undefined || tag === undefined) && method !== 'HEAD'
  const other = `${route.place}: the method returned something other than what ${view ? 'the view' : 'the loader'} of etag() gives, so it has no entity tag: return that, or set the view of this caller: etag({ load, view: (current, named) => … })`

  return (exchange, state) => {
    const { headers, named } = exchange
    const current = state.current
    const shown = tagging.view(current, named)
    if (isHeld && !state.isSet && !isShown(exchange, shown)) {
      if (settings.DEBUG || settings.TESTING) throw new TypeError(other)
      route.warn(other)
      return
    }
    const tag =
      state.isSet || state.tag !== undefined
        ? state.tag
        : ((isHeld ? tagging.tagOfText?.(exchange) : undefined) ??
          tagging.tag(current, shown, named))
    const etag = selectedTag(state, tag)
    const lastModified = dateOf?.(current as object)
    if (etag !== undefined) headers.push(['ETag', etag])
    if (lastModified) headers.push(['Last-Modified', lastModified.toUTCString()])
    if (evaluate(method, state.conditions, { etag, lastModified }) === 304) exchange.status = 304
  }
}

/** Returns whether a response is the view: the value itself, or one with the same encoding. */
function isShown(exchange: Exchange, view: unknown): boolean {
  if (exchange.isRaw) return false
  return exchange.result === view || exchange.text === exchange.writer?.(view)
}

/**
 * A write is tagged by its result, if that has the codec of the GET: with another codec it is a
 * report about the write.
 */
function tagWrite(
  route: Route,
  { tag: versionOf }: Loader,
  { view, tag, tagOfText }: Tagging,
): TagStep {
  const { features, represented, settings } = route
  const usual = features.findLast(feature => feature.represents)?.represents

  const tagOfResult = (exchange: Exchange): string | undefined => {
    const { named, result, codec = usual, isRaw } = exchange
    // without a codec of the GET there is a version to go by
    if (isRaw || (represented !== undefined && codec !== represented)) return undefined
    if (result === undefined || result === null) return undefined
    // the result may be less than what the loader gives, and lack its version
    if (versionOf)
      return versionOf(result, named) === undefined ? undefined : tag(result, result, named)
    const shown = view(result, named)
    return (shown === result ? tagOfText?.(exchange) : undefined) ?? tag(result, shown, named)
  }
  // the write has happened: a 500 would say that it has not
  const tagIfPossible = (exchange: Exchange): string | undefined => {
    try {
      return tagOfResult(exchange)
    } catch (error) {
      const other = `${route.place}: etag() cannot make a tag of what the method returned (${error}), so the response has none: return what load would return now, or null from tag`
      if (settings.DEBUG || settings.TESTING) throw new TypeError(other, { cause: error })
      route.warn(other)
      return undefined
    }
  }
  return (exchange, state) => {
    const tag = state.isSet ? state.tag : tagIfPossible(exchange)
    const etag = selectedTag(state, tag)
    if (etag !== undefined) exchange.headers.push(['ETag', etag])
  }
}

// The wire facts of entity tags: conditions that a client sends, tags and refusals that it
// receives.

/** The wire facts of `etag`, by method and settings. `Creates` is undefined without a loader. */
export interface EtagWire<Creates extends boolean | undefined, Requires> extends WireFunction {
  readonly facts:
    | Loads<Creates, this['method']>
    | (true extends SettingOf<this['settings'], 'ETAG_DISABLED', false>
        ? never
        :
            | Tags<this['method']>
            | ConditionsWire<this['method'], Creates, RequiredBy<Requires, this['settings']>>)
}

type RequiredBy<Requires, Given> = unknown extends Requires
  ? SettingOf<Given, 'ETAG_REQUIRE_IF_MATCH', true>
  : Requires

/** A loader that finds nothing leads to a 404, unless the method creates what is absent. */
type Loads<Creates, Method> = [Creates] extends [undefined]
  ? never
  : [Creates, Method] extends [true, 'post' | 'put' | 'patch']
    ? never
    : { readonly errors: 404 }

/** The facts that `describeTag` documents. */
type Tags<Method> = Method extends 'get' | 'head'
  ? {
      readonly header: { 'If-None-Match'?: string }
      readonly success: Tagged
      readonly responses: WireResponse<304, Record<never, never>, Tagged, false>
    }
  : Method extends 'post' | 'put' | 'patch'
    ? { readonly success: Tagged }
    : never

/**
 * The facts that `describeConditions` documents; a write that requires a condition is refused with
 * 428 without one.
 */
type ConditionsWire<Method, Creates, Requires> = Method extends 'put' | 'patch' | 'delete'
  ? true extends Requires
    ? { readonly header: IfMatch<Creates>; readonly errors: 412 | 428 }
    : { readonly header: IfMatch<true>; readonly errors: 412 }
  : { readonly errors: 412 }

type IfMatch<IsOptional> = IsOptional extends true
  ? { 'If-Match'?: string }
  : { 'If-Match': string }
type Tagged = { ETag?: string }
