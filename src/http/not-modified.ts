// Which header fields a 304 has (RFC 9110, section 15.4.5). Whether a response becomes one is decided by preconditions.ts.

/** Of the header fields of a success, those that its 304 repeats, in lower case. */
const REPEATED = new Set(['cache-control', 'content-location', 'date', 'etag', 'expires', 'vary'])

/** Of the header fields that anybody else has set, those that a 304 drops: they describe content that is not sent. */
const DROPPED = new Set(['content-type', 'content-length', 'content-encoding', 'content-language', 'content-range', 'transfer-encoding'])

/** The fields of a success that its 304 has as well; the date of the last change only where there is no entity tag. */
export function repeatedByNotModified<Field extends readonly [name: string, value: unknown]>(fields: readonly Field[]): readonly Field[] {
  const hasTag = fields.some(([name]) => name.toLowerCase() === 'etag')
  return fields.filter(([name]) => REPEATED.has(name.toLowerCase()) || (!hasTag && name.toLowerCase() === 'last-modified'))
}

/** The names, of those that are set already, that a 304 drops: Cache-Control, CORS fields, cookies and the like stay. */
export function droppedByNotModified(names: readonly string[]): readonly string[] {
  const lower = names.map(name => name.toLowerCase())
  const hasTag = lower.includes('etag')
  return lower.filter(name => DROPPED.has(name) || (hasTag && name === 'last-modified'))
}
