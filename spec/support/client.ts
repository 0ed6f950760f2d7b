import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { type AnyBlueprint, Api, type Settings } from 'koa-smorest'
import { afterAll } from 'vitest'

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
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return async (method, path, { json, headers, ...init } = {}) => {
    const body = json === undefined ? {} : { body: JSON.stringify(json) }
    const type = json === undefined ? {} : { 'Content-Type': 'application/json' }
    const response = await fetch(base + path, { method, headers: { ...type, ...headers }, redirect: 'manual', ...body, ...init })
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

/** An application with one Api and the given Blueprints; errors that it emits are collected, not printed. */
export async function serveBlueprints(
  blueprints: AnyBlueprint | readonly AnyBlueprint[],
  settings: Settings = {},
): Promise<{ request: Client; api: Api; errors: Error[] }> {
  const app = new Koa()
  const errors: Error[] = []
  app.on('error', error => errors.push(error))
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0', ...settings })
  for (const blueprint of [blueprints].flat()) api.registerBlueprint(blueprint)
  return { request: await serve(app), api, errors }
}
