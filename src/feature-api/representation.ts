import type { SchemaObject } from 'openapi3-ts/oas31'
import type { Exchange, Written } from './exchange.js'
import type { Route } from './feature.js'

/**
 * A further representation of what an operation returns, beside JSON: `response(codec, { also:
 * [representation] })`. The Accept field of the request decides which one is sent.
 */
export interface Representation<A = unknown, Media extends string = string> {
  /** Such as `text/csv`; `text/*` types are sent with `charset=utf-8`. */
  readonly mediaType: Media
  /** The suffix of its entity tags, `"3;csv"`. Default: the subtype of the media type. */
  readonly tag?: string
  /** The schema in the document. Default `{ type: 'string' }`. */
  readonly schema?: SchemaObject
  /**
   * Writes the value as it would be sent as JSON, so that nothing undeclared leaves. Called only if
   * the client gets this representation, and not for a 304. An iterable is sent piece by piece.
   */
  readonly write: (value: A, exchange: Exchange) => Written
  /**
   * Returns the `write` of one operation. Called at registration, for representations that depend
   * on the codec; reports what cannot be represented with `route.fault`.
   */
  readonly on?: (route: Route) => Representation<A>['write']
}

/** The facts of further representations for a client: a string each. */
export type AlsoContent<Also extends readonly { readonly mediaType: string }[]> = {
  [Each in Also[number] as Literal<Each['mediaType']>]: string
}

/** A media type that is only known to be a string is not a key. */
type Literal<Media extends string> = string extends Media ? never : Media
