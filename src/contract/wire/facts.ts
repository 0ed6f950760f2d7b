// What features say of the wire, for the compiler: what a client sends and what it receives. `Typing.wire` carries it,
// `PathsOf` makes the types of clients of it.
import type { Settings } from '../../settings.js'

/** What a feature puts on the wire. Names and values are those of the wire, as `WireInputOf` and `WireOutputOf` give them. */
export interface WireFacts {
  /** Parameters of the query, by name. */
  readonly query?: object
  /** Request header fields, by name. */
  readonly header?: object
  /** Cookies, by name. */
  readonly cookie?: object
  /** Path parameters that it types more closely than the rule does. */
  readonly path?: object
  /** The request body, or a part of it. */
  readonly body?: WireBody
  /** The statuses, as a union, of errors that it may refuse a request with. */
  readonly errors?: number
  /** The responses, as a union, that it declares. */
  readonly responses?: WireResponse
  /** Header fields of every 2xx response; a 304 has those of them that it repeats. */
  readonly success?: object
  /** Header fields of every response, errors included. */
  readonly every?: object
  /** Responses that are documented by hand, as a union; where a status has a response already, that one counts. */
  readonly byHand?: WireResponse
  /** The operation is not in the document. */
  readonly hidden?: true
  /** What JSON responses are wrapped in. */
  readonly wrapped?: unknown
}

/**
 * Facts that depend on the method or on the settings of the Api. An interface extends it, whose `facts` refer to
 * `this['method']` and `this['settings']`.
 */
export interface WireFunction {
  /** In lower case, as OpenAPI writes it: `get`. */
  readonly method: unknown
  readonly settings: unknown
  readonly facts: unknown
}

/** A request body, or the part of it that one argument reads. */
export interface WireBody<Location extends string = string, Media extends string = string, Content = unknown, Required = boolean> {
  readonly location: Location
  readonly media: Media
  readonly content: Content
  readonly required: Required
}

/** A response: its content by media type, or one of the marks below. */
export interface WireResponse<Status extends PropertyKey = PropertyKey, Content = unknown, Headers = unknown, IsMain = boolean> {
  readonly status: Status
  readonly content: Content
  readonly headers: Headers
  /** Whether other responses may be said to be as this one. */
  readonly isMain: IsMain
}

/** The facts of a feature that declares a response. */
export interface WireResponses<Response> {
  readonly responses: Response
}

/** A status as a number, as far as the compiler knows it. */
export type StatusOf<Code extends number | string> = `${Code}` extends `${infer Status extends number}`
  ? Status
  : `${Code}` extends `${infer Status extends number} ${string}`
    ? Status
    : number

/** Stands for the content of errors, in the form that the Api has for them, and of a declared problem beside them. */
export interface WireError<Problem = never> {
  readonly error: [Problem]
}

/** A declared problem: its name, and the members that it adds to an error. */
export interface WireProblem<Name extends string = string, Data = unknown> {
  readonly name: Name
  readonly data: Data
}

/** Stands for the content of the main response. */
export interface WireMain {
  readonly main: true
}

/** Facts for a method under settings: as they are, or as a `WireFunction` gives them. */
export type FactsFor<Wire, Method, Given> = Wire extends WireFunction
  ? (Wire & { readonly method: Method; readonly settings: Given })['facts']
  : Wire

/** A setting as far as the compiler knows it: its value, the default where it is not given, or all that it may be. */
export type SettingOf<Given, Name extends keyof Settings, Default> = Name extends keyof Given
  ? Exclude<Given[Name], undefined> | (undefined extends Given[Name] ? Default : never)
  : Default
