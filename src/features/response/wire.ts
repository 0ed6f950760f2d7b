// The wire facts of a declared response: its status, content and header fields.
import type * as t from 'io-ts'
import type { HeaderObject } from 'openapi3-ts/oas32'
import type { Flat, WireOutputOf } from '../../codec/types/types.js'
import type { StatusCode } from '../../feature-api/reply.js'
import type { StatusOf, WireError, WireMain } from '../../feature-api/wire/facts.js'

/** Documentation of header fields, by name. */
export type HeadersByName = Readonly<Record<string, HeaderObject>>

/** The content of a response with a codec. */
export type WithCodec<Media extends string, C extends t.Mixed> = Media extends unknown
  ? { [M in Media]: WireOutputOf<C> }
  : never

/** Further representations for a client, by their media types: a string each. */
export type AlsoContent<Also extends readonly string[]> = Also extends readonly []
  ? unknown
  : { [Media in Literals<Also>]: string }

/** A media type that is only known to be a string is not a key. */
type Literals<Also extends readonly string[]> = {
  [I in keyof Also]: string extends Also[I] ? never : Also[I]
}[number]

/** The facts of an operation that negotiates its representation. */
export type AlsoWire<Also extends readonly string[]> = [Literals<Also>] extends [never]
  ? unknown
  : { readonly errors: 406; readonly every: { Vary?: string } }

/** The content of a main response without a codec. */
export type WithoutCodec<Code extends StatusCode, Media extends string> =
  IsEmpty<StatusOf<Code>, Media> extends true
    ? Record<never, never>
    : { [M in Media]: UncheckedContent<M> }

/** The content of a media type without a codec: clients parse JSON, and `+json` is JSON. */
type UncheckedContent<Media extends string> = Media extends
  | 'application/json'
  | `application/json;${string}`
  | `${string}+json`
  | `${string}+json;${string}`
  ? unknown
  : string

/** The status of another response: a number, or `default`. */
export type DeclaredStatus<Code extends StatusCode> = Code extends 'default'
  ? 'default'
  : StatusOf<Code>

/**
 * The content of another response without a codec: that of errors for an error status, that of the
 * main response for a success that is JSON.
 */
export type AlternativeWithoutCodec<Code extends StatusCode, Media extends string> =
  IsError<DeclaredStatus<Code>> extends true
    ? Media extends 'application/json' | 'application/problem+json'
      ? WireError
      : { [M in Media]: UncheckedContent<M> }
    : IsEmpty<StatusOf<Code>, Media> extends true
      ? Record<never, never>
      : Media extends 'application/json'
        ? WireMain
        : { [M in Media]: UncheckedContent<M> }

/** The fact of a response whose status never has content: `reply(undefined, 204)` fits it. */
export type EmptyFact<Code extends StatusCode, Empty extends true | 'main' = true> =
  DeclaredStatus<Code> extends 204 | 205 ? { readonly empty: Empty } : unknown

/** The members that a declared problem adds to an error. */
export type DataOf<C> = C extends t.Mixed ? WireOutputOf<C> : unknown

type IsError<Status extends number | 'default'> = `${Status}` extends
  | `4${string}`
  | `5${string}`
  | 'default'
  ? true
  : false

type IsEmpty<Status extends number, Media extends string> = Status extends 204 | 205 | 304
  ? true
  : `${Status}` extends `3${string}`
    ? Media extends 'application/json'
      ? true
      : false
    : false

/** The documented header fields that a client sees; a redirect has its Location. */
export type HeaderFields<Headers, Code extends StatusCode> = [
  keyof Headers,
  IsRedirect<StatusOf<Code>>,
] extends [never, false]
  ? Record<never, never>
  : Flat<
      { [Name in Needed<Headers, keyof Headers>]: HeaderValue<Headers[Name]> } & {
        [Name in Exclude<keyof Headers, Needed<Headers, keyof Headers>>]?: HeaderValue<
          Headers[Name]
        >
      } & (IsRedirect<StatusOf<Code>> extends true
          ? keyof Headers & ('Location' | 'location') extends never
            ? { Location: string }
            : unknown
          : unknown)
    >

type IsRedirect<Status> = Status extends 301 | 302 | 303 | 307 | 308 ? true : false

type Needed<Headers, Names extends keyof Headers> = Names extends unknown
  ? Headers[Names] extends { readonly required: true }
    ? Names
    : never
  : never

type HeaderValue<Header> = Header extends { readonly schema: { readonly type: infer Type } }
  ? Type extends 'string'
    ? string
    : Type extends 'integer' | 'number'
      ? number
      : Type extends 'boolean'
        ? boolean
        : unknown
  : unknown
