/** Creates the error for header fields that are absent, or hidden from a page of another origin. */
export function missing(names: string): Error {
  return new Error(`No ${names}, or not in Access-Control-Expose-Headers`)
}

/**
 * Returns the If-Match field for a write based on the representation in `response`, so that the
 * write is refused (412) if somebody has changed it since: `client.PUT(path, { headers:
 * ifMatch(response), … })`. Keep the response beside what the user edits: the write then refers to
 * what the user has seen, whatever was fetched meanwhile. Throws if the response has no entity tag.
 */
export function ifMatch(response: Pick<Response, 'headers'>): { 'If-Match': string } {
  const tag = tagOf(response)
  if (!tag) throw missing('ETag')
  return { 'If-Match': strong(tag) }
}

/**
 * Returns the strong form of an entity tag for If-Match, which compares strongly (RFC 9110, section
 * 13.1.1). Compressing proxies weaken tags; the tag of the origin is the same without the mark. If
 * it was weak at the origin, the worst result is a 412.
 */
export function strong(tag: string): string {
  return tag.replace(/^W\//, '')
}

/** Returns the entity tag of a response, or null. */
export function tagOf({ headers }: Pick<Response, 'headers'>): string | null {
  return headers.get('ETag')
}
