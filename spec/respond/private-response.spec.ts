import * as t from 'io-ts'
import {
  abort,
  allOf,
  altResponse,
  anyOf,
  apiKey,
  Blueprint,
  basic,
  bearer,
  CompleteResponse,
  cache,
  cookies,
  etag,
  type Feature,
  headers,
  limit,
  MethodView,
  operation,
  optional,
  query,
  reply,
  response,
  secure,
  struct,
} from 'koa-smorest'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'
import { serveEveryWay, WAYS } from '../support/every-way.js'

const ann = (key: string) => (key === 'sesame-ann' ? 'Ann' : undefined)
const login = bearer('login', { principal: ann })
const header = apiKey('header', { in: 'header', name: 'X-Key', principal: ann })
const cookie = apiKey('cookie', { in: 'cookie', name: 'session', principal: ann })
const inQuery = apiKey('query', { in: 'query', name: 'key', principal: ann })
const password = basic('password', { principal: (_user, key) => ann(key) })

const Name = struct({ name: t.string }, 'Name')
const limiter = () => new RateLimiterMemory({ points: 0, duration: 60 })

/** The fields that say who may see a response, beside its status. */
function seenBy({ status, headers }: { status: number; headers: Headers }): unknown {
  return [status, headers.get('Cache-Control'), headers.get('Vary')]
}
const AUTHORIZED = { headers: { Authorization: 'Bearer sesame-ann' } }
const PRIVATE = ['private, no-cache', 'Authorization']

class Views extends MethodView {
  static override shared = operation(secure(login))
  static query = operation(response(Name))
  query() {
    return { name: 'Ann' }
  }
  static head = operation(response(Name))
  head() {
    return { name: 'Ann' }
  }
  static post = operation(response(Name))
  post() {
    return { name: 'Ann' }
  }
}

const secured = () =>
  new Blueprint('secured')
    .route('/view', Views)
    .get('/me', operation(secure(login), etag(), response(Name)), () => ({ name: 'Ann' }))
    .get(
      '/broken',
      operation(secure(login), query(struct({ q: t.string })), response(Name), altResponse(404)),
      () => abort(404),
    )
    .get('/limited', operation(secure(login), limit('all', limiter()), response(Name)), () => ({
      name: 'Ann',
    }))
    .get('/set', operation(secure(login), response(Name)), ctx => {
      ctx.set('Cache-Control', 'public, max-age=60, s-maxage=90')
      ctx.set('Vary', 'Origin')
      return { name: 'Ann' }
    })
    .get('/aborted', operation(secure(login), response(Name), altResponse(404)), () =>
      abort(404, { headers: { 'Cache-Control': 'public, max-age=60', Vary: 'Origin' } }),
    )
    .get('/raw', operation(secure(login), response({ contentType: 'text/plain' })), () =>
      reply(Buffer.from('Ann'), { 'Cache-Control': 'no-store' }),
    )
    .get(
      '/kept',
      operation(
        secure(login),
        etag(),
        cache({ maxAge: 60, private: true, vary: ['Accept-Language'] }),
        query(struct({ q: optional(t.string) })),
        response(Name),
        altResponse(404, Name),
        altResponse(303),
      ),
      (_ctx, { q }) => {
        if (q === 'none') return reply({ name: 'None' }, 404)
        if (q === 'fault') abort(404)
        return { name: 'Ann' }
      },
    )

