import { conditional, ifMatch, StaleError } from 'koa-smorest/client'
import type { Middleware } from 'openapi-fetch'
import { describe, expect, it } from 'vitest'
import { jsonResponse, notModified, type Script, scripted } from './scripted.js'

const params = { path: { id: 7 } }
const fieldsOf = (requests: readonly Request[], name: string) =>
  requests.map(({ headers }) => headers.get(name))

/** A server with one version, which it knows the holder of. */
const versioned =
  (tag: string, body: unknown = { name: 'Rex' }, headers: Record<string, string> = {}): Script =>
  request =>
    request.headers.get('If-None-Match') === tag
      ? notModified({ ETag: tag, ...headers })
      : jsonResponse(body, { ETag: tag, ...headers })

describe('what was read', () => {
  it('is read again with If-None-Match, and a 304 becomes the response that was kept', async () => {
    const { client, requests } = scripted(versioned('"1"'), conditional())
    const first = await client.GET('/pets/{id}', { params })
    const second = await client.GET('/pets/{id}', { params })
    expect(fieldsOf(requests, 'If-None-Match')).toEqual([null, '"1"'])
    expect(second.data).toEqual(first.data)
    const { status, url, headers } = second.response
    expect({ status, url, type: headers.get('Content-Type') }).toEqual({
      status: 200,
      url: 'http://shop.test/pets/7',
      type: 'application/json',
    })
  })

  it('has the header fields of the 304 over its own, but those that are about the body as it came', async () => {
    const fields = {
      'X-Kept': 'yes',
      'X-Age': '1',
      'Content-Encoding': 'gzip',
      'Content-Length': '14',
      'Set-Cookie': 'a=1',
    }
    const { client } = scripted(
      ({ headers }) =>
        headers.has('If-None-Match')
          ? notModified({ ETag: '"1"', 'X-Age': '2', 'Set-Cookie': 'a=2' })
          : jsonResponse({ name: 'Rex' }, { ...fields, ETag: 'W/"1"' }),
      conditional(),
    )
    await client.GET('/pets/{id}', { params })
    const { response } = await client.GET('/pets/{id}', { params })
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'application/json',
      etag: '"1"',
      'x-age': '2',
      'x-kept': 'yes',
    })
  })

  it.each([
    ['another strong tag', '"2"', true],
    ['the weak form of another tag', 'W/"2"', false],
    ['the same tag', '"1"', false],
    ['no tag', undefined, false],
  ])('is fetched again, once, if a 304 has %s: %s', async (_name, etag, isAgain) => {
    const { client, requests } = scripted(
      ({ headers }) =>
        headers.has('If-None-Match')
          ? notModified(etag === undefined ? {} : { ETag: etag })
          : jsonResponse({ name: requests.length === 1 ? 'Rex' : 'Max' }, { ETag: 'W/"1"' }),
      conditional(),
    )
    await client.GET('/pets/{id}', { params })
    const { data, response } = await client.GET('/pets/{id}', { params })
    expect({
      data,
      status: response.status,
      conditions: fieldsOf(requests, 'If-None-Match'),
    }).toEqual({
      data: { name: isAgain ? 'Max' : 'Rex' },
      status: 200,
      conditions: isAgain ? [null, 'W/"1"', null] : [null, 'W/"1"'],
    })
  })

  it.each([
    ['no-store in the response', { 'Cache-Control': 'private="X-A", no-store' }, {}],
    ['no-store in the request', {}, { 'Cache-Control': 'no-store' }],
    ['Vary: *', { Vary: 'Accept, *' }, {}],
  ])('is not kept: %s', async (_, headers, asked) => {
    const { client, requests } = scripted(versioned('"1"', {}, headers), conditional())
    for (let count = 0; count < 2; count++)
      await client.GET('/pets/{id}', { params, headers: asked })
    await client.PUT('/pets/{id}', { params, body: {} })
    expect(fieldsOf(requests, 'If-None-Match')).toEqual([null, null, null])
    // a tag is not a representation
    expect(requests.at(-1)?.headers.get('If-Match')).toBe('"1"')
  })

  it.each([203, 206, 404])('is not kept with another status than 200: %i', async status => {
    const { client, requests } = scripted(
      () => jsonResponse({ name: 'Rex' }, { ETag: '"1"' }, status),
      conditional(),
    )
    for (let count = 0; count < 2; count++) await client.GET('/pets/{id}', { params })
    expect(fieldsOf(requests, 'If-None-Match')).toEqual([null, null])
  })

  it('is kept if other fields speak of no-store', async () => {
    const { client, requests } = scripted(
      versioned('"1"', {}, { 'Cache-Control': 'private', 'CDN-Control': 'no-store' }),
      conditional(),
    )
    for (let count = 0; count < 2; count++)
      await client.GET('/pets/{id}', { params, headers: { Prefer: 'no-store' } })
    expect(fieldsOf(requests, 'If-None-Match')).toEqual([null, '"1"'])
  })

  it('is not kept if its body is more than a tenth of maxBytes, with a length or without; its tag is', async () => {
    for (const length of [{}, { 'Content-Length': '52' }]) {
      const { client, requests } = scripted(
        versioned('"1"', 'x'.repeat(50), length),
        conditional({ maxBytes: 500 }),
      )
      for (let count = 0; count < 2; count++) await client.GET('/pets/{id}', { params })
      await client.DELETE('/pets/{id}', { params })
      expect(fieldsOf(requests, 'If-None-Match')).toEqual([null, null, null])
      expect(requests.at(-1)?.headers.get('If-Match')).toBe('"1"')
    }
  })

  it.each([
    ['maxEntries', { maxEntries: 2 }, 30],
    ['maxBytes', { maxBytes: 100 }, 9],
  ])('is kept within %s, the least recently used going first', async (_, bounds, size) => {
    const { client, requests } = scripted(
      versioned('"1"', 'x'.repeat(size - 2)),
      conditional({ maxBytes: 20 * size, ...bounds }),
    )
    const get = async (id: number) => {
      await client.GET('/pets/{id}', { params: { path: { id } } })
      return requests.at(-1)?.headers.has('If-None-Match')
    }
    const most = 'maxEntries' in bounds ? 2 : 11
    for (let id = 0; id < most; id++) await get(id)
    expect(await get(0)).toBe(true)
    expect(await get(most)).toBe(false)
    // 0 was used after 1
    expect(await get(0)).toBe(true)
    expect(await get(1)).toBe(false)
  })

  it.each([{ maxEntries: Number.NaN }, { maxBytes: Number.NaN }])(
    'is not kept within %j, which is not a bound',
    async bounds => {
      const { client, requests } = scripted(versioned('"1"', 'x'), conditional(bounds))
      for (let count = 0; count < 2; count++) await client.GET('/pets/{id}', { params })
      expect(fieldsOf(requests, 'If-None-Match')).toEqual([null, null])
    },
  )

  it('is for requests with the same header fields only', async () => {
    const { client, requests } = scripted(
      ({ headers }) =>
        versioned('"1"', headers.get('Accept-Language'))(new Request('http://a', { headers })),
      conditional(),
    )
    const bodies: unknown[] = []
    for (const language of ['en', 'de', 'en'])
      bodies.push(
        (await client.GET('/pets/{id}', { params, headers: { 'Accept-Language': language } })).data,
      )
    expect(bodies).toEqual(['en', 'de', 'en'])
    expect(fieldsOf(requests, 'If-None-Match')).toEqual([null, null, '"1"'])
  })

  it.each([
    ['If-None-Match', '"0"'],
    ['If-Modified-Since', 'Mon, 01 Jan 2024 00:00:00 GMT'],
    ['If-Range', '"0"'],
  ])('is not asked about if the caller gives %s: a 304 is the caller’s', async (name, value) => {
    const { client, requests } = scripted(
      ({ headers }) => (headers.has(name) ? notModified() : jsonResponse(1, { ETag: '"1"' })),
      conditional(),
    )
    await client.GET('/pets/{id}', { params })
    const { response } = await client.GET('/pets/{id}', { params, headers: { [name]: value } })
    expect(response.status).toBe(304)
    expect(requests.at(-1)?.headers.get('If-None-Match')).toBe(
      name === 'If-None-Match' ? value : null,
    )
  })

  it('is given up if it has gone', async () => {
    let isThere = true
    const { client, requests } = scripted(
      request => (isThere ? versioned('"1"')(request) : jsonResponse({ code: 404 }, {}, 404)),
      conditional(),
    )
    await client.GET('/pets/{id}', { params })
    isThere = false
    await client.GET('/pets/{id}', { params })
    await client.GET('/pets/{id}', { params })
    await client.PUT('/pets/{id}', { params, body: {} })
    expect(fieldsOf(requests, 'If-None-Match')).toEqual([null, '"1"', null, null])
    expect(fieldsOf(requests, 'If-Match')).toEqual([null, null, null, null])
  })

  it('is read as it comes with parseAs stream, and not kept', async () => {
    const { client, requests } = scripted(versioned('"1"'), conditional())
    for (let count = 0; count < 2; count++) {
      const { data } = await client.GET('/pets/{id}', { params, parseAs: 'stream' })
      expect(await new Response(data).json()).toEqual({ name: 'Rex' })
    }
    expect(fieldsOf(requests, 'If-None-Match')).toEqual([null, null])
  })

  it('is not kept if its body breaks off, which the caller is told', async () => {
    const broken = () =>
      new Response(
        new ReadableStream({ pull: controller => controller.error(new TypeError('terminated')) }),
        { headers: { ETag: '"1"' } },
      )
    const { client, requests } = scripted(broken, conditional())
    await expect(client.GET('/pets/{id}', { params })).rejects.toThrow('terminated')
    await expect(client.GET('/pets/{id}', { params })).rejects.toThrow('terminated')
    expect(fieldsOf(requests, 'If-None-Match')).toEqual([null, null])
  })
})

