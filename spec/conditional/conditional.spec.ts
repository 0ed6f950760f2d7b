import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestCase } from './case.js'
import { faultsOf } from './judge.js'
import { rawRequest } from './raw-request.js'
import { createServer } from './server.js'

const file = new URL('../http/conditional-cases.json', import.meta.url)
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: readonly TestCase[] }

let server: Server
let port: number

beforeAll(async () => {
  await new Promise<void>(resolve => {
    server = createServer().listen(0, '127.0.0.1', resolve)
  })
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.close()
})

async function faultsOver(test: TestCase): Promise<string[]> {
  const set = await rawRequest(port, 'PUT', '/__case', [], JSON.stringify(test))
  expect(set.status).toBe(204)
  const answer = await rawRequest(port, test.method, '/resource', test.headers)
  const { writes } = JSON.parse((await rawRequest(port, 'GET', '/__case')).body) as {
    writes: number
  }
  return faultsOf(test, answer, writes)
}

describe('conditional requests over HTTP', () => {
  it.each(
    cases.map(
      test => [`${test.id} ${test.method}, RFC 9110 ${test.rfc} ${test.note}`, test] as const,
    ),
  )('%s', async (_, test) => {
    expect(await faultsOver(test)).toEqual([])
  })
})
