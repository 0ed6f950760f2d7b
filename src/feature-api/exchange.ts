import { type ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http'
import type * as t from 'io-ts'
import type { DefaultContext, DefaultState, ParameterizedContext } from 'koa'
import { type Failure, isFinalStatus, Refusal } from '../http/failure.js'
import { type Fields, parseQuery } from '../http/query.js'
import { shown } from '../names.js'
import { abortRequest, isClosed, signalOf } from './abort-signal.js'
import { OpenStreams } from './open-streams.js'
import type { Source } from './request-reader.js'
import type { Stage } from './stages.js'

/** Koa's context, as a view sees it. */
export type Context<StateT = DefaultState, ContextT = DefaultContext> = ParameterizedContext<
  StateT,
  ContextT
>

/** The caller, as identified by the feature that checked the credentials. */
interface Principal {
  /** The name of the scheme whose credentials were valid. */
  readonly scheme: string
  /** The principal that the scheme returned for the credentials; the method receives it. */
  readonly value: unknown
  /**
   * Identifies the caller within the scheme, if the scheme can: idempotency keys and limits belong
   * to it.
   */
  readonly identity?: string | number
}

/** A header field of every response of an operation. */
export interface EveryHeader {
  readonly name: string
  readonly value: string
  /** Whether it adds to an existing field instead of replacing it. */
  readonly append: boolean
  /**
   * Returns whether a response has this field. It is asked when the response is about to be sent,
   * with the fields that are set by then, for fields with `append` only. Default: every response.
   */
  readonly when?: ((exchange: Exchange, fields: SetFields) => boolean) | undefined
}

/** The header fields that are set on a response. */
type SetFields = Pick<ServerResponse, 'getHeader'>

/**
 * Creates a header field for `Exchange.addHeader`. Fields that are the same for every request are
 * created, and checked, once. Throws a TypeError if the name or value is not allowed in HTTP.
 */
export function everyHeader(
  name: string,
  value: string,
  { append = false, when }: Partial<Pick<EveryHeader, 'append' | 'when'>> = {},
): EveryHeader {
  validateHeaderName(name)
  validateHeaderValue(name, value)
  return { name, value, append, when }
}

const APPENDED = { append: true }

/**
 * A result that flows: what a step of `encode` sets as `exchange.stream` to have it sent piece by
 * piece.
 */
export interface ResultStream {
  /** The media type, parameters included. */
  readonly mediaType: string
  /** Strings are sent as UTF-8. It is read as fast as the client reads. */
  readonly body: AsyncIterable<string | Uint8Array>
  /**
   * After how many milliseconds a client that takes nothing is disconnected. Default: never.
   */
  readonly stall?: number
  /**
   * The string to send after so many milliseconds without output, so that no proxy closes the
   * connection.
   */
  readonly idle?: { readonly after: number; readonly text: string }
  /**
   * The stream has no end of its own, as events have none: `api.stop()` completes the response.
   * Default false: a stream that is not done is broken off, so that no client takes a part of it
   * for the whole.
   */
  readonly isEndless?: boolean
}

/** The output of a representation: strings are sent as UTF-8. */
export type Written = string | Uint8Array | AsyncIterable<string | Uint8Array>

/** The representation that `Accept` has selected, if it is not JSON. */
export interface SelectedRepresentation {
  /** As it is sent, parameters included. */
  readonly mediaType: string
  /** The suffix of its entity tag. */
  readonly suffix: string
  /** Writes the value of the JSON. */
  readonly write: (value: unknown, exchange: Exchange) => Written
}

/**
 * The method's last parameter: path parameters, and what features add. `signal` is the AbortSignal
 * of the request, unless a parameter or a feature has that name.
 */
export class Named {
  readonly #ctx: object;
  [name: string]: unknown

  constructor(ctx: object, parameters: Readonly<Record<string, unknown>>) {
    this.#ctx = ctx
    Object.assign(this, parameters)
  }

  // a getter of the prototype costs a request nothing, and destructuring reads it
  get signal(): unknown {
    return signalOf(this.#ctx)
  }

  set signal(value: unknown) {
    const descriptor = { value, writable: true, enumerable: true, configurable: true }
    Object.defineProperty(this, 'signal', descriptor)
  }
}

/** The functions of this file that reach into an Exchange; features have no use for them. */
interface Insides {
  /** Sets a positional argument of the method. */
  readonly setArgument: (exchange: Exchange, index: number, value: unknown) => void
  /** Returns the positional arguments of the method; those that nobody has set are undefined. */
  readonly argumentsOf: (exchange: Exchange, count: number) => readonly unknown[]
  /** Keeps the callbacks of `onEnd` waiting until the returned function is called. */
  readonly hold: (exchange: Exchange) => () => void
  /** The promise of the operation has settled. */
  readonly operationEnded: (exchange: Exchange) => void
}

let insides: Insides

/** One request on its way through an operation. */
export class Exchange implements Source {
  #arguments: unknown[] = []
  /** The decoded arguments, each with its location. They tell whether two requests are the same. */
  readonly inputs: (readonly [location: string, value: unknown])[] = []
  /** The value that the method returned; later steps may replace it. */
  result: unknown = undefined
  /** The status of the response; 0 until it is known. */
  status = 0
  /** Writes the result as a string; set in the stage `encode`. */
  writer: ((result: unknown) => string) | undefined = undefined
  /** The codec that `writer` uses, if nothing else contributes to the string. */
  codec: t.Mixed | undefined = undefined
  /**
   * The media type of the body, parameters included; undefined until a step sets it. A value
   * without one is sent as JSON.
   */
  mediaType: string | undefined = undefined
  /**
   * Header fields of a successful response. An error response has none of them; a 304 has those
   * listed in RFC 9110, section 15.4.5.
   */
  readonly headers: [name: string, value: string][] = []
  /**
   * The fields added by `setHeader` and `appendHeader`, in the order in which they were added.
   * Undefined until the first one is added.
   */
  everyHeaders: EveryHeader[] | undefined = undefined
  /**
   * Whether the method responded through Koa, or with a `Response`, instead of returning a value.
   */
  isRaw = false
  /**
   * The caller; undefined if the operation does not check credentials, or if they are optional and
   * the call has none.
   */
  principal: Principal | undefined = undefined
  /**
   * The stage that the request has reached. In `keep` it is still the previous one, so that a
   * failure can be attributed to its stage.
   */
  stage: Stage = 'begin'
  /** From `keep` on: the failure of the request, refused or thrown; undefined for a success. */
  failure: Failure | undefined = undefined
  /**
   * The bytes of `text`, if a feature needed them. They are sent directly, so that a long string is
   * encoded once.
   */
  bytes: Buffer | undefined = undefined
  /**
   * The representation that replaces JSON and is written from it at the very end: `text` stays
   * JSON, and entity tags are made from that.
   */
  representation: SelectedRepresentation | undefined = undefined
  /**
   * From `keep` on: the string or bytes to be sent; undefined if there is no body, or if the
   * response is raw.
   */
  body: string | Uint8Array | undefined = undefined

  /**
   * Set in the stage `encode` to send a stream instead of the string of `writer`; a 204, a 304 and
   * the response to HEAD send nothing of it.
   */
  stream: ResultStream | undefined = undefined

  readonly #streams: OpenStreams

  constructor(
    readonly ctx: Context,
    /** The method's last parameter: path parameters, converted, and what features add. */
    readonly named: Record<string, unknown>,
    /** The path parameters as sent, percent-decoded but not converted. */
    readonly texts: Readonly<Record<string, string>>,
    streams: OpenStreams = new OpenStreams(),
  ) {
    this.#streams = streams
  }

  /**
   * The method's positional arguments so far, as a frozen copy. A feature gives one with the
   * `PositionalArgument` that `route.argument()` returned.
   */
  get arguments(): readonly unknown[] {
    return Object.freeze([...this.#arguments])
  }

  /**
   * Sets a header field of every response of this operation, whatever sends it: a success, a 304,
   * an error of a feature, of the method or of the Blueprint's middleware. Replaces an existing
   * field of that name. May be called in any stage before `keep` ends; document the field in a
   * fragment under `every.headers`. Throws a TypeError if the name or value is not allowed in HTTP.
   */
  setHeader(name: string, value: string): void {
    this.addHeader(everyHeader(name, value))
  }

  /**
   * Appends to a list field of every response, such as `Link` or `Vary`, unless the value is in the
   * list already. `Cache-Control` is combined: restrictions of both sides stay, and the ages are
   * those of the field that is there.
   */
  appendHeader(name: string, value: string): void {
    this.addHeader(everyHeader(name, value, APPENDED))
  }

  /** Sets or appends a field that `everyHeader` created at registration. */
  addHeader(field: EveryHeader): void {
    this.everyHeaders ??= []
    this.everyHeaders.push(field)
  }

  #text: string | undefined = undefined

  /**
   * The result as a string. It is written on first access, and never for a response without a body.
   */
  get text(): string | undefined {
    this.#text ??= this.writer?.(this.result)
    return this.#text
  }

  /**
   * Replaces the representation of the result: string, media type, writer and kept bytes. Called in
   * the stage `represent`; entity tags are computed from the new string. Throws a TypeError for a
   * raw response, which has none.
   */
  represent(text: string, mediaType: string): void {
    if (this.isRaw)
      throw new TypeError(
        'exchange.represent() replaces the text of a value, and this response is raw: its body was given to Koa',
      )
    this.#text = text
    this.mediaType = mediaType
    this.writer = () => text
    this.codec = undefined
    this.bytes = undefined
    this.stream = undefined
    this.representation = undefined
  }

  /**
   * Aborts when the client has gone before it had the complete response, and when `api.stop()` or a
   * stalled client ends a stream. The method has it as the named value `signal`. An error that it
   * causes, its reason or an AbortError, is not logged.
   */
  get signal(): AbortSignal {
    return signalOf(this.ctx)
  }

  #isStream = false

  /**
   * Tells that the response is going to be a stream, before `exchange.stream` can be set: from here
   * on `api.stop()` aborts the signal. Returns a Refusal (503) if the Api has stopped. Called when
   * a stream is sent, at the latest.
   */
  beginStream(): Refusal | undefined {
    if (this.#streams.isStopped) return STOPPED
    if (this.#isStream) return undefined
    this.#isStream = true
    const remove = this.#streams.add(() => {
      abortRequest(this.ctx, new DOMException('The server is stopping.', 'AbortError'))
    })
    this.onEnd(remove)
    return undefined
  }

  /** Whether `api.stop()` was called. */
  get isStopped(): boolean {
    return this.#streams.isStopped
  }

  #onEnd: (() => unknown)[] | undefined = undefined
  /**
   * The number of things that the callbacks of `onEnd` wait for: the operation, the response, a
   * stream.
   */
  #holds = 1

  /**
   * Registers a callback for the end of the request: when the operation's promise has settled, the
   * response is sent or broken off, and the iterator of a stream has ended. Callbacks run once, the
   * last one first; what one throws or rejects with is emitted on the app.
   */
  onEnd(callback: () => unknown): void {
    if (this.#onEnd) this.#onEnd.push(callback)
    else {
      this.#onEnd = [callback]
      whenClosed(this.ctx, this.#hold())
    }
  }

  #hold(): () => void {
    this.#holds++
    let isHeld = true
    return () => {
      if (isHeld) this.#release()
      isHeld = false
    }
  }

  #release(): void {
    this.#holds--
    if (this.#holds > 0 || this.#onEnd === undefined) return
    const callbacks = this.#onEnd
    this.#onEnd = undefined
    const emit = (error: unknown) => this.ctx.app.emit('error', error, this.ctx)
    for (const callback of callbacks.reverse()) {
      try {
        Promise.resolve(callback()).catch(emit)
      } catch (error) {
        emit(error)
      }
    }
  }

  static {
    insides = {
      setArgument(exchange, index, value) {
        exchange.#arguments[index] = value
      },
      argumentsOf(exchange, count) {
        const given = exchange.#arguments
        // an argument of a feature that has set none keeps its place
        if (given.length !== count) given.length = count
        return given
      },
      hold: exchange => exchange.#hold(),
      operationEnded: exchange => exchange.#release(),
    }
  }

  #query: Fields | Refusal | undefined = undefined

  /**
   * The query, parsed on first access; a Refusal (400) if it is not valid percent-encoded UTF-8.
   */
  get query(): Fields | Refusal {
    this.#query ??=
      parseQuery(this.ctx.querystring) ??
      new Refusal(400, { errors: { query: ['Not valid percent-encoded UTF-8.'] } })
    return this.#query
  }
}

const STOPPED = new Refusal(503, { headers: { 'Retry-After': '1' } })

/** Calls back once the response is sent, or its connection closed. */
function whenClosed({ res }: Context, callback: () => void): void {
  if (res.writableFinished || isClosed(res)) {
    callback()
    return
  }
  res.once('finish', callback)
  res.once('close', callback)
}

export const { setArgument, argumentsOf, hold, operationEnded } = insides

/** A step of an operation. It returns nothing to continue; only promises are awaited. */
export type Step = (exchange: Exchange) => StepResult | Promise<StepResult>

/**
 * Nothing, to continue; a `Refusal` to respond with an error; or, before the method, a
 * `CompleteResponse` to send instead.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a step that only does something is the common case
export type StepResult = void | Refusal | CompleteResponse

/**
 * A complete response that a step returns instead of continuing: status, header fields and body are
 * sent unchanged, without encoding or entity tag. A step of `replay` uses it to send an earlier
 * response again.
 */
export class CompleteResponse {
  constructor(
    readonly status: number,
    readonly headers: readonly (readonly [name: string, value: string])[],
    readonly body: string | Uint8Array | null,
  ) {
    if (!isFinalStatus(status))
      throw new TypeError(
        `a CompleteResponse must have a status from 200 to 599, not ${shown(status)}`,
      )
  }
}

/**
 * Thrown to leave the method before it returns. The operation goes on as after a method that
 * responded by Koa's own means: steps for raw responses decide on status and header fields, and
 * nothing is encoded. Only a method may throw it.
 */
export class EarlyReturn extends Error {
  override readonly name = 'EarlyReturn'
}
