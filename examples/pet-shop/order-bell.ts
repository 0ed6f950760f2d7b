import { EventEmitter, on } from 'node:events'
import pg from 'pg'
import type { Database } from './database.js'

/**
 * Rings when an order was placed, whichever process has taken it: one connection of this process
 * listens for what the database notifies (LISTEN), as long as somebody waits.
 */
export class OrderBell {
  readonly #database: Database
  readonly #emitter = new EventEmitter().setMaxListeners(0)
  #client: Promise<pg.Client> | undefined
  #waiting = 0

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * Listens until `leave`, and returns the rings. They end when the connection is lost: orders may
   * have been missed, so whoever waits has to come again.
   */
  async join(signal: AbortSignal): Promise<AsyncIterableIterator<unknown>> {
    // before the connection is ready: it may be lost in the same turn
    const rings = on(this.#emitter, 'ring', { signal, close: ['lost'] })
    this.#waiting++
    try {
      this.#client ??= this.#listen()
      await this.#client
      return rings
    } catch (error) {
      this.leave()
      throw error
    }
  }

  /** The last one who leaves closes the connection. */
  leave(): void {
    if (--this.#waiting > 0) return
    const client = this.#client
    this.#client = undefined
    client?.then(client => client.end()).catch(() => undefined)
  }

  #listen(): Promise<pg.Client> {
    const client = new pg.Client({ ...this.#database.options })
    const lose = () => {
      if (this.#client !== listening) return
      this.#client = undefined
      this.#emitter.emit('lost')
    }
    client
      .on('notification', () => this.#emitter.emit('ring'))
      .on('error', lose)
      .on('end', lose)
    const connect = async () => {
      try {
        await client.connect()
        await client.query('LISTEN orders')
        return client
      } catch (error) {
        lose()
        void client.end().catch(() => undefined)
        throw error
      }
    }
    const listening = connect()
    return listening
  }
}
