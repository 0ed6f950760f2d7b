import type { IncomingMessage } from 'node:http'
import { Refusal } from './failure.js'
import { inflate } from './koa-body.js'
import { cutShort, discard, tooLarge } from './request-body.js'

const CODINGS = new Set(['gzip', 'deflate', 'br'])

/**
 * Reads a whole body, inflated (gzip, deflate, br). A Refusal with 413 where it has more bytes than `limit`, inflated or as
 * declared, 415 for another content coding, 400 for one that is broken and for a body that is cut short.
 */
export async function readBytes(req: IncomingMessage, limit: number): Promise<Buffer | Refusal> {
  const coding = (req.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (coding !== 'identity' && !CODINGS.has(coding)) {
    const message = 'The content coding of the body must be gzip, deflate or br.'
    return new Refusal(415, { message, headers: { 'Accept-Encoding': 'gzip, deflate, br' } })
  }
  const length = Number(req.headers['content-length'])
  const bytes =
    length > limit
      ? tooLarge('The body', limit)
      : await (coding === 'identity' ? readPlain(req, limit, length) : inflate(req, coding, limit))
  if (bytes instanceof Refusal) discard(req)
  return bytes
}

/** `length` is NaN where it is not declared. */
function readPlain(req: IncomingMessage, limit: number, length: number): Promise<Buffer | Refusal> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = (result: Buffer | Refusal) => {
      req.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut)
      resolve(result)
    }
    const onEnd = () => settle(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size))
    const onCut = () => settle(cutShort())
    const onData = (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size > limit) settle(tooLarge('The body', limit))
      else if (size === length) onEnd()
    }
    if (req.destroyed) onCut()
    else req.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut)
  })
}
