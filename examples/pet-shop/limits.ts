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
 * Counts orders in the database, so that all processes of the shop share one budget. While the database is away, each counts its own
 * part of it in memory.
 */
export function orderLimiter(storeClient: Database, { ordersPerMinute: points, workers }: Budget): RateLimiterPostgres {
  const window = { duration: 60, keyPrefix: 'orders' }
  const insuranceLimiter = new RateLimiterMemory({ ...window, points: Math.floor(points / workers) })
  return new RateLimiterPostgres({ ...window, points, storeClient, tableName: 'limits', tableCreated: true, insuranceLimiter })
}
