import type { Database } from './database.js'
import type { NewPet, Pet, PetFilter } from './model.js'
import { type Search, search } from './search.js'

const COLUMNS = 'id, name, kind, breed, birth_date AS "birthDate", price, status, tags, owner_id AS "ownerId", version'

const ORDER = {
  name: 'lower(name)',
  '-name': 'lower(name) DESC',
  price: 'price',
  '-price': 'price DESC',
  birthDate: 'birth_date',
  '-birthDate': 'birth_date DESC',
} as const

/** A picture of a pet as it was uploaded. */
export interface Picture {
  readonly mediaType: string
  readonly bytes: Buffer
}

/**
 * The pets in the database. A write that names a version happens only while the pet still has it: one UPDATE or DELETE decides, so
 * two writers in two processes cannot both win.
 */
export class Pets {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  find(filter: PetFilter): Search<Pet> {
    return search(this.#database, {
      columns: COLUMNS,
      table: 'pets',
      where: [
        ['kind = $1', filter.kind],
        ['status = $1', filter.status],
        ['owner_id = $1', filter.owner],
        ['tags @> ARRAY[$1]', filter.tag],
        ['starts_with(lower(name), lower($1))', filter.name],
        ['price >= $1', filter.minPrice],
        ['price <= $1', filter.maxPrice],
        ['birth_date > $1', filter.bornAfter],
      ],
      orderBy: filter.sort === undefined ? 'id' : ORDER[filter.sort],
    })
  }

  get(id: number): Promise<Pet | undefined> {
    return this.#one(`SELECT ${COLUMNS} FROM pets WHERE id = $1`, [id])
  }

  async add(pet: NewPet): Promise<Pet> {
    const added = await this.#one(
      `INSERT INTO pets (name, kind, breed, birth_date, price, status, tags, owner_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${COLUMNS}`,
      valuesOf(pet),
    )
    return added as Pet
  }

  /** The pet as it stands now, or undefined where it no longer has `version`: another writer was faster. */
  replace(id: number, pet: NewPet, version: number): Promise<Pet | undefined> {
    return this.#one(
      `UPDATE pets
       SET name = $1, kind = $2, breed = $3, birth_date = $4, price = $5, status = $6, tags = $7, owner_id = $8, version = version + 1
       WHERE id = $9 AND version = $10 RETURNING ${COLUMNS}`,
      [...valuesOf(pet), id, version],
    )
  }

  /** Whether the pet was removed: not where it no longer has `version`. */
  async remove(id: number, version: number): Promise<boolean> {
    const { rowCount } = await this.#database.query('DELETE FROM pets WHERE id = $1 AND version = $2', [id, version])
    return rowCount === 1
  }

  async picture(id: number): Promise<Picture | undefined> {
    const text = 'SELECT media_type AS "mediaType", bytes FROM pictures WHERE pet_id = $1'
    const { rows } = await this.#database.query<Picture>(text, [id])
    return rows[0]
  }

  /** Gives a pet its picture, in place of the one it had. */
  async setPicture(id: number, { mediaType, bytes }: Picture): Promise<void> {
    const text = `INSERT INTO pictures (pet_id, media_type, bytes) VALUES ($1, $2, $3)
                  ON CONFLICT (pet_id) DO UPDATE SET media_type = excluded.media_type, bytes = excluded.bytes`
    await this.#database.query(text, [id, mediaType, bytes])
  }

  async #one(text: string, values: readonly unknown[]): Promise<Pet | undefined> {
    const { rows } = await this.#database.query<Pet>(text, [...values])
    return rows[0]
  }
}

function valuesOf({ name, kind, breed, birthDate, price, status, tags, ownerId }: NewPet): readonly unknown[] {
  return [name, kind, breed, birthDate, price, status, tags, ownerId]
}
