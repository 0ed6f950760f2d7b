import type { Database } from './database.js'
import type { NewOwner, Owner, OwnerFilter } from './model.js'
import { type Search, search } from './search.js'

const COLUMNS = 'id, name, email, phone, city, version'

/** The owners in the database, written under the same rule as the pets: only while they still have the version that is named. */
export class Owners {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** The owners that a filter lets through, each as it is `shown`. */
  find(filter: OwnerFilter, shown: (owner: Owner) => Owner = owner => owner): Search<Owner> {
    const found = search<Owner>(this.#database, {
      columns: COLUMNS,
      table: 'owners',
      where: [
        ['starts_with(lower(name), lower($1))', filter.name],
        ['lower(city) = lower($1)', filter.city],
      ],
      orderBy: 'lower(name)',
    })
    return { count: () => found.count(), slice: async (first, end) => (await found.slice(first, end)).map(shown) }
  }

  get(id: number): Promise<Owner | undefined> {
    return this.#one(`SELECT ${COLUMNS} FROM owners WHERE id = $1`, [id])
  }

  async add({ name, email, phone, city }: NewOwner): Promise<Owner> {
    const text = `INSERT INTO owners (name, email, phone, city) VALUES ($1, $2, $3, $4) RETURNING ${COLUMNS}`
    return (await this.#one(text, [name, email, phone ?? null, city])) as Owner
  }

  /** The owner as it stands now, or undefined where it no longer has `version`. */
  replace(id: number, { name, email, phone, city }: NewOwner, version: number): Promise<Owner | undefined> {
    return this.#one(
      `UPDATE owners SET name = $1, email = $2, phone = $3, city = $4, version = version + 1
       WHERE id = $5 AND version = $6 RETURNING ${COLUMNS}`,
      [name, email, phone ?? null, city, id, version],
    )
  }

  /** Whether the owner was removed: not where it no longer has `version`. One who still has pets is refused by the database. */
  async remove(id: number, version: number): Promise<boolean> {
    const { rowCount } = await this.#database.query('DELETE FROM owners WHERE id = $1 AND version = $2', [id, version])
    return rowCount === 1
  }

  async #one(text: string, values: readonly unknown[]): Promise<Owner | undefined> {
    const { rows } = await this.#database.query<Owner>(text, [...values])
    return rows[0]
  }
}