/** Shows each user something else, under one tag, as a version number is. */
const personal =
  (userOf: (request: Request) => string | null): Script =>
  request =>
    versioned('"1"', { for: userOf(request) })(request)

const authorization = (request: Request) => request.headers.get('Authorization')

describe('two users of one client', () => {
  /** Sets the token in place, or by another request, as middleware does. */
  const login = (session: { token: string }, isReplacing: boolean): Middleware => ({
    onRequest({ request }) {
      const headers = new Headers(request.headers)
      headers.set('Authorization', session.token)
      if (isReplacing) return new Request(request, { headers })
      request.headers.set('Authorization', session.token)
      return request
    },
  })

  it.each([
    ['before it', false, false],
    ['before it, by another request', false, true],
    ['after it', true, false],
    ['after it, by another request', true, true],
  ])(
    'are never shown what the other was: credentials are added %s',
    async (_, isAfter, isReplacing) => {
      const session = { token: 'ann' }
      const [middleware, auth] = [conditional(), login(session, isReplacing)]
      const { client, requests } = scripted(
        personal(authorization),
        ...(isAfter ? [middleware, auth] : [auth, middleware]),
      )
      const get = async (token: string) => {
        session.token = token
        return (await client.GET('/pets/{id}', { params })).data
      }
      expect(await get('ann')).toEqual({ for: 'ann' })
      expect(await get('ann')).toEqual({ for: 'ann' })
      expect(fieldsOf(requests, 'If-None-Match')).toEqual([null, '"1"'])
      expect(await get('bob')).toEqual({ for: 'bob' })
      expect(await get('bob')).toEqual({ for: 'bob' })
      expect(await get('ann')).toEqual({ for: 'ann' })
    },
  )

  it.each(['Authorization', 'X-Key', 'X-API-Key', 'X-User', 'Cookie'])(
    'have a tag each, by %s, however else a PUT differs',
    async name => {
      const { client, requests } = scripted(versioned('"1"'), conditional())
      const as = (user: string, more = {}) => ({ params, headers: { [name]: user, ...more } })
      await client.GET('/pets/{id}', as('ann', { Accept: 'application/json' }))
      await client.PUT('/pets/{id}', { ...as('bob'), body: {} })
      expect(requests.at(-1)?.headers.get('If-Match')).toBeNull()
      await client.PUT('/pets/{id}', {
        ...as('ann', { 'X-CSRF-Token': 'a', 'X-Request-Id': '1', 'Idempotency-Key': 'b' }),
        body: {},
      })
      expect(requests.at(-1)?.headers.get('If-Match')).toBe('"1"')
    },
  )

  it('are told apart by partition if cookies do, whenever they change', async () => {
    const session = { user: 'ann', during: '' }
    const middleware = conditional({ partition: () => session.user })
    const { client, requests } = scripted(async request => {
      const response = await personal(() => session.user)(request)
      if (session.during) session.user = session.during
      return response
    }, middleware)
    const get = async () => (await client.GET('/pets/{id}', { params })).data
    expect(await get()).toEqual({ for: 'ann' })
    session.user = 'bob'
    expect(await get()).toEqual({ for: 'bob' })
    session.user = 'ann'
    // bob logs in while ann's request is on its way
    session.during = 'bob'
    expect(await get()).toEqual({ for: 'bob' })
    expect(fieldsOf(requests, 'If-None-Match')).toEqual([null, null, '"1"', null])
  })

  it('are told apart by clear(), by which all is forgotten, and what is on its way is not kept', async () => {
    const middleware = conditional()
    let user = 'ann'
    let onRequest = () => {}
    const { client, requests } = scripted(request => {
      const response = personal(() => user)(request)
      onRequest()
      return response
    }, middleware)
    const get = async () => (await client.GET('/pets/{id}', { params })).data
    await get()
    middleware.clear()
    user = 'bob'
    expect(await get()).toEqual({ for: 'bob' })
    onRequest = () => {
      middleware.clear()
      user = 'ann'
      onRequest = () => {}
    }
    expect(await get()).toEqual({ for: 'ann' })
    await client.PUT('/pets/{id}', { params, body: {} })
    expect(fieldsOf(requests, 'If-None-Match')).toEqual([null, null, '"1"', null, null])
    expect(requests.at(-1)?.headers.get('If-Match')).toBeNull()
  })
})

