// What the specs of docs/from-flask-smorest.md have in common: its rows, and an application for one
// of them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type * as t from 'io-ts'
import Koa from 'koa'
import {
  type AnyBlueprint,
  Api,
  Blueprint,
  json,
  operation,
  query,
  response,
  type Settings,
  type SpecOptions,
  struct,
} from 'koa-smorest'
import { fetchOf } from 'koa-smorest/testing'
import { root } from '../../architecture/source.js'

/**
 * The first cells of a table's rows; the table is the first one behind a heading, or the one that
 * begins with a cell.
 */
export function rowsBehind(text: string): readonly string[] {
  const page = readFileSync(join(root, 'docs/from-flask-smorest.md'), 'utf8')
  const [, ...lines] =
    page
      .slice(page.indexOf(text))
      .split(/^\|[-|]+\|$/m)[1]
      ?.split('\n') ?? []
  const end = lines.findIndex(line => !line.startsWith('|'))
  // a bar inside of code is written with a backslash
  return lines.slice(0, end).map(line => line.split(/(?<!\\)\|/)[1]?.trim() ?? '')
}

/** An Api with one Blueprint, and a way to send requests to it. */
export function served(
  blueprint: AnyBlueprint,
  settings: Partial<Settings> = {},
  options: SpecOptions = {},
) {
  const app = new Koa()
  app.silent = true
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0', ...settings }, options)
  api.registerBlueprint(blueprint)
  return { api, app, send: senderOf(app) }
}

export interface Sent {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

export function senderOf(
  app: Koa,
): (request: string, body?: unknown, headers?: Record<string, string>) => Promise<Sent> {
  const send = fetchOf(app)
  return async (request, body, headers = {}) => {
    const [method = 'GET', path = '/'] = request.split(' ')
    const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body)
    const kind: Record<string, string> = text === null ? {} : { 'Content-Type': 'application/json' }
    const response = await send(`http://host${path}`, {
      method,
      body: text,
      headers: { ...kind, ...headers },
    })
    const received = await response.text()
    const isJson = response.headers.get('Content-Type')?.includes('json') === true
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(received) : received,
    }
  }
}

/** What a codec makes of values in a JSON body: the value that is sent back, or the errors. */
export async function sentBack(
  codec: t.Mixed,
  ...values: readonly unknown[]
): Promise<readonly unknown[]> {
  const blueprint = new Blueprint('values')
  const Value = struct({ value: codec })
  blueprint.post(
    '/',
    operation(json(Value), response(Value)),
    (_ctx: unknown, value: unknown) => value as never,
  )
  const { send } = served(blueprint)
  const results: unknown[] = []
  for (const value of values) {
    const { body } = await send('POST /', { value })
    const { value: back, errors } = body as {
      value?: unknown
      errors?: { json: { value: unknown } }
    }
    results.push(errors ? { errors: errors.json.value } : back)
  }
  return results
}

/** The same of a query. */
export async function readFrom(codec: t.Mixed, search: string): Promise<unknown> {
  const blueprint = new Blueprint('values')
  blueprint.get(
    '/',
    operation(query(struct({ value: codec })), response(struct({ value: codec }))),
    (_ctx: unknown, value: unknown) => value as never,
  )
  const { body } = await served(blueprint).send(`GET /?${search}`)
  const { value, errors } = body as { value?: unknown; errors?: unknown }
  return errors ?? value
}
