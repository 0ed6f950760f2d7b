// Selects the header fields of a 304 (RFC 9110, section 15.4.5). preconditions.ts decides whether a
// response becomes one.

/** The header fields of a success that its 304 repeats, in lower case. */
const REPEATED = new Set(['cache-control', 'content-location', 'date', 'etag', 'expires', 'vary'])

/** The header fields of others that a 304 drops: they describe content that is not sent. */
const DROPPED = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'content-language',
  'content-range',
  'transfer-encoding',
])

/**
 * Returns the fields of a success that its 304 repeats; Last-Modified only if there is no entity
 * tag.
 */
export function repeatedByNotModified<Field extends readonly [name: string, value: unknown]>(
  fields: readonly Field[],
): readonly Field[] {
  const hasTag = fields.some(([name]) => name.toLowerCase() === 'etag')
  return fields.filter(
    ([name]) =>
      REPEATED.has(name.toLowerCase()) || (!hasTag && name.toLowerCase() === 'last-modified'),
  )
}

/**
 * Returns the names of set fields that a 304 drops; Cache-Control, CORS fields, cookies and the
 * like are kept.
 */
export function droppedByNotModified(names: readonly string[]): readonly string[] {
  const lower = names.map(name => name.toLowerCase())
  const hasTag = lower.includes('etag')
  return lower.filter(name => DROPPED.has(name) || (hasTag && name === 'last-modified'))
}
