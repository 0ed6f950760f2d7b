import { createHash, timingSafeEqual } from 'node:crypto'

/**
 * Compares two secrets in a time that does not depend on how many characters match: for keys,
 * tokens and hashes of passwords. `===` stops at the first difference, which can be measured.
 */
export function safeEqual(left: string | Uint8Array, right: string | Uint8Array): boolean {
  return timingSafeEqual(digestOf(left), digestOf(right))
}

/** Digests have the same length, and matching prefixes of secrets do not show in them. */
function digestOf(secret: string | Uint8Array): Buffer {
  try {
    return createHash('sha256').update(secret).digest()
  } catch {
    // the message of Node's own error contains the value
    throw new TypeError('safeEqual() compares texts or bytes')
  }
}
