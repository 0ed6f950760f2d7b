import { type Rows, rows } from 'koa-smorest/kysely'
import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely'
import type { NewPet, Pet, PetFilter } from './model.js'
import type { Tables } from './tables.js'

const COLUMNS = [
  'id',
  'name',
  'kind',
  'breed',
  'birth_date as birthDate',
  'price',
  'status',
  'tags',
  'owner_id as ownerId',
  'version',
] as const

/** How many rows of all are read at a time. */
const BATCH = 500

/** A picture of a pet as it was uploaded. */
export interface Picture {
  readonly mediaType: string
  readonly bytes: Buffer
}

/**
 * The pets in the database. A write that names a version happens only while the pet still has it:
 * one UPDATE or DELETE decides, so two writers in two processes cannot both win.
 */
export class Pets {
  readonly #db: Kysely<Tables>

  constructor(db: Kysely<Tables>) {
    this.#db = db
  }

  /**
   * The pets that a filter lets through: not read yet, `keyset` and `paginate` read their pages.
   */
  find(filter: PetFilter): Rows<Pet> {
    const query = this.#db.selectFrom('pets').select(COLUMNS).where(matches(filter)).orderBy('id')
    return rows(query, { birthDate: 'birth_date' })
  }

  /**
   * All pets by number, however many there are: a batch is read when the one before it has been
   * taken.
   */
  async *all(): AsyncGenerator<Pet, void, undefined> {
    for (let last = 0; ; ) {
      const pets = await this.#db
        .selectFrom('pets')
        .select(COLUMNS)
        .where('id', '>', last)
        .orderBy('id')
        .limit(BATCH)
        .execute()
      yield* pets
      const { length, [length - 1]: end } = pets
      if (!end || length < BATCH) return
      last = end.id
    }
  }

  async get(id: number): Promise<Pet | undefined> {
    return await this.#db.selectFrom('pets').select(COLUMNS).where('id', '=', id).executeTakeFirst()
  }

  async add(pet: NewPet): Promise<Pet> {
    return await this.#db
      .insertInto('pets')
      .values(columnsOf(pet))
      .returning(COLUMNS)
      .executeTakeFirstOrThrow()
  }

  /**
   * The pet as it stands now, or undefined where it no longer has `version`: another writer was
   * faster.
   */
  async replace(id: number, pet: NewPet, version: number): Promise<Pet | undefined> {
    return await this.#db
      .updateTable('pets')
      .set({ ...columnsOf(pet), version: version + 1 })
      .where('id', '=', id)
      .where('version', '=', version)
      .returning(COLUMNS)
      .executeTakeFirst()
  }

  /**
   * Whether the pet was removed: not where it no longer has `version`. One that was ordered is
   * refused by the database.
   */
  async remove(id: number, version: number): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('pets')
      .where('id', '=', id)
      .where('version', '=', version)
      .executeTakeFirstOrThrow()
    return numDeletedRows === 1n
  }

  async picture(id: number): Promise<Picture | undefined> {
    return await this.#db
      .selectFrom('pictures')
      .select(['media_type as mediaType', 'bytes'])
      .where('pet_id', '=', id)
      .executeTakeFirst()
  }

  /** Gives a pet its picture, in place of the one it had. */
  async setPicture(id: number, { mediaType, bytes }: Picture): Promise<void> {
    const picture = { media_type: mediaType, bytes }
    await this.#db
      .insertInto('pictures')
      .values({ pet_id: id, ...picture })
      .onConflict(conflict => conflict.column('pet_id').doUpdateSet(picture))
      .execute()
  }
}

/** The condition of a filter; a field that is not given does not count. */
function matches({ kind, status, owner, tag, name, minPrice, maxPrice, bornAfter }: PetFilter) {
  return (eb: ExpressionBuilder<Tables, 'pets'>): Expression<SqlBool> =>
    eb.and(
      [
        kind !== undefined && eb('kind', '=', kind),
        status !== undefined && eb('status', '=', status),
        owner !== undefined && eb('owner_id', '=', owner),
        tag !== undefined && sql<boolean>`tags @> ARRAY[${tag}]`,
        name !== undefined && sql<boolean>`starts_with(lower(name), lower(${name}))`,
        minPrice !== undefined && eb('price', '>=', minPrice),
        maxPrice !== undefined && eb('price', '<=', maxPrice),
        bornAfter !== undefined && eb('birth_date', '>', bornAfter),
      ].filter(condition => condition !== false),
    )
}

function columnsOf({ birthDate, ownerId, name, kind, breed, price, status, tags }: NewPet) {
  return { name, kind, breed, price, status, tags, birth_date: birthDate, owner_id: ownerId }
}
