// A declared problem: a name, a status and typed data, documented and sent as problem details.
//
// $ curl -i localhost:3000/orders --json '{"count":5}'
// HTTP/1.1 409 Conflict
// Content-Type: application/problem+json
//
// {"type":"/problems/out-of-stock","title":"Out of stock","status":409,"left":3}
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  Blueprint,
  int,
  json,
  operation,
  problem,
  response,
  struct,
} from 'koa-smorest'

const Order = struct({ count: int }, 'Order')
const OutOfStock = problem('out-of-stock', {
  status: 409,
  title: 'Out of stock',
  data: struct({ left: int }),
})

const orders = new Blueprint('orders', { urlPrefix: '/orders' }).post(
  '',
  operation('Order', json(Order), response(Order, { code: 201 }), altResponse(OutOfStock)),
  (_ctx, order) => (order.count > 3 ? abort(OutOfStock, { left: 3 }) : order),
)

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.1.0', API_ERRORS: 'problem' })
api.registerBlueprint(orders)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
