import * as t from 'io-ts'
import {
  abort,
  altResponse,
  Blueprint,
  type Context,
  event,
  events,
  idempotent,
  int,
  json,
  keyset,
  type Limiter,
  limit,
  MethodView,
  operation,
  problem,
  reply,
  response,
  type Store,
  struct,
} from 'koa-smorest'
import type pg from 'pg'
import type { Access, Caller } from './access.js'
import { breaksReference } from './database.js'
import { Kind, LOCATION, type NewOrder, Order } from './model.js'
import type { Orders } from './orders.js'
import { announce } from './outbox.js'
import { queriesIn } from './tables.js'
import { mayBeUnavailable, unavailableWithoutDatabase } from './unavailable.js'

const OutOfStock = problem('out-of-stock', {
  status: 409,
  title: 'No such pet is left',
  data: struct({ kind: Kind }),
})
const noSuchOwner = altResponse(422, { description: 'No such owner.' })

type Ordering = { readonly principal: Caller; readonly transaction: pg.PoolClient }

/** `/orders/`: pets that callers have ordered. Everybody sees their own, the staff see all. */
export function orderBlueprint(
  orders: Orders,
  store: Store<pg.PoolClient>,
  limiter: Limiter,
  { callers }: Access,
) {
  const shared = operation(callers, mayBeUnavailable)
  // whose orders a caller may see: undefined for everybody's
  const seenBy = ({ isStaff, name }: Caller) => (isStaff ? undefined : name)

  class OrderList extends MethodView {
    static get = operation(
      'List the orders',
      keyset({ unique: 'id', sorts: { newest: ['-orderedAt'], oldest: ['orderedAt'] } }),
      response(t.array(Order)),
    )
    get(_: Context, { principal }: { principal: Caller }) {
      return orders.find(seenBy(principal))
    }

    static post = operation(
      'Order a pet',
      limit('orders', limiter, { per: 'principal' }),
      idempotent({ store, keep: '24h', required: true }),
      json(Order),
      response(Order, { code: 201, headers: { Location: LOCATION } }),
      altResponse(OutOfStock),
      noSuchOwner,
    )
    async post(_: Context, order: NewOrder, { principal, transaction }: Ordering) {
      const queries = queriesIn(transaction)
      const placed = await orders.place(queries, order, principal.name).catch(refuseUnknownOwner)
      if (!placed) return abort(OutOfStock, { kind: order.kind })
      await announce(queries, placed)
      return reply(placed, 201, { Location: `/orders/${placed.id}` })
    }
  }

  class OrderEvents extends MethodView {
    static get = operation('Watch orders being placed', events({ placed: Order }, { id: int }))
    async *get(
      _: Context,
      {
        lastEventId,
        principal,
        signal,
      }: { lastEventId?: number; principal: Caller; signal: AbortSignal },
    ) {
      for await (const order of orders.placed(lastEventId, seenBy(principal), signal))
        yield event('placed', order, order.id)
    }
  }

  class OrderById extends MethodView {
    static get = operation('Find an order', response(Order), altResponse(404))
    async get(_: Context, { orderId, principal }: { orderId: number; principal: Caller }) {
      return (await orders.get(orderId, seenBy(principal))) ?? abort(404)
    }
  }

  return new Blueprint('orders', {
    urlPrefix: '/orders',
    description: 'Pets that were ordered, each once',
    shared,
  })
    .use(unavailableWithoutDatabase)
    .route('/', OrderList)
    .route('/events', OrderEvents)
    .route('/:orderId<int>', OrderById)
}

function refuseUnknownOwner(error: unknown): never {
  if (breaksReference(error))
    abort(422, { errors: { json: { ownerId: ['There is no owner with this number.'] } } })
  throw error
}
