import { validateHeaderName, validateHeaderValue } from 'node:http'
import type * as t from 'io-ts'
import type { DefaultContext, DefaultState, ParameterizedContext } from 'koa'
import { type Failure, Refusal } from '../http/failure.js'
import { type Fields, parseQuery } from '../http/query.js'
import type { Source } from './request-reader.js'
import type { Stage } from './stages.js'

/** Koa's context, as a view sees it. */
export type Context<StateT = DefaultState, ContextT = DefaultContext> = ParameterizedContext<StateT, ContextT>

/** Who is calling, as the feature that asked for credentials found out. */
export interface Principal {
  /** The name of the scheme whose credentials were valid. */
  readonly scheme: string
  /** What the scheme made of the credentials: the value that the method is given. */
  readonly value: unknown
  /** Names the caller within the scheme, where the scheme can: what an idempotency key or a limit belongs to. */
  readonly identity?: string | number
}

/** A header field of every response of an operation; `append` adds to what is there instead of replacing it. */
export interface EveryHeader {
  readonly name: string
  readonly value: string
  readonly append: boolean
}

/**
 * A header field for `Exchange.addHeader`, checked once, where it is the same for every request. Throws TypeError for what HTTP does
 * not allow in a header field.
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
  /** What features have decoded, each with its location: what makes a request the same as another one. */
  readonly inputs: (readonly [location: string, value: unknown])[] = []
  /** What the method returned, then what is left of it. */
  result: unknown = undefined
  /** The status of the response; 0 until it is known. */
  status = 0
  /** Makes the text of the result; the step of the stage `encode` says it. */
  writer: ((result: unknown) => string) | undefined = undefined
  /** The codec by which `writer` writes, where nothing else has a part in the text. */
  codec: t.Mixed | undefined = undefined
  /** The media type of the body, parameters included; undefined while nobody has said it, which for a value means JSON. */
  mediaType: string | undefined = undefined
  /** Header fields of a success. An error has none of them, a 304 those that RFC 9110, section 15.4.5 names. */
  readonly headers: [name: string, value: string][] = []
  /** Header fields of every response, in the order in which `setHeader` and `appendHeader` were called; undefined: none. */
  everyHeaders: EveryHeader[] | undefined = undefined
  /** The method responded by Koa's own means, or with a `Response`: there is no value. */
  isRaw = false
  /** Who is calling; undefined where nobody asked, or where anonymous calls are allowed and this is one. */
  principal: Principal | undefined = undefined
  /** The stage that the request has reached; in `keep` still the one before it, so that a failure's is seen. */
  stage: Stage = 'begin'
  /** From `keep` on: what the request failed with, refused or thrown; undefined for a success. */
  failure: Failure | undefined = undefined
  /** The bytes of `text`, where a feature needed them: they are what is sent, so that a long text is encoded once. */
  bytes: Buffer | undefined = undefined
  /** From `keep` on: the text that is about to be sent; undefined where there is no body, or where the response is raw. */
  body: string | undefined = undefined

  constructor(
    readonly ctx: Context,
    /** The method's last parameter: path parameters, converted, and what features add. */
    readonly named: Record<string, unknown>,
    /** The path parameters as they stood in the path, decoded. */
    readonly texts: Readonly<Record<string, string>>,
  ) {}

  /**
   * Sets a header field of every response of this operation, whoever responds: a success, a 304, an error of a feature, of the
   * method or of the Blueprint's middleware. It replaces a field of that name. Call it in any stage but after `keep`; a fragment
   * documents it under `every.headers`. Throws TypeError for what HTTP does not allow in a header field.
   */
  setHeader(name: string, value: string): void {
    this.addHeader(everyHeader(name, value))
  }

  /** The same for fields that are lists, such as `Link` or `Vary`: the value is added to what is there, unless it is in it. */
  appendHeader(name: string, value: string): void {
    this.addHeader(everyHeader(name, value, APPENDED))
  }

  /** The same for a field that was made, and checked, at registration. */
  addHeader(field: EveryHeader): void {
    this.everyHeaders ??= []
    this.everyHeaders.push(field)
  }

  #text: string | undefined = undefined

  /** The result as JSON text: written once, when it is first asked for, and not at all for a response that has no body. */
  get text(): string | undefined {
    this.#text ??= this.writer?.(this.result)
    return this.#text
  }

  #query: Fields | Refusal | undefined = undefined

  /** The query, read when it is first asked for; a Refusal (400) where it is not valid percent-encoded UTF-8. */
  get query(): Fields | Refusal {
    this.#query ??= parseQuery(this.ctx.querystring) ?? new Refusal(400, { errors: { query: ['Not valid percent-encoded UTF-8.'] } })
    return this.#query
  }
}
