import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as t from 'io-ts'
import {
  Blueprint,
  decimal,
  int,
  isoDate,
  isoDateTime,
  keyset,
  maxLength,
  nullable,
  operation,
  Page,
  paginate,
  query,
  response,
  struct,
  uuid,
} from 'koa-smorest'
import { instant, rows } from 'koa-smorest/kysely'
import { type Generated, Kysely, PostgresDialect, sql } from 'kysely'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../examples/pet-shop/database.js'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../examples/pet-shop/embedded-postgres.js'
import { serveBlueprints } from '../support/client.js'

interface Tables {
  things: {
    id: Generated<number>
    code: string
    name: string
    price: string
    born: string | null
    created: Date
    owner: number | null
  }
  owners: { id: Generated<number>; name: string }
}

const SCHEMA = `
  CREATE TABLE owners (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL);
  CREATE TABLE things (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    code uuid NOT NULL DEFAULT gen_random_uuid(),
    name text COLLATE "und-x-icu" NOT NULL,
    price numeric NOT NULL,
    born date,
    created timestamptz NOT NULL DEFAULT clock_timestamp(),
    owner integer REFERENCES owners
  );
  CREATE INDEX ON things (price, id);`

let folder: string
let server: EmbeddedPostgres
let pool: pg.Pool
let db: Kysely<Tables>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kysely-spec-'))
  server = await startEmbeddedPostgres(folder)
  pool = openDatabase(server.url)
  db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  await pool.query(SCHEMA)
})
afterAll(async () => {
  await db?.destroy()
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  await pool.query('TRUNCATE things, owners RESTART IDENTITY')
})

/**
 * Rows with equal values, nulls, letters of several cases and scripts, moments a microsecond apart.
 */
const fill = (count: number) =>
  pool.query(
    `INSERT INTO things (name, price, born, created)
     SELECT (ARRAY['a', 'A', 'é', 'z', 'ß', ''])[1 + n % 6], round((n % 5)::numeric / 3, 4),
            CASE WHEN n % 3 = 0 THEN NULL ELSE date '2026-01-01' + n % 4 END,
            timestamptz '2026-01-01' + (n / 4) * interval '1 microsecond'
     FROM generate_series(1, $1) n`,
    [count],
  )

const Thing = struct(
  {
    id: int,
    code: uuid,
    name: maxLength(t.string, 50),
    price: decimal,
    born: nullable(isoDate),
    created: isoDateTime,
  },
  'Thing',
)
const sorts = {
  code: ['code'],
  name: ['name'],
  price: ['-price', 'name'],
  born: ['born', '-price'],
  youngest: ['-born'],
  newest: ['-created'],
} as const
const selection = () =>
  db
    .selectFrom('things')
    .select(['id', 'code', 'name', 'price', 'born', instant('created').as('created')])

const things = new Blueprint('things', { urlPrefix: '/things' })
const walked = keyset({ unique: 'id', sorts, nulls: { born: 'last' } })
things.get('/', operation(walked, response(t.array(Thing))), () =>
  rows(selection(), { created: instant('created') }),
)
const { request, errors } = await serveBlueprints(things)

const linkOf = (headers: Headers, relation: string) =>
  new RegExp(`<([^>]*)>; rel="${relation}"`).exec(headers.get('Link') ?? '')?.[1]

async function walk(
  from: string,
  relation: 'next' | 'prev',
  between: () => Promise<unknown> = async () => undefined,
) {
  const pages: number[][] = []
  for (let at: string | undefined = from; at !== undefined; ) {
    const { status, body, headers } = await request('GET', `/things/${at}`)
    expect({ at, status, errors }).toEqual({ at, status: 200, errors: [] })
    pages.push(body.map(({ id }: { id: number }) => id))
    at = linkOf(headers, relation)
    await between()
  }
  return pages
}

