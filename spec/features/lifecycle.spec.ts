import * as t from 'io-ts'
import {
  abort,
  altResponse,
  Blueprint,
  cache,
  type DeprecatedOptions,
  deprecated,
  etag,
  type Feature,
  operation,
  query,
  reply,
  response,
} from 'koa-smorest'
import { parseItem } from 'structured-headers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { serveBlueprints } from '../support/client.js'

afterEach(() => {
  vi.useRealTimers()
})

const Pet = t.strict({ name: t.string }, 'Pet')
const rex = { name: 'Rex' }

describe('deprecated', () => {
  const end = deprecated({
    since: '2026-11-01',
    sunset: new Date(Date.UTC(2027, 4, 1)),
    link: '/docs/v2',
    after: 'gone',
  })
  const old = new Blueprint('old', { shared: operation(end) })
  old.get('/pet', operation(etag(), response(Pet)), () => rex)
  old.get('/missing', operation(response(Pet), altResponse(404)), () => abort(404))
  old.get('/strict', operation(query(t.strict({ q: t.string })), response(Pet)), () => rex)

  it('is on every response, errors and 304 included, as its RFCs write it', async () => {
    const { request } = await serveBlueprints(old)
    const tag = (await request('GET', '/pet')).headers.get('ETag') as string
    for (const [path, sent, status] of [
      ['/pet', {}, 200],
      ['/pet', { 'If-None-Match': tag }, 304],
      ['/missing', {}, 404],
      ['/strict', {}, 422],
    ] as const) {
      const answer = await request('GET', path, { headers: sent })
      const [since] = parseItem(answer.headers.get('Deprecation') as string)
      expect({
        status: answer.status,
        since,
        sunset: answer.headers.get('Sunset'),
        link: answer.headers.get('Link'),
      }).toEqual({
        status,
        since: new Date('2026-11-01'),
        sunset: 'Sat, 01 May 2027 00:00:00 GMT',
        link: '</docs/v2>; rel="deprecation"',
      })
    }
  })

  it('appends its link to those of the application', async () => {
    const linked = new Blueprint('linked').get('/', operation(end, response(Pet)), () =>
      reply(rex, { Link: '</pets>; rel="up"' }),
    )
    const { request } = await serveBlueprints(linked)
    expect((await request('GET', '/')).headers.get('Link')).toBe(
      '</pets>; rel="up", </docs/v2>; rel="deprecation"',
    )
  })

  it('with after: gone refuses every request with 410 from the sunset on', async () => {
    const { request } = await serveBlueprints(old)
    vi.useFakeTimers({ now: Date.UTC(2027, 4, 1) - 1, toFake: ['Date'] })
    expect((await request('GET', '/pet')).status).toBe(200)
    vi.setSystemTime(Date.UTC(2027, 4, 1))
    const { status, body, headers } = await request('GET', '/pet')
    expect({ status, body, sunset: headers.has('Sunset') }).toEqual({
      status: 410,
      body: { code: 410, status: 'Gone' },
      sunset: true,
    })
  })

  it('is in the document, with the 410 from the start', async () => {
    const { api } = await serveBlueprints(old)
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const { get } = (api.spec.toJSON() as any).paths['/pet']
    expect({
      deprecated: get.deprecated,
      sunset: get['x-sunset'],
      statuses: Object.keys(get.responses),
    }).toEqual({
      deprecated: true,
      sunset: '2027-05-01',
      statuses: ['200', '304', '410', '412', 'default'],
    })
    expect(Object.keys(get.responses[200].headers)).toEqual(
      expect.arrayContaining(['Deprecation', 'Sunset', 'Link']),
    )
  })

  it("goes on after its sunset without after: 'gone'", async () => {
    const options = { since: '2020-01-01', sunset: '2020-01-02' }
    const view = new Blueprint('late').get('/', operation(deprecated(options)), () => 'x')
    expect((await (await serveBlueprints(view)).request('GET', '/')).status).toBe(200)
  })

  it('may end at the moment from which it is deprecated', async () => {
    const options = { since: '2027-01-01', sunset: '2027-01-01' }
    const view = new Blueprint('short').get('/', operation(deprecated(options)), () => null)
    await expect(serveBlueprints(view)).resolves.toBeDefined()
  })

  it.each([
    [{ since: '2026-02-30' }, 'since must be a Date, a day'],
    [{ since: '2026-02-03 10:00' }, 'since must be a Date, a day'],
    [{ since: new Date(Number.NaN) }, 'since must be a Date, a day'],
    [{ since: '2027-01-02', sunset: '2027-01-01' }, 'the sunset is before since'],
    [{ since: '2027-01-01', after: 'gone' }, 'after needs a sunset'],
    [
      { since: '2027-01-01', sunset: '2027-01-02', after: 'away' },
      'after must be "gone", not "away"',
    ],
    [{ since: '2027-01-01', link: 'a b>' }, 'link must be a URI reference, not "a b>"'],
    [{ since: '2027-01-01', until: '2027-01-02' }, 'there is no option "until"'],
  ])('is a fault at registration with %j: %s', async (options, fault) => {
    const wrong = new Blueprint('wrong').get(
      '/',
      operation(deprecated(options as DeprecatedOptions)),
      () => null,
    )
    await expect(serveBlueprints(wrong)).rejects.toThrow(`deprecated: ${fault}`)
  })
})

