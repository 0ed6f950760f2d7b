/** Statuses whose responses have no content (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5). */
export const NO_CONTENT: ReadonlySet<number> = new Set([204, 205, 304])
