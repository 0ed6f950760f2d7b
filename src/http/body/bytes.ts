import type { IncomingMessage } from 'node:http'
import { Refusal } from '../failure.js'
import { CollectedBytes } from './collected-bytes.js'
import { inflate } from './inflate.js'
import { bounded, cutShort, discard, markReceived, tooLarge } from './request-body.js'

/** By name: `x-gzip` is gzip (RFC 9110, section 8.4.1.3). */
const CODINGS: ReadonlyMap<string, string> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
])

/**
 * Reads a whole body, inflated (gzip, deflate, br). Returns a Refusal with 413 if it has more bytes
 * than `limit`, inflated or as declared, 415 for another content coding, 400 for one that is broken
 * and for a body that is cut short.
 */
export function readBytes(req: IncomingMessage, limit: number): Promise<Buffer | Refusal> {
  const coding = codingOf(req)
  const length = Number(req.headers['content-length'])
  if (length > limit) return refuse(req, tooLarge('The body', limit))
  if (coding === undefined) return readPlain(req, limit, length)
  const known = CODINGS.get(coding.toLowerCase())
  return known ? readInflated(req, known, limit, length) : refuse(req, unknownCoding(coding))
}

/** Returns the content coding of a body as sent, or undefined if the body is not encoded. */
export function codingOf(req: IncomingMessage): string | undefined {
  const coding = req.headers['content-encoding']?.trim() ?? ''
  // a list field may be empty (RFC 9110, section 5.6.1)
  return coding === '' || coding.toLowerCase() === 'identity' ? undefined : coding
}

async function refuse(req: IncomingMessage, refusal: Refusal): Promise<Refusal> {
  discard(req)
  return refusal
}

function unknownCoding(coding: string): Refusal {
  const message = `The content coding of the body must be gzip, deflate or br, not ${bounded(coding)}.`
  return new Refusal(415, { message, headers: { 'Accept-Encoding': 'gzip, deflate, br' } })
}

async function readInflated(
  req: IncomingMessage,
  coding: string,
  limit: number,
  length: number,
): Promise<Buffer | Refusal> {
  const bytes = await readPlain(req, limit, length)
  return bytes instanceof Refusal ? bytes : inflate(bytes, coding, limit)
}

/**
 * `length` is NaN if it is not declared. A body of a declared length is complete at its last byte,
 * before the stream ends.
 */
function readPlain(req: IncomingMessage, limit: number, length: number): Promise<Buffer | Refusal> {
  return new Promise(resolve => {
    const collected = new CollectedBytes()
    const settle = (result: Buffer | Refusal) => {
      req.off('data', onData).off('end', onEnd).off('close', onCut)
      if (result instanceof Refusal) discard(req)
      resolve(result)
    }
    const onEnd = () => {
      markReceived(req)
      settle(collected.bytes)
    }
    // an error of the request is followed by its close, and is emitted only to those who listen for
    // it
    const onCut = () => settle(cutShort())
    const onData = (chunk: Buffer) => {
      if (collected.size + chunk.length > limit) return settle(tooLarge('The body', limit))
      collected.add(chunk)
      if (collected.size === length) onEnd()
    }
    if (req.destroyed) onCut()
    else req.on('data', onData).on('end', onEnd).on('close', onCut)
  })
}
