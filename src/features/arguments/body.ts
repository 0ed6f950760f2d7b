import type { Step } from '../../feature-api/exchange.js'
import type { Feature, Part, PositionalArgument, Route } from '../../feature-api/feature.js'
import type { TypingOf } from '../../feature-api/signature.js'
import type { WireBody } from '../../feature-api/wire/facts.js'
import { formTypes, jsonTypes } from '../../http/body/body.js'
import { readRaw, readText } from '../../http/body/raw-body.js'
import { DEFAULT_LIMITS, hasBody, mediaTypeOf } from '../../http/body/request-body.js'
import { Refusal } from '../../http/failure.js'
import { essenceOf, isUtf8Type, type MediaType, parseMediaType } from '../../http/media-type.js'
import { optionsIn, shown } from '../../names.js'
import type { Fragment } from '../../openapi/document/fragment.js'
import type { Schemas } from '../../openapi/schema/schemas.js'
import { checkOptions, defined, limitFrom, type Rules } from '../../options.js'
import { describeBody, refusals, stepOf, typed } from './arguments.js'
import {
  checkBodies,
  contentTypeOf,
  type Declared,
  declaredBy,
  errorStatusOf,
} from './declaration.js'

/** Options of `bytes` and `text`. */
export interface RawBodyOptions {
  /**
   * The media type that is accepted and documented, or a range such as `image/*`. Default
   * `application/octet-stream` for `bytes`, `text/plain` for `text`.
   */
  readonly contentType?: string
  /** How many bytes the body may have, inflated; a longer one is a 413. Default 1 MiB. */
  readonly maxSize?: number
}

/** The typing of `bytes` and `text`. */
export type RawArgument<
  Value,
  Location extends string,
  Content,
  Options,
  Default extends string,
> = Feature<{
  arguments: readonly [Value]
  wire: {
    body: WireBody<
      Location,
      Options extends { readonly contentType: infer Own extends string } ? `${Own}` : Default,
      Content,
      false
    >
    errors: 400 | 413 | 415
  }
}>

/** The typing of `body`: one argument, and the content of each media type. */
export type BodyArgument<Parts extends readonly Feature[]> = Feature<{
  arguments: readonly [ArgumentIn<Parts[number]>]
  wire: WireIn<Parts[number]>
}>

type ArgumentIn<F> = F extends unknown
  ? TypingOf<F> extends { readonly arguments: readonly [infer Value] }
    ? Value
    : never
  : never
type WireIn<F> = F extends unknown
  ? TypingOf<F> extends { readonly wire: infer Wire }
    ? Wire
    : never
  : never

/** One way to send a body, bound to a route. */
interface Alternative {
  /** The media types, or the range, that choose it. */
  readonly types: readonly string[]
  /** Whether it also reads a media type that is not among them, as `json` reads all `+json`. */
  readonly accepts: (mediaType: MediaType) => boolean
  readonly isBinary: boolean
  readonly step: Step
  readonly docs: (schemas: Schemas) => Fragment
}

const RAW = Symbol('bytes or text')
type Bind = (route: Route, position: PositionalArgument) => Alternative

/**
 * A body of any bytes, as a `Uint8Array`. An absent or empty body has none. Another media type than
 * `contentType` is a 415, more bytes than `maxSize` a 413.
 */
export function bytes<const Options extends RawBodyOptions = Record<never, never>>(
  options?: Options,
): RawArgument<Uint8Array, 'bytes', Blob | Uint8Array, Options, 'application/octet-stream'> {
  return rawFeature('bytes', options) as never
}

/**
 * A body as a string without a byte order mark. An absent or empty body is `''`. Another media type
 * than `contentType`, or another charset than UTF-8, is a 415, more bytes than `maxSize` a 413,
 * bytes that are not UTF-8 a 400.
 */
export function text<const Options extends RawBodyOptions = Record<never, never>>(
  options?: Options,
): RawArgument<string, 'text', string, Options, 'text/plain'> {
  return rawFeature('text', options) as never
}

/**
 * A body that may be sent in several ways: `body(json(Job), form(Job), bytes({ contentType:
 * 'image/*' }))`. The Content-Type chooses one of `json`, `form`, `bytes` and `text`, an exact
 * media type before a range; any other, or none, is a 415 that lists all. The method gets one
 * argument, the value that was sent; its errors are under the chosen location. A request without a
 * body and without a Content-Type is read as the first.
 */
export function body<const Parts extends readonly [Feature, ...Feature[]]>(
  ...parts: Parts
): BodyArgument<Parts> {
  for (const part of parts) {
    if (typeof part?.on !== 'function')
      throw new TypeError(
        `body(…) takes json(…), form(…), bytes(…) and text(…), not ${shown(part)}`,
      )
  }
  const feature: Feature = {
    bodyLimit: Math.max(...parts.map(part => part.bodyLimit ?? 0)),
    on: route => bindBody(route, feature, alternativesOf(route, parts)),
  }
  return feature as never
}

function rawFeature(location: 'bytes' | 'text', options: RawBodyOptions | undefined): Feature {
  const bind: Bind = (route, position) => rawAlternative(route, position, location, options)
  const feature: Feature & { [RAW]: Bind } = {
    [RAW]: bind,
    bodyLimit: optionsIn(options).maxSize ?? DEFAULT_LIMITS.json,
    on: route => bindBody(route, feature, [bind(route, route.argument())]),
  }
  return feature
}

const RULES: Rules<RawBodyOptions> = {
  contentType: {
    text: 'a media type or a range such as image/*',
    fits: value => typeof value === 'string' && parseMediaType(value) !== undefined,
  },
  maxSize: limitFrom(0),
}

