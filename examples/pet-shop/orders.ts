import { instant, type Rows, rows } from 'koa-smorest/kysely'
import type { Kysely, Transaction } from 'kysely'
import type { NewOrder, Order } from './model.js'
import type { Tables } from './tables.js'

const COLUMNS = [
  'id',
  'kind',
  'owner_id as ownerId',
  'pet_id as petId',
  'price',
  instant('ordered_at').as('orderedAt'),
] as const

/** The orders in the database. */
export class Orders {
  readonly #db: Kysely<Tables>

  constructor(db: Kysely<Tables>) {
    this.#db = db
  }

  /** All orders, or those of one caller: not read yet. */
  find(caller?: string): Rows<Order> {
    const all = this.#db.selectFrom('orders').select(COLUMNS)
    return rows(caller === undefined ? all : all.where('ordered_by', '=', caller), {
      orderedAt: instant('ordered_at'),
    })
  }

  /** An order; undefined where it does not exist or belongs to another caller. */
  async get(id: number, caller?: string): Promise<Order | undefined> {
    const found = this.#db.selectFrom('orders').select(COLUMNS).where('id', '=', id)
    return await (caller === undefined
      ? found
      : found.where('ordered_by', '=', caller)
    ).executeTakeFirst()
  }

  /**
   * Reserves the pet of a kind that has been in the shop longest, in a transaction of the caller's; undefined where all are gone.
   * Whoever orders at the same moment gets the next one.
   */
  async place(
    transaction: Transaction<Tables>,
    { kind, ownerId }: NewOrder,
    caller: string,
  ): Promise<Order | undefined> {
    const pet = await transaction
      .updateTable('pets')
      .set(eb => ({ status: 'reserved', owner_id: ownerId, version: eb('version', '+', 1) }))
      .where('id', '=', eb =>
        eb
          .selectFrom('pets')
          .select('id')
          .where('kind', '=', kind)
          .where('status', '=', 'available')
          .orderBy('id')
          .limit(1)
          .forUpdate()
          .skipLocked(),
      )
      .returning(['id', 'price'])
      .executeTakeFirst()
    if (!pet) return undefined
    return await transaction
      .insertInto('orders')
      .values({ kind, owner_id: ownerId, pet_id: pet.id, price: pet.price, ordered_by: caller })
      .returning(COLUMNS)
      .executeTakeFirstOrThrow()
  }
}