describe('a walk over PostgreSQL', () => {
  it.each(Object.keys(sorts))(
    'meets every row once, in the order of the database: %s',
    async sort => {
      await fill(60)
      const order = {
        code: 'code, id',
        name: 'name, id',
        price: 'price DESC, name, id',
        born: 'born NULLS LAST, price DESC, id DESC',
        youngest: 'born DESC NULLS LAST, id DESC',
        newest: 'created DESC, id DESC',
      }[sort]
      const { rows: expected } = await pool.query(`SELECT id FROM things ORDER BY ${order}`)
      const pages = await walk(`?sort=${sort}&page_size=7`, 'next')
      expect(pages.flat()).toEqual(expected.map(({ id }) => id))
      const { headers } = await request('GET', `/things/?sort=${sort}&page_size=59`)
      const last = await request('GET', `/things/${linkOf(headers, 'next')}`)
      const back = await walk(linkOf(last.headers, 'prev') as string, 'prev')
      expect([...back.reverse().flat(), last.body[0].id]).toEqual(expected.map(({ id }) => id))
    },
  )

  it.each(['next', 'prev'] as const)(
    'meets rows that stay exactly once while others come and go beside it: %s',
    async direction => {
      await fill(80)
      const { rows: staying } = await pool.query('SELECT id FROM things WHERE id % 2 = 0')
      let changes = 0
      const disturb = async () => {
        changes++
        await pool.query(
          'DELETE FROM things WHERE id IN (SELECT id FROM things WHERE id % 2 = 1 ORDER BY random() LIMIT 3)',
        )
        await pool.query(
          "INSERT INTO things (id, name, price, born) OVERRIDING SYSTEM VALUE SELECT 1001 + 2 * (1000 * $1::int + n), 'a', n, NULL FROM generate_series(1, 3) n",
          [changes],
        )
      }
      for (const sort of Object.keys(sorts)) {
        let from = `?sort=${sort}&page_size=5`
        if (direction === 'prev') {
          const end = await walk(`?sort=${sort}&page_size=100`, 'next')
          expect(end.length).toBeGreaterThan(0)
          const { headers } = await request('GET', `/things/?sort=${sort}&page_size=1`)
          const second = await request('GET', `/things/${linkOf(headers, 'next')}`)
          const pages = await walk(linkOf(second.headers, 'prev') as string, 'prev', disturb)
          expect(new Set(pages.flat()).size).toBe(pages.flat().length)
          from = `?sort=${sort}&page_size=9`
        }
        const met = (await walk(from, 'next', disturb)).flat()
        const counts = staying.map(({ id }) => met.filter(one => one === id).length)
        expect({ sort, counts: [...new Set(counts)] }).toEqual({ sort, counts: [1] })
      }
    },
  )

  it('tells moments apart that a Date cannot', async () => {
    await pool.query(
      "INSERT INTO things (name, price, created) SELECT 'a', 0, timestamptz '2026-01-01 00:00:00.000001' + n * interval '1 microsecond' FROM generate_series(0, 8) n",
    )
    expect((await walk('?sort=newest&page_size=2', 'next')).flat()).toEqual([
      9, 8, 7, 6, 5, 4, 3, 2, 1,
    ])
  })

  it('reads no more than the page if one comparison says it all', async () => {
    await fill(2000)
    await pool.query('ANALYZE things')
    const keys = new Blueprint('keys', { urlPrefix: '/keys' })
    const statements: { sql: string; parameters: readonly unknown[] }[] = []
    const logged = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool }),
      log: ({ query }) => void statements.push({ sql: query.sql, parameters: query.parameters }),
    })
    const Price = struct({ id: int, price: decimal }, 'Price')
    keys.get(
      '/',
      operation(keyset({ unique: 'id', sorts: { price: ['price'] } }), response(t.array(Price))),
      () => rows(logged.selectFrom('things').select(['id', 'price'])),
    )
    const { request } = await serveBlueprints(keys)
    const { headers } = await request('GET', '/keys/?page_size=50')
    await request('GET', `/keys/${linkOf(headers, 'next')}`)
    const { sql: text, parameters } = statements.at(-1) as (typeof statements)[number]
    expect(text).toMatch(/where \("price", "id"\) > \(\$1, \$2\)/)
    const { rows: plan } = await pool.query(
      `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ${text}`,
      [...parameters],
    )
    const lines = plan.map(row => row['QUERY PLAN']).join('\n')
    expect(lines).toMatch(/Index (?:Only )?Scan using things_price_id_idx/)
    expect(Number(/Rows Removed by Filter: (\d+)/.exec(lines)?.[1] ?? 0)).toBeLessThanOrEqual(100)
  })
})

