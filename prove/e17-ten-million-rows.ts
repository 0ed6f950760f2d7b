import { setTimeout as sleep } from 'node:timers/promises'
import type { OrderKey } from 'koa-smorest'
import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { openDatabase, prepareDatabase } from '../examples/pet-shop/database.js'
import { Pets } from '../examples/pet-shop/pets.js'
import type { Tables } from '../examples/pet-shop/tables.js'
import { createDatabase } from './database.js'
import { experiment, type Scope, scale } from './experiment.js'

// Ten million pets, walked by the shop's own search in pages of 100. The last page costs by keyset
// what the first one costs, while OFFSET reads all rows before it. No page reads the table as a
// whole, or reads rows that it does not show.

const ROWS = 10_000_000 / scale
const PAGE = 100
const PAGES = [1, 100, 10_000, 100_000].filter(page => page * PAGE <= ROWS)
const LAST = PAGES.at(-1) as number
const ROUNDS = 21

/** The sorts that are walked, with the columns of their keys. */
const SORTS: Readonly<
  Record<string, { readonly keys: readonly OrderKey[]; readonly columns: readonly string[] }>
> = {
  price: { keys: keysOf('asc', 'price', 'id'), columns: ['price', 'id'] },
  '-birthDate': { keys: keysOf('desc', 'birthDate', 'id'), columns: ['birth_date', 'id'] },
}

function keysOf(direction: 'asc' | 'desc', ...fields: string[]): OrderKey[] {
  return fields.map(field => ({ field, direction }))
}

await experiment('E17', 'ten million rows', async scope => {
  const { url } = await createDatabase(scope)
  const shop = openDatabase(url)
  await prepareDatabase(shop, () => undefined)
  await shop.end()
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  // the database is dropped with the experiment
  pool.on('error', () => undefined)
  scope.onEnd(() => pool.end())
  await fill(pool)
  for (const sort of Object.keys(SORTS)) await walk(scope, pool, sort)
})

/** Makes the rows; the indexes are those of the shop, made again when the rows are there. */
async function fill(pool: pg.Pool): Promise<void> {
  const { rows: indexes } = await pool.query(
    "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'pets' AND indexname <> 'pets_pkey'",
  )
  for (const { indexname } of indexes) await pool.query(`DROP INDEX ${indexname}`)
  await pool.query(`
    INSERT INTO pets (name, kind, birth_date, price, status, tags)
    SELECT 'Pet ' || n % 1000, 'fish', date '1990-01-01' + (n * 7919 % 12000)::int, (n * 104729 % 100000)::numeric / 100 + 1, 'available', '{}'
    FROM generate_series(1::bigint, ${ROWS}) n`)
  for (const { indexname, indexdef } of indexes)
    if (/price|birth/.test(indexname)) await pool.query(indexdef)
  await pool.query('VACUUM ANALYZE pets')
  await pool.query('CHECKPOINT')
}

async function walk(scope: Scope, pool: pg.Pool, sort: string): Promise<void> {
  const { keys, columns } = SORTS[sort] as (typeof SORTS)[string]
  const sent: CompiledQuery[] = []
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void sent.push(query),
  })
  const pets = new Pets(db).find({})
  const direction = keys[0]?.direction === 'desc' ? 'DESC' : 'ASC'
  const orderBy = columns.map(column => `${column} ${direction}`).join(', ')
  const keysets = new Map<number, number>()
  for (const page of PAGES) {
    const skipped = (page - 1) * PAGE
    const offset = () =>
      pool.query(`SELECT * FROM pets ORDER BY ${orderBy} LIMIT ${PAGE} OFFSET ${skipped}`)
    const after = await keyBefore(pool, columns, orderBy, skipped)
    const keyset = () => pets.seek({ orderBy: keys, after, limit: PAGE + 1 })
    const shown = (await keyset()).slice(0, PAGE).map(({ id }) => Number(id))
    // the last pages take minutes by OFFSET: once, and in one sort
    const isFar = page > 1000
    if (!isFar || sort === 'price') {
      const began = performance.now()
      const wanted = (await offset()).rows.map(({ id }) => Number(id))
      const once = performance.now() - began
      if (JSON.stringify(shown) !== JSON.stringify(wanted))
        throw new Error(`page ${page} by ${sort} is another one by OFFSET`)
      scope.figure(
        `${sort}, page ${page}, ms by OFFSET`,
        isFar ? once : await median(offset, ROUNDS),
      )
    }
    keysets.set(page, await median(keyset, ROUNDS))
    scope.figure(`${sort}, page ${page}, ms by keyset`, keysets.get(page) ?? Number.NaN)
    sent.length = 0
    await keyset()
    const plan = await planOf(pool, sent[0] as CompiledQuery)
    scope.figure(`${sort}, page ${page}, sequential scans`, plan.sequentialScans, { exactly: 0 })
    scope.figure(`${sort}, page ${page}, rows removed by filters`, plan.removed, {
      atMost: 2 * PAGE,
    })
  }
  const [first, last] = await interleaved(pool, pets, keys, columns, orderBy)
  scope.figure(`${sort}, page ${LAST} costs, times page 1`, last / first, { atMost: 1.5 })
}

/** The first page and the last in turns, so that whatever else the machine does hits both. */
async function interleaved(
  pool: pg.Pool,
  pets: ReturnType<Pets['find']>,
  orderBy: readonly OrderKey[],
  columns: readonly string[],
  text: string,
): Promise<[first: number, last: number]> {
  const after = await keyBefore(pool, columns, text, (LAST - 1) * PAGE)
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < 200; round++) {
    times[0].push(await timeOf(() => pets.seek({ orderBy, after: undefined, limit: PAGE + 1 })))
    times[1].push(await timeOf(() => pets.seek({ orderBy, after, limit: PAGE + 1 })))
    if (round % 20 === 0) await sleep(5)
  }
  return [middle(times[0]), middle(times[1])]
}

/** The values of the last row before a page; undefined before the first. */
async function keyBefore(
  pool: pg.Pool,
  columns: readonly string[],
  orderBy: string,
  skipped: number,
): Promise<unknown[] | undefined> {
  if (skipped === 0) return undefined
  const texts = columns.map(column => `${column}::text AS ${column}`).join(', ')
  const { rows } = await pool.query(
    `SELECT ${texts} FROM pets ORDER BY ${orderBy.replaceAll(/(\w+) (ASC|DESC)/g, 'pets.$1 $2')} LIMIT 1 OFFSET ${skipped - 1}`,
  )
  return columns.map(column => rows[0][column])
}

async function median(run: () => Promise<unknown>, rounds: number): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) times.push(await timeOf(run))
  return middle(times)
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await run()
  return performance.now() - began
}

function middle(times: readonly number[]): number {
  return times.toSorted((left, right) => left - right)[Math.floor(times.length / 2)] ?? Number.NaN
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** What PostgreSQL did for a query. */
async function planOf(
  pool: pg.Pool,
  { sql, parameters }: CompiledQuery,
): Promise<{ sequentialScans: number; removed: number }> {
  const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, [...parameters])
  const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan)
  return {
    sequentialScans: nodes.filter(node => node['Node Type'] === 'Seq Scan').length,
    removed: nodes.reduce((sum, node) => sum + (node['Rows Removed by Filter'] ?? 0), 0),
  }
}

function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}
