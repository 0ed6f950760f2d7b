import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type Koa from 'koa'
import { contract, fetchOf } from 'koa-smorest/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApp } from '../../examples/pet-shop/app.js'
import { type Database, openDatabase, prepareDatabase } from '../../examples/pet-shop/database.js'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../examples/pet-shop/embedded-postgres.js'

let folder: string
let server: EmbeddedPostgres
let database: Database
let app: Koa

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shop-contract-'))
  server = await startEmbeddedPostgres(folder)
  database = openDatabase(server.url)
  await prepareDatabase(database, () => undefined)
  // what was seeded, to go back to
  for (const table of ['owners', 'pets', 'pictures']) await database.query(`CREATE TABLE seeded_${table} AS TABLE ${table}`)
  app = createApp(database)
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
    TRUNCATE owners, pets, pictures RESTART IDENTITY CASCADE;
    INSERT INTO owners OVERRIDING SYSTEM VALUE TABLE seeded_owners;
    INSERT INTO pets OVERRIDING SYSTEM VALUE TABLE seeded_pets;
    INSERT INTO pictures TABLE seeded_pictures;
    SELECT setval(pg_get_serial_sequence('pets', 'id'), (SELECT max(id) FROM pets)),
           setval(pg_get_serial_sequence('owners', 'id'), (SELECT max(id) FROM owners))`)
}

it('the pet shop does what its document says, and no more', { timeout: 240_000 }, async () => {
  const document = (await (await fetchOf(app)('/docs/openapi.json')).json()) as object
  const owners = async () => [null, ...(await database.query('SELECT id FROM owners ORDER BY id LIMIT 3')).rows.map(({ id }) => id)]
  const emails = async () => [
    'free@example.com',
    ...(await database.query('SELECT email FROM owners ORDER BY id LIMIT 2')).rows.map(({ email }) => email),
  ]
  const report = await contract(
    app,
    { spec: { toJSON: () => document } },
    {
      reset,
      runs: 10,
      values: {
        ...Object.fromEntries(['POST /pets/', 'PUT /pets/{petId}', 'PATCH /pets/{petId}'].map(name => [`${name} json.ownerId`, owners])),
        ...Object.fromEntries(['PUT', 'PATCH'].map(method => [`${method} /owners/{ownerId} json.email`, emails])),
      },
    },
  )
  expect(report.failures).toEqual([])
  expect(report.coverage.operations).toBe(1)
  expect(report.coverage.missing).toEqual([])
})
