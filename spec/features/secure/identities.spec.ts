// Who a caller is, for what belongs to callers; and what its credentials allow.
import * as t from 'io-ts'
import {
  allOf,
  apiKey,
  Blueprint,
  bearer,
  idempotent,
  limit,
  memoryStore,
  operation,
  response,
  type Scheme,
  secure,
} from 'koa-smorest'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../../support/client.js'

const text = response(t.string)
const named = (name: string, identify: () => unknown): Scheme =>
  apiKey(name, {
    in: 'header',
    name: `X-${name}`,
    principal: key => key,
    identify: identify as () => string,
  })
const headers = { 'X-key': 'sesame', 'X-other': 'sesame', 'Idempotency-Key': 'k' }

/** The statuses where a key belongs to its caller, and where a budget does; and what was logged. */
async function statusesOf(scheme: Parameters<typeof secure>[0]) {
  const limiter = new RateLimiterMemory({ points: 9, duration: 9 })
  const views = new Blueprint('views')
    .post('/', operation(secure(scheme), idempotent({ store: memoryStore() }), text), () => 'x')
    .get(
      '/',
      operation(secure(scheme), limit('own', limiter, { per: 'principal' }), text),
      () => 'x',
    )
  const { request, errors } = await serveBlueprints(views)
  const found = [await request('POST', '/', { headers }), await request('GET', '/', { headers })]
  return {
    statuses: found.map(({ status }) => status),
    logged: errors.map(
      ({ message }) => /identify\(\) of the scheme "[^"]*" must/.exec(message)?.[0],
    ),
  }
}

describe('an identity', () => {
  it.each(['ann', '0', 0, -1.5])('may be %j', async identity => {
    expect((await statusesOf(named('key', () => identity))).statuses).toEqual([200, 200])
  })

  const told = 'identify() of the scheme "key" must'
  it.each([null, undefined, '', Number.NaN, Number.POSITIVE_INFINITY, {}, true])(
    'that is %j names nobody: 500, and the scheme is in the log',
    async identity => {
      expect(await statusesOf(named('key', () => identity))).toEqual({
        statuses: [500, 500],
        logged: [told, told],
      })
    },
  )

  it('of several schemes needs one of each', async () => {
    const ann = named('key', () => 'ann')
    const nobody = named('other', () => null)
    const both = 'identify() of the scheme "key+other" must'
    expect([
      await statusesOf(
        allOf(
          ann,
          named('other', () => 7),
        ),
      ),
      await statusesOf(allOf(ann, nobody)),
    ]).toEqual([
      { statuses: [200, 200], logged: [] },
      { statuses: [500, 500], logged: [both, both] },
    ])
  })
})

describe('scopes that are a string', () => {
  it.each([
    ['nopets:write pets:writer', 403],
    ['pets:read pets:write', 200],
  ])('are split, never searched: %j is %i', async (scope, status) => {
    const token = bearer('token', {
      principal: () => ({ scope }),
      scopesOf: ({ scope }) => scope as never,
    })
    const required = token.scopes('pets:write')
    const own: Scheme = {
      ...required,
      authenticate: () => ({ state: 'valid', principal: 1, scopes: scope as never }),
    }
    const views = new Blueprint('views')
      .get('/token', operation(secure(required), text), () => 'x')
      .get('/allow', operation(secure(required, { allow: () => true }), text), () => 'x')
      .get('/own', operation(secure(own), text), () => 'x')
    const { request } = await serveBlueprints(views)
    const statuses = []
    for (const path of ['/token', '/allow', '/own'])
      statuses.push(
        (await request('GET', path, { headers: { Authorization: 'Bearer sesame' } })).status,
      )
    expect(statuses).toEqual([status, status, status])
  })
})
