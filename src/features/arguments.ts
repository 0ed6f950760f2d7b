import * as t from 'io-ts'
import type { ExampleObject, MediaTypeObject, ReferenceObject, ResponseObject } from 'openapi3-ts/oas31'
import { boundedErrors, decoderOf, Invalid, type Unknown } from '../codec/decode/decode.js'
import { faultsOf } from '../codec/encode/faults.js'
import { shapeOf } from '../codec/shape/shape-of.js'
import type { InputOf } from '../codec/shape/types.js'
import type { Exchange } from '../contract/exchange.js'
import type { Feature, Part, Route } from '../contract/feature.js'
import { type Location, READERS, type Reader } from '../contract/request-reader.js'
import type { Step } from '../contract/step.js'
import { type BodyLimits, DEFAULT_LIMITS } from '../http/body/request-body.js'
import { type Errors, Refusal } from '../http/failure.js'
import { parseMediaType } from '../http/media-type.js'
import type { Fragment } from '../openapi/document/fragment.js'
import type { Schemas } from '../openapi/schema/schemas.js'

/** Options of an argument in a given location. */
export interface LocatedOptions {
  /**
   * The media type of the body that is documented and accepted besides the location's own: `json` reads it as JSON, `form` as
   * urlencoded. `files` are always `multipart/form-data`.
   */
  readonly contentType?: string
  /** Documents whether a body is needed; default `true`. An absent body is decoded as an empty object either way. */
  readonly required?: boolean
  readonly description?: string
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, ExampleObject>>
  /** What is done with fields that the codec does not declare. Default: the Blueprint's `DEFAULT_UNKNOWN`. */
  readonly unknown?: Unknown
  /** The fields go into the method's last parameter instead of a positional argument. */
  readonly asKwargs?: boolean
  /** The status of an argument that does not decode. Default 422. */
  readonly errorStatusCode?: number
  /** How much of a body is read. */
  readonly limits?: Partial<BodyLimits>
}

/** Options of `argument`, the general form. */
export interface ArgumentOptions extends LocatedOptions {
  /** Where the argument stands; default `json`, the body. */
  readonly location?: Location
}

/** The typing of an argument feature. */
export type Argument<C extends t.Mixed, Options> = Feature<
  Options extends { readonly asKwargs: true } ? { named: InputOf<C> & object } : { arguments: readonly [InputOf<C>] }
>

/**
 * An argument: what stands in a location of the request, decoded by the codec and given to the method in the order in
 * which arguments are listed. What does not decode is answered 422, with the messages of every field (specification,
 * section 4.2). `json`, `query`, `path`, `headers`, `cookies`, `form` and `files` are the short forms.
 */
export function argument<C extends t.Mixed, const Options extends ArgumentOptions = Record<never, never>>(
  codec: C,
  options?: Options,
): Argument<C, Options> {
  const declared: Declared = { codec, options: options ?? {}, location: options?.location ?? 'json' }
  const feature: Feature = { on: route => bind(route, feature, declared) }
  all.set(feature, declared)
  return feature as Argument<C, Options>
}

function located(location: Location) {
  return <C extends t.Mixed, const Options extends LocatedOptions = Record<never, never>>(
    codec: C,
    options?: Options,
  ): Argument<C, Options> => argument(codec, { ...options, location } as Options & { location: Location }) as Argument<C, Options>
}

/** The JSON body. An absent or empty one is decoded as an empty object, so that every missing field is named. */
export const json = located('json')
/** The query. Numbers and booleans are read from their text; a name that stands there twice is a list. */
export const query = located('query')
/** The path parameters as they stand in the path, beside those that converters give. */
export const path = located('path')
/** Header fields, by their names in any case. */
export const headers = located('headers')
/** Cookies, by name. */
export const cookies = located('cookies')
/** The fields of a form, urlencoded or multipart. */
export const form = located('form')
/** The files of a multipart body: a codec of `Upload` fields. With `form`, both read one body. */
export const files = located('files')

/** An argument as it was declared. */
interface Declared {
  readonly codec: t.Mixed
  readonly options: LocatedOptions
  readonly location: Location
}

/** The declarations behind features of this file: bodies have to know of each other. */
const all = new WeakMap<Feature, Declared>()

