// koa-smorest/postgres: outcomes of idempotent requests, beside what the requests have written.

import { randomUUID } from 'node:crypto'
import type { Outcome, Run, Store } from './features/idempotent/store.js'
import { shown } from './names.js'
import { requireOptions } from './options.js'

/** The part of a `Client` of `pg` that the store uses. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
  release(destroy?: boolean): void
}

/** The part of a `Pool` of `pg` that the store uses. */
export interface PostgresPool<Client extends PostgresClient = PostgresClient> {
  connect(): Promise<Client>
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
}

/** Options of `postgresStore`. */
export interface PostgresStoreOptions {
  /**
   * The table of the outcomes, which may be in a schema: `app.outcomes`. Default `outcomes`.
   * `migrate` creates it.
   */
  readonly table?: string
}

/** A store whose methods write in the transaction that keeps the outcome. */
export interface PostgresStore<Client extends PostgresClient> extends Store<Client> {
  /** Creates the table if it does not exist. Several processes may call it at once. */
  migrate(): Promise<void>
  /** The statements of `migrate`, for tools that manage the schema. */
  readonly sql: string
}

/**
 * A store of `idempotent` in PostgreSQL, for any number of processes. `begin` opens a transaction
 * on a connection of the pool, and the method gets that connection as `transaction`: it writes
 * through nothing else. The outcome is committed with these writes before a byte of the response is
 * sent, so both are there or neither, whatever dies. A failure that is kept undoes the writes.
 *
 * A request with a key needs a connection until it ends: the pool bounds how many run at once. Set
 * `connectionTimeoutMillis`, so that the others, and all if the server is away, are 503 after it.
 * The method must not end the transaction. Throws a TypeError for a table that is not a name.
 *
 * `idempotent({ store: postgresStore(pool) })`
 */
export function postgresStore<Client extends PostgresClient>(
  pool: PostgresPool<Client>,
  options: PostgresStoreOptions = {},
): PostgresStore<Client> {
  if (Object(pool) !== pool)
    throw new TypeError(
      `postgresStore(): its first argument must be a Pool of pg, not ${shown(pool)}`,
    )
  requireOptions('postgresStore()', options, {
    table: {
      text: 'the name of a table, such as outcomes or app.outcomes',
      fits: table => typeof table === 'string' && /^\w+(?:\.\w+)?$/.test(table),
    },
  })
  return new OutcomesInPostgres(pool, options.table ?? 'outcomes')
}

/** A run whose transaction is open. */
interface OpenRun<Client> extends Run<Client> {
  readonly fingerprint: string
  readonly keepMs: number
}

/** How many expired outcomes a request deletes at most. */
const BATCH = 100

class OutcomesInPostgres<Client extends PostgresClient> implements PostgresStore<Client> {
  readonly sql: string
  readonly #statements: readonly string[]
  readonly #pool: PostgresPool<Client>
  readonly #name: string
  /** Quoted, so that any name is possible, as Postgres folds unquoted ones. */
  readonly #table: string

