// The declaration of an argument, and how the arguments of one operation find each other: form and
// files read one body.
import type * as t from 'io-ts'
import type { ExampleObject } from 'openapi3-ts/oas32'
import type { Unknown } from '../../codec/decode/decode.js'
import { faultsOf } from '../../codec/encode/faults.js'
import type { WireInputOf } from '../../codec/types/types.js'
import type { Feature, Route } from '../../feature-api/feature.js'
import { type Location, READERS } from '../../feature-api/request-reader.js'
import type { StatusOf, WireBody } from '../../feature-api/wire/facts.js'
import { type BodyLimits, DEFAULT_LIMITS } from '../../http/body/request-body.js'
import { essenceOf, parseMediaType } from '../../http/media-type.js'
import {
  anything,
  checkOptions,
  defined,
  errorStatus,
  flag,
  func,
  limitFrom,
  object,
  oneOf,
  type Rules,
  string,
} from '../../options.js'
import {
  hasUnnamedFields,
  inputFieldsOf,
  isFile,
  isObjectCodec,
  isStandardCodec,
  keysOf,
  namesOf,
  objectNamesOf,
  requiredNamesOf,
  unsendableAsFile,
  unsendableAsText,
} from './fields.js'

/** Options of an argument in a given location. */
export interface LocatedOptions {
  /**
   * The media type of the body that is documented and accepted besides the default one of the
   * location: `json` reads it as JSON, `form` as urlencoded. `files` are always
   * `multipart/form-data`.
   */
  readonly contentType?: string
  /**
   * Whether the body is required; default `true`. A JSON body that is not required is `undefined`
   * if it is absent or empty and the codec allows that; any other absent body is decoded as an
   * empty object, so that every missing field is named.
   */
  readonly required?: boolean
  readonly description?: string
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, ExampleObject>>
  /**
   * The treatment of fields that the codec does not declare. Default: the Blueprint's
   * `DEFAULT_UNKNOWN`.
   */
  readonly unknown?: Unknown
  /**
   * Whether the fields are passed in the last parameter of the method instead of as a positional
   * argument.
   */
  readonly asKwargs?: boolean
  /** The status for input that does not decode. Default 422. */
  readonly errorStatusCode?: number
  /**
   * For `query` and `form`: reads objects, at any depth that the codec declares, from names with
   * brackets, as in `created[gte]=5`, and lists from `tags[]=a` or `tags[0]=a` too. Documented as
   * the style `deepObject` of OpenAPI.
   */
  readonly style?: 'deepObject'
  /** How much of a body is read. */
  readonly limits?: Partial<BodyLimits>
  /**
   * For `json`: reads another language than JSON, such as YAML. Only bodies of the `contentType`
   * are accepted. It returns the value that the codec decodes, or a promise of one; if it throws,
   * the request is refused with 400, without the message of its error.
   */
  readonly parse?: (text: string) => unknown
}

/** Options of `argument`, the general form. */
export interface ArgumentOptions extends LocatedOptions {
  /** The location of the argument; default `json`, the body. */
  readonly location?: Location
}

export interface Declared {
  readonly codec: t.Mixed
  readonly options: LocatedOptions
  readonly location: Location
}

const DECLARED = Symbol('argument')

/** A feature created by `argument`. */
interface ArgumentFeature extends Feature {
  readonly [DECLARED]: Declared
}

export function argumentFeature(declared: Declared, on: Feature['on']): ArgumentFeature {
  const { codec, location, options } = declared
  return {
    [DECLARED]: declared,
    on,
    // a codec is not read before its operation is registered
    get gives() {
      return options.asKwargs ? keysOf(codec) : []
    },
    get reads() {
      return { location, names: namesOf(codec) }
    },
    get bodyLimit() {
      return bodyLimitOf(location, options)
    },
  }
}

/** Returns how many bytes of the body an argument of this location reads. */
export function bodyLimitOf(location: Location, { limits }: LocatedOptions): number | undefined {
  const { json, form, total } = { ...DEFAULT_LIMITS, ...defined(limits ?? {}) }
  const byLocation: Partial<Record<Location, number>> = { json, form, files: total }
  return byLocation[location]
}

/** Returns what a feature declares if it is an argument. */
export function declaredBy(feature: Feature): Declared | undefined {
  return (feature as Partial<ArgumentFeature>)[DECLARED]
}

/** The arguments of an operation, in the order in which they are read. */
function argumentsOf(route: Route): readonly Declared[] {
  return route.features.flatMap(feature => declaredBy(feature) ?? [])
}

const BODIES: ReadonlySet<Location> = new Set(['json', 'form', 'files'])

export function isBody(location: Location): boolean {
  return BODIES.has(location)
}

/** The arguments that read the body of an operation. */
export function bodiesOf(route: Route): readonly Declared[] {
  return argumentsOf(route).filter(({ location }) => isBody(location))
}

/** Returns the treatment of fields that the codec does not declare. */
export function unknownOf({ attributes }: Route, { location, options }: Declared): Unknown {
  return options.unknown ?? attributes.DEFAULT_UNKNOWN[location]
}

