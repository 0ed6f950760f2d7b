import { createHash, hash } from 'node:crypto'
import { canonicalText } from '../../codec/runtime/canonical-text.js'
import type { Upload } from '../../codec/types/upload-type.js'
import type { Exchange } from '../../feature-api/exchange.js'
import type { WireError, WireProblem, WireResponse } from '../../feature-api/wire/facts.js'

// The value of Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07): the draft requires a
// quoted string of structured fields, but nearly all clients send the bare key.

const LONGEST = 255

/**
 * A string of structured fields (RFC 9651, section 3.3.3) without and with escapes; visible ASCII
 * characters without a quote in front.
 */
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

// Tells whether two requests with one Idempotency-Key are the same request: by a hash of their
// arguments, which the store keeps beside the outcome.

/**
 * Returns the fingerprint of a request: a hash of the path parameters, all decoded arguments
 * (write-only fields and the contents of files included) and the preconditions as they were sent.
 * Returns a promise if files have to be read.
 */
export function fingerprintOf({ ctx, texts, inputs }: Exchange): string | Promise<string> {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = ctx.req.headers
  const files: Upload[] = []
  const fingerprint = hashOf([texts, inputs, ifMatch, ifNoneMatch], files)
  if (files.length === 0) return fingerprint
  return Promise.all(files.map(digestOf)).then(digests => hashOf([fingerprint, digests]))
}

/**
 * Returns the SHA-256 of a value in base64url, 43 characters. Uploads in the value are added to
 * `files`.
 */
export function hashOf(value: unknown, files: Upload[] = []): string {
  return hash('sha256', canonicalText(value, files), 'base64url')
}

async function digestOf(file: Upload): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of file.stream()) digest.update(chunk as Uint8Array)
  return digest.digest('base64url')
}

/** The wire facts of `idempotent`. */
export interface IdempotentWire<IsRequired> {
  header: IsRequired extends true ? { 'Idempotency-Key': string } : { 'Idempotency-Key'?: string }
  success: { 'Idempotency-Replayed'?: 'true' }
  errors: 400 | 422
  responses:
    | WireResponse<
        409,
        WireError<WireProblem<'idempotency-running', unknown>>,
        { 'Retry-After'?: number },
        false
      >
    | WireResponse<503, WireError, { 'Retry-After'?: number }, false>
}
