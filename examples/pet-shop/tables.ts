import {
  type Generated,
  type GeneratedAlways,
  Kysely,
  PostgresDialect,
  type PostgresPoolClient,
} from 'kysely'
import type { PoolClient } from 'pg'
import { type Database, isDatabaseAway } from './database.js'
import type { Pet } from './model.js'

/** The tables of schema.sql, version-2.sql and version-3.sql as queries see them. */
export interface Tables {
  pets: {
    id: GeneratedAlways<number>
    name: string
    kind: Pet['kind']
    breed: string | null
    birth_date: string
    price: string
    status: Pet['status']
    tags: string[]
    owner_id: number | null
    version: Generated<number>
  }
  owners: {
    id: GeneratedAlways<number>
    name: string
    email: string
    phone: string | null
    city: string
    version: Generated<number>
  }
  pictures: { pet_id: number; media_type: string; bytes: Buffer }
  orders: {
    id: GeneratedAlways<number>
    kind: Pet['kind']
    owner_id: number
    pet_id: number
    price: string
    ordered_by: string
    ordered_at: GeneratedAlways<Date>
  }
  subscriptions: { id: GeneratedAlways<number>; url: string; secret: string }
  outbox: {
    id: Generated<string>
    subscription_id: number
    event: string
    attempts: Generated<number>
    due: Generated<Date>
  }
}

/** Queries over a pool, which stays its owner's to end. */
export function queriesOver(pool: Database): Kysely<Tables> {
  return new Kysely({
    dialect: new PostgresDialect({
      pool: { connect: () => connect(pool), end: async () => undefined },
    }),
  })
}

/** Queries in the transaction that a connection has open. */
export function queriesIn(client: PoolClient): Kysely<Tables> {
  const connection = {
    query: (text: string, parameters: readonly unknown[]) => client.query(text, [...parameters]),
    release: () => undefined,
  } as unknown as PostgresPoolClient
  return new Kysely({
    dialect: new PostgresDialect({
      pool: { connect: async () => connection, end: async () => undefined },
    }),
  })
}

/**
 * A connection of the pool for Kysely, which by itself would neither listen to its errors, so that
 * a restart of the database in the middle of a transaction would end the process, nor keep a
 * connection whose query was given up from being used again.
 */
async function connect(pool: Database): Promise<PostgresPoolClient> {
  const client = await pool.connect()
  let isBroken = false
  const noteError = () => {
    isBroken = true
  }
  client.on('error', noteError)
  const query = async (text: string, parameters: readonly unknown[]) => {
    try {
      return await client.query(text, [...parameters])
    } catch (error) {
      isBroken ||= isDatabaseAway(error)
      throw error
    }
  }
  const release = () => {
    client.off('error', noteError)
    client.release(isBroken)
  }
  return { query, release } as unknown as PostgresPoolClient
}
