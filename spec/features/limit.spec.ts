import * as t from 'io-ts'
import {
  Blueprint,
  type Feature,
  type Limiter,
  type LimitOptions,
  limit,
  operation,
  query,
  response,
} from 'koa-smorest'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { type InnerList, type Item, parseList } from 'structured-headers'
import { describe, expect, it } from 'vitest'
import { networkOf } from '../../src/features/limit/limit.js'
import { serveBlueprints } from '../support/client.js'

const Pet = t.strict({ name: t.string }, 'Pet')
const rex = { name: 'Rex' }
const memory = (points: number, duration = 60) =>
  new RateLimiterMemory({ points, duration, keyPrefix: String(Math.random()) })

/** A list of structured fields as names with their parameters. */
const listOf = (field: string | null) =>
  parseList(field ?? '').map(([value, parameters]: Item | InnerList) => [
    value,
    Object.fromEntries(parameters),
  ])

describe('limit', () => {
  it('lets so many requests pass, and refuses further ones until the window ends', async () => {
    let left = 2
    const fixed: Limiter = {
      points: 2,
      duration: 60,
      async consume() {
        left -= 1
        const result = { remainingPoints: Math.max(0, left), msBeforeNext: 59_001 }
        return left >= 0 ? result : Promise.reject(result)
      },
    }
    const views = new Blueprint('views').get(
      '/',
      operation(limit('burst', fixed), response(Pet)),
      () => rex,
    )
    const { request } = await serveBlueprints(views)
    const seen = []
    for (let index = 0; index < 3; index++) seen.push(await request('GET', '/'))
    expect(
      seen.map(({ status, headers }) => ({
        status,
        policy: listOf(headers.get('RateLimit-Policy')),
        state: listOf(headers.get('RateLimit')),
      })),
    ).toEqual(
      [
        [200, 1],
        [200, 0],
        [429, 0],
      ].map(([status, r]) => ({
        status,
        policy: [['burst', { q: 2, w: 60 }]],
        state: [['burst', { r, t: 60 }]],
      })),
    )
    expect(seen.map(({ headers }) => headers.get('Retry-After'))).toEqual([null, null, '60'])
  })

  it('counts before who is calling is known, and before anything is read', async () => {
    const denied: Feature<Record<never, never>> = {
      on: () => [{ stage: 'access', step: () => Promise.reject(new Error('asked')) }],
    }
    const views = new Blueprint('views').get(
      '/',
      operation(denied, limit('burst', memory(0)), query(t.strict({ q: t.string })), response(Pet)),
      () => rex,
    )
    const { request } = await serveBlueprints(views)
    expect((await request('GET', '/')).status).toBe(429)
  })

  it('is a list if there are several, and one budget wherever its limiter is used', async () => {
    const shared = memory(3)
    const views = new Blueprint('views', { shared: operation(limit('all', shared)) })
    views.get('/a', operation(limit('burst', memory(10)), response(Pet)), () => rex)
    views.get('/b', operation(response(Pet)), () => rex)
    const { request } = await serveBlueprints(views)
    await request('GET', '/a')
    expect(listOf((await request('GET', '/a')).headers.get('RateLimit'))).toEqual([
      ['all', { r: 1, t: expect.any(Number) }],
      ['burst', { r: 8, t: expect.any(Number) }],
    ])
    await request('GET', '/b')
    expect((await request('GET', '/b')).status).toBe(429)
  })

  it('of the same name nearer to the method replaces that of its Blueprint', async () => {
    const views = new Blueprint('views', { shared: operation(limit('burst', memory(0))) })
    views.get('/', operation(limit('burst', memory(5)), response(Pet)), () => rex)
    const { request } = await serveBlueprints(views)
    expect(listOf((await request('GET', '/')).headers.get('RateLimit-Policy'))).toEqual([
      ['burst', { q: 5, w: 60 }],
    ])
  })

  it('counts for each principal, and by address for who has none', async () => {
    const identified: Feature<Record<never, never>> = {
      identifies: true,
      on: () => [
        {
          stage: 'access',
          step(exchange) {
            const name = exchange.ctx.get('X-User')
            if (name) exchange.principal = { scheme: 'key', value: name, identity: name }
          },
        },
      ],
    }
    const views = new Blueprint('views').get(
      '/',
      operation(identified, limit('own', memory(1), { per: 'principal' }), response(Pet)),
      () => rex,
    )
    const { request } = await serveBlueprints(views)
    const ask = async (user?: string) =>
      (await request('GET', '/', { headers: user ? { 'X-User': user } : {} })).status
    expect([
      await ask('ann'),
      await ask('bob'),
      await ask(),
      await ask('ann'),
      await ask(),
    ]).toEqual([200, 200, 200, 429, 429])
  })

  it('counts by a key of the application, and what has none does not count', async () => {
    const per = async (ctx: { get(name: string): string }) => ctx.get('X-Tenant') || undefined
    const views = new Blueprint('views').get(
      '/',
      operation(limit('tenant', memory(1), { per }), response(Pet)),
      () => rex,
    )
    const { request } = await serveBlueprints(views)
    const ask = async (headers: Record<string, string>) =>
      (await request('GET', '/', { headers })).status
    expect([
      await ask({ 'X-Tenant': 'a' }),
      await ask({ 'X-Tenant': 'a' }),
      await ask({}),
      await ask({}),
    ]).toEqual([200, 429, 200, 200])
  })

  it.each([
    ['refuse', 503],
    ['allow', 200],
  ] as const)('without its store does what it is told: %s', async (onStoreError, status) => {
    const broken: Limiter = {
      points: 1,
      duration: 1,
      consume: () => Promise.reject(new Error('the store is away')),
    }
    const views = new Blueprint('views').get(
      '/',
      operation(limit('burst', broken, { onStoreError }), response(Pet)),
      () => rex,
    )
    const { request, errors } = await serveBlueprints(views)
    expect((await request('GET', '/')).status).toBe(status)
    expect(errors.map(({ message }) => message)).toContain('the store is away')
  })

  it('says whole numbers only, and what is not a result counts as no store', async () => {
    const asked = async (consume: Limiter['consume']) => {
      const views = new Blueprint('views').get(
        '/',
        operation(limit('own', { points: 1, duration: 1, consume }), response(Pet)),
        () => rex,
      )
      const { status, headers } = await (await serveBlueprints(views)).request('GET', '/')
      return { status, state: headers.get('RateLimit'), retryAfter: headers.get('Retry-After') }
    }
    const forever = { msBeforeNext: Number.POSITIVE_INFINITY, remainingPoints: -1 }
    expect(await asked(() => Promise.reject(forever))).toEqual({
      status: 429,
      state: '"own";r=0;t=999999999999999',
      retryAfter: '999999999999999',
    })
    expect(await asked(async () => ({ msBeforeNext: Number.NaN, remainingPoints: 1 }))).toEqual({
      status: 503,
      state: null,
      retryAfter: '1',
    })
  })

  it('whose function gives an object would count everybody as one: that is a fault', async () => {
    const per = () => ({}) as never
    const views = new Blueprint('views').get(
      '/',
      operation(limit('own', memory(1), { per }), response(Pet)),
      () => rex,
    )
    const { request, errors } = await serveBlueprints(views)
    expect((await request('GET', '/')).status).toBe(500)
    expect(errors).toEqual([
      new TypeError('limit "own": per() must return a string or a number, not an object'),
    ])
  })

  it('lets exactly so many of many requests at once pass', async () => {
    const views = new Blueprint('views').get(
      '/',
      operation(limit('burst', memory(20)), response(Pet)),
      () => rex,
    )
    const { request } = await serveBlueprints(views)
    const all = await Promise.all(Array.from({ length: 60 }, () => request('GET', '/')))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(20)
  })

  it('is in the document', async () => {
    const views = new Blueprint('views').get(
      '/',
      operation(limit('burst', memory(20)), response(Pet)),
      () => rex,
    )
    const { api } = await serveBlueprints(views)
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const { responses } = (api.spec.toJSON() as any).paths['/'].get
    expect(Object.keys(responses)).toEqual(['200', '429', '503', 'default'])
    expect(Object.keys(responses[429].headers)).toEqual(
      expect.arrayContaining(['Retry-After', 'RateLimit', 'RateLimit-Policy']),
    )
    expect(Object.keys(responses[200].headers)).toEqual(
      expect.arrayContaining(['RateLimit', 'RateLimit-Policy']),
    )
  })

  it.each([
    ['b"', memory(1), {}, 'its name must be of visible ASCII'],
    ['b', memory(1, 0), {}, 'its duration must be a whole number of seconds, at least 1, not 0'],
    ['b', {}, {}, 'it takes a limiter of rate-limiter-flexible'],
    [
      'b',
      memory(1),
      { per: 'user' },
      'per must be "client", "principal" or a function, not "user"',
    ],
    ['b', memory(1), { per: 'principal' }, 'per "principal" needs secure()'],
    [
      'b',
      memory(1),
      { onStoreErrors: 'allow' },
      'there is no option "onStoreErrors", did you mean "onStoreError"?',
    ],
    [
      'b',
      memory(1),
      { onStoreError: 'ignore' },
      'onStoreError must be "allow" or "refuse", not "ignore"',
    ],
  ])('that cannot work is a fault: %j', async (name, limiter, options, fault) => {
    const wrong = new Blueprint('wrong').get(
      '/',
      operation(limit(name, limiter as Limiter, options as LimitOptions)),
      () => null,
    )
    await expect(serveBlueprints(wrong)).rejects.toThrow(`limit "${name}": ${fault}`)
  })
})

describe('a client', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:DB8:0:0:ffff::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['203.0.113.9:50001', '203.0.113.9'],
    ['[2001:db8:1:2::9]:50001', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::9]', '2001:db8:1:2::/64'],
    ['[::ffff:192.0.2.7]:50001', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['unknown:1', 'unknown:1'],
  ])('is known by its address, of IPv6 by its network: %s', (ip, network) => {
    expect(networkOf(ip)).toBe(network)
  })
})
