import type { Exchange } from '../../feature-api/exchange.js'
import { entityTagOf, entityTagOfBytes, isWellFormed } from '../../http/entity-tag.js'
import { bytesOf, LONG_TEXT } from '../../http/text-bytes.js'

/**
 * Returns the entity tag of a response's body string and a suffix; undefined if there is none. The
 * bytes of a long string are created for it, and stored to be sent.
 */
export function tagOfText(exchange: Exchange, suffix = ''): string | undefined {
  const { text } = exchange
  if (text === undefined) return undefined
  if (text.length < LONG_TEXT || !isWellFormed(text) || !isWellFormed(suffix))
    return entityTagOf(text + suffix)
  const bytes = bytesOf(text, suffix)
  exchange.bytes =
    suffix === '' ? bytes : bytes.subarray(0, bytes.length - Buffer.byteLength(suffix))
  return entityTagOfBytes(bytes)
}
