import { setImmediate as turn } from 'node:timers/promises'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  cache,
  deprecated,
  etag,
  idempotent,
  int,
  json,
  keyset,
  type Limiter,
  limit,
  maxLength,
  memoryStore,
  operation,
  readOnly,
  response,
  type Store,
  struct,
} from 'koa-smorest'
import { contract } from 'koa-smorest/testing'
import { describe, expect, it } from 'vitest'

const Order = struct({ id: readOnly(int), item: maxLength(t.string, 20), count: int }, 'Order')
type Order = t.TypeOf<typeof Order>

/** What may be wrong with the application: everything is right with `{}`. */
interface Wrong {
  /** The store in the place of a sound one; `add` writes an order behind everybody's back. */
  readonly store?: (sound: Store, add: () => void) => Store
  readonly limiter?: (sound: Limiter) => Limiter
  /** Middleware around everything, the library's guard included. */
  readonly middleware?: Koa.Middleware
}

/** Orders with a list, and an older list that is going away. */
function shop({ store = sound => sound, limiter = sound => sound, middleware }: Wrong) {
  let orders: Order[] = []
  let last = 0
  const add = (given: Omit<Order, 'id'>) => {
    const order = { ...given, id: ++last }
    orders.push(order)
    return order
  }
  const reset = () => {
    orders = []
    last = 0
    for (const item of ['tea', 'coffee', 'salt', 'bread']) add({ item, count: 1 })
  }
  let left = 100_000
  const counting: Limiter = {
    points: 100_000,
    duration: 600,
    consume: async () => ({ remainingPoints: --left, msBeforeNext: 300_000 }),
  }
  const all = new Blueprint('all', { shared: operation(limit('burst', limiter(counting))) })
  const keys = store(memoryStore(), () => add({ item: 'again', count: 1 }))
  all.post(
    '/orders',
    operation(
      idempotent({ store: keys, required: true }),
      json(Order),
      response(Order, { code: 201 }),
    ),
    async (_ctx, given) => {
      await turn()
      return add(given)
    },
  )
  const sorts = { id: ['id'], item: ['item'] }
  all.get(
    '/orders',
    operation(
      etag(),
      cache({ noCache: true }),
      keyset({ unique: 'id', sorts }),
      response(t.array(Order)),
    ),
    () => orders,
  )
  const old = deprecated({ since: '2026-01-01', sunset: '2099-05-01', link: '/docs' })
  all.get(
    '/old/:n<int>',
    operation(
      old,
      etag(),
      cache({ maxAge: 60, vary: ['Accept'] }),
      response(struct({ n: int }, 'N')),
    ),
    (_ctx, { n }) => ({ n }),
  )
  const app = new Koa()
  app.silent = true
  const api = new Api(app, {
    OPENAPI_VERSION: '3.1.0',
    DEBUG: false,
    TESTING: false,
  }).registerBlueprint(all)
  if (middleware) {
    app.use((_ctx, next) => next())
    app.middleware.unshift(middleware)
  }
  reset()
  return { app, api, reset }
}

const after =
  (change: (ctx: Koa.Context) => void): Koa.Middleware =>
  async (ctx, next) => {
    await next()
    change(ctx)
  }
const sets = (name: string, value: string) =>
  after(ctx => ctx.response.get(name) && ctx.set(name, value))
const fresh = (key: string) =>
  ({ state: 'fresh', run: { key, token: '', transaction: undefined } }) as const

