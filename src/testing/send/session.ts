// Sends the requests of a contract test, and records each response: which statuses were seen, and
// which stage refused.
import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import type { Credential, Credentials } from '../requests/credentials.js'
import { curlOf } from '../requests/curl.js'
import type { DescribedOperation } from '../requests/document.js'
import { FormParts, type RequestCase, type Sendable, sendableOf } from '../requests/request-case.js'
import { fetchOf, type Served } from './fetch-of.js'
import { Port } from './port.js'
import { type Limits, PATIENT, readBody, within } from './reading.js'

/** A response, read completely. */
export interface Outcome {
  readonly request: Sendable
  /** The generated request; undefined for a request made by hand. */
  readonly sent: RequestCase | undefined
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array
  readonly text: string
  /** Whether this is only the beginning of a stream, which was cancelled then. */
  readonly isCut: boolean
  /** The parsed JSON; undefined if the body is not JSON. */
  readonly json: unknown
  /**
   * Whether the request reached an operation; the router, or middleware in front, may have
   * responded before.
   */
  readonly reached: boolean
  /**
   * The stage in which the operation refused; undefined if it did not, or if another layer
   * responded.
   */
  readonly stage: string | undefined
}

/** The messages of the tracing channel about a request. */
interface Traced {
  readonly stage?: string
  readonly refusal?: unknown
}

const current = new AsyncLocalStorage<{ traced: Traced | undefined }>()
const note = (message: unknown): void => {
  const store = current.getStore()
  if (store) store.traced = message as Traced
}
const nothing = (): void => undefined

/** Listens to who refuses, as long as a test runs. */
export async function tracing<Result>(run: () => Promise<Result>): Promise<Result> {
  const channel = tracingChannel('koa-smorest.operation')
  const subscribers = {
    start: note,
    end: nothing,
    asyncStart: nothing,
    asyncEnd: nothing,
    error: nothing,
  }
  channel.subscribe(subscribers)
  try {
    return await run()
  } finally {
    channel.unsubscribe(subscribers)
  }
}

/** An operation gave no whole response, so that nothing can be concluded from the request. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError'

  constructor(
    readonly operation: DescribedOperation,
    readonly outcome: Outcome,
    message: string,
  ) {
    super(message)
  }
}

/** After how many requests without a response an operation is left alone. */
const SILENT = 2

export class Session {
  requests = 0
  /** Are told of every response, and of every request that gets no whole one. */
  onOutcome: (operation: DescribedOperation, outcome: Outcome) => void = () => undefined
  onNoResponse: (error: NoResponseError) => void = () => undefined
  readonly #fetch: ReturnType<typeof fetchOf>
  readonly #port: Port
  readonly #silent = new Map<string, readonly NoResponseError[]>()
  /** How many reads of an operation's responses have taken long. */
  readonly #slow = new Map<string, number>()

  constructor(
    app: Served,
    readonly credentials: Credentials,
    readonly prefix: string,
    readonly limits: Limits,
  ) {
    this.#fetch = fetchOf(app)
    this.#port = new Port(app)
  }

  /**
   * Sends a case with the given credentials, or with the operation's if it requires any and they
   * are known.
   */
  send(
    operation: DescribedOperation,
    sent: RequestCase,
    as?: Readonly<Record<string, Credential>>,
  ): Promise<Outcome> {
    const authorized = as
      ? this.credentials.with(sent, as)
      : this.credentials.authorized(operation, sent)
    return this.sendAs(operation, sendableOf(operation, authorized), sent)
  }

