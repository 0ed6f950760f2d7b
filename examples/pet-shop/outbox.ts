import { setTimeout as sleep } from 'node:timers/promises'
import { webhook } from 'koa-smorest'
import { type Kysely, sql } from 'kysely'
import type { Database } from './database.js'
import { Order } from './model.js'
import type { Tables } from './tables.js'

export const orderPlaced = webhook('order.placed', Order, { summary: 'An order was placed' })

/** Writes an order for all subscribers, in the transaction that places it: both are there, or none. */
export async function announce(transaction: Kysely<Tables>, order: Order): Promise<void> {
  const event = sql<string>`${JSON.stringify(order)}::jsonb`
  await transaction
    .insertInto('outbox')
    .columns(['subscription_id', 'event'])
    .expression(eb => eb.selectFrom('subscriptions').select(['id', event.as('event')]))
    .execute()
}

/**
 * Takes the event that has been due for longest, and makes it due again: whoever sends it deletes
 * it, and if its process dies instead, another one sends it. The waits double from 30 s to 17 h.
 */
const TAKE = `
  UPDATE outbox SET attempts = attempts + 1, due = now() + interval '30 seconds' * 2 ^ attempts
  FROM subscriptions
  WHERE subscriptions.id = subscription_id AND outbox.id = (
    SELECT id FROM outbox WHERE due <= now() AND attempts < 12
    ORDER BY due LIMIT 1 FOR UPDATE SKIP LOCKED
  )
  RETURNING outbox.id, event, url, secret`

/** Sends what is due: `FOR UPDATE SKIP LOCKED` gives each process another event. */
export class Sender {
  readonly #database: Database
  readonly #allowPrivate: boolean

  /** `allowPrivate`: whether subscribers may be in the shop's own network. */
  constructor(database: Database, { allowPrivate }: { readonly allowPrivate: boolean }) {
    this.#database = database
    this.#allowPrivate = allowPrivate
  }

  /** Sends events until the signal aborts, and lets the last one end; `onError` is told failures. */
  async run(signal: AbortSignal, onError: (error: unknown) => void): Promise<void> {
    while (!signal.aborted) {
      const sent = await this.sendNext().catch(onError)
      if (!sent) await sleep(1000, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Sends the next event that is due; false if there is none. */
  async sendNext(): Promise<boolean> {
    const { rows } = await this.#database.query(TAKE)
    const [taken] = rows as { id: string; event: Order; url: string; secret: string }[]
    if (!taken) return false
    const { id, event, url, secret } = taken
    const options = { id, secret, timeout: '5s', allowPrivate: this.#allowPrivate } as const
    const response = await orderPlaced.send(url, event, options).catch(() => undefined)
    // one that has not arrived is due again later
    if (response?.ok) await this.#database.query('DELETE FROM outbox WHERE id = $1', [id])
    return true
  }
}
