import type * as t from 'io-ts'
import etagOfBody from 'koa-etag'
import type { HeaderObject, ParameterObject } from 'openapi3-ts/oas31'
import type { Context, Exchange, Feature, Part, Route } from '../feature.js'
import { entityTagOf } from '../http/entity-tag.js'
import { HttpException, NotModified, Refusal } from '../http/failure.js'
import { formatHttpDate } from '../http/http-date.js'
import { conditionsOf, demandsIfMatch, evaluate, lacksIfMatch } from '../http/preconditions.js'
import type { Fragment } from '../openapi/fragment.js'
import type { Schemas } from '../openapi/schemas.js'
import { type TagSource, tagOfData, tagOfVersion, tagText } from '../tag-of.js'

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

type Loaded<Current, Creates> = { current: Creates extends true ? NonNullable<Current> | undefined : NonNullable<Current> }

/** A method that has to call `checkEtag` did not: an error where the settings DEBUG or TESTING are on, a warning otherwise. */
export class CheckEtagNotCalledError extends Error {
  override readonly name = 'CheckEtagNotCalledError'
}

/**
 * Entity tags and preconditions (RFC 9110, sections 8.8.3 and 13). The answer carries a tag; GET and HEAD answer 304 to a
 * client that has it; PUT, PATCH and DELETE demand If-Match (428) and refuse a stale one (412).
 *
 * `etag()` tags the answer's data, `etag(codec)` the data as that codec encodes it; the method then calls `checkEtag`
 * before it changes anything. `etag({ load, tag })` loads and compares before the method runs, answers 404 or 412, and hands
 * the loaded value over as `current`. (Specification, section 4.5.)
 */
export function etag(source?: t.Mixed | EtagOptions): Feature<Record<never, never>>
// an unannotated path parameter has to fit whatever its converter gives, and only `any` does
// biome-ignore lint/suspicious/noExplicitAny: see above
export function etag<Current, Parameters extends object = Record<string, any>, const Creates extends boolean = false>(
  loader: EtagLoader<Parameters, Current, Creates>,
): Feature<{ named: Loaded<Current, Creates>; parameters: Parameters }>
export function etag(given: t.Mixed | EtagOptions | EtagLoader<never, unknown, boolean> = {}): Feature {
  const source = 'validate' in given ? given : undefined
  const options = 'validate' in given ? {} : given
  const loader = 'load' in options ? (options as Loader) : undefined
  return {
    on: route => {
      if (route.settings.ETAG_DISABLED) return [loader ? loadPart(route, loader, () => undefined) : openPart(route, source)]
      const tagOf = loader ? loaderTag(route, loader) : undefined
      const parts = loader && tagOf ? [loadPart(route, loader, tagOf)] : [openPart(route, source)]
      if (demanded(route, options)) parts.unshift(demandPart(route, loader?.create === true))
      if (TAGGED.has(route.method) || demandsIfMatch(route.method)) parts.push(tagPart(route, loader && { ...loader, tagOf }))
      return parts
    },
  }
}

type Loader = EtagLoader<Readonly<Record<string, unknown>>, unknown, boolean>

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD'])
const TAGGED: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH'])

function demanded({ method, settings }: Route, { requireIfMatch = settings.ETAG_REQUIRE_IF_MATCH ?? true }: EtagOptions): boolean {
  return demandsIfMatch(method) && requireIfMatch
}

/** What an operation under `etag` knows of its request; it lives on the context, so that `checkEtag` and `setEtag` find it. */
interface State {
  readonly route: Route
  readonly source: TagSource | undefined
  /** What the loader gave. */
  readonly current: unknown
  readonly lastModified: Date | undefined
  /** The tag of the answer: the loaded one, or what `setEtag` was given. */
  tag: string | undefined
  tagIsSet: boolean
  isChecked: boolean
}
const STATE = Symbol('etag')
type Tagged = Context & { [STATE]?: State }

/** 428, not 412: the client sent no condition, rather than a false one (RFC 6585, section 3). */
function demandPart({ method }: Route, create: boolean): Part {
  const missing = new Refusal(428)
  return {
    stage: 'required',
    step: ({ ctx }) => (lacksIfMatch(method, conditionsOf(ctx.req.headers), { create }) ? missing : undefined),
    docs: schemas => ({ parameters: [{ ...IF_MATCH, required: !create }], responses: { 428: schemas.errorResponse(428) } }),
  }
}

