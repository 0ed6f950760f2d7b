import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as t from 'io-ts'
import {
  abort,
  Blueprint,
  etag,
  type Feature,
  json,
  operation,
  Refusal,
  RegistrationError,
  response,
  struct,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { rateLimit } from '../../examples/own-features/rate-limit.js'
import { sunset } from '../../examples/own-features/sunset.js'
import { root } from '../architecture/source.js'
import { serveBlueprints } from '../support/client.js'

const since = new Date('2026-11-01T00:00:00Z')
const date = new Date('2027-05-01T00:00:00Z')
const Thing = struct({ n: t.number }, 'Thing')
const locked: Feature<Record<never, never>> = {
  on: () => [
    {
      stage: 'access',
      step: () => new Refusal(401),
      docs: schemas => ({ responses: { 401: schemas.errorResponse(401) } }),
    },
  ],
}
const quiet = { DEBUG: false, TESTING: false }

interface Described {
  readonly paths: Record<
    string,
    Record<
      string,
      { deprecated?: boolean; responses: Record<string, { headers?: object; $ref?: string }> }
    >
  >
}

describe('sunset, a feature of an application', () => {
  const things = new Blueprint('things', {
    shared: operation(sunset(date, { since, link: '/docs/v2' })),
  })
  things.use((ctx, next) => {
    if (ctx.query.throw) ctx.throw(403)
    return next()
  })
  things.get('/', operation(response(Thing), etag()), () => ({ n: 1 }))
  things.post('/', operation(json(Thing), response(Thing)), (_ctx, { n }) =>
    n === 2 ? abort(409) : n === 3 ? ({} as never) : { n },
  )
  things.put('/', operation(locked, response()), () => null)

  it.each([
    ['200', 'GET', '/', {}, 200],
    ['304', 'GET', '/', { headers: { 'If-None-Match': '*' } }, 304],
    ['401 of another feature', 'PUT', '/', {}, 401],
    ['409 of the method', 'POST', '/', { json: { n: 2 } }, 409],
    ['422', 'POST', '/', { json: {} }, 422],
    ['500', 'POST', '/', { json: { n: 3 } }, 500],
    ['what middleware throws', 'GET', '/?throw=1', {}, 403],
  ] as const)('sends its header fields with %s', async (_title, method, path, sent, status) => {
    const { request } = await serveBlueprints(things, quiet)
    const { headers, ...response } = await request(method, path, sent)
    const fields = ['Sunset', 'Deprecation', 'Link'].map(name => headers.get(name))
    expect({ status: response.status, fields }).toEqual({
      status,
      fields: ['Sat, 01 May 2027 00:00:00 GMT', '@1793491200', '</docs/v2>; rel="deprecation"'],
    })
  })

  it('is documented on every status of every operation', async () => {
    const { api } = await serveBlueprints(things, quiet)
    const operations = Object.values((api.spec.toJSON() as unknown as Described).paths).flatMap(
      path => Object.values(path),
    )
    const described = operations.flatMap(({ responses }) =>
      Object.values(responses).map(({ headers }) => headers),
    )
    expect(described.length).toBeGreaterThan(10)
    for (const headers of described) expect(headers).toMatchObject({ Sunset: {}, Deprecation: {} })
    expect(operations.map(({ deprecated }) => deprecated)).toEqual([true, true, true])
  })

  it('is refused at registration if the operation would end before it is deprecated', async () => {
    const wrong = new Blueprint('wrong').get(
      '/',
      operation(sunset(since, { since: date })),
      () => null,
    )
    await expect(serveBlueprints(wrong)).rejects.toThrow(RegistrationError)
  })
})

describe('rateLimit, a feature of an application', () => {
  it('refuses what is over the limit, and counts on every response', async () => {
    const things = new Blueprint('things')
    things.get('/', operation(rateLimit({ limit: 2, window: 60 }), response(Thing)), () => ({
      n: 1,
    }))
    things.get('/other', operation(rateLimit({ limit: 2, window: 60 }), response(Thing)), () => ({
      n: 1,
    }))
    const { request } = await serveBlueprints(things)
    const seen = []
    for (const path of ['/', '/', '/', '/other']) {
      const { status, headers } = await request('GET', path)
      seen.push({ status, left: headers.get('X-Requests-Left'), wait: headers.get('Retry-After') })
    }
    expect(seen).toEqual([
      { status: 200, left: '1', wait: null },
      { status: 200, left: '0', wait: null },
      { status: 429, left: '0', wait: '60' },
      { status: 200, left: '1', wait: null },
    ])
  })
})

describe('docs/extending.md', () => {
  it.each(['sunset', 'rate-limit'])(
    'shows the feature of examples/own-features/%s.ts as it is',
    name => {
      const [, code = ''] = readFileSync(
        join(root, `examples/own-features/${name}.ts`),
        'utf8',
      ).split(/^(?=export function)/m)
      expect(readFileSync(join(root, 'docs/extending.md'), 'utf8')).toContain(
        code.replace(/^export /, ''),
      )
    },
  )
})