describe.each(WAYS)('an operation with credentials, %s,', async way => {
  const { [way]: request } = await serveEveryWay({ blueprint: secured })

  it('is private, and varies by the credentials', async () => {
    expect(seenBy(await request('GET', '/me', AUTHORIZED))).toEqual([200, ...PRIVATE])
    expect(seenBy(await request('HEAD', '/me', AUTHORIZED))).toEqual([200, ...PRIVATE])
    expect(seenBy(await request('HEAD', '/view', AUTHORIZED))).toEqual([200, ...PRIVATE])
    expect(seenBy(await request('QUERY', '/view', AUTHORIZED))).toEqual([200, ...PRIVATE])
  })

  it('is private in its 304 and errors, the 429 of limit included', async () => {
    const tag = (await request('GET', '/me', AUTHORIZED)).headers.get('ETag') as string
    const conditional = { headers: { ...AUTHORIZED.headers, 'If-None-Match': tag } }
    expect(seenBy(await request('GET', '/me', conditional))).toEqual([304, ...PRIVATE])
    expect(seenBy(await request('GET', '/me'))).toEqual([401, ...PRIVATE])
    expect(seenBy(await request('GET', '/broken', AUTHORIZED))).toEqual([422, ...PRIVATE])
    expect(seenBy(await request('GET', '/broken?q=1', AUTHORIZED))).toEqual([404, ...PRIVATE])
    expect(seenBy(await request('GET', '/limited', AUTHORIZED))).toEqual([429, ...PRIVATE])
  })

  it('combines it with the fields of the method', async () => {
    expect(seenBy(await request('GET', '/set', AUTHORIZED))).toEqual([
      200,
      'max-age=60, private, no-cache',
      'Origin, Authorization',
    ])
    expect(seenBy(await request('GET', '/raw', AUTHORIZED))).toEqual([
      200,
      'no-store, private, no-cache',
      'Authorization',
    ])
  })

  it('combines it with the fields of an error', async () => {
    expect(seenBy(await request('GET', '/aborted', AUTHORIZED))).toEqual([
      404,
      'max-age=60, private, no-cache',
      'Authorization, Origin',
    ])
  })

  it('leaves successes and 304 to a private cache, not errors', async () => {
    const kept = ['private, max-age=60', 'Accept-Language, Authorization']
    const first = await request('GET', '/kept', AUTHORIZED)
    const conditional = {
      headers: { ...AUTHORIZED.headers, 'If-None-Match': first.headers.get('ETag') as string },
    }
    expect(seenBy(first)).toEqual([200, ...kept])
    expect(seenBy(await request('GET', '/kept', conditional))).toEqual([304, ...kept])
    for (const path of ['/kept?q=none', '/kept?q=fault'])
      expect(seenBy(await request('GET', path, AUTHORIZED))).toEqual([404, ...PRIVATE])
    expect(seenBy(await request('GET', '/kept'))).toEqual([401, ...PRIVATE])
  })

  it('is as it was if it writes', async () => {
    expect(seenBy(await request('POST', '/view', AUTHORIZED))).toEqual([200, null, null])
  })
})

describe('the middleware of a Blueprint with credentials', () => {
  const guarded = new Blueprint('guarded', { shared: operation(secure(login)) })
  guarded.use(async (ctx, next) => {
    if (ctx.query.before) ctx.throw(418)
    if (ctx.query.instead) {
      ctx.body = { name: 'Nobody' }
      return
    }
    await next()
    if (ctx.query.after) ctx.throw(418)
  })
  guarded.get('/', operation(cache({ maxAge: 60, private: true }), response(Name)), () => ({
    name: 'Ann',
  }))

  it.each([
    ['/?instead=1', 200, 'private, no-cache'],
    ['/?before=1', 418, 'private, no-cache'],
    ['/?after=1', 418, 'private, max-age=60, no-cache'],
  ])('makes private what it responds with: %s', async (path, status, control) => {
    const { request } = await serveBlueprints(guarded)
    expect(seenBy(await request('GET', path, AUTHORIZED))).toEqual([
      status,
      control,
      'Authorization',
    ])
  })
})

