// Payments that are made once, and a limit: both are kept in Redis, for any number of processes.
import { randomUUID } from 'node:crypto'
import * as t from 'io-ts'
import type { Redis } from 'ioredis'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  idempotent,
  int,
  json,
  limit,
  minimum,
  operation,
  response,
  struct,
} from 'koa-smorest'
import { redisStore } from 'koa-smorest/redis'
import { RateLimiterRedis } from 'rate-limiter-flexible'

const Payment = struct({ cents: minimum(int, 1) }, 'Payment')
const Receipt = struct({ id: t.string, cents: int }, 'Receipt')

/** `pay` makes a payment; a client may ask for so many in a minute. */
export function paymentsApp(
  redis: Redis,
  pay: (receipt: t.TypeOf<typeof Receipt>) => Promise<void>,
  perMinute = 60,
): Koa {
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: 'payments',
    points: perMinute,
    duration: 60,
  })
  const payments = new Blueprint('payments').post(
    '/payments',
    operation(
      'Pay once',
      limit('minute', limiter),
      idempotent({ store: redisStore(redis, { lease: '10s' }), required: true }),
      json(Payment),
      response(Receipt, { code: 201 }),
    ),
    async (_ctx, { cents }) => {
      const receipt = { id: randomUUID(), cents }
      await pay(receipt)
      return receipt
    },
  )
  const app = new Koa()
  new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' }).registerBlueprint(
    payments,
  )
  return app
}
