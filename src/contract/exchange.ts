import { validateHeaderName, validateHeaderValue } from 'node:http'
import type * as t from 'io-ts'
import type { DefaultContext, DefaultState, ParameterizedContext } from 'koa'
import { type Failure, Refusal } from '../http/failure.js'
import { type Fields, parseQuery } from '../http/query.js'
import type { Source } from './request-reader.js'
import type { Stage } from './stages.js'

/** Koa's context, as a view sees it. */
export type Context<StateT = DefaultState, ContextT = DefaultContext> = ParameterizedContext<
  StateT,
  ContextT
>

/** The caller, as identified by the feature that checked the credentials. */
export interface Principal {
  /** The name of the scheme whose credentials were valid. */
  readonly scheme: string
  /** The principal that the scheme returned for the credentials; the method receives it. */
  readonly value: unknown
  /** Identifies the caller within the scheme, if the scheme can: idempotency keys and limits belong to it. */
  readonly identity?: string | number
}

/** A header field of every response of an operation; `append` adds to an existing field instead of replacing it. */
export interface EveryHeader {
  readonly name: string
  readonly value: string
  readonly append: boolean
}

/**
 * Creates a header field for `Exchange.addHeader`. Fields that are the same for every request are created, and checked, once. Throws a
 * TypeError if the name or value is not allowed in HTTP.
 */
export function everyHeader(name: string, value: string, { append = false } = {}): EveryHeader {
  validateHeaderName(name)
  validateHeaderValue(name, value)
  return { name, value, append }
}

const APPENDED = { append: true }

/** One request on its way through an operation. */
export class Exchange implements Source {
  /** The method's positional arguments. */
  readonly arguments: unknown[] = []
  /** The decoded arguments, each with its location. They tell whether two requests are the same. */
  readonly inputs: (readonly [location: string, value: unknown])[] = []
  /** The value that the method returned; later steps may replace it. */
  result: unknown = undefined
  /** The status of the response; 0 until it is known. */
  status = 0
  /** Writes the result as text; set in the stage `encode`. */
  writer: ((result: unknown) => string) | undefined = undefined
  /** The codec that `writer` uses, if nothing else contributes to the text. */
  codec: t.Mixed | undefined = undefined
  /** The media type of the body, parameters included; undefined until a step sets it. A value without one is sent as JSON. */
  mediaType: string | undefined = undefined
  /** Header fields of a successful response. An error response has none of them; a 304 has those listed in RFC 9110, section 15.4.5. */
  readonly headers: [name: string, value: string][] = []
  /** The fields added by `setHeader` and `appendHeader`, in the order in which they were added. Undefined until the first one is added. */
  everyHeaders: EveryHeader[] | undefined = undefined
  /** Whether the method responded through Koa, or with a `Response`, instead of returning a value. */
  isRaw = false
  /** The caller; undefined if the operation checks no credentials, or for an anonymous call of one where credentials are optional. */
  principal: Principal | undefined = undefined
  /** The stage that the request has reached. In `keep` it is still the previous one, so that a failure can be attributed to its stage. */
  stage: Stage = 'begin'
  /** From `keep` on: the failure of the request, refused or thrown; undefined for a success. */
  failure: Failure | undefined = undefined
  /** The bytes of `text`, if a feature needed them. They are sent as they are, so that a long text is encoded once. */
  bytes: Buffer | undefined = undefined
  /** From `keep` on: the text to be sent; undefined if there is no body, or if the response is raw. */
  body: string | undefined = undefined

  constructor(
    readonly ctx: Context,
    /** The method's last parameter: path parameters, converted, and what features add. */
    readonly named: Record<string, unknown>,
    /** The path parameters as sent, percent-decoded but not converted. */
    readonly texts: Readonly<Record<string, string>>,
  ) {}

  /**
   * Sets a header field of every response of this operation, whatever sends it: a success, a 304, an error of a feature, of the method or
   * of the Blueprint's middleware. Replaces an existing field of that name. May be called in any stage before `keep` ends; document the
   * field in a fragment under `every.headers`. Throws a TypeError if the name or value is not allowed in HTTP.
   */
  setHeader(name: string, value: string): void {
    this.addHeader(everyHeader(name, value))
  }

  /** Appends to a list field of every response, such as `Link` or `Vary`, unless the value is in the list already. */
  appendHeader(name: string, value: string): void {
    this.addHeader(everyHeader(name, value, APPENDED))
  }

  /** Sets or appends a field that `everyHeader` created at registration. */
  addHeader(field: EveryHeader): void {
    this.everyHeaders ??= []
    this.everyHeaders.push(field)
  }

  #text: string | undefined = undefined

  /** The result as text. It is written on first access, and never for a response without a body. */
  get text(): string | undefined {
    this.#text ??= this.writer?.(this.result)
    return this.#text
  }

  #query: Fields | Refusal | undefined = undefined

  /** The query, parsed on first access; a Refusal (400) if it is not valid percent-encoded UTF-8. */
  get query(): Fields | Refusal {
    this.#query ??=
      parseQuery(this.ctx.querystring) ??
      new Refusal(400, { errors: { query: ['Not valid percent-encoded UTF-8.'] } })
    return this.#query
  }
}
