import type * as t from 'io-ts'
import type { Context, Exchange } from '../../contract/exchange.js'
import type { Part, Route } from '../../contract/feature.js'
import { entityTagOf } from '../../http/entity-tag.js'
import { Refusal } from '../../http/failure.js'
import { formatHttpDate } from '../../http/http-date.js'
import { type Conditions, evaluate } from '../../http/preconditions.js'
import { isPromise } from '../../respond/result.js'
import { tagOfData, tagOfVersion } from './data-tag.js'
import { describeTag } from './describe.js'
import { isSafe, isTagged } from './methods.js'
import { stateOf } from './state.js'

/** Settings of a tag that is made of the answer. */
export interface EtagOptions {
  /** Whether PUT, PATCH and DELETE without If-Match are answered 428. Default: the setting `ETAG_REQUIRE_IF_MATCH`. */
  readonly requireIfMatch?: boolean
}

/** A loader: the library loads, compares, and hands over what was loaded. */
export interface EtagLoader<Parameters, Current, Creates extends boolean> extends EtagOptions {
  /** The current representation; nothing (`undefined`, `null`) where there is none. Annotate the path parameters to have them checked. */
  readonly load: (ctx: Context, parameters: Parameters) => Current | Promise<Current>
  /** Its version: a number or bare string is quoted, a complete entity tag stands as written, `null` is no tag. Default: a hash of it, encoded by the codec of the view's GET. */
  readonly tag?: (current: NonNullable<Current>) => string | number | null
  /** When it was last changed, for conditions by date. */
  readonly lastModified?: (current: NonNullable<Current>) => Date | undefined
  /** The operation may create what is absent (PUT): no 404 then, `current` may be undefined, and `If-None-Match: *` stands in for If-Match. */
  readonly create?: Creates
}

/** A loader whose types do not matter any more. */
export type Loader = EtagLoader<Readonly<Record<string, unknown>>, unknown, boolean>

/** The parts of an operation whose current representation is loaded, compared before the method and tagged after it. */
export function loaderParts(route: Route, loader: Loader): Part[] {
  const tagging = loader.tag ? tagByVersion(loader.tag) : tagByHash(route)
  return [loadPart(route, loader, tagging), tagPart(route, loader, tagging)]
}

/** Where tags are off the loader still loads, answers 404 and hands over. */
export function loadOnly(route: Route, loader: Loader): Part[] {
  return [loadPart(route, loader, undefined)]
}

/** How a loaded value gets its tag. */
interface Tagging {
  /** Of what was loaded, before the method. */
  readonly before: (current: unknown) => string | undefined
  /** Of a value that is answered: what was loaded, or what a write has made of it. */
  readonly after: (exchange: Exchange, value: unknown) => string | undefined
}

function tagByVersion(tag: NonNullable<Loader['tag']>): Tagging {
  const tagOf = (current: unknown) => tagOfVersion(tag(current as object))
  return { before: tagOf, after: (_exchange, value) => tagOf(value) }
}

/** A hash of the value as the view's GET answers it. It is what the answer's text is hashed to, so that text serves where it can. */
function tagByHash(route: Route): Tagging {
  const { represented, features } = route
  if (represented === undefined) {
    route.fault('etag({ load }) has neither a tag nor a codec to make one with: add tag, or response(codec) to the get of the view')
    return { before: () => undefined, after: () => undefined }
  }
  const own: t.Mixed | undefined = features.findLast(feature => feature.represents)?.represents
  return {
    before: current => tagOfData(current, represented),
    after: (exchange, value) =>
      own === represented && value === exchange.result && exchange.text !== undefined
        ? entityTagOf(exchange.text)
        : tagOfData(value, represented),
  }
}

const ABSENT = new Refusal(404)
const STALE = new Refusal(412)

function loadPart(route: Route, loader: Loader, tagging: Tagging | undefined): Part {
  const { load, lastModified: dateOf } = loader
  const safe = isSafe(route.method)
  // a method that cannot create has found nothing, whatever the conditions (RFC 9110, section 13.2.1)
  const create = loader.create === true && isTagged(route.method) && !safe
  // of a safe method If-None-Match makes a 304, which is seen when its answer is tagged
  const canRefuse = ({ ifMatch, ifUnmodifiedSince, ifNoneMatch }: Conditions) =>
    ifMatch !== undefined || ifUnmodifiedSince !== undefined || (ifNoneMatch !== undefined && !safe)

  const compare = (exchange: Exchange, loaded: unknown): Refusal | undefined => {
    const exists = loaded !== undefined && loaded !== null
    if (!exists && !create) return ABSENT
    const current = exists ? loaded : undefined
    exchange.named.current = current
    const state = stateOf(exchange.ctx)
    const { conditions } = state
    state.current = current
    if (!tagging || !canRefuse(conditions)) return undefined
    if (exists) state.tag = tagging.before(loaded)
    const lastModified = exists ? dateOf?.(loaded) : undefined
    return evaluate(route.method, conditions, { exists, etag: state.tag, lastModified }) === 412 ? STALE : undefined
  }
  return {
    stage: 'load',
    step(exchange) {
      const loaded = load(exchange.ctx, exchange.named)
      return isPromise(loaded) ? loaded.then(current => compare(exchange, current)) : compare(exchange, loaded)
    },
    docs: schemas => (create ? {} : { responses: { 404: schemas.errorResponse(404) } }),
  }
}

/** Tags the answer; a GET or HEAD of what the client has becomes 304. */
function tagPart(route: Route, { lastModified: dateOf }: Loader, tagging: Tagging): Part {
  const safe = isSafe(route.method)
  const tagged = isTagged(route.method)
  return {
    stage: 'tag',
    raw: true,
    step(exchange) {
      const { ctx, result, headers } = exchange
      const state = stateOf(ctx)
      // conditions are about the representation: an answer that is none ignores them (RFC 9110, section 13.2.1)
      if (exchange.status >= 300 || exchange.status === 204 || !tagged) return
      const value = safe ? state.current : result
      // a write's answer is tagged as the loaded value is only where it is one, not where it is a report about it
      if (!state.isSet && !safe && !isLike(value, state.current)) return
      const etag = state.isSet ? state.tag : (safe && state.tag) || tagging.after(exchange, value)
      const lastModified = safe ? dateOf?.(value as object) : undefined
      if (etag !== undefined) headers.push(['ETag', etag])
      if (lastModified) headers.push(['Last-Modified', formatHttpDate(lastModified)])
      if (safe && evaluate(route.method, state.conditions, { exists: true, etag, lastModified }) === 304) exchange.status = 304
    },
    docs: schemas => describeTag(route, schemas),
  }
}

/** Whether an answer is of the loaded value's kind: of the same class, with every field of it. */
function isLike(result: unknown, current: unknown): boolean {
  if (typeof result !== 'object' || result === null) return false
  if (typeof current !== 'object' || current === null) return current === undefined
  return Object.getPrototypeOf(result) === Object.getPrototypeOf(current) && Object.keys(current).every(key => Object.hasOwn(result, key))
}