describe('rows of a query', () => {
  it('are counted and sliced by numbered pages, in the order of the query', async () => {
    await fill(10)
    const paged = new Blueprint('paged', { urlPrefix: '/paged' })
    const Id = struct({ id: int }, 'Id')
    paged.get('/', operation(paginate(Page, { pageSize: 3 }), response(t.array(Id))), () =>
      rows(db.selectFrom('things').select('id').where('id', '>', 2).orderBy('id', 'desc')),
    )
    const { request } = await serveBlueprints(paged)
    const { body, headers } = await request('GET', '/paged/?page=2')
    expect({ body, total: JSON.parse(headers.get('X-Pagination') ?? '').total }).toEqual({
      body: [{ id: 7 }, { id: 6 }, { id: 5 }],
      total: 8,
    })
  })

  it('are turned into items, whose fields are the keys', async () => {
    await fill(5)
    const mapped = new Blueprint('mapped', { urlPrefix: '/mapped' })
    const Item = struct({ id: int, label: maxLength(t.string, 60) }, 'Item')
    const Filter = t.partial({ name: maxLength(t.string, 10) })
    mapped.get(
      '/',
      operation(
        query(Filter),
        keyset({ unique: 'id', sorts: { label: ['label'] } }),
        response(t.array(Item)),
      ),
      () =>
        rows(db.selectFrom('things').select(['id', 'name as label']), { label: 'name' }).map(
          ({ id, label }) => ({ id, label }),
        ),
    )
    const { request } = await serveBlueprints(mapped)
    const first = await request('GET', '/mapped/?page_size=3')
    const second = await request('GET', `/mapped/${linkOf(first.headers, 'next')}`)
    expect([...first.body, ...second.body].length).toBe(5)
  })

  it('of several tables need the column of each key', async () => {
    const joined = () =>
      db
        .selectFrom('things')
        .innerJoin('owners', 'owners.id', 'things.owner')
        .select(['things.id', 'owners.name'])
    await expect(
      rows(joined()).seek({
        orderBy: [{ field: 'id', direction: 'asc' }],
        after: undefined,
        limit: 1,
      }),
    ).rejects.toThrow(/name the column of id/)
    expect(
      await rows(joined(), { id: 'things.id' }).seek({
        orderBy: [{ field: 'id', direction: 'asc' }],
        after: undefined,
        limit: 1,
      }),
    ).toEqual([])
  })

  it.each([
    [
      'grouped',
      () =>
        rows(
          db
            .selectFrom('things')
            .select(({ fn }) => fn.countAll().as('n'))
            .groupBy('name'),
        ),
      /groups its rows/,
    ],
    ['distinct', () => rows(db.selectFrom('things').select('name').distinct()), /is distinct/],
    [
      'combined',
      () =>
        rows(db.selectFrom('things').select('name').union(db.selectFrom('owners').select('name'))),
      /combines queries/,
    ],
    ['limited', () => rows(db.selectFrom('things').select('name').limit(1)), /is limited: wrap it/],
  ])('cannot be sought if the query is %s', (_title, make, message) => {
    expect(make).toThrow(message)
  })

  it('may come of a wrapped query', async () => {
    await fill(12)
    const names = db.selectFrom('things').select('name').distinct().as('names')
    const found = await rows(db.selectFrom(names).selectAll()).seek({
      orderBy: [{ field: 'name', direction: 'desc' }],
      after: ['z'],
      limit: 2,
    })
    expect(found.map(({ name }) => name)).toEqual(['ß', 'é'])
  })

  it('refuse a cursor whose value the database cannot read, as any other wrong cursor', async () => {
    const seek = rows(db.selectFrom('things').select('id')).seek({
      orderBy: [{ field: 'id', direction: 'asc' }],
      after: [2 ** 40],
      limit: 1,
    })
    await expect(seek).rejects.toMatchObject({
      failure: { code: 422, errors: { query: { cursor: ['Not a cursor of this list.'] } } },
    })
    await expect(sql`SELECT 1 / 0`.execute(db)).rejects.toThrow(/division by zero/)
  })
})
