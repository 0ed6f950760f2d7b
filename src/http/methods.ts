/**
 * Whether a method is for reading: its response may be a 304, and may be kept by caches. QUERY is
 * one, whose selected representation is the result of the query (RFC 10008, section 2).
 */
export function reads(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'QUERY'
}
