import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import * as t from 'io-ts'
import { Redis } from 'ioredis'
import Koa from 'koa'
import { Api, Blueprint, idempotent, int, json, operation, response, struct } from 'koa-smorest'
import { redisStore } from 'koa-smorest/redis'

// Takes orders with a key that is kept in Redis, and counts there how often each was placed.

const redis = new Redis(Number(process.env.REDIS_PORT), '127.0.0.1', { retryStrategy: () => 50 })
redis.on('error', () => undefined)
const Order = struct({ number: int }, 'Order')
const Placed = struct({ number: int, receipt: int }, 'Placed')

const orders = new Blueprint('orders')
  .post(
    '/once',
    operation(
      idempotent({ store: redisStore(redis, { lease: '2s' }), required: true }),
      json(Order),
      response(Placed, { code: 201 }),
    ),
    async (_ctx, { number }) => {
      await sleep(Math.random() * 5)
      await redis.hincrby('placed', String(number), 1)
      return { number, receipt: await redis.incr('receipts') }
    },
    { endpoint: 'once' },
  )
  .get(
    '/counts',
    operation(response(t.array(int))),
    async () => Object.values(await redis.hgetall('placed')).map(Number),
    { endpoint: 'counts' },
  )
const app = new Koa()
app.silent = true
new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(orders)
const server = app.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
)
