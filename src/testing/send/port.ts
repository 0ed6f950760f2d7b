// A port on 127.0.0.1 for requests that do not work in memory: a body that is compressed, a
// connection that is closed without a response. Opened by a contract test for the first such
// request, and closed with it.
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type Server,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Served } from './fetch-of.js'

export class Port {
  readonly #app: Served
  #server: Server | undefined
  #handle: RequestListener | undefined
  /** Runs the listener of a request in the right asynchronous context. */
  #around: <Result>(handle: () => Result) => Result = handle => handle()

  constructor(app: Served) {
    this.#app = app
  }

  /** `fetch` over the port; rejects if the connection is closed without a response. */
  async fetch(
    target: string,
    init: RequestInit,
    around: <Result>(handle: () => Result) => Result,
  ): Promise<Response> {
    this.#around = around
    const { port } = (await this.#open()).address() as AddressInfo
    return fetch(`http://127.0.0.1:${port}${target}`, { ...init, redirect: 'manual' })
  }

  /** Sends a request with exactly these header lines: fetch would join two with the same name. */
  async lines(
    target: string,
    method: string,
    lines: readonly string[],
    signal: AbortSignal,
    around: <Result>(handle: () => Result) => Result,
  ): Promise<Response> {
    this.#around = around
    const { port } = (await this.#open()).address() as AddressInfo
    // Node sends a list of names and values unchanged
    const headers = ['Host', `127.0.0.1:${port}`, ...lines] as never
    const sent = request({ port, host: '127.0.0.1', path: target, method, headers, signal }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    return new Response(Buffer.concat(chunks), {
      status: response.statusCode ?? 0,
      headers: Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      ),
    })
  }

  async close(): Promise<void> {
    if (!this.#server) return
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #open(): Promise<Server> {
    if (this.#server) return this.#server
    this.#handle = this.#app.callback()
    this.#server = createServer((req, res) => this.#around(() => this.#handle?.(req, res))).listen(
      0,
      '127.0.0.1',
    )
    // a connection that the server closes while the next request is on its way is not a failure
    this.#server.keepAliveTimeout = 0
    await once(this.#server, 'listening')
    return this.#server
  }
}