describe('credentials', () => {
  const own = (credentials?: readonly string[]): Feature<Record<never, never>> => ({
    secured: true,
    ...(credentials && { credentials }),
    on: () => [],
  })

  it.each([
    [secure(login), 'Authorization'],
    [secure(password), 'Authorization'],
    [secure(header), 'X-Key'],
    [secure(cookie), 'Cookie'],
    [secure(inQuery), undefined],
    [secure(anyOf(login, header, password), { optional: true }), 'Authorization, X-Key'],
    [secure(allOf(header, cookie)), 'X-Key, Cookie'],
    [own(), 'Authorization, Cookie'],
    [own(['X-Ticket']), 'X-Ticket'],
  ])('are sent in fields that Vary names, in the document too: %# %s', async (feature, vary) => {
    const blueprint = new Blueprint('own').get(
      '/',
      operation(feature as Feature<Record<never, never>>, response(Name), altResponse(404)),
      () => ({ name: 'Ann' }),
    )
    const { request, api } = await serveBlueprints(blueprint)
    const { headers } = await request('GET', '/')
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const { responses } = (api.spec.toJSON() as any).paths['/'].get
    const described = (status: string | number) =>
      ['Cache-Control', 'Vary'].map(name => responses[status].headers[name]?.description)
    const expected = ['`private, no-cache`', vary && `\`${vary}\``]
    expect({
      control: headers.get('Cache-Control'),
      vary: headers.get('Vary') ?? undefined,
      documented: [200, 404, 'default'].map(described),
    }).toEqual({
      control: 'private, no-cache',
      vary,
      documented: [expected, expected, expected],
    })
  })
})

describe('a response that sets a cookie', () => {
  const sets = () =>
    new Blueprint('sets')
      .get('/', operation(cache({ maxAge: 60, sharedMaxAge: 90 }), response(Name)), ctx => {
        ctx.cookies.set('seen', 'yes')
        return { name: 'Ann' }
      })
      .get('/error', operation(response(Name), altResponse(404)), ctx => {
        ctx.cookies.set('seen', 'yes')
        abort(404)
      })
      .get('/quiet', operation(cache({ maxAge: 60 }), response(Name)), () => ({ name: 'Ann' }))
      .get('/feature', operation(remembering, cache({ maxAge: 60 }), response(Name)), () => ({
        name: 'Ann',
      }))
  const remembering: Feature = {
    on: () => [{ stage: 'begin', step: exchange => exchange.setHeader('Set-Cookie', 'seen=yes') }],
  }

  it.each(WAYS)('is private, an error too, %s', async way => {
    const { [way]: request } = await serveEveryWay({ blueprint: sets })
    const of = async (path: string) => (await request('GET', path)).headers.get('Cache-Control')
    expect([await of('/'), await of('/error'), await of('/quiet'), await of('/feature')]).toEqual([
      'max-age=60, private',
      'private',
      'max-age=60',
      'max-age=60, private',
    ])
  })

  it('is private if middleware sets it last, as koa-session does', async () => {
    const { 'behind middleware on a Koa': request } = await serveEveryWay({
      blueprint: sets,
      prepare: app =>
        app.use(async (ctx, next) => {
          await next()
          ctx.cookies.set('session', 'yes')
        }),
    })
    expect((await request('GET', '/quiet')).headers.get('Cache-Control')).toBe(
      'max-age=60, private',
    )
  })
})

describe('a complete response', () => {
  const kept: Feature = {
    on: () => [
      {
        stage: 'replay',
        step: () => new CompleteResponse(200, [['Cache-Control', 'max-age=60']], '"Ann"'),
      },
    ],
  }

  it('has the restrictions of middleware, too', async () => {
    const { 'behind middleware on a Koa': request } = await serveEveryWay({
      blueprint: () =>
        new Blueprint('kept').get('/kept', operation(kept, response(t.string)), () => 'Bob'),
      prepare: app =>
        app.use((ctx, next) => {
          ctx.set('Cache-Control', 'no-store')
          return next()
        }),
    })
    const { headers } = await request('GET', '/kept')
    expect(headers.get('Cache-Control')).toBe('max-age=60, no-store')
  })
})

