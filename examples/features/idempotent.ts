// A write that is sent again gets the first response, and happens once.
//
// $ curl localhost:3000/orders -H 'Idempotency-Key: "5e1f"' --json '{"item":"tea"}'
// {"id":1,"item":"tea"}
// $ curl -i localhost:3000/orders -H 'Idempotency-Key: "5e1f"' --json '{"item":"tea"}'
// HTTP/1.1 201 Created
// Idempotency-Replayed: true
//
// {"id":1,"item":"tea"}
// $ curl localhost:3000/orders -H 'Idempotency-Key: "5e1f"' --json '{"item":"coffee"}'
// {"code":422,"status":"Unprocessable Entity","errors":{"headers":{"Idempotency-Key":["Was used for another request."]}}}
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
  readOnly,
  response,
  struct,
} from 'koa-smorest'

const Order = struct({ id: readOnly(int), item: t.string }, 'Order')
let placed = 0

const orders = new Blueprint('orders', { urlPrefix: '/orders' }).post(
  '',
  operation(
    'Place an order',
    idempotent({ store: memoryStore(), keep: '24h', required: true }),
    json(Order),
    response(Order, { code: 201 }),
  ),
  (_ctx, { item }) => ({ id: ++placed, item }),
)

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
api.registerBlueprint(orders)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