  async sendAs(
    operation: DescribedOperation,
    request: Sendable,
    sent?: RequestCase,
  ): Promise<Outcome> {
    const { method, target, headers, body } = request
    const content = body instanceof FormParts ? body.toFormData() : body
    return this.#exchange(operation, request, sent, (around, signal) =>
      around(() =>
        this.#fetch(`http://localhost${target}`, {
          method,
          headers,
          signal,
          ...(content !== undefined && { body: content }),
        }),
      ),
    )
  }

  /**
   * Sends a case whose body is replaced by these bytes, in this coding, over a port: what inflates
   * needs a real connection.
   */
  sendEncoded(
    operation: DescribedOperation,
    sent: RequestCase,
    coding: string,
    body: Buffer,
  ): Promise<Outcome> {
    const request = sendableOf(operation, this.credentials.authorized(operation, sent))
    const headers = { ...request.headers, 'Content-Encoding': coding }
    return this.#exchange(operation, { ...request, headers }, undefined, (around, signal) =>
      this.#port.fetch(
        request.target,
        { method: request.method, headers, body: new Uint8Array(body), signal },
        around,
      ),
    )
  }

  /**
   * Sends a case, without a body, with two Authorization lines: over a port, in memory they join.
   */
  sendTwice(operation: DescribedOperation, sent: RequestCase): Promise<Outcome> {
    const authorized = this.credentials.authorized(operation, { ...sent, body: undefined })
    const request = sendableOf(operation, authorized)
    const own = request.headers.Authorization ?? 'Bearer one'
    const headers = { ...request.headers, Authorization: `${own}, ${own}` }
    const lines = Object.entries(request.headers)
      .filter(([name]) => name !== 'Authorization')
      .flat()
    return this.#exchange(operation, { ...request, headers }, undefined, (around, signal) =>
      this.#port.lines(
        request.target,
        request.method,
        [...lines, 'Authorization', own, 'Authorization', own],
        signal,
        around,
      ),
    )
  }

  /** Sends, reads and tells the watchers. Throws a NoResponseError if no whole response comes. */
  async #exchange(
    operation: DescribedOperation,
    request: Sendable,
    sent: RequestCase | undefined,
    fetched: (around: Around, signal: AbortSignal) => Promise<Response>,
  ): Promise<Outcome> {
    const silent = this.#silent.get(operation.name) ?? []
    const [known] = silent
    if (known && silent.length >= SILENT) throw known
    this.requests++
    const store: { traced: Traced | undefined } = { traced: undefined }
    const left = new AbortController()
    const fail = (message: string, status = 0) => {
      const error = new NoResponseError(operation, unanswered(request, status), message)
      this.onNoResponse(error)
      return error
    }
    const response = await within(
      this.limits.response,
      fetched(run => current.run(store, run), left.signal),
    ).catch(error => {
      throw fail(`the connection was closed without a response: ${messageOf(error)}`)
    })
    if (response === undefined) {
      left.abort()
      const error = fail(`no response in ${this.limits.response / 1000} seconds`)
      this.#silent.set(operation.name, [...silent, error])
      throw error
    }
    const slow = this.#slow.get(operation.name) ?? 0
    const read = await readBody(response, this.limits, slow).catch(error => {
      throw fail(`the response broke off: ${messageOf(error)}`, response.status)
    })
    this.#slow.set(operation.name, slow + read.slowness)
    const refused = store.traced?.refusal !== undefined || response.status >= 400
    const text = Buffer.from(read.bytes).toString()
    const outcome: Outcome = {
      request,
      sent,
      status: response.status,
      headers: response.headers,
      bytes: read.bytes,
      text,
      isCut: read.isCut,
      json: read.isCut ? undefined : parsed(text),
      reached: store.traced !== undefined,
      stage: refused ? store.traced?.stage : undefined,
    }
    this.onOutcome(operation, outcome)
    return outcome
  }

  /** Whether an operation is a stream of which enough has been read. */
  isEndless({ name }: DescribedOperation): boolean {
    return (this.#slow.get(name) ?? 0) >= PATIENT
  }

  /** Closes the resources of the test. */
  async close(): Promise<void> {
    await this.#port.close()
  }

  /** The request as a command, without its credentials. */
  curl(request: Sendable): string {
    return this.credentials.hide(
      curlOf({ ...request, target: this.prefix + request.target }, field =>
        this.credentials.isSecret(field),
      ),
    )
  }
}

/**
 * Whether a limit that the operation documents is used up: the response tells nothing else then.
 */
export function isLimited(
  { responses }: DescribedOperation,
  { status }: Pick<Outcome, 'status'>,
): boolean {
  return status === 429 && responses[429] !== undefined
}

/** Runs a function in the context in which the operation's stages are noted. */
type Around = <Result>(run: () => Result) => Result

const unanswered = (request: Sendable, status: number): Outcome => ({
  request,
  sent: undefined,
  status,
  headers: new Headers(),
  bytes: new Uint8Array(),
  text: '',
  isCut: true,
  json: undefined,
  reached: true,
  stage: undefined,
})

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
