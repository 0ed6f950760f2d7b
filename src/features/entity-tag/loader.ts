import type { Context, Exchange } from '../../contract/exchange.js'
import type { Part, Route } from '../../contract/feature.js'
import { Refusal } from '../../http/failure.js'
import { formatHttpDate } from '../../http/http-date.js'
import { type Conditions, evaluate } from '../../http/preconditions.js'
import { isPromise } from '../../respond/result.js'
import { tagOfData, tagOfVersion } from './data-tag.js'
import { describeTag } from './describe.js'
import { isSafe, isTagged } from './methods.js'
import { type State, stateOf } from './state.js'
import { tagOfText } from './text-tag.js'

/** Options of `etag` without a loader. */
export interface EtagOptions<Requires = unknown> {
  /** Whether PUT, PATCH and DELETE without If-Match are refused with 428. Default: the setting `ETAG_REQUIRE_IF_MATCH`. */
  readonly requireIfMatch?: boolean & Requires
}

/** Options of `etag` with a loader: the library loads the current representation, compares, and passes it to the method. */
export interface EtagLoader<
  Parameters,
  Current,
  Creates extends boolean,
  Named = Parameters,
  Requires = unknown,
> extends EtagOptions<Requires> {
  /**
   * Returns the current representation; `undefined` or `null` if it does not exist. The second argument contains the path parameters and
   * the values of earlier features and arguments, such as a user. Annotate it to have it checked.
   */
  readonly load: (ctx: Context, named: Parameters) => Current | Promise<Current>
  /**
   * Returns the part of it that this caller is shown, if that is not all. Tag, 304 and If-Match are about this view; the GET of the view
   * class has to return it, or a value that encodes to the same text.
   */
  readonly view?: (current: NonNullable<Current>, named: Named) => unknown
  /**
   * Returns its version for this caller: a number or bare string is quoted, a complete entity tag is used as it is, `null` means no tag.
   * Default: a hash of what `view` returns, encoded by the codec of the GET.
   */
  readonly tag?: (current: NonNullable<Current>, named: Named) => string | number | null
  /** Returns when it was last changed, for conditions by date. */
  readonly lastModified?: (current: NonNullable<Current>) => Date | undefined
  /**
   * Whether the operation may create what is absent (PUT): then there is no 404, `current` may be undefined, and `If-None-Match: *` may be
   * sent instead of If-Match.
   */
  readonly create?: Creates
}

/** A loader without its types. */
export type Loader = EtagLoader<Readonly<Record<string, unknown>>, unknown, boolean>

/** Returns the parts of an operation with a loader: it loads and compares before the method, and tags the response after it. */
export function loaderParts(route: Route, loader: Loader): Part[] {
  const tagging = taggingOf(route, loader)
  return [loadPart(route, loader, tagging), tagPart(route, loader, tagging)]
}

/** Returns the parts if tags are disabled: the loader still loads, responds with 404, and passes the value on. */
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
  /** Returns the tag of a response whose text is that of the view; computed from the text if possible. */
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
  const safe = isSafe(route.method)
  // without create, an absent representation is a 404, whatever the conditions (RFC 9110, section 13.2.1)
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
      if (
        evaluate(route.method, state.conditions, { exists, etag: state.tag, lastModified }) === 412
      )
        return STALE
    }
    named.current = state.current
    return undefined
  }
  return {
    stage: 'load',
    step(exchange) {
      const loaded = load(exchange.ctx, exchange.named)
      return isPromise(loaded)
        ? loaded.then(current => compare(exchange, current))
        : compare(exchange, loaded)
    },
    docs: schemas => (create ? {} : { responses: { 404: schemas.errorResponse(404) } }),
  }
}

/** Tags the response; a GET or HEAD becomes a 304 if the client has the current representation. */
function tagPart(route: Route, loader: Loader, tagging: Tagging): Part {
  const step = isSafe(route.method) ? tagRead(route, loader, tagging) : tagWrite(loader, tagging)
  return {
    stage: 'tag',
    raw: true,
    step(exchange) {
      // conditions are about the representation: any other response ignores them (RFC 9110, section 13.2.1)
      if (exchange.status < 300 && exchange.status !== 204 && isTagged(route.method))
        step(exchange, stateOf(exchange.ctx))
    },
    docs: schemas => describeTag(route, schemas),
  }
}

type TagStep = (exchange: Exchange, state: State) => void

/** A read is tagged by its view, and a 304 confirms that view: the response has to be the view itself. */
function tagRead(
  route: Route,
  { view, tag, lastModified: dateOf }: Loader,
  tagging: Tagging,
): TagStep {
  const { method, settings } = route
  // an application that gives the version is responsible for it; a hash or a view has to match the response
  const isHeld = (view !== undefined || tag === undefined) && method !== 'HEAD'
  const other = `${route.place}: the method returned something other than what ${view ? 'the view' : 'the loader'} of etag() gives, so it has no entity tag: return that, or say what this caller is shown: etag({ load, view: (current, named) => … })`

  return (exchange, state) => {
    const { headers, named } = exchange
    const current = state.current
    const shown = tagging.view(current, named)
    if (isHeld && !state.isSet && !isShown(exchange, shown)) {
      if (settings.DEBUG || settings.TESTING) throw new TypeError(other)
      route.warn(other)
      return
    }
    const etag =
      state.isSet || state.tag !== undefined
        ? state.tag
        : ((isHeld ? tagging.tagOfText?.(exchange) : undefined) ??
          tagging.tag(current, shown, named))
    const lastModified = dateOf?.(current as object)
    if (etag !== undefined) headers.push(['ETag', etag])
    if (lastModified) headers.push(['Last-Modified', formatHttpDate(lastModified)])
    if (evaluate(method, state.conditions, { exists: true, etag, lastModified }) === 304)
      exchange.status = 304
  }
}

/** Returns whether a response is the view: the value itself, or one with the same text. */
function isShown(exchange: Exchange, view: unknown): boolean {
  if (exchange.isRaw) return false
  return exchange.result === view || exchange.text === exchange.writer?.(view)
}

/** A write is tagged by its result, if that is a representation and not a report about the write. */
function tagWrite(loader: Loader, { view, tag, tagOfText }: Tagging): TagStep {
  // a version is computed from the loaded value, which cannot be restored from its view
  const mayReturnView = loader.view !== undefined && loader.tag === undefined

  const tagOfResult = (exchange: Exchange, { current }: State): string | undefined => {
    const { named, result } = exchange
    if (isLike(result, current)) {
      const shown = view(result, named)
      return (shown === result ? tagOfText?.(exchange) : undefined) ?? tag(result, shown, named)
    }
    return mayReturnView && current !== undefined && isLike(result, view(current, named))
      ? tag(result, result, named)
      : undefined
  }
  return (exchange, state) => {
    const etag = state.isSet ? state.tag : tagOfResult(exchange, state)
    if (etag !== undefined) exchange.headers.push(['ETag', etag])
  }
}

/** Returns whether a result has the same class as the loaded value, and all of its fields. */
function isLike(result: unknown, current: unknown): boolean {
  if (typeof result !== 'object' || result === null) return false
  if (typeof current !== 'object' || current === null) return current === undefined
  return (
    Object.getPrototypeOf(result) === Object.getPrototypeOf(current) &&
    Object.keys(current).every(key => Object.hasOwn(result, key))
  )
}