/** Returns the status for input that does not decode. */
export function errorStatusOf({ options }: Declared): number {
  return options.errorStatusCode ?? 422
}

/** The media type of the body. */
export function contentTypeOf({ attributes }: Route, { location, options }: Declared): string {
  return (
    options.contentType ??
    attributes.DEFAULT_LOCATION_CONTENT_TYPE_MAPPING[location] ??
    'application/json'
  )
}

/** Returns the limits of the body that these arguments share. */
export function limitsOf(bodies: readonly Declared[]): BodyLimits {
  return Object.assign(
    {},
    DEFAULT_LIMITS,
    ...bodies.map(({ options }) => defined(options.limits ?? {})),
  )
}

/**
 * The names of the fields whose parts in a multipart body are JSON, which is OpenAPI's default for
 * objects. Nothing else is: a urlencoded form has no such default that all clients follow.
 */
export function jsonPartsOf(
  route: Route,
  declared: Declared,
  withFiles: boolean,
): readonly string[] {
  const { codec, location, options } = declared
  const isMultipart = withFiles || essenceOf(contentTypeOf(route, declared)) === MULTIPART
  return location === 'form' && options.style === undefined && isMultipart && isObjectCodec(codec)
    ? objectNamesOf(codec)
    : []
}

// The wire facts of an argument: parameters or a body, and the statuses with which it is refused.
/** The location in the options of `argument`. */
export type LocationIn<Options> = Options extends { readonly location: infer L extends Location }
  ? L
  : 'json'

/** The wire facts of an argument. */
// The options are evaluated here and not passed on: the compiler has two types for each object
// literal, and would compare them, with everything below, in each view.
export type ArgumentWire<C extends t.Mixed, Options, L> = Facts<
  C,
  L,
  Refusal<Options>,
  Media<Options, L>,
  Needed<Options>
>

type Facts<C extends t.Mixed, L, Status, Type extends string, IsNeeded> = L extends
  | 'query'
  | 'querystring'
  ? { query: WireInputOf<C>; errors: 400 | Status }
  : L extends 'path'
    ? { path: WireInputOf<C>; errors: Status }
    : L extends 'headers'
      ? { header: WireInputOf<C>; errors: Status }
      : L extends 'cookies'
        ? { cookie: WireInputOf<C>; errors: Status }
        : {
            body: WireBody<L & string, Type, WireInputOf<C>, IsNeeded>
            errors: 400 | 413 | 415 | Status
          }

type Refusal<Options> = Options extends { readonly errorStatusCode: infer Status extends number }
  ? StatusOf<Status>
  : 422

type Media<Options, L> = Options extends { readonly contentType: infer Own extends string }
  ? `${Own}`
  : L extends 'form'
    ? 'application/x-www-form-urlencoded'
    : L extends 'files'
      ? 'multipart/form-data'
      : 'application/json'

type Needed<Options> = Options extends { readonly required: false } ? false : true

// Checks the arguments of an operation when it is registered.

const RULES: Rules<ArgumentOptions> = {
  location: oneOf(...Object.keys(READERS)),
  contentType: string,
  required: flag,
  description: string,
  example: anything,
  examples: object,
  unknown: oneOf('raise', 'exclude', 'include'),
  asKwargs: flag,
  errorStatusCode: errorStatus,
  limits: object,
  parse: func,
  style: oneOf('deepObject'),
}
const LIMITS: Rules<BodyLimits> = {
  json: limitFrom(0),
  form: limitFrom(0),
  fields: limitFrom(0),
  file: limitFrom(0),
  files: limitFrom(0),
  total: limitFrom(0),
  depth: limitFrom(0),
}

/** Reports the faults of one argument, including clashes of its names with those of the others. */
export function checkArgument(
  route: Route,
  declared: Declared,
  jsonParts: readonly string[] = [],
): void {
  const { codec, options, location } = declared
  const { limits } = checkOptions(route, location, options, RULES)
  checkOptions(route, `${location}, limits`, limits, LIMITS)
  if (options.unknown !== undefined && isStandardCodec(codec))
    route.fault(
      `${location}: unknown does not go with std(schema): the schema decides about fields that it does not declare`,
    )
  if (options.example !== undefined && options.examples)
    route.fault(`${location}: an example or examples, not both`)
  for (const fault of faultsOf(codec, 'input', unknownOf(route, declared)))
    route.fault(`${location}: ${fault}`)
  // a custom reader may read the request as it likes
  if (route.attributes.ARGUMENTS_PARSER[location] === READERS[location])
    checkFields(route, declared, jsonParts)
  if (options.asKwargs) checkKwargs(route, declared)
  if (options.parse !== undefined && location !== 'json')
    route.fault(`${location}: parse belongs to json(…)`)
  if (options.style !== undefined && !canBeDeep(location))
    route.fault(`${location}: style belongs to query(…) and form(…)`)
}

