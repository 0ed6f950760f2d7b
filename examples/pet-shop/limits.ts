import pg from 'pg'
import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible'
import type { Database } from './database.js'

/** How often, and by how many processes. */
export interface Budget {
  /** Orders of one caller in a minute. */
  readonly ordersPerMinute: number
  /** The processes that share it. */
  readonly workers: number
}

/**
 * Counts orders in the database, so that all processes of the shop share one budget. While the
 * database is away, each counts its own part of it in memory.
 */
export function orderLimiter(
  database: Database,
  { ordersPerMinute: points, workers }: Budget,
): RateLimiterPostgres {
  const window = { duration: 60, keyPrefix: 'orders' }
  const insuranceLimiter = new RateLimiterMemory({
    ...window,
    points: Math.floor(points / workers),
  })
  const storeClient = countersOf(database)
  return new RateLimiterPostgres({
    ...window,
    points,
    storeClient,
    storeType: 'pool',
    tableName: 'limits',
    tableCreated: true,
    insuranceLimiter,
  })
}

/**
 * Two connections for counting alone. Behind orders, which keep theirs for a whole transaction, a
 * count might wait so long that the insurance counted as well, and with many connections those that
 * count for one caller would wait for each other.
 */
function countersOf({ options }: Database): pg.Pool {
  const counters = new pg.Pool({
    ...options,
    max: 2,
    connectionTimeoutMillis: 10_000,
    allowExitOnIdle: true,
  })
  counters.on('error', () => undefined)
  return counters
}
