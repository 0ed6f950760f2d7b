// Which header fields an error response drops, of those that were set for the response that is not sent.
import { parseHttpDate } from './http-date.js'

/** They describe or frame other content. */
const DESCRIPTIVE = new Set(
  `content-disposition content-digest content-encoding content-language content-length content-location content-md5 content-range digest etag
   last-modified repr-digest trailer transfer-encoding`.split(/\s+/),
)

/**
 * Whether an error drops this field. What allows a cache to store was said of a success: a proxy would send others the
 * error. What forbids it stays, since a 404 may be stored by rule of thumb (RFC 9111, section 4.2.2).
 */
export function isDroppedByError(name: string, value: number | string | readonly string[]): boolean {
  const lower = name.toLowerCase()
  return DESCRIPTIVE.has(lower) || allowsStoring(lower, String(value))
}

function allowsStoring(name: string, value: string): boolean {
  if (name === 'age') return true
  if (name === 'expires') return (parseHttpDate(value)?.getTime() ?? 0) > Date.now()
  if (name === 'x-accel-expires') return !/^\s*(?:0|off)\s*$/.test(value)
  // fields for one kind of cache are called after it: CDN-Cache-Control (RFC 9213)
  if (!/(?:^|-)(?:cache|surrogate)-control$/.test(name)) return false
  return !value.split(',').some(directive => /^\s*no-(?:store|cache)\s*$/i.test(directive))
}
