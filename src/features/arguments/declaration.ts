// The declaration of an argument, and how the arguments of one operation find each other: form and
// files read one body.
import type * as t from 'io-ts'
import type { ExampleObject } from 'openapi3-ts/oas32'
import type { Unknown } from '../../codec/decode/decode.js'
import type { WireInputOf } from '../../codec/types/wire-types.js'
import type { Feature, Route } from '../../feature-api/feature.js'
import { given } from '../../feature-api/options.js'
import type { Location } from '../../feature-api/request-reader.js'
import type { StatusOf, WireBody } from '../../feature-api/wire/facts.js'
import { type BodyLimits, DEFAULT_LIMITS } from '../../http/body/request-body.js'
import { keysOf, namesOf } from './fields.js'

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
export interface ArgumentFeature extends Feature {
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
  const { json, form, total } = { ...DEFAULT_LIMITS, ...given(limits ?? {}) }
  return location === 'json'
    ? json
    : location === 'form'
      ? form
      : location === 'files'
        ? total
        : undefined
}

/** Returns what a feature declares if it is an argument. */
export function declaredBy(feature: Feature): Declared | undefined {
  return (feature as Partial<ArgumentFeature>)[DECLARED]
}

/** The arguments of an operation, in the order in which they are read. */
export function argumentsOf(route: Route): readonly Declared[] {
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
    ...bodies.map(({ options }) => given(options.limits ?? {})),
  )
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
