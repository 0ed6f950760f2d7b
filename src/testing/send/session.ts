// Sends the requests of a contract test, and keeps what every one of them showed: which statuses were seen, and who refused.
import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import type { Credential, Credentials } from '../requests/credentials.js'
import { curlOf } from '../requests/curl.js'
import { type DescribedOperation, describedFor } from '../requests/document.js'
import { FormParts, type RequestCase, type Sendable, sendableOf } from '../requests/request-case.js'
import { fetchOf, type Served } from './fetch-of.js'
import { Port } from './port.js'

/** What came back, read. */
export interface Outcome {
  readonly request: Sendable
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed JSON; undefined where the text is not JSON. */
  readonly json: unknown
  /** Whether the request reached an operation; the router, or middleware in front, may have responded before. */
  readonly reached: boolean
  /** The stage in which the operation refused; undefined where it did not, or where another layer responded. */
  readonly stage: string | undefined
}

/** What the tracing channel says of an operation's request. */
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

export class Session {
  /** `GET /pets/ 200`, for every documented status that was seen. */
  readonly seen = new Set<string>()
  requests = 0
  readonly #fetch: ReturnType<typeof fetchOf>
  readonly #port: Port

  constructor(
    app: Served,
    readonly credentials: Credentials,
    readonly prefix: string,
  ) {
    this.#fetch = fetchOf(app)
    this.#port = new Port(app)
  }

  /** Sends a case with the operation's credentials, where it asks for any and they are known, or with these. */
  send(
    operation: DescribedOperation,
    sent: RequestCase,
    as?: Readonly<Record<string, Credential>>,
  ): Promise<Outcome> {
    const authorized = as
      ? this.credentials.with(sent, as)
      : this.credentials.authorized(operation, sent)
    return this.sendAs(operation, sendableOf(operation, authorized))
  }

  async sendAs(operation: DescribedOperation, request: Sendable): Promise<Outcome> {
    this.requests++
    const { method, target, headers, body } = request
    const store: { traced: Traced | undefined } = { traced: undefined }
    const content = body instanceof FormParts ? body.toFormData() : body
    const response = await current.run(store, () =>
      this.#fetch(`http://localhost${target}`, {
        method,
        headers,
        ...(content !== undefined && { body: content }),
      }),
    )
    return this.#outcome(operation, request, response, store.traced)
  }

  /** Sends a case whose body is replaced by these bytes, in this coding, over a port; undefined where no response came. */
  async sendEncoded(
    operation: DescribedOperation,
    sent: RequestCase,
    coding: string,
    body: Buffer,
  ): Promise<Outcome | undefined> {
    this.requests++
    const request = sendableOf(operation, this.credentials.authorized(operation, sent))
    const store: { traced: Traced | undefined } = { traced: undefined }
    const init = {
      method: request.method,
      headers: { ...request.headers, 'Content-Encoding': coding },
      body: new Uint8Array(body),
    }
    const response = await this.#port.fetch(request.target, init, handle =>
      current.run(store, handle),
    )
    return (
      response &&
      this.#outcome(operation, { ...request, headers: init.headers }, response, store.traced)
    )
  }

  /** Ends what was opened for the test. */
  async close(): Promise<void> {
    await this.#port.close()
  }

  async #outcome(
    operation: DescribedOperation,
    request: Sendable,
    response: Response,
    traced: Traced | undefined,
  ): Promise<Outcome> {
    const text = await response.text()
    if (describedFor(operation, response.status))
      this.seen.add(`${operation.name} ${response.status}`)
    const refused = traced?.refusal !== undefined || response.status >= 400
    return {
      request,
      status: response.status,
      headers: response.headers,
      text,
      json: parsed(text),
      reached: traced !== undefined,
      stage: refused ? traced?.stage : undefined,
    }
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

/** Whether a limit that the operation documents is used up: the response tells nothing else then. */
export function isLimited(
  { responses }: DescribedOperation,
  { status }: Pick<Outcome, 'status'>,
): boolean {
  return status === 429 && responses[429] !== undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
