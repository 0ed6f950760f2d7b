import type { AddressInfo } from 'node:net'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  type Context,
  etag,
  json,
  MethodView,
  operation,
  response,
} from 'koa-smorest'
import pg from 'pg'

// Two other ways to write than the pet shop's: the naive one, and one that locks the row. Rows of
// `counters` have a version.

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
const Counter = t.strict({ id: t.number, name: t.string, version: t.number }, 'Counter')
const NewCounter = t.strict({ name: t.string }, 'NewCounter')
type Counter = t.TypeOf<typeof Counter>
type Client = Pick<pg.ClientBase, 'query'>

async function find(client: Client, id: number, lock = ''): Promise<Counter | undefined> {
  const { rows } = await client.query<Counter>(
    `SELECT id, name, version FROM counters WHERE id = $1 ${lock}`,
    [id],
  )
  return rows[0]
}

/** Writes whatever has happened since `current` was read. */
async function write(client: Client, { id, version }: Counter, name: string): Promise<Counter> {
  const changed = { id, name, version: version + 1 }
  await client.query('UPDATE counters SET name = $1, version = $2 WHERE id = $3', [
    name,
    changed.version,
    id,
  ])
  return changed
}

type Current = { readonly current: Counter }

/** Compares, and writes later: between the two there is room for another. */
class Naive extends MethodView {
  static shared = operation(
    etag({ load: (_, { id }: { id: number }) => find(pool, id), tag: ({ version }) => version }),
  )

  static get = operation(response(Counter))
  get(_: Context, { current }: Current) {
    return current
  }

  static put = operation(json(NewCounter), response(Counter))
  put(_: Context, { name }: t.TypeOf<typeof NewCounter>, { current }: Current) {
    return write(pool, current, name)
  }
}

const clientOf = (ctx: Context) => ctx.state.client as Client

/** Reads, compares and writes in one transaction, which nobody else can enter. */
class Locked extends MethodView {
  static shared = operation(
    etag({
      load: (ctx, { id }: { id: number }) =>
        find(clientOf(ctx), id, ctx.method === 'PUT' ? 'FOR UPDATE' : ''),
      tag: ({ version }) => version,
    }),
  )

  static get = operation(response(Counter))
  get(_: Context, { current }: Current) {
    return current
  }

  static put = operation(json(NewCounter), response(Counter))
  put(ctx: Context, { name }: t.TypeOf<typeof NewCounter>, { current }: Current) {
    return write(clientOf(ctx), current, name)
  }
}

async function inTransaction(ctx: Koa.Context, next: Koa.Next): Promise<void> {
  if (ctx.method === 'GET') {
    ctx.state.client = pool
    return next()
  }
  const client = await pool.connect()
  ctx.state.client = client
  try {
    await client.query('BEGIN')
    await next()
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
}

const app = new Koa()
const api = new Api(app, { OPENAPI_VERSION: '3.1.0' })
api.registerBlueprint(new Blueprint('naive', { urlPrefix: '/naive' }).route('/:id<int>', Naive))
api.registerBlueprint(
  new Blueprint('locked', { urlPrefix: '/locked' }).use(inTransaction).route('/:id<int>', Locked),
)
const server = app.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
)
