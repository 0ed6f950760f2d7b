import { type Rows, rows } from 'koa-smorest/kysely'
import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely'
import type { NewOwner, Owner, OwnerFilter } from './model.js'
import type { Tables } from './tables.js'

const COLUMNS = ['id', 'name', 'email', 'phone', 'city', 'version'] as const

/**
 * The owners in the database, written under the same rule as the pets: only while they still have
 * the version that is named.
 */
export class Owners {
  readonly #db: Kysely<Tables>

  constructor(db: Kysely<Tables>) {
    this.#db = db
  }

  /** The owners that a filter lets through, by name: not read yet. */
  find(filter: OwnerFilter): Rows<Owner> {
    const query = this.#db.selectFrom('owners').select(COLUMNS).where(matches(filter))
    return rows(query.orderBy(sql`lower(name)`).orderBy('id'))
  }

  async get(id: number): Promise<Owner | undefined> {
    return await this.#db
      .selectFrom('owners')
      .select(COLUMNS)
      .where('id', '=', id)
      .executeTakeFirst()
  }

  async add(owner: NewOwner): Promise<Owner> {
    return await this.#db
      .insertInto('owners')
      .values(columnsOf(owner))
      .returning(COLUMNS)
      .executeTakeFirstOrThrow()
  }

  /** The owner as it stands now, or undefined where it no longer has `version`. */
  async replace(id: number, owner: NewOwner, version: number): Promise<Owner | undefined> {
    return await this.#db
      .updateTable('owners')
      .set({ ...columnsOf(owner), version: version + 1 })
      .where('id', '=', id)
      .where('version', '=', version)
      .returning(COLUMNS)
      .executeTakeFirst()
  }

  /**
   * Whether the owner was removed: not where it no longer has `version`. One who still has pets is
   * refused by the database.
   */
  async remove(id: number, version: number): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('owners')
      .where('id', '=', id)
      .where('version', '=', version)
      .executeTakeFirstOrThrow()
    return numDeletedRows === 1n
  }
}

function matches({ name, city }: OwnerFilter) {
  return (eb: ExpressionBuilder<Tables, 'owners'>): Expression<SqlBool> =>
    eb.and(
      [
        name !== undefined && sql<boolean>`starts_with(lower(name), lower(${name}))`,
        city !== undefined && sql<boolean>`lower(city) = lower(${city})`,
      ].filter(condition => condition !== false),
    )
}

function columnsOf({ name, email, phone, city }: NewOwner) {
  return { name, email, phone: phone ?? null, city }
}