/** Without a loader the method compares, with `checkEtag`; here is only kept what it needs for that. */
function openPart(route: Route, source: TagSource | undefined): Part {
  return {
    stage: 'required',
    step({ ctx }) {
      const state = { route, source, current: undefined, lastModified: undefined, tag: undefined, tagIsSet: false, isChecked: false }
      ;(ctx as Tagged)[STATE] = state
    },
    docs: schemas => describeConditions(route, schemas),
  }
}

type TagOf = (current: unknown) => string | undefined

/** The tag of a loaded value: the loader's own, or a hash of it as the view's GET would answer it. */
function loaderTag(route: Route, { tag }: Loader): TagOf {
  if (tag) return current => tagOfVersion(tag(current as object))
  const codec = route.represented
  if (codec) return current => tagOfData(current, codec)
  route.fault('etag({ load }) has neither a tag nor a codec to make one with: add tag, or response(codec) to the get of the view')
  return () => undefined
}

function loadPart(route: Route, loader: Loader, tagOf: TagOf): Part {
  const absent = new Refusal(404)
  const stale = new Refusal(412)
  const compares = !route.settings.ETAG_DISABLED

  const compare = (exchange: Exchange, loaded: unknown): Refusal | undefined => {
    const exists = loaded !== undefined && loaded !== null
    if (!exists && !loader.create) return absent
    const current = exists ? loaded : undefined
    const tag = exists ? tagOf(loaded) : undefined
    const lastModified = exists ? loader.lastModified?.(loaded) : undefined
    exchange.named.current = current
    ;(exchange.ctx as Tagged)[STATE] = { route, source: undefined, current, lastModified, tag, tagIsSet: false, isChecked: true }
    if (!compares) return undefined
    return evaluate(route.method, conditionsOf(exchange.ctx.req.headers), { exists, etag: tag, lastModified }) === 412 ? stale : undefined
  }
  return {
    stage: 'load',
    step(exchange) {
      const loaded = loader.load(exchange.ctx, exchange.named)
      return loaded instanceof Promise ? loaded.then(current => compare(exchange, current)) : compare(exchange, loaded)
    },
    docs: schemas => {
      const conditions = describeConditions(route, schemas)
      return loader.create ? conditions : { ...conditions, responses: { ...conditions.responses, 404: schemas.errorResponse(404) } }
    },
  }
}

