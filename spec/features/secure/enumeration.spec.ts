import * as t from 'io-ts'
import {
  allOf,
  anyOf,
  apiKey,
  Blueprint,
  bearer,
  json,
  open,
  operation,
  response,
  secure,
} from 'koa-smorest'
import { fetchOf } from 'koa-smorest/testing'
import { afterEach, expect, it, vi } from 'vitest'
import { BLUEPRINTS, createReference } from '../../reference/application.js'
import { serveBlueprints } from '../../support/client.js'
import { askAll } from '../../support/secured-operations.js'
import { ask } from './requests.js'

const key = apiKey('key', {
  in: 'header',
  name: 'X-Key',
  principal: text => (text === 'the-right-key' ? 'ann' : undefined),
})
const token = bearer('token', {
  principal: text => (text === 'the-right-token' ? { scopes: ['read'] } : undefined),
})
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
  const answered = await askAll(api.spec.toJSON(), (method, path) => ask(port, path, [], method))
  expect(
    Object.fromEntries(
      answered.map(({ operation, isSecured, status }) => [operation, [isSecured, status]]),
    ),
  ).toEqual({
    'get /inherited': [true, 401],
    'post /written': [true, 401],
    'put /both/{id}': [true, 401],
    'delete /scoped': [true, 401],
    'get /open': [false, 200],
    'get /optional': [false, 200],
  })
})

it('no operation of the reference application lets anybody in once its Blueprints are secured', async () => {
  const secured = new Blueprint('secured', { shared: operation(secure(key)) })
  for (const blueprint of BLUEPRINTS) secured.registerBlueprint(blueprint)
  const { app, api } = createReference({ OPENAPI_VERSION: '3.1.0' }, [secured])
  const answered = await askAll(api.spec.toJSON(), (method, path) =>
    fetchOf(app)(`http://localhost${path}`, { method }),
  )
  // 404: a path that its converter does not take
  expect(
    answered.filter(({ isSecured, status }) => !isSecured || ![401, 404].includes(status)),
  ).toEqual([])
  expect(answered.filter(({ status }) => status === 401).length).toBeGreaterThan(
    0.9 * answered.length,
  )
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
  expect(JSON.stringify([bodies, errors.map(({ stack }) => stack), written])).not.toMatch(
    /(?:right|wrong)-(?:key|token)/,
  )
})
