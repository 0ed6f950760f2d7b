import { conditional, type IdempotencyOptions, idempotency } from 'koa-smorest/client'
import type { Middleware } from 'openapi-fetch'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { jsonResponse, type Script, scripted } from './scripted.js'

const keysOf = (requests: readonly Request[]) =>
  requests.map(({ headers }) => headers.get('Idempotency-Key'))
const busy = (status: number, retryAfter?: string) =>
  jsonResponse(
    { code: status },
    retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
    status,
  )

/** A server that is heard of as the steps say, and afterwards carries the request out. */
function flaky(
  steps: readonly (Response | Error)[],
  options?: IdempotencyOptions,
  ...others: readonly Middleware[]
) {
  const left = [...steps]
  const script: Script = async request => {
    const step = left.shift()
    if (step instanceof Error) throw step
    return step ?? jsonResponse({ echo: await request.text() }, {}, 201)
  }
  return scripted(script, idempotency(options), ...others)
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** What comes of a promise as time goes by, and the milliseconds until then. */
async function settle<T>(promise: Promise<T>): Promise<{ value: T | Error; ms: number }> {
  const began = Date.now()
  let settled: { value: T | Error; ms: number } | undefined
  promise.then(
    value => (settled = { value, ms: Date.now() - began }),
    error => (settled = { value: error, ms: Date.now() - began }),
  )
  while (!settled) {
    for (let count = 0; count < 20; count++) await new Promise(resolve => setImmediate(resolve))
    if (!settled) await vi.advanceTimersByTimeAsync(10)
  }
  return settled
}

describe('a write', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    'is sent with a key of its own: %s',
    async method => {
      const { client, requests } = flaky([])
      const lower = method.toLowerCase() as 'post'
      await client.request(lower, '/pets/', { body: {} })
      await client.request(lower, '/pets/', { body: {} })
      const [first = '', second] = keysOf(requests)
      expect(first).toMatch(/^[\d-]{4,255}$/)
      expect(second).not.toBe(first)
    },
  )

  it('is sent with the key of the caller, if one is given', async () => {
    const { client, requests } = flaky([new TypeError('fetch failed')])
    await settle(client.POST('/pets/', { body: {}, headers: { 'Idempotency-Key': '"mine"' } }))
    expect(keysOf(requests)).toEqual(['"mine"', '"mine"'])
  })

  it('takes a key only if the operation is named', async () => {
    const { client, requests } = flaky([], {
      only: ({ method, path }) => method === 'PUT' && path === '/pets/{id}',
    })
    await client.POST('/pets/', { body: {} })
    await client.PUT('/pets/{id}', { params: { path: { id: 1 } }, body: {} })
    await client.GET('/pets/')
    expect(keysOf(requests).map(key => key !== null)).toEqual([false, true, false])
  })

  it.each([
    ['the network has failed', new TypeError('fetch failed')],
    ['the first is still running', busy(409, '0')],
    ['the server is not available for a while', busy(503, '1')],
    ['it is to come at a later time', busy(503, new Date(Date.now() + 1000).toUTCString())],
  ])('is sent again, with the same key, body and other fields, if %s', async (_, failure) => {
    const { client, requests } = flaky([failure])
    const { value } = await settle(
      client.POST('/pets/', { body: { name: 'Rex' }, headers: { Authorization: 'ann' } }),
    )
    expect(value).toMatchObject({ data: { echo: '{"name":"Rex"}' } })
    const [first, second] = requests.map(({ method, url, headers }) => ({
      method,
      url,
      headers: Object.fromEntries(headers),
    }))
    expect(second).toEqual(first)
    expect(requests).toHaveLength(2)
  })

  it('is sent again with a form and its files', async () => {
    const { client, requests } = flaky([new TypeError('fetch failed')])
    const form = new FormData()
    form.append('picture', new File(['abc'], 'a.png', { type: 'image/png' }))
    const { value } = await settle(client.POST('/pets/', { body: form }))
    expect(JSON.stringify(value)).toContain('filename=\\"a.png\\"')
    const [first, second] = await Promise.all(requests.map(request => request.text()))
    expect(second).toBe(first)
  })

  it.each([
    ['409 without Retry-After: the request is another one, or cannot be repeated', busy(409)],
    ['503 without Retry-After', busy(503)],
    ['Retry-After that is not a time', busy(503, 'soon')],
    ['a longer wait than is worth it', busy(503, '11')],
    ['429', busy(429, '1')],
    ['500', busy(500, '1')],
    ['422', busy(422, '1')],
  ])('is not sent again at %s; the response is the caller’s', async (_, response) => {
    const { client, requests } = flaky([response])
    const { value } = await settle(client.POST('/pets/', { body: {} }))
    expect(value).toMatchObject({ error: { code: response.status } })
    expect(requests).toHaveLength(1)
  })

  it('is sent again so many times at most, each time after a longer wait, whatever goes wrong', async () => {
    const failures = Array.from({ length: 9 }, (_, index) =>
      index % 2 ? busy(503, '0') : new TypeError(`failed ${index}`),
    )
    const { client, requests } = flaky(failures)
    const { value, ms } = await settle(client.POST('/pets/', { body: {} }))
    expect(value).toEqual(new TypeError('failed 4'))
    expect(requests).toHaveLength(5)
    expect(new Set(keysOf(requests)).size).toBe(1)
    // 250 + 500 + 1000 + 2000, each shortened by up to half
    expect(ms).toBeGreaterThanOrEqual(1875)
    expect(ms).toBeLessThanOrEqual(3900)
  })

  it('returns the last response if that is what there is in the end', async () => {
    const { client, requests } = flaky(
      [new TypeError('failed'), busy(503, '0'), busy(409, '0'), busy(409, '0')],
      { retries: 2 },
    )
    const { value } = await settle(client.POST('/pets/', { body: {} }))
    expect(value).toMatchObject({ error: { code: 409 } })
    expect(requests).toHaveLength(3)
  })

  it('is not sent again with retries: 0, but has its key', async () => {
    const { client, requests } = flaky([busy(503, '0')], { retries: 0 })
    expect(await client.POST('/pets/', { body: {} })).toMatchObject({ error: { code: 503 } })
    expect(keysOf(requests)).toEqual([expect.any(String)])
  })

  it.each([
    ['before it is sent again', [new TypeError('failed')], 50],
    ['while it is away', [], 0],
  ])('ends if its signal aborts %s', async (_, steps, after) => {
    const controller = new AbortController()
    const left: (Response | Error)[] = [...steps]
    const { client, requests } = scripted(request => {
      const step = left.shift()
      if (step instanceof Error) throw step
      controller.abort()
      throw request.signal.reason
    }, idempotency())
    if (after > 0) setTimeout(() => controller.abort(), after)
    const { value } = await settle(client.POST('/pets/', { body: {}, signal: controller.signal }))
    expect(value).toMatchObject({ name: 'AbortError' })
    expect(requests).toHaveLength(1)
  })

  it('is sent again with what middleware after it has added in place, and not if that has replaced the request', async () => {
    let tokens = 0
    const inPlace: Middleware = {
      onRequest: ({ request }) => request.headers.set('X-Token', String(++tokens)),
    }
    const first = flaky([new TypeError('failed')], {}, inPlace)
    await settle(first.client.POST('/pets/', { body: {} }))
    expect(first.requests.map(({ headers }) => headers.get('X-Token'))).toEqual(['1', '1'])
    const replacing: Middleware = {
      onRequest: ({ request }) => new Request(request, { body: 'signed' }),
    }
    const second = flaky([new TypeError('failed')], {}, replacing)
    expect((await settle(second.client.POST('/pets/', { body: {} }))).value).toEqual(
      new TypeError('failed'),
    )
    expect(second.requests).toHaveLength(1)
  })

  it('beside conditional(): what is remembered is the tag of the last response', async () => {
    const responses = [
      jsonResponse({}, { ETag: '"1"' }),
      new TypeError('failed'),
      busy(409, '0'),
      jsonResponse({}, { ETag: '"2"' }),
    ]
    const { client, requests } = scripted(
      () => {
        const response = responses.shift() ?? jsonResponse({}, { ETag: '"3"' })
        if (response instanceof Error) throw response
        return response
      },
      conditional(),
      idempotency(),
    )
    const params = { path: { id: 7 } }
    await client.GET('/pets/{id}', { params })
    await settle(client.PUT('/pets/{id}', { params, body: {} }))
    await client.PUT('/pets/{id}', { params, body: {} })
    expect(requests.map(({ headers }) => headers.get('If-Match'))).toEqual([
      null,
      '"1"',
      '"1"',
      '"1"',
      '"2"',
    ])
  })
})

it('reading takes no key, and is not repeated', async () => {
  const { client, requests } = flaky([busy(503, '0')])
  expect(await client.GET('/pets/')).toMatchObject({ error: { code: 503 } })
  expect(keysOf(requests)).toEqual([null])
})
