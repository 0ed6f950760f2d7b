/** The value of Retry-After: whole seconds, at least one (RFC 9110, section 10.2.3). */
export function retryAfter(seconds: number): string {
  return String(Math.max(1, Math.ceil(Number.isFinite(seconds) ? seconds : 1)))
}
