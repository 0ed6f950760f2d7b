import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ContractOptions, fetchOf } from 'koa-smorest/testing'
import { createAccess } from '../../examples/pet-shop/access.js'
import { createApp } from '../../examples/pet-shop/app.js'
import { type Database, openDatabase, prepareDatabase } from '../../examples/pet-shop/database.js'
import { startEmbeddedPostgres } from '../../examples/pet-shop/embedded-postgres.js'
import type { Sound } from '../support/sound.js'
import { secrets } from './credentials.js'

/** The pet shop over a database of its own. */
export async function soundShop(): Promise<Sound> {
  const folder = await mkdtemp(join(tmpdir(), 'shop-contract-'))
  const server = await startEmbeddedPostgres(folder)
  const database = openDatabase(server.url)
  await seed(database)
  const app = createApp(database, { secrets, givesTokens: true, ordersPerMinute: 1_000_000 })
  app.on('error', () => undefined)
  const document = (await (await fetchOf(app)('/docs/openapi.json')).json()) as Paths & object
  const { sign } = createAccess(secrets)
  const login = [
    await sign({ name: 'Ann', isStaff: true }),
    await sign({ name: 'Bob', isStaff: false }),
  ]
  return {
    app,
    api: { spec: { toJSON: () => document } },
    options: {
      reset: () => restore(database),
      unreachable: {
        ...unreachableOf(document),
        'GET /orders/events 204': 'there are always more orders to come',
      },
      as: { key: secrets.key, login },
      values: valuesOf(database),
    },
    async end() {
      await database.end()
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Fills the database, and keeps what there is, to go back to it. */
async function seed(database: Database): Promise<void> {
  await prepareDatabase(database, () => undefined)
  const order =
    "INSERT INTO orders (kind, owner_id, pet_id, price, ordered_by) SELECT kind, 1, id, price, 'Ann' FROM pets WHERE id = 1"
  await database.query(order)
  await database.query("UPDATE pets SET status = 'sold' WHERE kind = 'reptile'")
  // pictures are what takes longest to bring back
  await database.query('DELETE FROM pictures WHERE pet_id > 5')
  for (const table of ['owners', 'pets', 'pictures', 'orders'])
    await database.query(`CREATE TABLE seeded_${table} AS TABLE ${table}`)
}

async function restore(database: Database): Promise<void> {
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

/** Owners and emails that are there, and ones that are not, so that the refusals are seen. */
function valuesOf(database: Database): NonNullable<ContractOptions['values']> {
  const owners = async () => [
    null,
    2_000_000_000,
    ...(await database.query('SELECT id FROM owners ORDER BY id LIMIT 3')).rows.map(({ id }) => id),
  ]
  const emails = async () => [
    'free@example.com',
    ...(await database.query('SELECT email FROM owners ORDER BY id LIMIT 2')).rows.map(
      ({ email }) => email,
    ),
  ]
  return {
    'POST /orders/ json.ownerId': owners,
    'POST /pets/ json.ownerId': owners,
    'PUT /pets/{petId} json.ownerId': owners,
    'PATCH /pets/{petId} json.ownerId': owners,
    'PUT /owners/{ownerId} json.email': emails,
    'PATCH /owners/{ownerId} json.email': emails,
  }
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