function rawAlternative(
  route: Route,
  position: PositionalArgument,
  location: 'bytes' | 'text',
  options: RawBodyOptions | undefined,
): Alternative {
  const isBinary = location === 'bytes'
  const {
    contentType: mediaType = isBinary ? 'application/octet-stream' : 'text/plain',
    maxSize: limit = DEFAULT_LIMITS.json,
  } = checkOptions(route, location, options, RULES)
  const read = isBinary ? readRaw : readText
  return {
    types: [mediaType],
    accepts: () => false,
    isBinary,
    async step(exchange) {
      const value = await read(exchange.ctx, { mediaType, limit })
      if (value instanceof Refusal) return value
      exchange.inputs.push([location, value])
      position.set(exchange, value)
      return undefined
    },
    docs: schemas => ({
      requestBody: {
        // an absent body is an empty one
        required: false,
        content: {
          [mediaType]: { schema: { type: 'string', ...(isBinary && { format: 'binary' }) } },
        },
      },
      responses: refusals(schemas, [400, 413, 415]),
    }),
  }
}

function alternativesOf(route: Route, parts: readonly Feature[]): readonly Alternative[] {
  const position = route.argument()
  const found = parts.flatMap(part => {
    const raw = (part as { [RAW]?: Bind })[RAW]
    if (raw) return raw(route, position)
    const declared = declaredBy(part)
    return (declared && declaredAlternative(route, position, declared)) ?? faultOf(route, declared)
  })
  if (parts.length === 0) route.fault('body() needs at least one of json, form, bytes and text')
  const types = found.flatMap(alternative => alternative.types.map(essenceOf))
  for (const type of new Set(types.filter((one, index) => types.indexOf(one) !== index)))
    route.fault(`body: two of its arguments read ${type}: one media type can have one codec only`)
  return found
}

function faultOf(route: Route, declared: Declared | undefined): readonly [] {
  const name = declared ? `${declared.location}(…)` : 'another feature'
  route.fault(`body: it chooses among json, form, bytes and text, and cannot hold ${name}`)
  return []
}

function declaredAlternative(
  route: Route,
  position: PositionalArgument,
  declared: Declared,
): Alternative | undefined {
  const { location, options } = declared
  if (location !== 'json' && location !== 'form') return undefined
  if (options.asKwargs)
    route.fault(`body: it is one positional argument, so ${location} cannot have asKwargs`)
  const step = stepOf(route, declared, [declared], position)
  if (step === undefined) return undefined
  checkBodies(route, [declared])
  const type = contentTypeOf(route, declared)
  const isJsonBody = location === 'json'
  return {
    types: isJsonBody ? [type] : formTypes(type),
    accepts: isJsonBody ? jsonTypes(type, route.method, options.parse) : () => false,
    isBinary: false,
    step,
    docs: schemas => ({
      requestBody: describeBody(route, schemas, [declared], `${route.place}, ${location}`),
      responses: refusals(schemas, [400, 413, 415, errorStatusOf(declared)]),
    }),
  }
}

/** Returns the part of a feature that reads the body in these ways. */
export function bindBody(
  route: Route,
  feature: Feature,
  alternatives: readonly Alternative[],
): readonly Part[] {
  const readers = route.features.filter(({ bodyLimit }) => bodyLimit !== undefined)
  if (readers.length > 1 && readers.find(reader => !declaredBy(reader)) === feature)
    route.fault('the operation has two arguments that read the body: give it one body(…)')
  const [first] = alternatives
  if (!first) return []
  const step = alternatives.length === 1 ? first.step : chooser(alternatives, first)
  const types = alternatives.flatMap(alternative => alternative.types)
  if (route.method === 'PATCH') for (const type of types) route.advertise('Accept-Patch', type)
  return [
    {
      stage: 'arguments',
      step: typed(route, step, types),
      docs: schemas => joined(alternatives.map(({ docs }) => docs(schemas))),
    },
  ]
}

/** Runs the step of the alternative that the Content-Type chooses. */
function chooser(alternatives: readonly Alternative[], first: Alternative): Step {
  const types = alternatives.flatMap(alternative => alternative.types)
  const choose = (mediaType: MediaType) => chosenBy(mediaType, alternatives)
  return exchange => {
    const { req } = exchange.ctx
    const found = mediaTypeOf(
      req,
      types,
      mediaType => choose(mediaType) !== undefined,
      mediaType => choose(mediaType)?.isBinary === true || isUtf8Type(mediaType),
    )
    if (!(found instanceof Refusal)) return (choose(found) ?? first).step(exchange)
    return hasBody(req) ? found : first.step(exchange)
  }
}

/** Returns the alternative that reads a media type: the one that names it most closely. */
function chosenBy(
  mediaType: MediaType,
  alternatives: readonly Alternative[],
): Alternative | undefined {
  const { essence } = mediaType
  const has = (wanted: string) => (alternative: Alternative) =>
    alternative.types.some(type => essenceOf(type) === wanted)
  return (
    alternatives.find(has(essence)) ??
    alternatives.find(({ accepts }) => accepts(mediaType)) ??
    alternatives.find(has(`${essence.split('/', 1)[0]}/*`)) ??
    alternatives.find(has('*/*'))
  )
}

/** The documentation of all alternatives: the content of each, and one set of responses. */
function joined(fragments: readonly Fragment[]): Fragment {
  const bodies = fragments.flatMap(({ requestBody }) => requestBody ?? [])
  const description = bodies.find(body => body.description !== undefined)?.description
  return {
    requestBody: {
      // an absent body is read as the first
      required: bodies[0]?.required ?? true,
      ...defined({ description }),
      content: Object.assign({}, ...bodies.map(({ content }) => content)),
    },
    responses: Object.assign({}, ...fragments.map(({ responses }) => responses)),
  }
}