/** Tags the answer, and answers 304 (or, to a false If-Match, 412) where the tag says so. */
function tagPart(route: Route, loader: (Loader & { tagOf: TagOf | undefined }) | undefined): Part {
  const isSafe = SAFE.has(route.method)
  const isTagged = TAGGED.has(route.method)
  const missed = `${route.place}: checkEtag() was not called, so an update can be lost: call it before anything is changed`

  /** The tag of what is answered; a promise where Koa's own body has to be read for it. */
  const tagOfAnswer = (exchange: Exchange, state: State): string | undefined | Promise<string | undefined> => {
    if (state.tagIsSet || (loader && isSafe)) return state.tag
    if (!isTagged) return undefined
    // a write's answer is tagged as the loaded value is only where it is one, not where it is a report about it
    if (loader) return isLike(exchange.result, state.current) ? loader.tagOf?.(exchange.result) : undefined
    if (exchange.isRaw) return tagOfRawBody(exchange.ctx)
    if (!exchange.text) return undefined
    const text = state.source ? tagText(exchange.result, state.source) : exchange.text
    return entityTagOf(text + includedHeaders(route, exchange))
  }

  const finish = (exchange: Exchange, state: State, tag: string | undefined): Refusal | undefined => {
    const { ctx } = exchange
    const { lastModified } = state
    if (tag !== undefined) ctx.res.setHeader('ETag', tag)
    if (!isSafe) return undefined
    if (lastModified) ctx.res.setHeader('Last-Modified', formatHttpDate(lastModified))
    const outcome = evaluate(route.method, conditionsOf(ctx.req.headers), { exists: true, etag: tag, lastModified })
    if (outcome === 304) exchange.status = 304
    return outcome === 412 ? new Refusal(412) : undefined
  }

  return {
    stage: 'tag',
    raw: true,
    step(exchange) {
      const state = (exchange.ctx as Tagged)[STATE] as State
      if (!state.isChecked && demandsIfMatch(route.method)) {
        if (route.settings.DEBUG || route.settings.TESTING) throw new CheckEtagNotCalledError(missed)
        route.warn(missed)
      }
      // conditions are about the representation: an answer that is none ignores them (RFC 9110, section 13.2.1)
      if (exchange.status >= 300) return undefined
      const tag = tagOfAnswer(exchange, state)
      return tag instanceof Promise ? tag.then(text => finish(exchange, state, text)) : finish(exchange, state, tag)
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

/** The header fields of the answer that count, as text. */
function includedHeaders({ attributes }: Route, { ctx, headers }: Exchange): string {
  let text = ''
  for (const name of attributes.ETAG_INCLUDE_HEADERS) {
    const value = headers.find(([field]) => field === name)?.[1] ?? ctx.res.getHeader(name)
    if (value !== undefined) text += `\n${name.toLowerCase()}: ${String(value)}`
  }
  return text
}

const tagBody = etagOfBody()

/** The tag of a string, a buffer or a file that the method answered by Koa's means; koa-etag takes every other body for `{}`. */
async function tagOfRawBody(ctx: Context): Promise<string | undefined> {
  const body: unknown = ctx.body
  if (typeof body !== 'string' && !Buffer.isBuffer(body) && !isFileStream(body)) return undefined
  await tagBody(ctx, async () => undefined)
  return ctx.response.get('ETag') || undefined
}

function isFileStream(body: unknown): boolean {
  return typeof (body as { path?: unknown } | null)?.path === 'string' && typeof (body as { pipe?: unknown }).pipe === 'function'
}

function stateOf(ctx: Context, caller: string): State | undefined {
  const state = (ctx as Tagged)[STATE]
  if (state === undefined) throw new TypeError(`${caller}() needs etag() in the descriptor of the operation`)
  return state.route.settings.ETAG_DISABLED ? undefined : state
}

/**
 * Compares If-Match with the tag of the current data; throws 412 where it does not match. Call it before anything is
 * changed. The source says what the tag is made of: a codec, or field names; by default what `etag` was given. It compares
 * only: two processes can pass it at the same time, so put the version into the WHERE of the UPDATE as well.
 */
export function checkEtag(ctx: Context, data: unknown, source?: TagSource): void {
  const state = stateOf(ctx, 'checkEtag')
  if (!state) return
  state.isChecked = true
  const etag = tagOfData(data, source ?? state.source)
  if (evaluate(ctx.method, conditionsOf(ctx.req.headers), { exists: true, etag, lastModified: undefined }) === 412)
    throw new HttpException({ code: 412 })
}

/**
 * Sets the entity tag of the answer to that of this data; GET and HEAD end here with 304 where the client has it already.
 * The source is as in `checkEtag`. Warns in methods other than GET, HEAD, POST, PUT and PATCH.
 */
export function setEtag(ctx: Context, data: unknown, source?: TagSource): void {
  const state = stateOf(ctx, 'setEtag')
  if (!state) return
  const { route } = state
  if (!TAGGED.has(route.method)) {
    route.warn(`${route.place}: setEtag() has no use in ${route.method}`)
    return
  }
  state.tag = tagOfData(data, source ?? state.source)
  state.tagIsSet = true
  if (!SAFE.has(route.method)) return
  const outcome = evaluate(route.method, conditionsOf(ctx.req.headers), { exists: true, etag: state.tag, lastModified: undefined })
  if (outcome === 412) throw new HttpException({ code: 412 })
  if (outcome === 304) throw new NotModified(state.tag)
}

const IF_MATCH: ParameterObject = {
  name: 'If-Match',
  in: 'header',
  description: 'Entity tag of the representation that the change is based on (RFC 9110, section 13.1.1)',
  schema: { type: 'string' },
}
const IF_NONE_MATCH: ParameterObject = {
  name: 'If-None-Match',
  in: 'header',
  description: 'Entity tags of representations that the client has (RFC 9110, section 13.1.2)',
  schema: { type: 'string' },
}
const ETAG: HeaderObject = { description: 'Entity tag of the representation', schema: { type: 'string' } }

function describeConditions({ method, settings }: Route, schemas: Schemas): Fragment {
  if (settings.ETAG_DISABLED) return {}
  return { ...(demandsIfMatch(method) && { parameters: [IF_MATCH] }), responses: { 412: schemas.errorResponse(412) } }
}

function describeTag({ method }: Route, schemas: Schemas): Fragment {
  if (!TAGGED.has(method)) return {}
  const tagged: Fragment = { success: { headers: { ETag: ETAG } } }
  if (!SAFE.has(method)) return tagged
  const responses = { 304: { description: 'Not Modified', headers: { ETag: ETAG } }, 412: schemas.errorResponse(412) }
  return { ...tagged, parameters: [IF_NONE_MATCH], responses }
}
