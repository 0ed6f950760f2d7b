// The value of Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07): the draft requires a quoted string of structured fields, but
// nearly all clients send the bare key.

const LONGEST = 255

/** A string of structured fields (RFC 9651, section 3.3.3) without and with escapes; visible ASCII characters without a quote in front. */
const QUOTED = /^"[\x20\x21\x23-\x5b\x5d-\x7e]+"$/
const ESCAPED = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])+"$/
const BARE = /^[\x21\x23-\x7e][\x21-\x7e]*$/

/** Returns the key in a field, quoted or not; undefined if it is invalid. */
export function parseKey(field: string): string | undefined {
  const key = textOf(field)
  return key.length >= 1 && key.length <= LONGEST ? key : undefined
}

function textOf(field: string): string {
  if (QUOTED.test(field)) return field.slice(1, -1)
  if (BARE.test(field)) return field
  return ESCAPED.test(field) ? field.slice(1, -1).replace(/\\(["\\])/g, '$1') : ''
}

/** The schema of the field. */
export const KEY_SCHEMA = {
  type: 'string',
  minLength: 1,
  maxLength: LONGEST,
  pattern: '^[!-~]+$',
} as const

/** The message for an invalid key. */
export const NO_KEY = `Must be a quoted string or a token of 1 to ${LONGEST} visible ASCII characters, sent once.`