describe('the fields of a limit', () => {
  const many = () => new RateLimiterMemory({ points: 9, duration: 60 })
  const limited = () =>
    new Blueprint('limited')
      .get('/shared', operation(limit('a', many()), cache({ maxAge: 60 }), response(Name)), () => ({
        name: 'Ann',
      }))
      .get(
        '/private',
        operation(limit('a', many()), cache({ maxAge: 60, private: true }), response(Name)),
        () => ({ name: 'Ann' }),
      )
      .get('/plain', operation(limit('a', many()), response(Name)), () => ({ name: 'Ann' }))
      .get(
        '/refused',
        operation(limit('a', limiter()), cache({ maxAge: 60 }), response(Name)),
        () => ({ name: 'Ann' }),
      )

  it('are documented for errors alone if shared caches keep successes', async () => {
    const { api } = await serveBlueprints(limited())
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const { paths } = api.spec.toJSON() as any
    const documented = (path: string) =>
      Object.entries<{ headers?: object }>(paths[path].get.responses)
        .filter(([, { headers = {} }]) => 'RateLimit' in headers)
        .map(([status]) => status)
    expect([documented('/shared'), documented('/private')]).toEqual([
      ['429', '503', 'default'],
      ['200', '429', '503', 'default'],
    ])
  })

  it.each(WAYS)('are not in responses that shared caches keep, %s', async way => {
    const { [way]: request } = await serveEveryWay({ blueprint: limited })
    const of = async (path: string) => {
      const { headers } = await request('GET', path)
      return [headers.has('RateLimit'), headers.has('RateLimit-Policy')]
    }
    expect({
      shared: await of('/shared'),
      private: await of('/private'),
      plain: await of('/plain'),
      refused: await of('/refused'),
    }).toEqual({
      shared: [false, false],
      private: [true, true],
      plain: [true, true],
      refused: [true, true],
    })
  })
})

describe('a cached operation with arguments', () => {
  const Fields = struct({
    'X-Tenant': optional(t.string),
    'X-Request-Id': optional(t.string),
    'If-Range': optional(t.string),
    Range: optional(t.string),
    traceparent: optional(t.string),
    tracestate: optional(t.string),
    baggage: optional(t.string),
  })
  const vary = async (options: Parameters<typeof cache>[0]) => {
    const blueprint = new Blueprint('b').get(
      '/',
      operation(cache(options), headers(Fields), response(Name)),
      () => ({ name: 'Ann' }),
    )
    const { request, api } = await serveBlueprints(blueprint)
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const { responses } = (api.spec.toJSON() as any).paths['/'].get
    const sent = (await request('GET', '/')).headers.get('Vary') ?? undefined
    expect(responses[200].headers.Vary?.description).toBe(sent && `\`${sent}\``)
    return sent
  }

  it('varies by its header fields, except those of conditions, ranges and traces', async () => {
    expect(await vary({ maxAge: 60 })).toBe('X-Tenant, X-Request-Id')
    expect(await vary({ maxAge: 60, vary: ['x-tenant', 'Accept'] })).toBe(
      'x-tenant, X-Request-Id, Accept',
    )
  })

  it('does not vary by fields that it excepts, or if nothing is stored', async () => {
    expect(await vary({ maxAge: 60, vary: { except: ['x-request-id'] } })).toBe('X-Tenant')
    expect(await vary({ noStore: true })).toBe(undefined)
  })

  it('may depend on cookies only if its cache is private, or stores nothing', async () => {
    const withCookies = (options: Parameters<typeof cache>[0]) =>
      serveBlueprints(
        new Blueprint('b').get(
          '/',
          operation(cache(options), cookies(struct({ theme: optional(t.string) })), response(Name)),
          () => ({ name: 'Ann' }),
        ),
      )
    await expect(withCookies({ maxAge: 60 })).rejects.toThrow(
      'cache: a response that depends on cookies must not be kept for others: add private: true',
    )
    await withCookies({ maxAge: 60, private: true })
    await withCookies({ noStore: true })
  })

  it.each([[{ except: 'X-A' }], [{ except: ['a b'] }], ['X-A']])(
    'has a fault at registration for the vary %j',
    async given => {
      await expect(vary({ maxAge: 60, vary: given as never })).rejects.toThrow(/cache: .*vary/)
    },
  )
})
