import * as t from 'io-ts'
import type { MediaTypeObject, ReferenceObject, ResponseObject } from 'openapi3-ts/oas32'
import { argumentDecoderOf, boundedErrors, Invalid, JsonText } from '../../codec/decode/decode.js'
import { requireCodec } from '../../codec/shape/annotations.js'
import { type Dictionary, isPlainObject, setOwn } from '../../codec/shape/plain-object.js'
import type { BareSchema } from '../../codec/types/standard-type.js'
import type { InputOf } from '../../codec/types/types.js'
import type { Exchange, Step } from '../../feature-api/exchange.js'
import type { Feature, Part, PositionalArgument, Route } from '../../feature-api/feature.js'
import type { Location, Reader, Wanted } from '../../feature-api/request-reader.js'
import { parseJson } from '../../http/body/body.js'
import { type Errors, Refusal } from '../../http/failure.js'
import { optionsIn, shown } from '../../names.js'
import type { Fragment } from '../../openapi/document/fragment.js'
import type { Schemas } from '../../openapi/schema/schemas.js'
import { defined } from '../../options.js'
import {
  type ArgumentOptions,
  type ArgumentWire,
  argumentFeature,
  bodiesOf,
  checkArgument,
  checkBodies,
  contentTypeOf,
  type Declared,
  errorStatusOf,
  isBody,
  jsonPartsOf,
  type LocatedOptions,
  type LocationIn,
  limitsOf,
  unknownOf,
} from './declaration.js'
import { deepDecoder } from './deep-object.js'
import {
  isObjectCodec,
  isStandardCodec,
  keysOf,
  listNamesOf,
  namesOf,
  requiredNamesOf,
} from './fields.js'

/** The typing of an argument feature. */
export type Argument<
  C extends t.Mixed,
  Options,
  L extends Location = LocationIn<Options>,
> = Feature<
  Options extends { readonly asKwargs: true }
    ? { named: InputOf<C> & object; wire: ArgumentWire<C, Options, L> }
    : { arguments: readonly [InputOf<C>]; wire: ArgumentWire<C, Options, L> }
>

/**
 * An argument: one location of the request, decoded by the codec and passed to the method, in the
 * order in which arguments are listed. Invalid input is refused with 422 and the messages of every
 * field (specification, section 4.2). `json`, `query`, `path`, `headers`, `cookies`, `form` and
 * `files` are the short forms.
 */
export function argument<
  C extends t.Mixed,
  const Options extends ArgumentOptions = ArgumentOptions,
>(
  codec: C | (BareSchema & 'wrap it: std(schema), from koa-smorest/standard'),
  options?: Options,
): Argument<C, Options> {
  const { location = 'json' } = optionsIn(options)
  requireCodec(`${location}() takes`, codec, 'struct({ … })')
  const declared: Declared = { codec, options: options ?? {}, location }
  const feature: Feature = argumentFeature(declared, route => bind(route, declared))
  return feature as never
}

function located<const L extends Location>(location: L) {
  // the default gives `parse` its type, too
  return <C extends t.Mixed, const Options extends LocatedOptions = LocatedOptions>(
    codec: C | (BareSchema & 'wrap it: std(schema), from koa-smorest/standard'),
    options?: Options,
  ): Argument<C, Options, L> => {
    if (options !== undefined && optionsIn(options) !== options)
      throw new TypeError(`${location}(): its options must be an object, not ${shown(options)}`)
    return argument(codec, { ...options, location } as Options & { location: Location }) as never
  }
}

/**
 * The JSON body. An absent or empty one is decoded as an empty object, so that every missing field
 * is named; with `required: false` it is `undefined` if the codec allows that.
 */
export const json = located('json')
/** The query. Numbers and booleans are read from strings; a name that is sent twice is a list. */
export const query = located('query')
/** The path parameters as sent, beside those that converters provide. */
export const path = located('path')
/** Header fields, by their names in any case. */
export const headers = located('headers')
/** Cookies, by name. */
export const cookies = located('cookies')
/** The fields of a form, urlencoded or multipart. */
export const form = located('form')
/** The files of a multipart body: a codec of `Upload` fields. With `form`, both read one body. */
export const files = located('files')

