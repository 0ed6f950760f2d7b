import type { PathsOf } from 'koa-smorest'
import {
  conditional,
  idempotency,
  ifMatch,
  type Managed,
  multipart,
  pages,
  StaleError,
} from 'koa-smorest/client'
import createClient, { type Middleware } from 'openapi-fetch'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { api } from '../../examples/pet-shop/api.js'
import { STAFF } from './credentials.js'
import { type ServedShop, serveShop } from './served-shop.js'

let shop: ServedShop

beforeAll(async () => {
  shop = await serveShop()
})

afterAll(async () => {
  await shop?.close()
})

/** A client of the shop's own types. */
function open(headers: Record<string, string>, fetch = globalThis.fetch) {
  const client = createClient<Managed<PathsOf<typeof api>>>({ baseUrl: shop.url, headers, fetch })
  client.use(conditional(), idempotency({ delay: 20 }))
  return client
}

async function customer(name: string): Promise<Record<string, string>> {
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name, isStaff: false }),
  }
  const { token } = (await (await fetch(`${shop.url}/tokens/`, init)).json()) as { token: string }
  return { Authorization: `Bearer ${token}` }
}

const newPet = { name: 'Rex', kind: 'dog', birthDate: '2026-08-09', price: '499.95' } as const

describe('a client of the shop that has its types and no generator', () => {
  it('lives the life of a pet, without a word about entity tags', async () => {
    const client = open(STAFF)
    const { data: added } = await client.POST('/pets/', { body: newPet })
    const params = { path: { petId: added?.id ?? 0 } }
    await client.GET('/pets/{petId}', { params })
    const changed = await client.PATCH('/pets/{petId}', { params, body: { price: '449.95' } })
    const again = await client.PATCH('/pets/{petId}', { params, body: { price: '399.95' } })
    const picture = new Blob(['a picture'], { type: 'image/png' })
    const shown = await client.PUT('/pets/{petId}/picture', {
      params,
      body: { picture },
      bodySerializer: multipart,
    })
    const removed = await client.DELETE('/pets/{petId}', { params })
    const gone = await client.GET('/pets/{petId}', { params })
    const statuses = [changed, again, shown, removed, gone].map(({ response }) => response.status)
    expect({ price: again.data?.price, statuses }).toEqual({
      price: '399.95',
      statuses: [200, 200, 204, 204, 404],
    })
  })

  it('saves a form only over what its user has seen', async () => {
    const [clerk, other] = [open(STAFF), open(STAFF)]
    const params = { path: { petId: 1 } }
    const { response } = await clerk.GET('/pets/{petId}', { params })
    await other.GET('/pets/{petId}', { params })
    await other.PATCH('/pets/{petId}', { params, body: { price: '1.50' } })
    // the list behind the form refreshes itself
    await clerk.GET('/pets/{petId}', { params })
    const save = (seen: Response) =>
      clerk.PATCH('/pets/{petId}', { params, body: { name: 'Max' }, headers: ifMatch(seen) })
    const error = await save(response).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(StaleError)
    const { current, currentResponse } = error as StaleError
    expect(current).toMatchObject({ id: 1, price: '1.50' })
    const { data } = await save(currentResponse as Response)
    expect(data).toMatchObject({ name: 'Max', price: '1.50' })
  })

  it('meets every pet once, while others are added and removed', async () => {
    const client = open(STAFF)
    const before = new Set<number>()
    for await (const { id } of pages(client, '/pets/', { params: { query: { page_size: 100 } } }))
      before.add(id)
    const met: number[] = []
    const strangers: number[] = []
    for await (const { id } of pages(client, '/pets/', { params: { query: { page_size: 7 } } })) {
      met.push(id)
      if (met.length % 20 !== 0) continue
      const { data: added } = await client.POST('/pets/', { body: newPet })
      const stranger = strangers.shift()
      if (stranger !== undefined) {
        const params = { path: { petId: stranger } }
        await client.GET('/pets/{petId}', { params })
        await client.DELETE('/pets/{petId}', { params })
      }
      if (added) strangers.push(added.id)
    }
    expect(met.filter(id => before.has(id)).toSorted((left, right) => left - right)).toEqual(
      [...before].toSorted((left, right) => left - right),
    )
    expect(new Set(met).size).toBe(met.length)
  })

  it('orders once, though the first response is lost, and shows each customer their own orders', async () => {
    const lost: (string | null)[] = []
    const session = { headers: await customer('Ann') }
    const client = createClient<Managed<PathsOf<typeof api>>>({
      baseUrl: shop.url,
      fetch: async request => {
        const response = await fetch(request)
        lost.push(response.headers.get('Idempotency-Replayed'))
        if (request.method === 'POST' && lost.length === 1) throw new TypeError('terminated')
        return response
      },
    })
    const login: Middleware = {
      onRequest({ request }) {
        request.headers.set('Authorization', session.headers.Authorization ?? '')
      },
    }
    client.use(login, conditional(), idempotency({ delay: 20 }))
    const ordered = await client.POST('/orders/', { body: { kind: 'dog', ownerId: 1 } })
    expect({ status: ordered.response.status, lost }).toEqual({ status: 201, lost: [null, 'true'] })
    const orders = async () => (await client.GET('/orders/')).data?.map(({ id }) => id)
    expect(await orders()).toEqual([ordered.data?.id])
    session.headers = await customer('Bob')
    expect(await orders()).toEqual([])
    session.headers = await customer('Ann')
    expect(await orders()).toEqual([ordered.data?.id])
  })
})
