import { randomUUID } from 'node:crypto'
import type { PathsOf } from 'koa-smorest'
import { events, lines } from 'koa-smorest/client'
import createClient from 'openapi-fetch'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createAccess } from '../../examples/pet-shop/access.js'
import type { api } from '../../examples/pet-shop/api.js'
import { OrderBell } from '../../examples/pet-shop/order-bell.js'
import { STAFF, secrets } from './credentials.js'
import { type ServedShop, serveShop } from './served-shop.js'

let shop: ServedShop

beforeAll(async () => {
  shop = await serveShop()
})
afterAll(async () => {
  await shop?.close()
})

type Headers = Readonly<Record<string, string>>

const open = (headers: Headers) => createClient<PathsOf<typeof api>>({ baseUrl: shop.url, headers })

/** Places an order; its number. */
async function order(headers: Headers = STAFF): Promise<number> {
  const { data } = await open(headers).POST('/orders/', {
    params: { header: { 'Idempotency-Key': `"${randomUUID()}"` } },
    body: { kind: 'fish', ownerId: 1 },
  })
  return data?.id ?? 0
}

async function customer(): Promise<Headers> {
  const token = await createAccess(secrets).sign({ name: 'Ann', isStaff: false })
  return { Authorization: `Bearer ${token}` }
}

/** The numbers of the next orders that are seen after one, or from now on. */
async function watch(count: number, headers: Headers, after?: number, onOpen?: () => unknown) {
  const client = open(headers)
  client.use({ onResponse: () => void onOpen?.() })
  const header = after === undefined ? {} : { 'Last-Event-ID': `${after}` }
  const found: unknown[] = []
  for await (const { event, data, id } of events(client, '/orders/events', {
    params: { header },
  })) {
    found.push([event, data.id, id])
    if (found.length === count) break
  }
  return found
}

const seen = (...ids: readonly number[]) => ids.map(id => ['placed', id, `${id}`])

describe('orders as they are placed', () => {
  it('arrive at everybody who may see them, at once', async () => {
    const ann = await customer()
    const placed: Promise<number[]>[] = []
    const place = async () => [await order(), await order(ann)]
    const both = await Promise.all([
      watch(2, STAFF, undefined, () => placed.push(place())),
      watch(1, ann, 0),
    ])
    const [first = 0, second = 0] = (await placed[0]) ?? []
    expect(both).toEqual([seen(first, second), seen(second)])
  })

  it('that were missed are read after the last one that was seen', async () => {
    const ids = [await order(), await order(), await order()] as const
    expect(await watch(2, STAFF, ids[0])).toEqual(seen(ids[1], ids[2]))
  })

  it('have numbers in the order in which they can be seen, however many are placed at once', async () => {
    const first = await order()
    const watching = watch(12, STAFF, first)
    const ids = await Promise.all(Array.from({ length: 12 }, () => order()))
    expect(await watching).toEqual(seen(...ids.sort((left, right) => left - right)))
  })

  it('go on when the connection that listens for them was lost', async () => {
    const first = await order()
    const listening = "FROM pg_stat_activity WHERE query = 'LISTEN orders'"
    const watching = watch(2, STAFF, first)
    const second = await order()
    await vi.waitFor(async () => {
      const { rows } = await shop.database.query(`SELECT pg_terminate_backend(pid) ${listening}`)
      expect(rows).not.toEqual([])
    })
    await vi.waitFor(async () =>
      expect((await shop.database.query(`SELECT 1 ${listening}`)).rows).toEqual([]),
    )
    const third = await order()
    expect(await watching).toEqual(seen(second, third))
  })

  it('end when the connection that listens is lost as soon as it is ready', async () => {
    const connect = vi.spyOn(pg.Client.prototype, 'connect')
    connect.mockImplementationOnce(async function (this: pg.Client) {
      connect.mockRestore()
      await this.connect()
      const query = vi.spyOn(this, 'query')
      query.mockImplementation(async () => void this.emit('error', new Error('lost')))
    })
    const bell = new OrderBell(shop.database)
    const rings = await bell.join(AbortSignal.timeout(5_000))
    expect((await rings.next()).done).toBe(true)
    bell.leave()
  })

  it('are listened for by one connection, and by none when nobody watches', async () => {
    const listening = "SELECT FROM pg_stat_activity WHERE query = 'LISTEN orders'"
    const count = async () => (await shop.database.query(listening)).rowCount
    const first = await order()
    const both = Promise.all([watch(1, STAFF, first), watch(1, STAFF, first)])
    await vi.waitFor(async () => expect(await count()).toBe(1))
    await order()
    await both
    await vi.waitFor(async () => expect(await count()).toBe(0))
  })

  it('are shown to nobody without credentials', async () => {
    const { response } = await open({}).GET('/orders/events')
    expect(response.status).toBe(401)
  })
})

describe('the export of all pets', () => {
  it('has each pet once, more than a batch, as it is found alone', async () => {
    const client = open(STAFF)
    for (let count = 0; count < 3; count++)
      await Promise.all(
        Array.from({ length: 50 }, () =>
          client.POST('/pets/', {
            body: { name: 'Rex', kind: 'dog', birthDate: '2026-08-09', price: '1.50' },
          }),
        ),
      )
    const pets = []
    for await (const pet of lines(open({}), '/pets/export')) pets.push(pet)
    const ids = pets.map(({ id }) => id)
    expect(ids.length).toBeGreaterThan(500)
    expect(ids).toEqual([...new Set(ids)].sort((left, right) => left - right))
    const { data } = await client.GET('/pets/{petId}', { params: { path: { petId: 7 } } })
    expect(pets.find(({ id }) => id === 7)).toEqual(data)
  })
})
