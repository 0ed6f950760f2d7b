import { reads } from '../../http/methods.js'

/** Returns whether a method only reads: its response can be a 304. */
export const isSafe = reads

/**
 * Returns whether a response to the method is a representation, which has a tag; the response to a
 * DELETE has none.
 */
export function isTagged(method: string): boolean {
  return isSafe(method) || method === 'POST' || method === 'PUT' || method === 'PATCH'
}
