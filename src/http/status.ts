/**
 * Whether a response can end with this status: 200 to 599 (RFC 9110, section 15). Clients go on waiting after an informational one
 * (1xx), and treat what is out of range as a fault of the server.
 */
export function isFinalStatus(status: unknown): status is number {
  return Number.isInteger(status) && (status as number) >= 200 && (status as number) <= 599
}

/** Statuses whose responses have no content (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5). */
export const NO_CONTENT: ReadonlySet<number> = new Set([204, 205, 304])