describe('a write', () => {
  it('is sent with the tag that was last seen, from GET, PUT or PATCH', async () => {
    let version = 0
    const { client, requests } = scripted(
      () => jsonResponse({}, { ETag: `"${++version}"` }),
      conditional(),
    )
    await client.PUT('/pets/{id}', { params, body: {} })
    await client.GET('/pets/{id}', { params })
    await client.PUT('/pets/{id}', { params, body: {} })
    await client.PATCH('/pets/{id}', { params, body: {} })
    await client.DELETE('/pets/{id}', { params })
    expect(fieldsOf(requests, 'If-Match')).toEqual([null, null, '"2"', '"3"', '"4"'])
  })

  it('is sent with the strong form of a weak tag', async () => {
    const { client, requests } = scripted(versioned('W/"1"'), conditional())
    await client.GET('/pets/{id}', { params })
    await client.PATCH('/pets/{id}', { params, body: {} })
    expect(fieldsOf(requests, 'If-Match')).toEqual([null, '"1"'])
  })

  it.each(['put', 'patch', 'delete', 'post'] as const)(
    'has its tag forgotten by a %s without ETag',
    async method => {
      const { client, requests } = scripted(
        request =>
          request.method === 'GET'
            ? jsonResponse({}, { ETag: '"1"' })
            : new Response(null, { status: 204 }),
        conditional(),
      )
      await client.GET('/pets/{id}', { params })
      await client.request(method, '/pets/{id}', { params })
      await client.PUT('/pets/{id}', { params, body: {} })
      expect(requests.at(-1)?.headers.get('If-Match')).toBeNull()
    },
  )

  it('keeps its tag after HEAD, OPTIONS, and a write that failed', async () => {
    const { client, requests } = scripted(
      ({ method }) =>
        method === 'GET'
          ? jsonResponse({}, { ETag: '"1"' })
          : // the HEAD is of a version whose content nobody has seen
            new Response(null, { status: method === 'PUT' ? 500 : 200, headers: { ETag: '"2"' } }),
      conditional(),
    )
    await client.GET('/pets/{id}', { params })
    await client.HEAD('/pets/{id}', { params })
    await client.OPTIONS('/pets/{id}', { params })
    await client.PUT('/pets/{id}', { params, body: {} })
    await client.DELETE('/pets/{id}', { params })
    expect(fieldsOf(requests, 'If-Match')).toEqual([null, null, null, '"1"', '"1"'])
  })

  it('keeps its tag longer than those that were used before a write that failed', async () => {
    const { client, requests } = scripted(
      ({ method }) =>
        method === 'GET' ? jsonResponse({}, { ETag: '"1"' }) : jsonResponse({}, {}, 422),
      conditional({ maxEntries: 2 }),
    )
    const get = (id: number) => client.GET('/pets/{id}', { params: { path: { id } } })
    const put = (id: number) => client.PUT('/pets/{id}', { params: { path: { id } }, body: {} })
    await get(1)
    await get(2)
    await put(1)
    await get(3)
    await put(1)
    await put(2)
    expect(fieldsOf(requests, 'If-Match')).toEqual([null, null, '"1"', null, '"1"', null])
  })

  it.each([
    ['If-Match', '"0"'],
    ['If-None-Match', '*'],
    ['If-Unmodified-Since', 'Mon, 01 Jan 2024 00:00:00 GMT'],
  ])('is left as it is if the caller gives %s', async (name, value) => {
    const { client, requests } = scripted(versioned('"1"'), conditional())
    await client.GET('/pets/{id}', { params })
    await client.PUT('/pets/{id}', { params, body: {}, headers: { [name]: value } })
    expect(requests.at(-1)?.headers.get(name)).toBe(value)
    expect(requests.at(-1)?.headers.get('If-Match')).toBe(name === 'If-Match' ? value : null)
  })

  it('has no condition as a POST: what is added to a list does not depend on the list', async () => {
    const { client, requests } = scripted(versioned('"1"'), conditional())
    await client.GET('/pets/')
    await client.POST('/pets/', { body: {} })
    expect(fieldsOf(requests, 'If-Match')).toEqual([null, null])
  })
})

