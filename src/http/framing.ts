// Header fields that frame a message or control the connection. The server sets them: a second one would split the response, and one copied
// from elsewhere would be about another connection.

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

/** Whether a field of this name frames a response, and so cannot be set for one whose body the server writes. */
export function isFraming(name: string): boolean {
  const lower = name.toLowerCase()
  return lower === 'content-length' || HOP_BY_HOP.has(lower)
}