  constructor(pool: PostgresPool<Client>, name: string) {
    this.#pool = pool
    this.#name = name
    this.#table = name
      .split('.')
      .map(part => `"${part}"`)
      .join('.')
    this.#statements = [
      `CREATE TABLE IF NOT EXISTS ${this.#table} (
  key text PRIMARY KEY,
  fingerprint text NOT NULL,
  status smallint NOT NULL,
  headers json NOT NULL,
  body bytea,
  body_is_text boolean NOT NULL,
  failed boolean NOT NULL,
  expires_at timestamptz NOT NULL
);`,
      `CREATE INDEX IF NOT EXISTS "${name.replace('.', '_')}_expiry" ON ${this.#table} (expires_at);`,
    ]
    this.sql = this.#statements.join('\n')
  }

  async migrate(): Promise<void> {
    const client = await this.#open()
    try {
      // CREATE TABLE IF NOT EXISTS fails if two run at once; Prisma cannot read the type void
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text', [
        `koa-smorest migrate ${this.#name}`,
      ])
      // not in one query, which has a result for each of them: an ORM expects a single one
      for (const statement of this.#statements) await client.query(statement)
      await client.query('COMMIT')
    } catch (error) {
      close(client, true)
      throw error
    }
    close(client)
  }

  async begin(
    key: string,
    fingerprint: string,
    keepMs: number,
  ): ReturnType<Store<Client>['begin']> {
    await this.#deleteExpired()
    const client = await this.#open()
    try {
      // The lock ends with the transaction, so a process that dies leaves nothing to clean up.
      const lock = await client.query(
        'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS ours',
        [`${this.#name} ${key}`],
      )
      const known = lock.rows[0]?.ours
        ? // a statement of its own, after the lock: it sees what the last holder has committed
          await client.query(
            `SELECT fingerprint, status, headers, body, body_is_text, failed
             FROM ${this.#table} WHERE key = $1 AND expires_at > now()`,
            [key],
          )
        : undefined
      if (known?.rows.length === 0) {
        await client.query('SAVEPOINT method')
        const run: OpenRun<Client> = {
          key,
          token: randomUUID(),
          transaction: client,
          fingerprint,
          keepMs,
        }
        return { state: 'fresh', run }
      }
      await client.query('ROLLBACK')
      close(client)
      const row = known?.rows[0] as OutcomeRow | undefined
      if (row === undefined) return { state: 'running', retryAfter: 1 }
      return { state: 'done', fingerprint: row.fingerprint, outcome: outcomeOf(row) }
    } catch (error) {
      close(client, true)
      throw error
    }
  }

  async finish(run: Run<Client>, outcome: Outcome): Promise<boolean> {
    const { key, transaction: client, fingerprint, keepMs } = run as OpenRun<Client>
    const { status, headers, body, failed } = outcome
    try {
      if (failed) await client.query('ROLLBACK TO SAVEPOINT method')
      await client.query(
        `INSERT INTO ${this.#table}
           (key, fingerprint, status, headers, body, body_is_text, failed, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, now() + $8 * interval '1 millisecond')
         ON CONFLICT (key) DO UPDATE SET
           fingerprint = excluded.fingerprint, status = excluded.status,
           headers = excluded.headers, body = excluded.body,
           body_is_text = excluded.body_is_text, failed = excluded.failed,
           expires_at = excluded.expires_at`,
        [
          ...[key, fingerprint, status, JSON.stringify(headers)],
          ...[body === null ? null : Buffer.from(body as string), typeof body === 'string'],
          ...[failed, keepMs],
        ],
      )
      await client.query('COMMIT')
    } catch (error) {
      close(client, true)
      throw error
    }
    close(client)
    return true
  }

  async release({ transaction: client }: Run<Client>): Promise<void> {
    try {
      await client.query('ROLLBACK')
    } catch (error) {
      // ending the connection rolls back as well
      close(client, true)
      throw error
    }
    close(client)
  }

  async #open(): Promise<Client> {
    const client = await this.#pool.connect()
    // a connection that breaks meanwhile fails the next query, and must not end the process
    client.on('error', ignore)
    try {
      await client.query('BEGIN')
    } catch (error) {
      close(client, true)
      throw error
    }
    return client
  }

  /** Not in the request's transaction, whose locks would keep others waiting until its end. */
  async #deleteExpired(): Promise<void> {
    await this.#pool.query(
      `DELETE FROM ${this.#table} WHERE key IN (
         SELECT key FROM ${this.#table} WHERE expires_at <= now()
         LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
       )`,
    )
  }
}

function ignore(): void {}

/** Gives the connection back to the pool, which closes it if `destroy` is set. */
function close(client: PostgresClient, destroy = false): void {
  client.off('error', ignore)
  client.release(destroy)
}

type OutcomeRow = Omit<Outcome, 'body'> & {
  readonly fingerprint: string
  /** A Buffer of `pg`; ORMs have other arrays of bytes. */
  readonly body: Uint8Array | null
  readonly body_is_text: boolean
}

function outcomeOf({ status, headers, body, body_is_text, failed }: OutcomeRow): Outcome {
  const bytes = body && Buffer.from(body)
  return { status, headers, failed, body: body_is_text ? String(bytes) : bytes }
}