describe('a 412', () => {
  const rivals = (current: () => Response | Promise<Response>) => {
    let reads = 0
    return scripted(({ method }) => {
      if (method !== 'GET') return jsonResponse({ code: 412 }, {}, 412)
      return reads++ === 0 ? jsonResponse({ name: 'Rex' }, { ETag: '"1"' }) : current()
    }, conditional())
  }

  it.each(['put', 'patch', 'delete', 'post'] as const)(
    'of a %s is thrown, with what is there now',
    async method => {
      const { client, requests } = rivals(() => jsonResponse({ name: 'Max' }, { ETag: '"2"' }))
      await client.GET('/pets/{id}', { params })
      const error: unknown = await client
        .request(method, '/pets/{id}', {
          params,
          body: { name: 'Leo' },
          headers: { Authorization: 'ann', 'Idempotency-Key': 'a' },
        })
        .catch((error: unknown) => error)
      expect(error).toBeInstanceOf(StaleError)
      const { name, message, response, current, currentResponse } = error as StaleError
      expect({
        name,
        message,
        status: response.status,
        body: await response.json(),
        current,
        now: currentResponse?.status,
      }).toEqual({
        name: 'StaleError',
        message: 'http://shop.test/pets/7 has changed since it was read',
        status: 412,
        body: { code: 412 },
        current: { name: 'Max' },
        now: 200,
      })
      expect(await currentResponse?.json()).toEqual({ name: 'Max' })
      expect(Object.fromEntries(requests.at(-1)?.headers ?? [])).toEqual({ authorization: 'ann' })
      // what the error has shown is not what the next write is about, unless it says so
      await expect(
        client.PUT('/pets/{id}', { params, body: {}, headers: { Authorization: 'ann' } }),
      ).rejects.toBeInstanceOf(StaleError)
      expect(requests.at(-2)?.headers.get('If-Match')).toBeNull()
    },
  )

  it('leaves the tag that was stale: the next write without reading again is stale as well', async () => {
    const { client, requests } = rivals(() => jsonResponse({ name: 'Max' }, { ETag: '"2"' }))
    await client.GET('/pets/{id}', { params })
    for (let count = 0; count < 2; count++)
      await expect(client.PUT('/pets/{id}', { params, body: {} })).rejects.toBeInstanceOf(
        StaleError,
      )
    expect(fieldsOf(requests, 'If-Match')).toEqual([null, '"1"', null, '"1"', null])
    await client.GET('/pets/{id}', { params })
    await expect(client.PUT('/pets/{id}', { params, body: {} })).rejects.toBeInstanceOf(StaleError)
    expect(requests.at(-2)?.headers.get('If-Match')).toBe('"2"')
  })

  it.each([
    ['an error', () => jsonResponse({ code: 404 }, {}, 404), 404],
    ['no JSON', () => new Response('Max'), 200],
    ['out of reach', () => Promise.reject(new TypeError('fetch failed')), undefined],
  ])('has no current representation if reading it is %s', async (_, current, status) => {
    const { client } = rivals(current)
    await client.GET('/pets/{id}', { params })
    const error: StaleError = await client
      .PUT('/pets/{id}', { params, body: {} })
      .catch(error => error)
    expect([error.response.status, error.current, error.currentResponse?.status]).toEqual([
      412,
      undefined,
      status,
    ])
  })

  it('of a GET is a response like others', async () => {
    const { client } = scripted(() => jsonResponse({ code: 412 }, {}, 412), conditional())
    expect(
      await client.GET('/pets/{id}', { params, headers: { 'If-Match': '"1"' } }),
    ).toMatchObject({ error: { code: 412 } })
  })
})

