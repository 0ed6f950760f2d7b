// Tells whether two requests with one Idempotency-Key are the same request: by a hash of their arguments, which the store keeps beside the
// outcome.
import { createHash, hash } from 'node:crypto'
import { canonicalText } from '../../codec/runtime/canonical-text.js'
import type { Upload } from '../../codec/types/upload-type.js'
import type { Exchange } from '../../contract/exchange.js'

/**
 * Returns the fingerprint of a request: a hash of the path parameters, all decoded arguments (write-only fields and the contents of files
 * included) and the preconditions as they were sent. Returns a promise if files have to be read.
 */
export function fingerprintOf({ ctx, texts, inputs }: Exchange): string | Promise<string> {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = ctx.req.headers
  const files: Upload[] = []
  const fingerprint = hashOf([texts, inputs, ifMatch, ifNoneMatch], files)
  if (files.length === 0) return fingerprint
  return Promise.all(files.map(digestOf)).then(digests => hashOf([fingerprint, digests]))
}

/** Returns the SHA-256 of a value in base64url, 43 characters. Uploads in the value are added to `files`. */
export function hashOf(value: unknown, files: Upload[] = []): string {
  return hash('sha256', canonicalText(value, files), 'base64url')
}

async function digestOf(file: Upload): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of file.stream()) digest.update(chunk as Uint8Array)
  return digest.digest('base64url')
}
