import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/node-postgres'
import { date, integer, numeric, pgTable } from 'drizzle-orm/pg-core'
import * as t from 'io-ts'
import knex from 'knex'
import {
  Blueprint,
  decimal,
  int,
  isoDate,
  keyset,
  nullable,
  operation,
  response,
  type Seekable,
  struct,
} from 'koa-smorest'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../examples/pet-shop/embedded-postgres.js'
import { drizzleRows } from '../../examples/recipes/drizzle.js'
import { knexRows } from '../../examples/recipes/knex.js'
import { type Client, serveBlueprints } from '../support/client.js'

const Thing = struct({ id: int, price: decimal, born: nullable(isoDate) }, 'Thing')
type Thing = t.TypeOf<typeof Thing>

const things = pgTable('things', {
  id: integer('id').primaryKey(),
  price: numeric('price').notNull(),
  born: date('birth_date', { mode: 'string' }),
})

let folder: string
let server: EmbeddedPostgres
let pool: pg.Pool
let close: () => Promise<unknown>
let request: Client

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'koa-smorest-recipes-'))
  server = await startEmbeddedPostgres(folder)
  pool = new pg.Pool({ connectionString: server.url })
  pool.on('error', () => undefined)
  await pool.query(
    'CREATE TABLE things (id integer PRIMARY KEY, price numeric NOT NULL, birth_date date)',
  )
  await pool.query(`INSERT INTO things SELECT id, (id % 5) / 2.0, CASE WHEN id % 3 > 0 THEN DATE '2020-01-01' + id % 4 END
    FROM generate_series(1, 60) AS id`)
  const db = drizzle(pool)
  const tables = knex({ client: 'pg', connection: server.url })
  close = () => tables.destroy()
  const collections: Record<string, () => Seekable<Thing>> = {
    '/drizzle': () =>
      drizzleRows(
        { id: things.id, price: things.price, born: things.born },
        (where, orderBy, limit) =>
          db
            .select()
            .from(things)
            .where(where)
            .orderBy(...orderBy)
            .limit(limit),
      ),
    '/knex': () =>
      knexRows<Thing>(
        tables('things').select(
          'id',
          'price',
          tables.raw("to_char(birth_date, 'YYYY-MM-DD') AS born"),
        ),
        {
          born: 'birth_date',
        },
      ),
  }
  const sorts = { id: ['id'], price: ['-price'], mixed: ['born', '-price'], born: ['-born'] }
  const all = new Blueprint('all')
  for (const [path, collection] of Object.entries(collections))
    all.get(
      path,
      operation(keyset({ unique: 'id', sorts, nulls: { born: 'last' } }), response(t.array(Thing))),
      collection,
    )
  ;({ request } = await serveBlueprints(all))
}, 120_000)

afterAll(async () => {
  await close?.()
  await pool?.end()
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function walk(
  path: string,
  sort: string,
  relation: 'next' | 'prev',
  from: string,
): Promise<readonly Thing[]> {
  const pages: Thing[][] = []
  for (let target: string | undefined = from; target !== undefined; ) {
    const { status, body, headers } = await request('GET', `${path}${target}`)
    expect({ status, sort }).toEqual({ status: 200, sort })
    pages.push(body as Thing[])
    target = new RegExp(`<([^>]*)>; rel="${relation}"`).exec(headers.get('Link') ?? '')?.[1]
    if (relation === 'prev' && body.length === 0) break
  }
  return (relation === 'next' ? pages : pages.reverse()).flat()
}

const ORDERS = {
  id: 'id',
  price: 'price DESC, id DESC',
  mixed: 'birth_date NULLS LAST, price DESC, id DESC',
  born: 'birth_date DESC NULLS LAST, id DESC',
}

describe('the recipes of the manual', () => {
  it.each(['/drizzle', '/knex'])(
    '%s: walk every sort as the database has it, nulls included',
    async path => {
      for (const [sort, order] of Object.entries(ORDERS)) {
        const { rows } = await pool.query<{ id: number }>(`SELECT id FROM things ORDER BY ${order}`)
        const found = await walk(path, sort, 'next', `?sort=${sort}&page_size=7`)
        expect({ sort, ids: found.map(({ id }) => id) }).toEqual({
          sort,
          ids: rows.map(({ id }) => id),
        })
      }
    },
  )

  it.each(['/drizzle', '/knex'])('%s: lead back as they led forth', async path => {
    const first = await request('GET', `${path}?sort=mixed&page_size=40`)
    const next = /<([^>]*)>; rel="next"/.exec(first.headers.get('Link') ?? '')?.[1]
    const second = await request('GET', `${path}${next}`)
    const prev = /<([^>]*)>; rel="prev"/.exec(second.headers.get('Link') ?? '')?.[1]
    expect((await request('GET', `${path}${prev}`)).body).toEqual(first.body)
  })

  it.each(['drizzle', 'knex'])('are shown as they run: %s', name => {
    const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
    expect(read('docs/keyset.md')).toContain(read(`examples/recipes/${name}.ts`))
  })
})
