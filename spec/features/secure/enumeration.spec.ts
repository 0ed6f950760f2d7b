import * as t from 'io-ts'
import { allOf, anyOf, apiKey, Blueprint, bearer, json, open, operation, response, secure } from 'koa-smorest'
import { afterEach, expect, it, vi } from 'vitest'
import { serveBlueprints } from '../../support/client.js'
import { ask } from './requests.js'

const key = apiKey('key', { in: 'header', name: 'X-Key', principal: text => (text === 'the-right-key' ? 'ann' : undefined) })
const token = bearer('token', { principal: text => (text === 'the-right-token' ? { scopes: ['read'] } : undefined) })
const Body = t.strict({ a: t.string })
const shop = new Blueprint('shop', { shared: operation(secure(key)) })
  .get('/inherited', operation(response(t.string)), () => 'x', { endpoint: 'a' })
  .post('/written', operation(json(Body), secure(anyOf(token, key))), () => null, { endpoint: 'b' })
  .put('/both/:id<int>', operation(secure(allOf(token, key))), () => null, { endpoint: 'c' })
  .delete('/scoped', operation(secure(token.scopes('write'))), () => null, { endpoint: 'd' })
  .get('/open', operation(open()), () => null, { endpoint: 'e' })
  .get('/optional', operation(secure(key, { optional: true })), () => null, { endpoint: 'f' })

afterEach(() => vi.restoreAllMocks())

it('every operation that the document calls secured is refused without credentials, and every other is not', async () => {
  const { port, api } = await serveBlueprints(shop)
  const paths = api.spec.toJSON().paths as Record<string, Record<string, { security?: readonly object[] }>>
  const found: Record<string, [isSecured: boolean, status: number]> = {}
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, { security = [] }] of Object.entries(item)) {
      if (method === 'parameters') continue
      const isSecured = security.length > 0 && security.every(requirement => Object.keys(requirement).length > 0)
      found[`${method} ${path}`] = [isSecured, (await ask(port, path.replace('{id}', '7'), [], method.toUpperCase())).status]
    }
  }
  expect(found).toEqual({
    'get /inherited': [true, 401],
    'post /written': [true, 401],
    'put /both/{id}': [true, 401],
    'delete /scoped': [true, 401],
    'get /open': [false, 200],
    'get /optional': [false, 200],
  })
})

it('credentials, right or wrong, are in no body and in no log', async () => {
  const written: string[] = []
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation(text => written.push(String(text)) > 0)
  const { port, errors } = await serveBlueprints(shop)
  const bodies: unknown[] = []
  for (const path of ['/inherited', '/optional', '/written'])
    for (const line of [
      'X-Key: a-wrong-key',
      'X-Key: the-right-key',
      'Authorization: Bearer a-wrong-token',
      'Authorization: Bearer the-right-token',
    ])
      bodies.push(await ask(port, path, [line], path === '/written' ? 'POST' : 'GET'))
  vi.restoreAllMocks()
  expect(bodies).toHaveLength(12)
  expect(JSON.stringify([bodies, errors.map(({ stack }) => stack), written])).not.toMatch(/(?:right|wrong)-(?:key|token)/)
})