const canBeDeep = (location: Location): boolean =>
  location === 'query' || location === 'querystring' || location === 'form'
const DEEP = ", or give the option style: 'deepObject'"
const PART = ", or contentType: 'multipart/form-data', where an object is a part of JSON"
const INSTEAD = 'declare its fields one by one, or take it from a JSON body'

/**
 * Reports fields that can never be sent in this location: they would be ignored, or refused, in
 * every request.
 */
function checkFields(
  route: Route,
  { codec, options, location }: Declared,
  jsonParts: readonly string[],
): void {
  if (location === 'json') {
    const files = isObjectCodec(codec) ? inputFieldsOf(codec).filter(isFile) : []
    for (const { name } of files)
      route.fault(`json: "${name}" is a file, which JSON cannot hold: take it with files(…)`)
    return
  }
  if (!isObjectCodec(codec)) {
    // a parameter location reports this when it is documented
    if (isBody(location))
      route.fault(
        `${location}: the codec ${codec.name} is not an object by whose fields the body is read`,
      )
    return
  }
  if (location === 'files') {
    for (const { name } of unsendableAsFile(codec))
      route.fault(`files: "${name}" is not a file: declare it in form(…) beside files(…)`)
    return
  }
  const isDeep = options.style !== undefined
  const withObjects = isDeep || jsonParts.length > 0
  for (const field of unsendableAsText(codec, withObjects)) {
    const why = isFile(field)
      ? 'is a file: take it with files(…)'
      : withObjects
        ? 'has a file inside: take it with files(…)'
        : `is an object, which has no form here: ${INSTEAD}${canBeDeep(location) ? DEEP : ''}${location === 'form' ? PART : ''}`
    route.fault(`${location}: "${field.name}" ${why}`)
  }
  if (location === 'headers' && (hasUnnamedFields(codec) || options.unknown === 'include'))
    route.fault(
      'headers: fields are read by their names, so a codec of any names, or unknown: "include", finds none: name them',
    )
  if (location === 'path') {
    const names = route.rule.parameters.map(({ name }) => name)
    for (const name of requiredNamesOf(codec)) {
      if (!names.includes(name))
        route.fault(
          `path: the rule has no parameter "${name}"; it has ${names.join(', ') || 'none'}`,
        )
    }
  }
}

/** Reports names that are used twice: all named values are properties of one object. */
function checkKwargs(route: Route, declared: Declared): void {
  const { codec, location } = declared
  if (!isObjectCodec(codec)) {
    route.fault(`${location}: asKwargs spreads the fields of an object, which ${codec.name} is not`)
    return
  }
  const keys = keysOf(codec)
  for (const { name } of route.rule.parameters) {
    if (keys.includes(name))
      route.fault(
        `"${name}" is both a parameter of the path and a field of ${location}: give one of them another name, or leave asKwargs out`,
      )
  }
  const others = route.features.filter(feature => !declaredBy(feature))
  for (const key of others.flatMap(({ gives = [] }) => gives))
    if (keys.includes(key))
      route.fault(
        `"${key}" is both a field of ${location} and a value that another feature gives to the method: give the field another name`,
      )
  const all = argumentsOf(route)
  for (const other of all.slice(0, all.indexOf(declared))) {
    for (const key of other.options.asKwargs ? keysOf(other.codec) : []) {
      if (keys.includes(key))
        route.fault(
          `"${key}" is a field of both ${other.location} and ${location} with asKwargs: give one another name`,
        )
    }
  }
}

/** `form` and `files` read one multipart body; any other two bodies cannot be one. */
export function checkBodies(route: Route, bodies: readonly Declared[]): void {
  const locations = bodies.map(({ location }) => location)
  const isOne = locations.length === 1 || [...locations].sort().join() === 'files,form'
  if (!isOne)
    route.fault(
      `${locations.join(' and ')} cannot be combined: one body is read, and only by form and files together, once each`,
    )
  for (const body of bodies) checkContentType(route, body, locations)
}

/**
 * The documented media type has to be the one that is read, unless the Blueprint has a custom
 * reader.
 */
function checkContentType(route: Route, declared: Declared, locations: readonly Location[]): void {
  const { location, options } = declared
  if (route.attributes.ARGUMENTS_PARSER[location] !== READERS[location]) return
  const type = contentTypeOf(route, declared)
  const essence = parseMediaType(type)?.essence
  if (essence === undefined || essence.includes('*'))
    route.fault(`${location}: its contentType "${type}" is not a media type`)
  else if (essence !== MULTIPART) {
    const withFiles = options.contentType !== undefined && locations.includes('files')
    const why =
      location === 'files'
        ? `files are parts of a ${MULTIPART} body`
        : location === 'form' && withFiles
          ? `with files it is read from one ${MULTIPART} body`
          : location === 'form' && essence.startsWith('multipart/')
            ? `of multipart bodies only ${MULTIPART} can be read`
            : undefined
    if (why) route.fault(`${location}: ${why}; its contentType cannot be "${type}"`)
  }
}

const MULTIPART = 'multipart/form-data'
