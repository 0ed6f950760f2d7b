/** The error about header fields that are not there, or that a page of another origin is not shown. */
export function missing(names: string): Error {
  return new Error(`No ${names}, or not in Access-Control-Expose-Headers`)
}

/**
 * The header field with which a write refers to the representation in `response`, so that it is refused (412) where somebody has changed it
 * since: `client.PUT(path, { headers: ifMatch(response), … })`. Keep the response beside what the user edits, and the write is about what
 * the user has seen, whatever else was fetched meanwhile. Throws where the response has no entity tag.
 */
export function ifMatch(response: Pick<Response, 'headers'>): { 'If-Match': string } {
  const tag = tagOf(response)
  if (!tag) throw missing('ETag')
  return { 'If-Match': strong(tag) }
}

/**
 * The entity tag for If-Match, which compares strongly (RFC 9110, section 13.1.1). A proxy that compresses makes tags weak: that of the
 * origin is the same without the mark. Where it was weak there, the worst that follows is a 412.
 */
export function strong(tag: string): string {
  return tag.replace(/^W\//, '')
}

/** The entity tag of a response, if it has one. */
export function tagOf({ headers }: Pick<Response, 'headers'>): string | null {
  return headers.get('ETag')
}
