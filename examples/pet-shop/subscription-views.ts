import * as t from 'io-ts'
import {
  abort,
  altResponse,
  Blueprint,
  type Context,
  callback,
  json,
  MethodView,
  operation,
  Page,
  paginate,
  reply,
  response,
} from 'koa-smorest'
import type { Access } from './access.js'
import { LOCATION, type NewSubscription, Subscription } from './model.js'
import { orderPlaced } from './outbox.js'
import type { Subscriptions } from './subscriptions.js'
import { mayBeUnavailable, unavailableWithoutDatabase } from './unavailable.js'

/** `/subscriptions/`: URLs that are sent each order. */
export function subscriptionBlueprint(subscriptions: Subscriptions, { staff }: Access) {
  class SubscriptionList extends MethodView {
    static get = operation(
      'List the subscriptions',
      paginate(Page, { maxPage: 10_000 }),
      response(t.array(Subscription)),
    )
    get() {
      return subscriptions.find()
    }

    static post = operation(
      'Subscribe to orders',
      json(Subscription),
      callback('onOrder', '{$request.body#/url}', orderPlaced),
      response(Subscription, { code: 201, headers: { Location: LOCATION } }),
    )
    async post(_: Context, subscription: NewSubscription) {
      const added = await subscriptions.add(subscription)
      return reply(added, 201, { Location: `/subscriptions/${added.id}` })
    }
  }

  class SubscriptionById extends MethodView {
    static get = operation('Find a subscription', response(Subscription), altResponse(404))
    async get(_: Context, { subscriptionId }: { subscriptionId: number }) {
      return (await subscriptions.get(subscriptionId)) ?? abort(404)
    }

    static delete = operation('Unsubscribe', response({ code: 204 }), altResponse(404))
    async delete(_: Context, { subscriptionId }: { subscriptionId: number }) {
      if (!(await subscriptions.remove(subscriptionId))) abort(404)
    }
  }

  return new Blueprint('subscriptions', {
    urlPrefix: '/subscriptions',
    description: 'Who is told of orders',
    shared: operation(staff, mayBeUnavailable),
  })
    .use(unavailableWithoutDatabase)
    .route('/', SubscriptionList)
    .route('/:subscriptionId<int>', SubscriptionById)
}