function bind(route: Route, declared: Declared): readonly Part[] {
  const { location } = declared
  const bodies = bodiesOf(route)
  const isFirstBody = bodies[0] === declared
  const position = declared.options.asKwargs ? undefined : route.argument()
  const step = stepOf(route, declared, bodies, position)
  if (step === undefined) return [{ stage: 'arguments', step: invalidLocation(route, location) }]
  if (isFirstBody) checkBodies(route, bodies)
  return [
    {
      stage: 'arguments',
      step,
      docs: schemas => describeArgument(route, schemas, declared, isFirstBody ? bodies : []),
    },
  ]
}

/**
 * Checks an argument, and returns the step that reads it; undefined if its location does not exist.
 * `bodies` are the arguments that are read from one body with it; `position` is its place among the
 * arguments of the method.
 */
export function stepOf(
  route: Route,
  declared: Declared,
  bodies: readonly Declared[],
  position: PositionalArgument | undefined,
): Step | undefined {
  const { codec, options, location } = declared
  const reader: Reader | undefined = Object.hasOwn(route.attributes.ARGUMENTS_PARSER, location)
    ? route.attributes.ARGUMENTS_PARSER[location]
    : undefined
  if (reader === undefined) return undefined
  const withFiles = bodies.some(body => body.location === 'files')
  const jsonParts = bodies.flatMap(body => jsonPartsOf(route, body, withFiles))
  checkArgument(route, declared, jsonParts)
  const wanted = {
    contentType: contentTypeOf(route, declared),
    limits: limitsOf(bodies),
    names: namesOf(codec),
    withFiles,
    jsonParts,
    parse: options.parse,
  }
  const read =
    location === 'headers' || location === 'path'
      ? withLists(reader, location, listNamesOf(codec, location === 'headers'))
      : location === 'form' && jsonParts.length > 0
        ? withJson(reader, jsonParts, listNamesOf(codec, true))
        : reader
  const unknown = unknownOf(route, declared)
  const isStandard = isStandardCodec(codec)
  const decodeFlat = argumentDecoderOf(codec, {
    wire: location === 'json' ? 'json' : 'text',
    unknown,
    reuse: location === 'json',
  })
  const decode = options.style === 'deepObject' ? deepDecoder(codec, decodeFlat) : decodeFlat
  const status = errorStatusOf(declared)
  const spread = options.asKwargs ? spreader(route, declared) : undefined
  const absent = absentValue(route, declared, bodies, decode)
  if (location === 'json' && route.method === 'PATCH')
    route.advertise('Accept-Patch', wanted.contentType)

  const own =
    (location === 'query' || location === 'querystring') && (unknown === 'raise' || isStandard)
      ? withoutOthers(route, wanted.names)
      : undefined

  const take = (exchange: Exchange, raw: unknown): ReturnType<Step> => {
    if (raw instanceof Refusal) return raw
    if (raw === undefined && absent === undefined && !isStandard) return accept(exchange, undefined)
    const value = decode(raw === undefined ? absent?.() : own ? own(raw) : raw)
    return isStandard && value instanceof Promise
      ? value.then(decoded => accept(exchange, decoded))
      : accept(exchange, value)
  }
  const accept = (exchange: Exchange, value: unknown): Refusal | undefined => {
    if (value instanceof Invalid)
      return new Refusal(status, { errors: { [location]: boundedErrors(value) as Errors } })
    exchange.inputs.push([location, value])
    if (spread) spread(exchange.named, value as Dictionary)
    else position?.set(exchange, value)
    return undefined
  }
  const step: Step = exchange => {
    const raw = read(exchange, wanted)
    return raw instanceof Promise ? raw.then(value => take(exchange, value)) : take(exchange, raw)
  }
  return isBody(location) ? typed(route, step, [wanted.contentType]) : step
}

const NONE = new Invalid([])

