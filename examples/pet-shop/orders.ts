import { instant, type Rows, rows } from 'koa-smorest/kysely'
import { type Kysely, sql } from 'kysely'
import type { NewOrder, Order } from './model.js'
import type { OrderBell } from './order-bell.js'
import type { Tables } from './tables.js'

const COLUMNS = [
  'id',
  'kind',
  'owner_id as ownerId',
  'pet_id as petId',
  'price',
  instant('ordered_at').as('orderedAt'),
] as const

/** How many rows are read at a time. */
const BATCH = 100

/** The orders in the database. */
export class Orders {
  readonly #db: Kysely<Tables>
  readonly #bell: OrderBell

  constructor(db: Kysely<Tables>, bell: OrderBell) {
    this.#db = db
    this.#bell = bell
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
   * The orders after a number, or from now on, one by one as they are placed: all, or those of one
   * caller. They end when an order may have been missed.
   */
  async *placed(
    after: number | undefined,
    caller: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<Order, void, undefined> {
    // first the bell: what is placed while the table is read rings
    const rings = await this.#bell.join(signal)
    try {
      let last = after ?? (await this.#newest())
      do {
        for (let isMore = true; isMore; ) {
          const orders = await this.#after(last, caller)
          for (const order of orders) {
            yield order
            last = order.id
          }
          isMore = orders.length === BATCH
        }
      } while (!(await rings.next()).done)
    } finally {
      this.#bell.leave()
    }
  }

  async #newest(): Promise<number> {
    const { newest } = await this.#db
      .selectFrom('orders')
      .select(({ fn }) => fn.max('id').as('newest'))
      .executeTakeFirstOrThrow()
    return newest ?? 0
  }

  async #after(id: number, caller: string | undefined): Promise<Order[]> {
    const found = this.#db.selectFrom('orders').select(COLUMNS).where('id', '>', id)
    return await (caller === undefined ? found : found.where('ordered_by', '=', caller))
      .orderBy('id')
      .limit(BATCH)
      .execute()
  }

  /**
   * Reserves the pet of a kind that has been in the shop longest, in a transaction of the caller's;
   * undefined where all are gone. Whoever orders at the same moment gets the next one.
   */
  async place(
    transaction: Kysely<Tables>,
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
    // numbers in the order of the commits: who has seen an order must not miss a lower number later
    await sql`SELECT pg_advisory_xact_lock(hashtext('orders'))`.execute(transaction)
    return await transaction
      .insertInto('orders')
      .values({ kind, owner_id: ownerId, pet_id: pet.id, price: pet.price, ordered_by: caller })
      .returning(COLUMNS)
      .executeTakeFirstOrThrow()
  }
}
