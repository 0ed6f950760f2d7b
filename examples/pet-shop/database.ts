import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresStore } from 'koa-smorest/postgres'
import pg from 'pg'
import { seed } from './seed.js'

export type Database = pg.Pool

/**
 * A pool of connections to the PostgreSQL server at `url`. Nothing is connected yet. Columns of
 * type bigint come as numbers, dates as `YYYY-MM-DD`, numeric as text, which loses nothing.
 */
export function openDatabase(url: string): Database {
  const { BIG_INTEGER, DATE } = { BIG_INTEGER: 20, DATE: 1082 }
  const database = new pg.Pool({
    connectionString: url,
    // Waiting longer would only pile up requests behind a server that is away.
    connectionTimeoutMillis: 2000,
    query_timeout: 5000,
    types: {
      getTypeParser: (type, format) => {
        if (type === BIG_INTEGER) return Number
        return type === DATE ? String : pg.types.getTypeParser(type, format)
      },
    },
  })
  // A connection that breaks while it is idle: the pool drops it and makes another when it is
  // needed.
  database.on('error', () => undefined)
  return database
}

/**
 * Waits for the server, calling `onWait` for each second without it, then creates and seeds the
 * tables if they do not exist.
 */
export async function prepareDatabase(database: Database, onWait: () => void): Promise<void> {
  for (;;) {
    try {
      await createTables(database)
      return await postgresStore(database).migrate()
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      onWait()
      await sleep(1000)
    }
  }
}

async function createTables(database: Database): Promise<void> {
  const client = await database.connect()
  try {
    await client.query('BEGIN')
    // Several processes of the shop may start at once: one makes the tables, the others wait here
    // for it.
    await client.query("SELECT pg_advisory_xact_lock(hashtext('pet-shop'))")
    const { rows } = await client.query("SELECT to_regclass('pets') IS NOT NULL AS found")
    if (!rows[0].found) {
      await client.query(await readFile(new URL('schema.sql', import.meta.url), 'utf8'))
      await seed(client)
    }
    for (const version of ['version-2.sql', 'version-3.sql'])
      await client.query(await readFile(new URL(version, import.meta.url), 'utf8'))
    await client.query('COMMIT')
  } finally {
    // Whatever went wrong, closing the connection rolls it back.
    client.release(true)
  }
}

const AWAY_CODES = new Set([
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
  ],
  ...['57P01', '57P02', '57P03', '53300'],
])
const AWAY_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered)/

/**
 * Whether an error says that the database cannot be reached at the moment: no connection (class 08,
 * or none in time), one that broke, a server that is starting, stopping or full. Of such an error
 * nobody is to blame but time.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return AWAY_CODES.has(code) || code.startsWith('08') || AWAY_MESSAGES.test(error.message)
}

/**
 * Whether an error says that a write would break a foreign key: a row that it refers to is not
 * there, or others still refer to it.
 */
export function breaksReference(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && (error.code === '23503' || error.code === '23001')
  )
}

/** Whether an error says that another row has the value that has to be unique. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505'
}
