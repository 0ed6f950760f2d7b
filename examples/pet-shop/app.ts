import Koa from 'koa'
import { Api } from 'koa-smorest'
import { postgresStore } from 'koa-smorest/postgres'
import { createAccess, randomSecrets, type Secrets } from './access.js'
import type { Database } from './database.js'
import { type Budget, orderLimiter } from './limits.js'
import { OrderBell } from './order-bell.js'
import { orderBlueprint } from './order-views.js'
import { Orders } from './orders.js'
import { orderPlaced } from './outbox.js'
import { ownerBlueprint } from './owner-views.js'
import { Owners } from './owners.js'
import { petBlueprint } from './pet-views.js'
import { Pets } from './pets.js'
import { subscriptionBlueprint } from './subscription-views.js'
import { Subscriptions } from './subscriptions.js'
import { queriesOver } from './tables.js'
import { tokenBlueprint } from './token-views.js'
import { webPage } from './web-page.js'

const DESCRIPTION = `A shop for pets, the example of koa-smorest.

Reading is open. Writing takes the key of the staff, in \`X-Key\`, or a token of theirs; owners' telephone numbers are shown to nobody else.

Every pet and every owner has a version, and every response about one an entity tag. Whoever changes one sends the tag of what they have
seen in \`If-Match\`: without it the response is 428, and 412 if someone else was faster. Nobody's change is lost.

An order is placed once, however often it is sent with its \`Idempotency-Key\`, and sent to all who have subscribed to orders.`

/** What the shop is told besides its database. */
export interface ShopOptions extends Partial<Budget> {
  /** Default: random ones, so that nobody may write. */
  readonly secrets?: Secrets
  /** Whether `POST /tokens/` gives a token to anybody who asks: for development. Default false. */
  readonly givesTokens?: boolean
  /**
   * Who sends no credentials is one of the staff: for tools that cannot send any. Default false.
   */
  readonly isOpen?: boolean
}

/**
 * The pet shop on a database: `/pets/`, `/owners/`, `/orders/`, `/subscriptions/`, the
 * documentation below `/docs`, and a page at `/` that shows orders arriving.
 */
export function createApp(database: Database, options: ShopOptions = {}): Koa {
  return createShop(database, options).app
}

/**
 * The same, with the Api beside it, whose type knows the paths: `PathsOf<ReturnType<typeof
 * createShop>['api']>` types a client.
 */
export function createShop(database: Database, options: ShopOptions = {}) {
  const {
    secrets = randomSecrets(),
    givesTokens = false,
    isOpen = false,
    ordersPerMinute = 60,
    workers = 1,
  } = options
  const [db, access] = [queriesOver(database), createAccess(secrets)]
  const [pets, owners, orders] = [
    new Pets(db),
    new Owners(db),
    new Orders(db, new OrderBell(database)),
  ]
  const limiter = orderLimiter(database, { ordersPerMinute, workers })
  const app = new Koa()
  app.use(webPage)
  if (isOpen) app.use(sendKey(secrets.key))
  const api = new Api(app, {
    API_TITLE: 'Pet shop',
    API_VERSION: '2.0.0',
    API_SPEC_OPTIONS: { info: { description: DESCRIPTION } },
    API_ERRORS: 'negotiated',
    API_REQUIRE_SECURITY: true,
    OPENAPI_VERSION: '3.1.0',
    OPENAPI_URL_PREFIX: '/docs',
    OPENAPI_SWAGGER_UI_PATH: '/',
    OPENAPI_REDOC_PATH: '/redoc',
  })
    .registerBlueprint(petBlueprint(pets, access))
    .registerBlueprint(ownerBlueprint(owners, pets, access))
    .registerBlueprint(orderBlueprint(orders, postgresStore(database), limiter, access))
    .registerBlueprint(subscriptionBlueprint(new Subscriptions(db), access))
    .registerWebhook(orderPlaced)
  if (givesTokens) api.registerBlueprint(tokenBlueprint(access))
  return { app, api }
}

/** Koa middleware that sends the key with requests that have no credentials, as a proxy might. */
function sendKey(key: string): Koa.Middleware {
  return ({ req: { headers } }, next) => {
    if (headers.authorization === undefined) headers['x-key'] ??= key
    return next()
  }
}
