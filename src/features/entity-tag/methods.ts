import { reads } from '../../http/preconditions.js'

/** Whether a method only reads: its response can be 304. */
export const isSafe = reads

/** Whether what a method returns is a representation, which has a tag; the response to a DELETE has none. */
export function isTagged(method: string): boolean {
  return isSafe(method) || method === 'POST' || method === 'PUT' || method === 'PATCH'
}
