import type Koa from 'koa'
import { abort, altResponse } from 'koa-smorest'
import { isDatabaseAway } from './database.js'

/**
 * Koa middleware that responds with 503 while the database is away; the pool connects again by
 * itself.
 */
export async function unavailableWithoutDatabase(_: Koa.Context, next: Koa.Next): Promise<void> {
  try {
    await next()
  } catch (error) {
    if (!isDatabaseAway(error)) throw error
    abort(503, {
      message: 'The database is away. Please try again in a moment.',
      headers: { 'Retry-After': '2' },
      cause: error,
    })
  }
}

/** What the document says of it, for the features that all views share. */
export const mayBeUnavailable = altResponse(503, {
  description: 'The database is away.',
  headers: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } },
})
