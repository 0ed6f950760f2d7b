import { type Rows, rows } from 'koa-smorest/kysely'
import type { Kysely } from 'kysely'
import type { NewSubscription, Subscription } from './model.js'
import type { Tables } from './tables.js'

/** The subscriptions in the database. Nobody is shown their secrets. */
export class Subscriptions {
  readonly #db: Kysely<Tables>

  constructor(db: Kysely<Tables>) {
    this.#db = db
  }

  /** All of them, oldest first: not read yet. */
  find(): Rows<Subscription> {
    return rows(this.#db.selectFrom('subscriptions').select(['id', 'url']).orderBy('id'))
  }

  async get(id: number): Promise<Subscription | undefined> {
    return await this.#db
      .selectFrom('subscriptions')
      .select(['id', 'url'])
      .where('id', '=', id)
      .executeTakeFirst()
  }

  async add(subscription: NewSubscription): Promise<Subscription> {
    return await this.#db
      .insertInto('subscriptions')
      .values(subscription)
      .returning(['id', 'url'])
      .executeTakeFirstOrThrow()
  }

  /** Whether it was there. Nothing more is sent to it. */
  async remove(id: number): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('subscriptions')
      .where('id', '=', id)
      .executeTakeFirst()
    return numDeletedRows > 0n
  }
}