const BODIES: ReadonlySet<Location> = new Set(['json', 'form', 'files'])

function bind(route: Route, feature: Feature, declared: Declared): readonly Part[] {
  const { codec, options, location } = declared
  const reader: Reader | undefined = Object.hasOwn(route.attributes.ARGUMENTS_PARSER, location)
    ? route.attributes.ARGUMENTS_PARSER[location]
    : undefined
  if (reader === undefined) return [{ stage: 'arguments', step: invalidLocation(route, location) }]
  const bodies = bodiesOf(route)
  const isFirstBody = bodies[0] === feature
  checkDeclaration(route, declared)
  if (isFirstBody) checkBodies(route, bodies)
  const unknown = options.unknown ?? route.attributes.DEFAULT_UNKNOWN[location]
  const names = namesOf(declared)
  const withFiles = bodies.some(body => all.get(body)?.location === 'files')
  const wanted = { contentType: contentTypeOf(route, declared), limits: limitsOf(bodies), names, withFiles }
  const read = route.method === 'QUERY' && BODIES.has(location) ? typed(reader, wanted.contentType) : reader
  const decode = decoderOf(codec, { wire: location === 'json' ? 'json' : 'text', unknown })
  const status = options.errorStatusCode ?? 422

  const take = (exchange: Exchange, raw: unknown): Refusal | undefined => {
    if (raw instanceof Refusal) return raw
    const value = decode(raw === undefined ? {} : raw)
    if (value instanceof Invalid) return new Refusal(status, { errors: { [location]: boundedErrors(value) as Errors } })
    exchange.inputs.push([location, value])
    if (options.asKwargs) Object.assign(exchange.named, value)
    else exchange.arguments.push(value)
    return undefined
  }
  const step: Step = exchange => {
    const raw = read(exchange, wanted)
    return raw instanceof Promise ? raw.then(value => take(exchange, value)) : take(exchange, raw)
  }
  return [{ stage: 'arguments', step, docs: schemas => describe(route, schemas, declared, isFirstBody ? bodies : []) }]
}

/** A QUERY without Content-Type must fail, whatever its body (RFC 10008, section 2). */
function typed(reader: Reader, contentType: string): Reader {
  const missing = new Refusal(400, { message: `QUERY needs a Content-Type, such as ${contentType}.` })
  return (source, wanted) => (source.ctx.req.headers['content-type'] === undefined ? missing : reader(source, wanted))
}

/** The compiler refuses it; where it gets by, the application starts, and each request is a fault (specification, 4.2, rule 4). */
function invalidLocation(route: Route, location: string): Step {
  const text = `${route.place}: there is no location "${location}" for an argument`
  route.warn(text)
  return () => {
    throw new TypeError(text)
  }
}

function bodiesOf(route: Route): readonly Feature[] {
  return route.features.filter(feature => BODIES.has(all.get(feature)?.location as Location))
}

/** `form` and `files` read one multipart body; any other two bodies cannot be one. */
function checkBodies(route: Route, bodies: readonly Feature[]): void {
  const locations = bodies.map(body => all.get(body)?.location as Location)
  const isOne = locations.length === 1 || (locations.length === 2 && locations.includes('form') && locations.includes('files'))
  if (!isOne) route.fault(`${locations.join(' and ')} are bodies that cannot be one: only form and files can stand together, once each`)
  for (const body of bodies) checkContentType(route, all.get(body) as Declared, locations)
}

/** What is documented has to be what is read, unless the Blueprint has a reader of its own. */
function checkContentType(route: Route, declared: Declared, locations: readonly Location[]): void {
  const { location, options } = declared
  if (route.attributes.ARGUMENTS_PARSER[location] !== READERS[location]) return
  const type = contentTypeOf(route, declared)
  const essence = parseMediaType(type)?.essence
  if (essence === undefined || essence.includes('*')) route.fault(`${location}: its contentType "${type}" is not a media type`)
  else if (location === 'files' && essence !== MULTIPART) {
    route.fault(`${location}: files are parts of a ${MULTIPART} body; its contentType cannot be "${type}"`)
  } else if (location === 'form' && options.contentType !== undefined && locations.includes('files') && essence !== MULTIPART) {
    route.fault(`${location}: with files it is read from one ${MULTIPART} body; its contentType cannot be "${type}"`)
  } else if (location === 'form' && essence.startsWith('multipart/') && essence !== MULTIPART) {
    route.fault(`${location}: of multipart bodies only ${MULTIPART} can be read; its contentType cannot be "${type}"`)
  }
}

