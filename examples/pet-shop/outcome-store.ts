import { randomUUID } from 'node:crypto'
import type { Outcome, Run, Store } from 'koa-smorest'
import { type ControlledTransaction, type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from './tables.js'

/** What `begin` has opened for a request. */
interface OpenRun extends Run<Transaction<Tables>> {
  readonly transaction: ControlledTransaction<Tables, ['method']>
  readonly fingerprint: string
  readonly keepMs: number
}

/** How many expired outcomes a request deletes. */
const BATCH = 100

/**
 * Keeps the outcomes of idempotent requests beside what they have written, in one transaction: both are there, or neither. The
 * transaction is opened before the method runs, which writes through nothing else, and committed before a byte is sent. A lock that
 * ends with it keeps other requests of the same key away, in any process, so there is nothing to clear away after a crash.
 */
export class OutcomeStore implements Store<Transaction<Tables>> {
  readonly #db: Kysely<Tables>

  constructor(db: Kysely<Tables>) {
    this.#db = db
  }

  async begin(
    key: string,
    fingerprint: string,
    keepMs: number,
  ): ReturnType<Store<Transaction<Tables>>['begin']> {
    await this.#deleteExpired()
    const transaction = await this.#db.startTransaction().execute()
    try {
      const lock = await sql<{
        isOurs: boolean
      }>`SELECT pg_try_advisory_xact_lock(hashtextextended(${key}, 0)) AS "isOurs"`.execute(
        transaction,
      )
      if (!lock.rows[0]?.isOurs) {
        await transaction.rollback().execute()
        return { state: 'running', retryAfter: 1 }
      }
      // a statement of its own, after the lock: it sees what the run before has committed
      const known = await transaction
        .selectFrom('outcomes')
        .select(['fingerprint', 'status', 'headers', 'body', 'body_is_text', 'failed'])
        .where('key', '=', key)
        .where('expires_at', '>', sql<Date>`now()`)
        .executeTakeFirst()
      if (known) {
        await transaction.rollback().execute()
        return { state: 'done', fingerprint: known.fingerprint, outcome: outcomeOf(known) }
      }
      const run: OpenRun = {
        key,
        fingerprint,
        keepMs,
        token: randomUUID(),
        transaction: await transaction.savepoint('method').execute(),
      }
      return { state: 'fresh', run }
    } catch (error) {
      await abandon(transaction)
      throw error
    }
  }

  async finish(run: Run<Transaction<Tables>>, outcome: Outcome): Promise<boolean> {
    const { key, fingerprint, keepMs, transaction } = run as OpenRun
    const { status, headers, body, failed } = outcome
    const row = {
      fingerprint,
      status,
      headers: JSON.stringify(headers),
      body: body === null ? null : Buffer.from(body as string),
      body_is_text: typeof body === 'string',
      failed,
      expires_at: sql<Date>`now() + ${keepMs} * interval '1 millisecond'`,
    }
    try {
      const kept = failed ? await transaction.rollbackToSavepoint('method').execute() : transaction
      await kept
        .insertInto('outcomes')
        .values({ key, ...row })
        // an outcome of the same key that has expired, and was not deleted yet
        .onConflict(conflict => conflict.column('key').doUpdateSet(row))
        .execute()
      await transaction.commit().execute()
      return true
    } catch (error) {
      await abandon(transaction)
      throw error
    }
  }

  release(run: Run<Transaction<Tables>>): Promise<void> {
    return abandon((run as OpenRun).transaction)
  }

  /** In a statement of its own: rows that are deleted in a transaction would keep others waiting until its end. */
  async #deleteExpired(): Promise<void> {
    await this.#db
      .deleteFrom('outcomes')
      .where('key', 'in', eb =>
        eb
          .selectFrom('outcomes')
          .select('key')
          .where('expires_at', '<=', sql<Date>`now()`)
          .limit(BATCH)
          .forUpdate()
          .skipLocked(),
      )
      .execute()
  }
}

/** Rolls back what can be rolled back, and gives the connection back in any case. */
async function abandon(transaction: ControlledTransaction<Tables, string[]>): Promise<void> {
  if (transaction.isCommitted || transaction.isRolledBack) return
  await transaction
    .rollback()
    .execute()
    .catch(() => undefined)
}

function outcomeOf({
  status,
  headers,
  body,
  body_is_text,
  failed,
}: Pick<Tables['outcomes'], 'status' | 'headers' | 'body' | 'body_is_text' | 'failed'>): Outcome {
  return {
    status,
    failed,
    headers: headers as unknown as Outcome['headers'] as [string, string][],
    body: body_is_text ? String(body) : body,
  }
}
