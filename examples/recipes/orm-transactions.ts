import { type SQL, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { PostgresClient, PostgresPool } from 'koa-smorest/postgres'

type Rows = Promise<{ rows: Record<string, unknown>[] }>

/** The part of an ORM that its transactions need. */
export interface Orm<Tx> {
  /** Commits if the promise of `work` resolves, and rolls back if it rejects. */
  transaction(work: (tx: Tx) => Promise<void>): Promise<void>
  /** Runs a statement with `$1`, in the transaction if there is one. */
  query(tx: Tx | undefined, text: string, values: readonly unknown[]): Rows
}

/**
 * A pool for `postgresStore` whose connections are transactions of an ORM that opens them only for a
 * callback: `idempotent({ store: postgresStore(ormPool(orm)) })`. The method writes through
 * `transaction.tx`.
 */
export function ormPool<Tx>(orm: Orm<Tx>): PostgresPool<OrmTransaction<Tx>> {
  return {
    connect: async () => new OrmTransaction(orm),
    query: (text, values = []) => orm.query(undefined, text, values),
  }
}

/** A transaction of an ORM, with `BEGIN`, `COMMIT` and `ROLLBACK` as statements. */
export class OrmTransaction<Tx> implements PostgresClient {
  #tx: Tx | undefined
  /** Settles when the transaction has ended; `#end` ends it. */
  #ended: Promise<void> = Promise.resolve()
  #end: (reason?: Error) => void = () => undefined

  constructor(readonly orm: Orm<Tx>) {}

  get tx(): Tx {
    if (this.#tx === undefined) throw new Error('The transaction is not open')
    return this.#tx
  }

  async query(text: string, values: unknown[] = []): Rows {
    if (text === 'BEGIN') await this.#begin()
    else if (text === 'COMMIT') {
      this.#end()
      await this.#ended
    } else if (text === 'ROLLBACK') {
      this.release()
      await this.#ended.catch(() => undefined)
    } else return this.orm.query(this.tx, text, values)
    return { rows: [] }
  }

  /** Rolls back, if the transaction has not ended. */
  release(): void {
    this.#end(new Error('Rolled back'))
  }

  #begin(): Promise<void> {
    return new Promise((opened, failed) => {
      this.#ended = this.orm.transaction(
        tx =>
          new Promise((commit, rollback) => {
            this.#tx = tx
            this.#end = reason => (reason ? rollback(reason) : commit())
            opened()
          }),
      )
      this.#ended.catch(failed)
    })
  }

  // an ORM listens to its connections itself
  on(): void {}
  off(): void {}
}

/** The transactions of Drizzle over `pg`. */
export function drizzleOrm(db: NodePgDatabase): Orm<Pick<NodePgDatabase, 'execute' | 'insert'>> {
  return {
    transaction: work => db.transaction(work),
    query: (tx = db, text, values) => tx.execute(withValues(text, values)),
  }
}

function withValues(text: string, values: readonly unknown[]): SQL {
  const parts = text.split(/\$(\d+)/)
  return sql.join(
    parts.map((part, index) =>
      index % 2 === 0 ? sql.raw(part) : sql`${values[Number(part) - 1]}`,
    ),
  )
}