const FAULTS: readonly (Wrong & { readonly fault: string; readonly check: string })[] = [
  {
    fault: 'a store that forgets at once',
    check: 'law: a repeated key changes nothing',
    store: sound => ({ ...bound(sound), finish: run => sound.release(run).then(() => true) }),
  },
  {
    fault: 'a repetition that gets the same response and writes all the same',
    check: 'law: a repeated key changes nothing',
    store: (sound, add) => ({
      ...bound(sound),
      async begin(...given) {
        const begun = await sound.begin(...given)
        if (begun.state === 'done') add()
        return begun
      },
    }),
  },
  {
    fault: 'a repetition that does not say that it is one',
    check: 'law: a repeated key changes nothing',
    middleware: after(ctx => ctx.remove('Idempotency-Replayed')),
  },
  {
    fault: 'a store that lets two requests with one key run at once',
    check: 'law: of two requests with one key one runs',
    store: sound => ({
      ...bound(sound),
      async begin(key, ...given) {
        const begun = await sound.begin(key, ...given)
        return begun.state === 'running' ? fresh(key) : begun
      },
      finish: async (run, outcome) => run.token === '' || sound.finish(run, outcome),
    }),
  },
  {
    fault: 'a store that takes any request with a key for the same',
    check: 'law: a key is for one request',
    store: sound => ({
      ...bound(sound),
      async begin(key, fingerprint, keepMs) {
        const begun = await sound.begin(key, fingerprint, keepMs)
        return begun.state === 'done' ? { ...begun, fingerprint } : begun
      },
    }),
  },
  {
    fault: 'a request without the key that is required',
    check: 'law: what is no key is refused',
    middleware: (ctx, next) => {
      ctx.req.headers['idempotency-key'] ??= String(Math.random())
      return next()
    },
  },
  {
    fault: 'anything that passes for a key',
    check: 'law: what is no key is refused',
    middleware: (ctx, next) => {
      if (ctx.get('Idempotency-Key') === '"') ctx.req.headers['idempotency-key'] = 'quote'
      return next()
    },
  },
  {
    fault: 'Deprecation as a boolean, as an early draft had it',
    check: 'law: deprecation',
    middleware: sets('Deprecation', 'true'),
  },
  {
    fault: 'a Sunset that is not an HTTP-date',
    check: 'law: deprecation',
    middleware: sets('Sunset', '2099-05-01'),
  },
  {
    fault: 'a Sunset other than the documented one',
    check: 'law: deprecation',
    middleware: sets('Sunset', 'Sun, 01 Jun 2098 00:00:00 GMT'),
  },
  {
    fault: 'a Sunset before the deprecation',
    check: 'law: deprecation',
    middleware: sets('Deprecation', '@9999999999'),
  },
  {
    fault: 'errors that do not tell of the deprecation',
    check: 'header field',
    middleware: after(ctx => ctx.status >= 400 && ctx.remove('Deprecation')),
  },
  {
    fault: 'a limit in the form of an old draft',
    check: 'law: rate limit',
    middleware: sets('RateLimit', '30;w=60;name="burst"'),
  },
  {
    fault: 'a policy without its number',
    check: 'law: rate limit',
    middleware: sets('RateLimit-Policy', '"burst";w=600'),
  },
  {
    fault: 'a limit that no policy names',
    check: 'law: rate limit',
    middleware: sets('RateLimit', '"other";r=1;t=1'),
  },
  {
    fault: 'more left than there is',
    check: 'law: rate limit',
    middleware: sets('RateLimit', '"burst";r=100001;t=1'),
  },
  {
    fault: 'a limit that does not count',
    check: 'law: limits count every request',
    limiter: sound => ({
      ...sound,
      consume: async () => ({ remainingPoints: 5, msBeforeNext: 300_000 }),
    }),
  },
  {
    fault: 'a limit that lets in more than it has',
    check: 'law: limits count every request',
    limiter: sound => ({
      ...sound,
      consume: async () => ({ remainingPoints: 0, msBeforeNext: 300_000 }),
    }),
  },
  {
    fault: 'an error that caches keep',
    check: 'law: cache',
    middleware: after(ctx => ctx.status >= 400 && ctx.set('Cache-Control', 'max-age=60')),
  },
  {
    fault: 'a success that tells caches nothing',
    check: 'header field',
    middleware: after(ctx => ctx.status === 200 && ctx.remove('Cache-Control')),
  },
  {
    fault: 'a 304 that tells caches something else',
    check: 'law: a 304 is cached as its 200',
    middleware: after(ctx => ctx.status === 304 && ctx.remove('Cache-Control')),
  },
  {
    fault: 'a cursor that nobody looks at',
    check: 'law: a cursor belongs to its list',
    middleware: after(ctx => {
      if (ctx.status !== 422 || ctx.query.cursor === undefined) return
      Object.assign(ctx, { status: 200, body: '[]', type: 'json' })
    }),
  },
]

/** A store whose methods can be spread. */
function bound(store: Store): Store {
  return {
    begin: (...given) => store.begin(...given),
    finish: (...given) => store.finish(...given),
    release: (...given) => store.release(...given),
  }
}

describe('the laws of the lifecycle features', () => {
  it('hold for a sound application, which is seen with all of its responses but 503', async () => {
    const { app, api, reset } = shop({})
    const { failures, coverage } = await contract(app, api, {
      reset,
      runs: 15,
      unreachable: UNREACHABLE,
    })
    expect(failures).toEqual([])
    expect(coverage.missing.filter(({ reason }) => reason === undefined)).toEqual([])
  })

  it.each(FAULTS)('find $fault', async ({ check, ...wrong }) => {
    const { app, api, reset } = shop(wrong)
    // one operation is enough, and GET /orders to see what has happened
    const skip = check.includes('key')
      ? ['GET /old/{n}']
      : check.includes('cursor') || check.includes('limit')
        ? ['POST /orders', 'GET /old/{n}']
        : ['POST /orders', 'GET /orders']
    const { failures } = await contract(app, api, { reset, runs: 2, skip })
    expect(failures.map(failure => failure.check)).toContain(check)
  })
})

const LIMITED = 'the limit is high'
const UNREACHABLE = {
  'POST /orders 429': LIMITED,
  'GET /orders 429': LIMITED,
  'GET /old/{n} 429': LIMITED,
}
