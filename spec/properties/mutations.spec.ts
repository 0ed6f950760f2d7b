import type { OpenAPIObject, ReferenceObject, SchemaObject } from 'openapi3-ts/oas31'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'
import { requestBytes, sendBytes } from '../support/wire.js'
import { allowed, forbidden } from './mutations.js'
import { calls, ORDER, orders } from './order.js'

const { request, port, api } = await serveBlueprints(orders, { DEBUG: false, TESTING: false })
const document = api.spec.toJSON('3.1.0') as unknown as OpenAPIObject
const resolve = (schema: object): SchemaObject => {
  const { $ref } = schema as Partial<ReferenceObject>
  return $ref
    ? (document.components?.schemas?.[$ref.split('/').at(-1) ?? ''] as SchemaObject)
    : (schema as SchemaObject)
}
const Order = { $ref: '#/components/schemas/Order' }

/**
 * The messages at a place of an error body; for an object as a whole they stand under `_schema`.
 */
function messagesAt(errors: unknown, path: readonly string[]): unknown {
  const found = path.reduce<unknown>(
    (inner, key) => (inner as Record<string, unknown> | undefined)?.[key],
    errors,
  )
  return Array.isArray(found) ? found : (found as { _schema?: unknown } | undefined)?._schema
}

describe('P3: a valid request with one change', () => {
  it('is valid before', async () => {
    expect(await request('POST', '/orders', { json: ORDER })).toMatchObject({
      status: 200,
      body: ORDER,
    })
  })

  const mutations = forbidden(Order, ORDER, resolve)
  it(`is refused if it is wrong, and its method is not run (${mutations.length} changes)`, async () => {
    expect(mutations.length).toBeGreaterThan(100)
    for (const { value, path, what } of mutations) {
      const before = calls.count
      const { status, body } = await request('POST', '/orders', { json: value })
      const place = `${path.join('.')}: ${what}`
      expect([status, body.code, calls.count - before], place).toEqual([422, 422, 0])
      expect(messagesAt(body.errors?.json, path), place).toEqual([expect.any(String)])
    }
  })

  const inside = allowed(Order, ORDER, resolve)
  it(`passes if a bound just allows it (${inside.length} changes)`, async () => {
    expect(inside.length).toBeGreaterThanOrEqual(10)
    for (const { value, path, what } of inside) {
      expect(
        (await request('POST', '/orders', { json: value })).status,
        `${path.join('.')}: ${what}`,
      ).toBe(200)
    }
  })

  it('of a byte is 400 if it is not JSON any more, and never a fault', async () => {
    const text = JSON.stringify({ ...ORDER, lines: [] })
    const spoilt = [...text].flatMap((_, at) =>
      ['', '\u0001', '"'].map(other => text.slice(0, at) + other + text.slice(at + 1)),
    )
    for (const body of spoilt) {
      const before = calls.count
      const { status } = await request('POST', '/orders', {
        headers: { 'Content-Type': 'application/json' },
        body,
      })
      expect(isJson(body) ? [200, 422] : [400], body).toContain(status)
      if (status !== 200) expect(calls.count).toBe(before)
    }
  }, 60_000)

  it.each([
    'text/plain',
    'application/jsonx',
    'application/json; charset=utf-16',
    'multipart/form-data',
    '/',
  ])('of its media type to %s is 415', async type => {
    const [answer] = await sendBytes(
      port,
      requestBytes(
        'POST',
        '/orders',
        [`Content-Type: ${type}`, 'Connection: close'],
        JSON.stringify(ORDER),
      ),
    )
    expect({ status: answer?.status, code: answer?.body.code }).toEqual({ status: 415, code: 415 })
  })

  it.each([
    ['kind=other', ['kind']],
    ['', ['kind']],
    ['kind=new&kind=old', ['kind']],
    ['kind=new&n=0', ['n']],
    ['kind=new&n=11', ['n']],
    ['kind=new&n=1.5', ['n']],
    ['kind=new&n=', ['n']],
    ['kind=new&ids=1,x', ['ids', '1']],
  ])('of its query to ?%s is refused there', async (search, path) => {
    const before = calls.count
    const { status, body } = await request('GET', `/search?${search}`)
    expect({ status, count: calls.count }).toEqual({ status: 422, count: before })
    expect(messagesAt(body.errors.query, path)).toEqual([expect.any(String)])
  })

  it.each(['kind=new&n=1', 'kind=old&n=10', 'kind=new&ids=1,2'])(
    'of its query to ?%s passes',
    async search => {
      expect((await request('GET', `/search?${search}`)).status).toBe(200)
    },
  )

  it.each(['%ff', '%zz', '%', '%2', '%c0%af'])('of its encoding to %s is 400', async text => {
    for (const path of [`/orders/${text}`, `/search?kind=${text}`]) {
      const [answer] = await sendBytes(port, requestBytes('GET', path, ['Connection: close']))
      expect({ status: answer?.status, code: answer?.body.code }).toEqual({
        status: 400,
        code: 400,
      })
    }
  })

  it.each(['0', '10', 'x', '1.5', '-1', '1e0'])('of its path to %s is 404', async text => {
    expect((await request('GET', `/orders/${text}`)).status).toBe(404)
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
