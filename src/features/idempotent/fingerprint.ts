// What makes a request the same as another one: its arguments as one text, whose hash a store keeps beside the outcome.
import { createHash, hash } from 'node:crypto'
import { canonicalText } from '../../codec/runtime/canonical-text.js'
import type { Upload } from '../../codec/types/upload-type.js'
import type { Exchange } from '../../contract/exchange.js'

/**
 * The fingerprint of a request: path parameters, all arguments as they were decoded (what is write-only included, and the
 * contents of files), and the conditions as they were sent. A promise where files have to be read.
 */
export function fingerprintOf({ ctx, texts, inputs }: Exchange): string | Promise<string> {
  const files: Upload[] = []
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = ctx.req.headers
  const text = canonicalText([texts, inputs, ifMatch, ifNoneMatch], files)
  if (files.length === 0) return hashOf(text)
  return Promise.all(files.map(digestOf)).then(digests => hashOf(`${text}\n${digests.join('\n')}`))
}

/** 43 characters, whatever the length of the text. */
export function hashOf(text: string): string {
  // UTF-8 has no lone surrogates: each would be hashed as U+FFFD, and two texts would be one
  const isWellFormed = (text as unknown as { isWellFormed(): boolean }).isWellFormed()
  return hash('sha256', isWellFormed ? text : JSON.stringify(text), 'base64url')
}

async function digestOf(file: Upload): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of file.stream()) digest.update(chunk as Uint8Array)
  return digest.digest('base64url')
}
