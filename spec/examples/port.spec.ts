import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fetchOf } from 'koa-smorest/testing'
import { expect, it } from 'vitest'
import { createApp } from '../../examples/port/app.js'
import { root } from '../architecture/source.js'

interface Seen {
  readonly status: number
  readonly pages?: unknown
  readonly body: unknown
}
interface Exchange {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** The body as it is sent, where it is not JSON. */
  readonly text?: string
  readonly type?: string
  readonly response: Seen
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(join(root, 'examples/port', name), 'utf8'))
}

it('the port responds as the application of flask-smorest does, but for the differences that it lists', async () => {
  const exchanges = read<readonly Exchange[]>('exchanges.json')
  const differences = new Map(
    read<readonly { name: string; response: Seen }[]>('differences.json').map(
      ({ name, response }) => [name, response],
    ),
  )
  const send = fetchOf(createApp())
  const seen: Record<string, Seen> = {}
  for (const {
    name,
    method,
    path,
    body,
    text = body === undefined ? null : JSON.stringify(body),
    type,
  } of exchanges) {
    const headers = text === null ? {} : { 'Content-Type': type ?? 'application/json' }
    const response = await send(`http://bookings${path}`, { method, body: text, headers })
    const [received, pages] = [await response.text(), response.headers.get('X-Pagination')]
    seen[name] = {
      status: response.status,
      ...(pages && { pages: JSON.parse(pages) }),
      body: received === '' ? null : JSON.parse(received),
    }
  }
  expect(seen).toEqual(
    Object.fromEntries(
      exchanges.map(({ name, response }) => [name, differences.get(name) ?? response]),
    ),
  )
  expect(
    [...differences.keys()].filter(name => !exchanges.some(exchange => exchange.name === name)),
  ).toEqual([])
  expect(
    exchanges.filter(
      ({ name, response }) => JSON.stringify(differences.get(name)) === JSON.stringify(response),
    ),
  ).toEqual([])
  expect({ exchanges: exchanges.length, differences: differences.size }).toEqual({
    exchanges: 53,
    differences: 8,
  })
})
