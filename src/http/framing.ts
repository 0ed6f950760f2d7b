// Header fields that frame a message or control the connection. The server sets them: a second one
// would split the response, and one copied from elsewhere would be about another connection.

/** Fields about one connection only (RFC 9110, section 7.6.1), in lower case. */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Whether a field of this name frames a response, and so cannot be set for one whose body the
 * server writes.
 */
export function isFraming(name: string): boolean {
  const lower = name.toLowerCase()
  return lower === 'content-length' || HOP_BY_HOP.has(lower)
}

/**
 * Whether a response can end with this status: 200 to 599 (RFC 9110, section 15). Clients go on
 * waiting after an informational one (1xx), and treat what is out of range as a fault of the
 * server.
 */
export function isFinalStatus(status: unknown): status is number {
  return Number.isInteger(status) && (status as number) >= 200 && (status as number) <= 599
}

/** Statuses whose responses have no content (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5). */
export const NO_CONTENT: ReadonlySet<number> = new Set([204, 205, 304])