describe('ifMatch', () => {
  it('is the header field for a write about a response, in its strong form', () => {
    expect(ifMatch(new Response(null, { headers: { ETag: 'W/"a"' } }))).toEqual({
      'If-Match': '"a"',
    })
  })

  it('throws if there is no tag, and says what a server of another origin has to send', () => {
    expect(() => ifMatch(new Response())).toThrow(
      'No ETag, or not in Access-Control-Expose-Headers',
    )
  })

  it('wins over what the client has seen meanwhile', async () => {
    let version = 0
    const { client, requests } = scripted(
      () => jsonResponse({}, { ETag: `"${++version}"` }),
      conditional(),
    )
    const { response } = await client.GET('/pets/{id}', { params })
    await client.GET('/pets/{id}', { params })
    await client.PUT('/pets/{id}', { params, body: {}, headers: ifMatch(response) })
    expect(fieldsOf(requests, 'If-Match')).toEqual([null, null, '"1"'])
  })
})

it('a request that middleware in front responds to is left alone', async () => {
  const cached: Middleware = { onRequest: () => jsonResponse('cached') }
  const { client } = scripted(() => jsonResponse('sent'), cached, conditional())
  expect((await client.GET('/pets/')).data).toBe('cached')
})

it('fetch is not called as a method, which browsers refuse', async () => {
  let receivers: unknown[] = []
  const fetch = function (this: unknown, request: Request) {
    receivers.push(this)
    const isFirst = receivers.length === 1
    return Promise.resolve(
      isFirst || request.method === 'GET'
        ? jsonResponse({}, { ETag: '"1"' })
        : jsonResponse({}, {}, 412),
    )
  }
  const { client } = scripted(() => jsonResponse({}), conditional())
  await client.GET('/pets/{id}', { params, fetch })
  await client.PUT('/pets/{id}', { params, body: {}, fetch }).catch(() => undefined)
  receivers = receivers.filter(receiver => receiver !== undefined)
  expect(receivers).toEqual([])
})

