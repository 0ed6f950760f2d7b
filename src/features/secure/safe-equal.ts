import { createHash, timingSafeEqual } from 'node:crypto'

/**
 * Whether two secrets are equal, in a time that does not depend on how much of them is: for keys, tokens and hashes of
 * passwords. `===` stops at the first letter that differs, which can be measured.
 */
export function safeEqual(left: string | Uint8Array, right: string | Uint8Array): boolean {
  // what it is stays out of the log
  return timingSafeEqual(digestOf(left), digestOf(right))
}

/** Digests have one length, and letters that agree in a secret do not agree in its digest. */
function digestOf(secret: string | Uint8Array): Buffer {
  try {
    return createHash('sha256').update(secret).digest()
  } catch {
    // Node's own error says what it was
    throw new TypeError('safeEqual() compares texts or bytes')
  }
}