describe('cache', () => {
  const news = new Blueprint('news')
  news.get(
    '/',
    operation(
      etag(),
      cache({ maxAge: 60, private: true, vary: ['Accept-Language'] }),
      response(Pet),
    ),
    ctx => {
      ctx.set('Vary', 'Origin')
      return rex
    },
  )
  news.get('/missing', operation(cache({ maxAge: 60 }), response(Pet), altResponse(404, Pet)), () =>
    reply(rex, 404),
  )
  news.get('/gone', operation(cache({ maxAge: 60 }), response(Pet), altResponse(410)), () =>
    abort(410),
  )
  news.get(
    '/strict',
    operation(cache({ maxAge: 60 }), query(t.strict({ q: t.string })), response(Pet)),
    () => rex,
  )
  news.get(
    '/bytes',
    operation(
      cache({ maxAge: 60, immutable: true }),
      response({ contentType: 'application/octet-stream' }),
    ),
    () => Buffer.from('x'),
  )

  it('is on a success and its 304, and adds to the Vary of the method', async () => {
    const { request } = await serveBlueprints(news)
    const first = await request('GET', '/')
    const second = await request('GET', '/', {
      headers: { 'If-None-Match': first.headers.get('ETag') as string },
    })
    const fields = { control: 'private, max-age=60', vary: 'Origin, Accept-Language' }
    for (const [answer, status] of [
      [first, 200],
      [second, 304],
    ] as const) {
      const { headers } = answer
      expect({
        status: answer.status,
        control: headers.get('Cache-Control'),
        vary: headers.get('Vary'),
      }).toEqual({ status, ...fields })
    }
    expect((await request('GET', '/bytes')).headers.get('Cache-Control')).toBe(
      'immutable, max-age=60',
    )
  })

  it.each(['/missing', '/gone', '/strict'])('is not on errors: %s', async path => {
    const { request } = await serveBlueprints(news)
    const { status, headers } = await request('GET', path)
    expect({ isError: status >= 400, control: headers.get('Cache-Control') }).toEqual({
      isError: true,
      control: null,
    })
  })

  it('is in the document', async () => {
    const { api } = await serveBlueprints(news)
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const { responses } = (api.spec.toJSON() as any).paths['/'].get
    for (const status of [200, 304])
      expect(responses[status].headers).toMatchObject({
        'Cache-Control': { description: '`private, max-age=60`' },
        Vary: {},
      })
  })

  const secured = { kind: 'secure', secured: true, on: () => [] } as Feature<Record<never, never>>
  it.each([
    ['put', [], { maxAge: 1 }, 'caches do not store responses to PUT'],
    ['get', [secured], { maxAge: 1 }, 'must not be kept for others: add private: true'],
    ['get', [], { maxAge: Number.NaN }, 'maxAge must be a whole number of at least 0, not NaN'],
    ['get', [], {}, 'no directive is set'],
    ['get', [], { private: true, sharedMaxAge: 1 }, 'a private response has no sharedMaxAge'],
    ['get', [], { maxAge: 1, vary: ['a b'] }, '"a b" in vary is not the name'],
    [
      'get',
      [],
      { max_age: 1, noCache: true },
      'there is no option "max_age", did you mean "maxAge"?',
    ],
  ] as const)(
    'is a fault at registration on %s with %j and %j',
    async (method, features, options, fault) => {
      const wrong = new Blueprint('wrong')[method](
        '/',
        operation(...features, cache(options)),
        () => null,
      )
      await expect(serveBlueprints(wrong)).rejects.toThrow(
        `cache: ${fault}`.replace(': must', ': a response that depends on who is asking must'),
      )
    },
  )

  it('may be noStore under secure', async () => {
    await serveBlueprints(
      new Blueprint('fine').get('/', operation(secured, cache({ noStore: true })), () => null),
    )
  })
})