/**
 * Returns what an absent or empty body is decoded as: an empty object, so that every missing field
 * is named. One that is not required is an absent argument if the codec allows undefined.
 */
function absentValue(
  route: Route,
  { codec, options, location }: Declared,
  bodies: readonly Declared[],
  decode: (value: unknown) => unknown,
): (() => object) | undefined {
  if (!isBody(location) || bodies.some(body => body.options.required !== false)) return noFields
  const decoded = location === 'json' && !options.asKwargs ? decode(undefined) : NONE
  // an asynchronous schema decides at the request
  if (decoded instanceof Promise) decoded.catch(() => undefined)
  if (!(decoded instanceof Invalid)) return undefined
  if (!isObjectCodec(codec) || requiredNamesOf(codec).length > 0)
    route.fault(
      `${location}: a body that is not required is absent in some requests: ${
        location === 'json'
          ? `its codec must allow undefined, as t.union([${codec.name}, t.undefined]) does`
          : 'none of its fields may be required'
      }`,
    )
  return noFields
}

/** Returns another object each time, which becomes the argument of a codec without required fields. */
const noFields = () => ({})

/**
 * Returns a function that takes the names out of a query that only other features of the operation
 * read: they are not unknown. Which ones there are is known when the operation is registered.
 */
function withoutOthers({ queryNames }: Route, own: readonly string[]): (query: unknown) => unknown {
  let others: ReadonlySet<string> | undefined
  return query => {
    if (!isPlainObject(query)) return query
    others ??= new Set([...queryNames].filter(name => !own.includes(name.replace(/\[$/, ''))))
    const kept: Dictionary = Object.create(null)
    for (const [name, value] of Object.entries(query))
      if (!others.has(name) && !others.has(name.slice(0, name.indexOf('[') + 1))) kept[name] = value
    return kept
  }
}

/**
 * Splits the lists in header fields and paths, where all items share one string. In a header field
 * blanks around an item mean nothing, and empty items are skipped (RFC 9110, section 5.6.1.2); Node
 * joins several lines with a comma (section 5.3).
 */
function withLists(reader: Reader, location: 'headers' | 'path', names: readonly string[]): Reader {
  if (names.length === 0) return reader
  const itemsOf = (text: string) =>
    location === 'path' ? text.split(',') : text.split(',').flatMap(item => item.trim() || [])
  return withFields(reader, names, value => (typeof value === 'string' ? itemsOf(value) : value))
}

/**
 * Parses the parts of a form that are JSON. Each item of a list is a part, but one part may have
 * all; anything but an object or a list stays a string.
 */
function withJson(reader: Reader, names: readonly string[], lists: readonly string[]): Reader {
  return withFields(reader, names, (value, name, { limits: { depth } }) => {
    const parsed = [value].flat().map(text => {
      const json = typeof text === 'string' ? parseJson(text, depth) : undefined
      return Array.isArray(json) || isPlainObject(json) ? new JsonText(text as string, json) : text
    })
    const [only] = parsed
    const isWhole = only instanceof JsonText && Array.isArray(only.value)
    return parsed.length === 1 && (isWhole || !lists.includes(name)) ? only : parsed
  })
}

/** Changes the values of these fields before they are decoded. */
function withFields(
  reader: Reader,
  names: readonly string[],
  change: (value: unknown, name: string, wanted: Wanted) => unknown,
): Reader {
  return (source, wanted) => {
    const changed = (fields: unknown) => {
      if (!isPlainObject(fields)) return fields
      const own = names.filter(name => Object.hasOwn(fields, name))
      const values = own.map(name => [name, change(fields[name], name, wanted)] as const)
      return Object.assign(Object.create(null), fields, Object.fromEntries(values))
    }
    const fields = reader(source, wanted)
    return fields instanceof Promise ? fields.then(changed) : changed(fields)
  }
}

/** A QUERY without Content-Type must fail, whatever its body (RFC 10008, section 2). */
export function typed({ method }: Route, step: Step, types: readonly string[]): Step {
  if (method !== 'QUERY') return step
  const missing = new Refusal(400, {
    message: `QUERY needs a Content-Type, such as ${types.join(' or ')}.`,
  })
  return exchange =>
    exchange.ctx.req.headers['content-type'] === undefined ? missing : step(exchange)
}

/**
 * The compiler rejects it. If it slips through, the application starts and every request fails
 * (specification, 4.2, rule 4).
 */
function invalidLocation(route: Route, location: string): Step {
  const text = `${route.place}: there is no location "${location}" for an argument`
  route.warn(text)
  return () => {
    throw new TypeError(text)
  }
}

/**
 * Copies decoded fields to the last parameter of the method (`asKwargs`). Existing properties, such
 * as a path parameter or a value of an earlier feature (a user), are never replaced: fields that
 * the codec does not declare are named by the client.
 */
function spreader(
  { place }: Route,
  { codec, location }: Declared,
): (named: Dictionary, value: Dictionary) => void {
  const declared = new Set(keysOf(codec))
  return (named, value) => {
    for (const key of Object.keys(value)) {
      // `signal` is not an own property of `named`, so the check below does not protect it
      if (key === 'signal' && !declared.has(key)) continue
      if (!Object.hasOwn(named, key)) setOwn(named, key, value[key])
      else if (declared.has(key))
        throw new TypeError(
          `${place}: an earlier feature has named "${key}" already: give this field of ${location} another name`,
        )
    }
  }
}

const PARAMETERS: Partial<Record<Location, 'query' | 'path' | 'header' | 'cookie'>> = {
  query: 'query',
  querystring: 'query',
  path: 'path',
  headers: 'header',
  cookies: 'cookie',
}

/**
 * Describes an argument in the document; the first argument that reads the body describes it for
 * all of them.
 */
function describeArgument(
  route: Route,
  schemas: Schemas,
  declared: Declared,
  bodies: readonly Declared[],
): Fragment {
  const { codec, location, options } = declared
  const where = `${route.place}, ${location}`
  const parameterLocation = PARAMETERS[location]
  const status = errorStatusOf(declared)
  if (parameterLocation) {
    const statuses = parameterLocation === 'query' ? [400, status] : [status]
    return {
      parameters: schemas.parameters(codec, parameterLocation, where, options.style),
      responses: refusals(schemas, statuses),
    }
  }
  const responses = refusals(schemas, [400, 413, 415, status])
  return bodies.length === 0
    ? { responses }
    : { requestBody: describeBody(route, schemas, bodies, where), responses }
}

/** Describes a body that one or two arguments read. */
export function describeBody(
  route: Route,
  schemas: Schemas,
  declared: readonly Declared[],
  where: string,
): NonNullable<Fragment['requestBody']> {
  const main = declared.find(({ location }) => location === 'files') ?? (declared[0] as Declared)
  const codecs = declared.map(({ codec }) => codec)
  const codec = codecs.length === 2 ? t.intersection(codecs as [t.Mixed, t.Mixed]) : main.codec
  // of a form and files, the form decides: an undeclared file may be ignored even if undeclared
  // fields are refused
  const unknown = unknownOf(route, declared.find(({ location }) => location !== 'files') ?? main)
  const { description, example, examples, style } = Object.assign(
    {},
    ...declared.map(({ options }) => options),
  ) as LocatedOptions
  const encoding = main.location === 'json' ? undefined : schemas.encoding(codec, style)
  const media: MediaTypeObject = defined({
    schema: schemas.of(codec, { direction: 'input', unknown, where }),
    encoding,
    example,
    examples,
  })
  return defined({
    required: declared.some(({ options }) => options.required ?? true),
    description,
    content: { [contentTypeOf(route, main)]: media },
  })
}

/** The documented responses to requests that are refused. */
export function refusals(
  schemas: Schemas,
  statuses: readonly number[],
): Record<string, ResponseObject | ReferenceObject> {
  return Object.fromEntries(statuses.map(status => [status, schemas.errorResponse(status)]))
}
