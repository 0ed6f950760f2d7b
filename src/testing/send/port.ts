// A port on 127.0.0.1 for what cannot be seen in memory: a body that is compressed, a connection that is closed without a response.
// Opened by a contract test for the first such request, and closed with it.
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Served } from './fetch-of.js'

/** How long a response may take. */
const PATIENCE = 10_000

export class Port {
  readonly #app: Served
  #server: Server | undefined
  #handle: RequestListener | undefined
  /** What runs the listener of a request, for its asynchronous context. */
  #around: (handle: () => void) => void = handle => handle()

  constructor(app: Served) {
    this.#app = app
  }

  /** `fetch` over the port; undefined where the connection was closed, or nothing came in ten seconds. */
  async fetch(
    target: string,
    init: RequestInit,
    around: (handle: () => void) => void,
  ): Promise<Response | undefined> {
    this.#around = around
    const server = await this.#open()
    const { port } = server.address() as AddressInfo
    try {
      return await fetch(`http://127.0.0.1:${port}${target}`, {
        ...init,
        redirect: 'manual',
        signal: AbortSignal.timeout(PATIENCE),
      })
    } catch {
      return undefined
    }
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
    await once(this.#server, 'listening')
    return this.#server
  }
}
