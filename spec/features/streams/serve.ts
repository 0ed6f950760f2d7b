import { once } from 'node:events'
import { get as httpGet, type IncomingMessage } from 'node:http'
import Koa from 'koa'
import compress from 'koa-compress'
import { Api, Application, Blueprint, type Feature, type Settings } from 'koa-smorest'
import { listen } from '../../support/client.js'

/** How an application may be built around an Api. */
export const APPS = [
  ['a Koa', () => new Koa()],
  ['an Application', () => new Application()],
  ['a Koa with koa-compress', () => new Koa().use(compress({ threshold: 0 }))],
] as const

export interface Streaming {
  readonly app: Koa
  readonly api: Api
  readonly port: number
  readonly errors: Error[]
}

/** Serves GET /x, as in production. */
export async function serveStream(
  features: readonly Feature[],
  method: (...given: never[]) => unknown,
  { app = new Koa() as Koa, settings = {} as Settings, verb = 'get' as 'get' | 'post' } = {},
): Promise<Streaming> {
  const errors: Error[] = []
  app.on('error', error => errors.push(error))
  const api = new Api(app, {
    OPENAPI_VERSION: '3.2.0',
    DEBUG: false,
    TESTING: false,
    ...settings,
  } as Settings)
  const all = new Blueprint('all')
  all[verb]('/x', { features } as never, method as never)
  api.registerBlueprint(all)
  return { app, api, port: await listen(app), errors }
}

/** A response as far as it has arrived. */
export class Received {
  text = ''
  readonly #closed: Promise<unknown>

  constructor(readonly response: IncomingMessage) {
    response.setEncoding('utf8').on('data', piece => {
      this.text += piece
    })
    response.on('error', () => undefined)
    this.#closed = new Promise(resolve => response.once('close', resolve))
  }

  get status(): number | undefined {
    return this.response.statusCode
  }

  /** Waits until the text contains something. */
  async until(part: string): Promise<void> {
    while (!this.text.includes(part)) await once(this.response, 'data')
  }

  /** Waits for the end; returns whether the response was complete. */
  async end(): Promise<boolean> {
    await this.#closed
    return this.response.complete
  }

  leave(): void {
    this.response.destroy()
  }
}

/** Sends a GET whose response is read as it arrives. */
export async function receive(
  port: number,
  { path = '/x', headers = {} as Record<string, string> } = {},
): Promise<Received> {
  const request = httpGet({ port, host: '127.0.0.1', path, headers, agent: false })
  const [response] = await once(request, 'response')
  return new Received(response)
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 5))
}