const MULTIPART = 'multipart/form-data'

function checkDeclaration(route: Route, { codec, options, location }: Declared): void {
  if (options.example !== undefined && options.examples) route.fault(`${location}: an example or examples, not both`)
  for (const fault of faultsOf(codec, 'input', options.unknown ?? route.attributes.DEFAULT_UNKNOWN[location]))
    route.fault(`${location}: ${fault}`)
  const names = namesOf({ codec, options, location })
  if (location === 'path') return
  for (const { name } of route.rule.parameters) {
    if (names.includes(name))
      route.fault(`"${name}" is both a parameter of the path and a field of ${location}: give one of them another name`)
  }
}

function namesOf({ codec }: Declared): readonly string[] {
  const shape = shapeOf(codec)
  return shape.kind === 'object' ? shape.fields.map(field => field.name) : []
}

function limitsOf(bodies: readonly Feature[]): BodyLimits {
  return Object.assign({}, DEFAULT_LIMITS, ...bodies.map(body => all.get(body)?.options.limits))
}

function contentTypeOf(route: Route, { location, options }: Declared): string {
  return options.contentType ?? route.attributes.DEFAULT_LOCATION_CONTENT_TYPE_MAPPING[location] ?? 'application/json'
}

const PARAMETERS: Partial<Record<Location, 'query' | 'path' | 'header' | 'cookie'>> = {
  query: 'query',
  querystring: 'query',
  path: 'path',
  headers: 'header',
  cookies: 'cookie',
}

function describe(route: Route, schemas: Schemas, declared: Declared, bodies: readonly Feature[]): Fragment {
  const { codec, location, options } = declared
  const where = `${route.place}, ${location}`
  const parameterLocation = PARAMETERS[location]
  const status = options.errorStatusCode ?? 422
  if (parameterLocation) {
    const statuses = parameterLocation === 'query' ? [400, status] : [status]
    return { parameters: schemas.parameters(codec, parameterLocation, where), responses: refusals(schemas, statuses) }
  }
  const responses = refusals(schemas, [400, 413, 415, status])
  return bodies.length === 0 ? { responses } : { requestBody: describeBody(route, schemas, bodies, where), responses }
}

/** One body, whether one argument reads it or two. */
function describeBody(route: Route, schemas: Schemas, bodies: readonly Feature[], where: string): NonNullable<Fragment['requestBody']> {
  const declared = bodies.map(body => all.get(body) as Declared)
  const main = declared.find(({ location }) => location === 'files') ?? (declared[0] as Declared)
  const codecs = declared.map(({ codec }) => codec)
  const codec = codecs.length === 2 ? t.intersection(codecs as [t.Mixed, t.Mixed]) : main.codec
  // of a form and files, the form decides: an undeclared file may be ignored where an undeclared field is refused
  const deciding = declared.find(({ location }) => location !== 'files') ?? main
  const unknown = deciding.options.unknown ?? route.attributes.DEFAULT_UNKNOWN[deciding.location]
  const { description, example, examples } = Object.assign({}, ...declared.map(({ options }) => options)) as LocatedOptions
  const encoding = main.location === 'json' ? undefined : schemas.encoding(codec)
  const media: MediaTypeObject = {
    schema: schemas.of(codec, { direction: 'input', unknown, where }),
    ...(encoding && { encoding }),
    ...(example !== undefined && { example }),
    ...(examples && { examples }),
  }
  return {
    required: declared.some(({ options }) => options.required ?? true),
    ...(description !== undefined && { description }),
    content: { [contentTypeOf(route, main)]: media },
  }
}

function refusals(schemas: Schemas, statuses: readonly number[]): Record<string, ResponseObject | ReferenceObject> {
  return Object.fromEntries(statuses.map(status => [status, schemas.errorResponse(status)]))
}
