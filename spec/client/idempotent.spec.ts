import { setTimeout as sleep } from 'node:timers/promises'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  idempotent,
  int,
  json,
  memoryStore,
  operation,
  response,
  struct,
} from 'koa-smorest'
import { idempotency } from 'koa-smorest/client'
import { fetchOf } from 'koa-smorest/testing'
import createClient from 'openapi-fetch'
import { expect, it } from 'vitest'

interface OrderPaths {
  '/orders/': {
    post: {
      requestBody: { content: { 'application/json': { item: string } } }
      responses: {
        201: { content: { 'application/json': { id: number; item: string } } }
        default: { content: { 'application/json': { code: number } } }
      }
    }
  }
}

/** A server of orders, each of which takes a while, and a network that loses what `isLost` says. */
function open(isLost: (attempt: number) => 'request' | 'response' | undefined) {
  const orders: string[] = []
  const blueprint = new Blueprint('orders', { urlPrefix: '/orders' })
  const Order = struct({ id: int, item: t.string }, 'Order')
  blueprint.post(
    '/',
    operation(
      'Order',
      idempotent({ store: memoryStore(), required: true }),
      json(struct({ item: t.string }, 'NewOrder')),
      response(Order, { code: 201 }),
    ),
    async (_, { item }) => {
      await sleep(50)
      return { id: orders.push(item), item }
    },
  )
  const app = new Koa()
  new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)
  const fetch = fetchOf(app)
  const replayed: (string | null)[] = []
  let attempt = 0
  const client = createClient<OrderPaths>({
    baseUrl: 'http://shop.test',
    fetch: async request => {
      const lost = isLost(attempt++)
      if (lost === 'request') throw new TypeError('fetch failed')
      const pending = fetch(request)
      // the connection breaks while the server is at work
      if (lost === 'response') throw new TypeError('terminated')
      const response = await pending
      replayed.push(`${response.status} ${response.headers.get('Idempotency-Replayed')}`)
      return response
    },
  })
  client.use(idempotency({ delay: 5 }))
  return { client, orders, replayed }
}

it('an order is placed once, and confirmed, whatever the network loses', {
  timeout: 30_000,
}, async () => {
  for (const lost of [
    [],
    ['request'],
    ['response'],
    ['response', 'response'],
    ['request', 'response', 'request'],
  ] as const) {
    const { client, orders, replayed } = open(attempt => lost[attempt])
    const { data, error } = await client.POST('/orders/', { body: { item: 'bone' } })
    expect({ lost, orders, data, error }).toEqual({
      lost,
      orders: ['bone'],
      data: { id: 1, item: 'bone' },
      error: undefined,
    })
    // while the first is running it is 409 with Retry-After, which is waited for
    const isRepeated = (lost as readonly string[]).includes('response')
    expect(replayed.at(-1)).toBe(isRepeated ? '201 true' : '201 null')
  }
})

it('two orders of one item are two', async () => {
  const { client, orders } = open(() => undefined)
  await Promise.all([1, 2].map(() => client.POST('/orders/', { body: { item: 'bone' } })))
  expect(orders).toEqual(['bone', 'bone'])
})
