/** Whether a method only reads: its answer can be 304. */
export function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Whether what a method answers is a representation, which has a tag; a DELETE answers with none. */
export function isTagged(method: string): boolean {
  return isSafe(method) || method === 'POST' || method === 'PUT' || method === 'PATCH'
}
