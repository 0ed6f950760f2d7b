import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, pgTable } from 'drizzle-orm/pg-core'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  Blueprint,
  idempotent,
  int,
  json,
  operation,
  response,
} from 'koa-smorest'
import { postgresStore } from 'koa-smorest/postgres'
import { fetchOf } from 'koa-smorest/testing'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../examples/pet-shop/embedded-postgres.js'
import { drizzleOrm, type Orm, ormPool } from '../../examples/recipes/orm-transactions.js'

const payments = pgTable('payments', { cents: integer('cents') })

let folder: string
let server: EmbeddedPostgres
let pool: pg.Pool
let send: ReturnType<typeof fetchOf>
let store: { migrate(): Promise<void> }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orm-transactions-'))
  server = await startEmbeddedPostgres(folder)
  pool = new pg.Pool({ connectionString: server.url, max: 5 })
  await pool.query('CREATE TABLE payments (cents integer)')
  const outcomes = postgresStore(ormPool(drizzleOrm(drizzle(pool))))
  store = outcomes
  await store.migrate()
  const app = new Koa()
  app.on('error', () => undefined)
  new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(
    new Blueprint('payments').post(
      '/payments',
      operation(
        idempotent({ store: outcomes, required: true }),
        json(t.type({ cents: int })),
        response(t.type({ cents: int }), { code: 201 }),
        altResponse(409),
      ),
      async (_ctx, { cents }, { transaction }) => {
        await transaction.tx.insert(payments).values({ cents })
        if (cents === 0) abort(409, { message: 'Nothing to pay.' })
        if (cents < 0) throw new Error('a fault')
        return { cents }
      },
    ),
  )
  send = fetchOf(app)
})

afterAll(async () => {
  await pool?.end()
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function pay(key: string, cents: number): Promise<number> {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': `"${key}"` }
  const init = { method: 'POST', headers, body: JSON.stringify({ cents }) }
  return (await send('http://api/payments', init)).status
}

const paid = async () => (await pool.query('SELECT cents FROM payments')).rows

it('of Drizzle hold what the method writes, and its outcome', async () => {
  await store.migrate()
  expect([await pay('a', 5), await pay('a', 5), await pay('a', 6)]).toEqual([201, 201, 422])
  const both = await Promise.all([pay('b', 7), pay('b', 7)])
  expect(both.toSorted()).toEqual([201, expect.toBeOneOf([201, 409])])
  expect(await paid()).toEqual([{ cents: 5 }, { cents: 7 }])
})

it('of Drizzle undo what a failure has written, and leave no connection open', async () => {
  const before = await paid()
  const statuses: number[] = []
  for (let time = 0; time < 8; time++) statuses.push(await pay(`c${time}`, -1))
  expect(statuses).toEqual(statuses.map(() => 500))
  expect([await pay('d', 0), await pay('d', 0)]).toEqual([409, 409])
  expect(await paid()).toEqual(before)
  expect(pool.totalCount - pool.idleCount).toBe(0)
})

it('that cannot be opened, or committed, reject', async () => {
  const statements: string[] = []
  const orm: Orm<string> = {
    transaction: async work => {
      await work('tx')
      throw new Error('not committed')
    },
    query: async (tx, text) => {
      statements.push(`${tx}: ${text}`)
      return { rows: [] }
    },
  }
  const client = await ormPool(orm).connect()
  await client.query('BEGIN')
  await client.query('SELECT 1')
  await expect(client.query('COMMIT')).rejects.toThrow('not committed')
  expect(statements).toEqual(['tx: SELECT 1'])
  const away = { ...orm, transaction: () => Promise.reject(new Error('away')) }
  await expect((await ormPool(away).connect()).query('BEGIN')).rejects.toThrow('away')
})

const LOCATION: readonly [string, string][] = [['Location', '/7']]

/** The type of a column of functions that return nothing. */
const VOID = 2278

/**
 * As Prisma is over `pg`: a statement has one result, the type void is unknown, and bytes are no
 * Buffer.
 */
const strictOrm: Orm<pg.PoolClient> = {
  async transaction(work) {
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      await work(client)
      await client.query('COMMIT')
    } finally {
      client.release()
    }
  },
  async query(tx, text, values) {
    const { fields, rows } = await (tx ?? pool).query({ text, values: [...values] })
    if (fields.some(({ dataTypeID }) => dataTypeID === VOID))
      throw new Error('Failed to deserialize column of type void')
    const bytes = (value: unknown) => (Buffer.isBuffer(value) ? new Uint8Array(value) : value)
    return {
      rows: rows.map(row =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, bytes(value)])),
      ),
    }
  },
}

it('of an ORM as strict as Prisma hold an outcome', async () => {
  const strict = postgresStore(ormPool(strictOrm), { table: 'strict_outcomes' })
  await strict.migrate()
  const kept = async (key: string, body: string | Buffer) => {
    const begun = await strict.begin(key, 'print', 60_000)
    const outcome = { status: 201, headers: LOCATION, body, failed: false }
    if (begun.state === 'fresh') await strict.finish(begun.run, outcome)
    return strict.begin(key, 'print', 60_000)
  }
  expect([await kept('text', 'größer'), await kept('bytes', Buffer.from([7]))]).toMatchObject([
    { state: 'done', outcome: { status: 201, headers: LOCATION, body: 'größer' } },
    { state: 'done', outcome: { body: Buffer.from([7]) } },
  ])
})