describe('a redirected response', () => {
  const redirected = (response: Response) =>
    Object.defineProperty(response, 'redirected', { value: true })

  it('is not kept, and its tag is not sent with a write', async () => {
    const { client, requests } = scripted(
      () => redirected(jsonResponse({ name: 'Login' }, { ETag: '"1"' })),
      conditional(),
    )
    await client.GET('/pets/{id}', { params })
    await client.GET('/pets/{id}', { params })
    await client.PUT('/pets/{id}', { params })
    await client.PUT('/pets/{id}', { params })
    await client.GET('/pets/{id}', { params })
    expect([fieldsOf(requests, 'If-None-Match'), fieldsOf(requests, 'If-Match')]).toEqual([
      Array(5).fill(null),
      Array(5).fill(null),
    ])
  })

  it('makes forget what was kept under its first URL', async () => {
    let isRedirected = false
    const { client, requests } = scripted(request => {
      const response = versioned('"1"', { name: isRedirected ? 'Max' : 'Rex' })(request) as Response
      return isRedirected ? redirected(response) : response
    }, conditional())
    const read = async () => (await client.GET('/pets/{id}', { params })).data
    const before = await read()
    isRedirected = true
    // the 304 is about the other resource, whose tag is the same
    const after = [await read(), await read()]
    await client.PUT('/pets/{id}', { params })
    expect({
      read: [before, ...after],
      conditions: fieldsOf(requests, 'If-None-Match'),
      guards: fieldsOf(requests, 'If-Match'),
    }).toEqual({
      read: [{ name: 'Rex' }, { name: 'Max' }, { name: 'Max' }],
      conditions: [null, '"1"', null, null, null],
      guards: [null, null, null, null, null],
    })
  })

  it('is noticed where the request is sent again, and only there', async () => {
    const { client, requests } = scripted(({ headers }) => {
      if (headers.has('If-None-Match')) return notModified({ ETag: '"2"' })
      const response = jsonResponse({ name: 'Rex' }, { ETag: '"1"' })
      return requests.length > 1 ? redirected(response) : response
    }, conditional())
    for (let count = 0; count < 3; count++) await client.GET('/pets/{id}', { params })
    expect(fieldsOf(requests, 'If-None-Match')).toEqual([null, '"1"', null, null])
  })
})
