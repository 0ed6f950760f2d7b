// Requests that the application sends: to a URL that a request gave, and to subscribers.
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  callback,
  describe,
  int64,
  isoDateTime,
  operation,
  optional,
  pattern,
  query,
  response,
  struct,
  webhook,
} from 'koa-smorest'

const Url = describe(pattern(t.string, /^https?:/), { schema: { type: 'string', format: 'uri' } })
const Data = struct({ timestamp: optional(isoDateTime), userData: optional(t.string) })
const Subscription = struct({ subscriptionId: t.string })
const Pet = struct({ id: int64, name: t.string, tag: optional(t.string) }, 'Pet')

/** The data that a stream sends out of band. */
export const onData = webhook('onData', Data)
/** A new pet in the system. */
export const newPet = webhook('newPet', Pet, {
  description: 'Information about a new pet in the system',
})

/** Subscribes callers to data; `subscribe` returns the id of their subscription. */
export function streams(subscribe: (url: string) => string) {
  const blueprint = new Blueprint('streams').post(
    '/streams',
    operation(
      query(struct({ callbackUrl: Url })),
      callback('onData', '{$request.query.callbackUrl}/data', onData),
      response(Subscription, { code: 201 }),
    ),
    (_ctx, { callbackUrl }) => ({ subscriptionId: subscribe(callbackUrl) }),
  )
  return new Api(new Koa(), {
    OPENAPI_VERSION: '3.0.3',
    OPENAPI_URL_PREFIX: '/',
  }).registerBlueprint(blueprint)
}

/** An application that only sends. */
export function webhooks() {
  return new Api(new Koa(), {
    OPENAPI_VERSION: '3.1.0',
    OPENAPI_URL_PREFIX: '/',
  }).registerWebhook(newPet)
}
