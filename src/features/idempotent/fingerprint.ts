// What makes a request the same as another one: its arguments as bytes, whose hash a store keeps beside the outcome.
import { createHash, hash } from 'node:crypto'
import { canonicalBytes } from '../../codec/runtime/canonical-bytes.js'
import type { Upload } from '../../codec/types/upload-type.js'
import type { Exchange } from '../../contract/exchange.js'

/**
 * The fingerprint of a request: path parameters, all arguments as they were decoded (what is write-only included, and the
 * contents of files), and the conditions as they were sent. A promise where files have to be read.
 */
export function fingerprintOf({ ctx, texts, inputs }: Exchange): string | Promise<string> {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = ctx.req.headers
  const files: Upload[] = []
  const fingerprint = hashOf([texts, inputs, ifMatch, ifNoneMatch], files)
  if (files.length === 0) return fingerprint
  return Promise.all(files.map(digestOf)).then(digests => hashOf([fingerprint, digests]))
}

/** The hash of a value: 43 characters, whatever the value. Files are added to a list. */
export function hashOf(value: unknown, files: Upload[] = []): string {
  return hash('sha256', canonicalBytes(value, files), 'base64url')
}

async function digestOf(file: Upload): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of file.stream()) digest.update(chunk as Uint8Array)
  return digest.digest('base64url')
}
