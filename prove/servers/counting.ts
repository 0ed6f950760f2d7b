import type { AddressInfo } from 'node:net'
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

// Takes orders and counts them, in the memory of one process: with an Idempotency-Key (`/once`),
// and, as the control, without (`/often`).

const Order = struct({ number: int }, 'Order')
const Placed = struct({ number: int, receipt: int }, 'Placed')
const placed = new Map<number, number>()
let receipts = 0

async function place(_: unknown, { number }: { number: number }) {
  await sleep(Math.random() * 5)
  placed.set(number, (placed.get(number) ?? 0) + 1)
  return { number, receipt: ++receipts }
}

const described = [json(Order), response(Placed, { code: 201 })] as const
const orders = new Blueprint('orders')
  .post(
    '/once',
    operation(idempotent({ store: memoryStore(), required: true }), ...described),
    place,
    { endpoint: 'once' },
  )
  .post('/often', operation(...described), place, { endpoint: 'often' })
  .get('/counts', operation(response(t.array(int))), () => [...placed.values()], {
    endpoint: 'counts',
  })
const app = new Koa()
new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(orders)
const server = app.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
)
