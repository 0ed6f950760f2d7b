// The contributions of features to the wire, for the compiler: the values that a client sends and
// receives. `Typing.wire` carries them, and `PathsOf` builds the types of clients from them.
import type { Settings } from '../../settings.js'

/**
 * The wire facts of a feature. Names and values are those on the wire, as `WireInputOf` and
 * `WireOutputOf` return them.
 */
export interface WireFacts {
  /** Parameters of the query, by name. */
  readonly query?: object
  /** Request header fields, by name. */
  readonly header?: object
  /** Cookies, by name. */
  readonly cookie?: object
  /** Path parameters that the feature types more closely than the rule does. */
  readonly path?: object
  /** The request body, or a part of it. */
  readonly body?: WireBody
  /** The statuses of the errors with which the feature may refuse a request, as a union. */
  readonly errors?: number
  /** The responses that the feature declares, as a union. */
  readonly responses?: WireResponse
  /** Header fields of every 2xx response; a 304 repeats some of them. */
  readonly success?: object
  /** Header fields of every response, errors included. */
  readonly every?: object
  /**
   * Responses that are documented by hand, as a union; a response that another feature declares for
   * the same status wins.
   */
  readonly byHand?: WireResponse
  /** The type that JSON responses are wrapped in. */
  readonly wrapped?: unknown
}

/**
 * Facts that depend on the method or on the settings of the Api. An interface extends it, whose
 * `facts` refer to `this['method']` and `this['settings']`.
 */
export interface WireFunction {
  /** In lower case, as OpenAPI writes it: `get`. */
  readonly method: unknown
  readonly settings: unknown
  readonly facts: unknown
}

/** A request body, or the part of it that one argument reads. */
export interface WireBody<
  Location extends string = string,
  Media extends string = string,
  Content = unknown,
  Required = boolean,
> {
  readonly location: Location
  readonly media: Media
  readonly content: Content
  readonly required: Required
}

/** A response: its content by media type, or one of the markers below. */
export interface WireResponse<
  Status extends PropertyKey = PropertyKey,
  Content = unknown,
  Headers = unknown,
  IsMain = boolean,
> {
  readonly status: Status
  readonly content: Content
  readonly headers: Headers
  /** Whether this is the main response, to which others may refer. */
  readonly isMain: IsMain
}

/** The facts of a feature that declares a response. */
export interface WireResponses<Response> {
  readonly responses: Response
}

/** A status as a number, as far as the compiler knows it. */
export type StatusOf<Code extends number | string> =
  `${Code}` extends `${infer Status extends number}`
    ? Status
    : `${Code}` extends `${infer Status extends number} ${string}`
      ? Status
      : number

/**
 * Marker for the content of errors, in the error form of the Api, with a declared problem beside
 * the general error.
 */
export interface WireError<Problem = never> {
  readonly error: [Problem]
}

/** A declared problem: its name, and the members that it adds to an error. */
export interface WireProblem<Name extends string = string, Data = unknown> {
  readonly name: Name
  readonly data: Data
}

/** Marker for the content of the main response. */
export interface WireMain {
  readonly main: true
}

/** The facts for a method and settings: given directly, or returned by a `WireFunction`. */
export type FactsFor<Wire, Method, Given> = Wire extends WireFunction
  ? (Wire & { readonly method: Method; readonly settings: Given })['facts']
  : Wire

/**
 * The type of a setting as far as the compiler knows it: its value, the default if it is not set,
 * or everything that it may be.
 */
export type SettingOf<Given, Name extends keyof Settings, Default> = Name extends keyof Given
  ? Exclude<Given[Name], undefined> | (undefined extends Given[Name] ? Default : never)
  : Default
