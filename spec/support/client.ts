import { once } from 'node:events'
import { type ClientHttp2Session, connect, createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { type AnyBlueprint, Api, type Settings } from 'koa-smorest'
import { afterAll } from 'vitest'
import { searchError } from './credential-leaks.js'
import { documentCheck } from './document-check.js'

/** An answer, read: `body` is the parsed JSON, or the text where it is none. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  // what a spec expects of a body is said by its assertions
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any
  readonly text: string
}

/** What is sent: `json` is a body and its media type in one. */
export interface Sent extends Omit<RequestInit, 'method' | 'headers'> {
  readonly json?: unknown
  readonly headers?: Record<string, string>
}

/** Sends requests to a served application. */
export type Client = (method: string, path: string, sent?: Sent) => Promise<Answer>

/** Serves a Koa application on a free port until the specs of the file have run. */
export async function serve(app: Koa): Promise<Client> {
  return clientOf(await listen(app))
}

/** Serves an application until the specs of the file have run; its port. */
export async function listen(app: Koa): Promise<number> {
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** Serves an application over HTTP/2 until the specs have run. Returns the session of a client. */
export async function listenHttp2(app: Koa): Promise<ClientHttp2Session> {
  const server = createServer(app.callback() as never).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  afterAll(() => {
    session.close()
    server.close()
  })
  return session
}

function clientOf(port: number): Client {
  return async (method, path, { json, headers, ...init } = {}) => {
    const body = json === undefined ? {} : { body: JSON.stringify(json) }
    const type = json === undefined ? {} : { 'Content-Type': 'application/json' }
    const url = `http://127.0.0.1:${port}${path}`
    const response = await fetch(url, {
      method,
      headers: { ...type, ...headers },
      redirect: 'manual',
      ...body,
      ...init,
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parsed(text) }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A served application with one Api. */
export interface Served {
  readonly request: Client
  readonly port: number
  readonly api: Api
  /** What the application has emitted. */
  readonly errors: readonly Error[]
}

/**
 * Serves an application with one Api and the given Blueprints; errors that it emits are collected,
 * not printed. Every answer that `request` gets is held against the Api's document (P2), but for
 * those to the paths that the spec names as undocumented on purpose.
 */
export async function serveBlueprints(
  blueprints: AnyBlueprint | readonly AnyBlueprint[],
  settings: Settings = {},
  { undocumented = [] }: { readonly undocumented?: readonly string[] } = {},
): Promise<Served> {
  const app = new Koa()
  const errors: Error[] = []
  app.on('error', error => {
    errors.push(error)
    searchError(error)
  })
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0', ...settings })
  for (const blueprint of [blueprints].flat()) api.registerBlueprint(blueprint)
  const port = await listen(app)
  const request = clientOf(port)
  const hold = documentCheck(() => api.spec.latest, undocumented)
  const heldRequest: Client = async (method, path, sent) => {
    const answer = await request(method, path, sent)
    hold(method, path, answer)
    return answer
  }
  return { request: heldRequest, port, api, errors }
}
