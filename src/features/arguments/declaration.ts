// The declaration of an argument, and how the arguments of one operation find each other: form and files read one body.
import type * as t from 'io-ts'
import type { ExampleObject } from 'openapi3-ts/oas32'
import type { Unknown } from '../../codec/decode/decode.js'
import type { Feature, Route } from '../../contract/feature.js'
import { given } from '../../contract/options.js'
import type { Location } from '../../contract/request-reader.js'
import { type BodyLimits, DEFAULT_LIMITS } from '../../http/body/request-body.js'

/** Options of an argument in a given location. */
export interface LocatedOptions {
  /**
   * The media type of the body that is documented and accepted besides the default one of the location: `json` reads it as JSON, `form` as
   * urlencoded. `files` are always `multipart/form-data`.
   */
  readonly contentType?: string
  /** Whether the body is documented as required; default `true`. An absent body is decoded as an empty object either way. */
  readonly required?: boolean
  readonly description?: string
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, ExampleObject>>
  /** The treatment of fields that the codec does not declare. Default: the Blueprint's `DEFAULT_UNKNOWN`. */
  readonly unknown?: Unknown
  /** Whether the fields are passed in the last parameter of the method instead of as a positional argument. */
  readonly asKwargs?: boolean
  /** The status for input that does not decode. Default 422. */
  readonly errorStatusCode?: number
  /** How much of a body is read. */
  readonly limits?: Partial<BodyLimits>
}

/** Options of `argument`, the general form. */
export interface ArgumentOptions extends LocatedOptions {
  /** The location of the argument; default `json`, the body. */
  readonly location?: Location
}

/** An argument as it was declared. */
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
  return { [DECLARED]: declared, on }
}

/** The arguments of an operation, in the order in which they are read. */
export function argumentsOf(route: Route): readonly Declared[] {
  return route.features.flatMap(feature => (feature as Partial<ArgumentFeature>)[DECLARED] ?? [])
}

const BODIES: ReadonlySet<Location> = new Set(['json', 'form', 'files'])

/** Returns whether a location is the body. */
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
