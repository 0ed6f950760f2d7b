import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type Koa from 'koa'
import { contract, fetchOf } from 'koa-smorest/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAccess } from '../../examples/pet-shop/access.js'
import { createApp } from '../../examples/pet-shop/app.js'
import { type Database, openDatabase, prepareDatabase } from '../../examples/pet-shop/database.js'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../examples/pet-shop/embedded-postgres.js'
import { secrets } from './credentials.js'

let folder: string
let server: EmbeddedPostgres
let database: Database
let app: Koa

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shop-contract-'))
  server = await startEmbeddedPostgres(folder)
  database = openDatabase(server.url)
  await prepareDatabase(database, () => undefined)
  const order =
    "INSERT INTO orders (kind, owner_id, pet_id, price, ordered_by) SELECT kind, 1, id, price, 'Ann' FROM pets WHERE id = 1"
  await database.query(order)
  await database.query("UPDATE pets SET status = 'sold' WHERE kind = 'reptile'")
  // pictures are what takes longest to bring back
  await database.query('DELETE FROM pictures WHERE pet_id > 5')
  // what there is, to go back to
  for (const table of ['owners', 'pets', 'pictures', 'orders'])
    await database.query(`CREATE TABLE seeded_${table} AS TABLE ${table}`)
  app = createApp(database, { secrets, givesTokens: true, ordersPerMinute: 1_000_000 })
  app.on('error', () => undefined)
})
afterAll(async () => {
  await database?.end()
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Brings the seed data back. */
async function reset(): Promise<void> {
  await database.query(`
    SET LOCAL synchronous_commit TO off;
    DELETE FROM outbox; DELETE FROM subscriptions; DELETE FROM outcomes; DELETE FROM orders;
    DELETE FROM pictures; DELETE FROM pets; DELETE FROM owners;
    INSERT INTO owners OVERRIDING SYSTEM VALUE TABLE seeded_owners;
    INSERT INTO pets OVERRIDING SYSTEM VALUE TABLE seeded_pets;
    INSERT INTO pictures TABLE seeded_pictures;
    INSERT INTO orders OVERRIDING SYSTEM VALUE TABLE seeded_orders;
    SELECT setval(pg_get_serial_sequence('orders', 'id'), (SELECT max(id) FROM orders)),
           setval(pg_get_serial_sequence('pets', 'id'), (SELECT max(id) FROM pets)),
           setval(pg_get_serial_sequence('owners', 'id'), (SELECT max(id) FROM owners))`)
}

/** What the requests of `contract` cannot cause; security.spec.ts does. */
const REASONS: Readonly<Record<string, string>> = {
  400: 'a second Authorization field cannot be sent in memory',
  401: 'wrong credentials are sent where credentials are required',
  410: 'the sunset is years away',
  429: 'the shop under test has a large budget',
}

function unreachableOf({ paths }: Paths): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [path, item] of Object.entries(paths))
    for (const [method, { security = [], responses = {} }] of Object.entries(item)) {
      const isOptional = security.some(alternative => Object.keys(alternative).length === 0)
      const hasBody = ['post', 'put', 'patch'].includes(method)
      const never = [
        ...(hasBody || security.length === 0 ? [] : ['400']),
        ...(isOptional ? ['401'] : []),
        '410',
        '429',
      ]
      for (const status of never)
        if (status in responses)
          found[`${method.toUpperCase()} ${path} ${status}`] = REASONS[status] ?? ''
    }
  return found
}

interface Paths {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { security?: readonly object[]; responses?: object }>>>
  >
}

it('the pet shop does what its document says, and no more', { timeout: 240_000 }, async () => {
  const document = (await (await fetchOf(app)('/docs/openapi.json')).json()) as Paths
  const owners = async () => [
    null,
    // nobody, so that the refusal is seen
    2_000_000_000,
    ...(await database.query('SELECT id FROM owners ORDER BY id LIMIT 3')).rows.map(({ id }) => id),
  ]
  const emails = async () => [
    'free@example.com',
    ...(await database.query('SELECT email FROM owners ORDER BY id LIMIT 2')).rows.map(
      ({ email }) => email,
    ),
  ]
  const { sign } = createAccess(secrets)
  const login = [
    await sign({ name: 'Ann', isStaff: true }),
    await sign({ name: 'Bob', isStaff: false }),
  ]
  const report = await contract(
    app,
    { spec: { toJSON: () => document } },
    {
      reset,
      unreachable: {
        ...unreachableOf(document),
        'GET /orders/events 204': 'there are always more orders to come',
      },
      as: { key: secrets.key, login },
      runs: 10,
      values: {
        'POST /orders/ json.ownerId': owners,
        ...Object.fromEntries(
          ['POST /pets/', 'PUT /pets/{petId}', 'PATCH /pets/{petId}'].map(name => [
            `${name} json.ownerId`,
            owners,
          ]),
        ),
        ...Object.fromEntries(
          ['PUT', 'PATCH'].map(method => [`${method} /owners/{ownerId} json.email`, emails]),
        ),
      },
    },
  )
  expect(report.failures).toEqual([])
  expect(report.coverage.operations).toBe(1)
  expect(report.coverage.missing.filter(({ reason }) => reason === undefined)).toEqual([])
})
