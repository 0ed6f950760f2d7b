// Selects the header fields that an error response drops, of those set for the response that is not
// sent.
import { parseHttpDate } from '../http-date.js'

/** Fields that describe or frame the content that is not sent. */
const DESCRIPTIVE = new Set(
  `content-disposition content-digest content-encoding content-language content-length content-location content-md5 content-range digest etag
   last-modified repr-digest trailer transfer-encoding`.split(/\s+/),
)

/**
 * Returns whether an error drops this field. Permission to cache was meant for a success: a proxy
 * would send others the error. Prohibitions are kept, since a cache may store a 404 heuristically
 * (RFC 9111, section 4.2.2).
 */
export function isDroppedByError(
  name: string,
  value: number | string | readonly string[],
): boolean {
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
