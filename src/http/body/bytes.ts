import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { Refusal } from '../failure.js'
import { bounded, cutShort, discard, malformed, markReceived, tooLarge } from './request-body.js'

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
  // RFC 9110, section 8.4.1.3
  const name = coding.toLowerCase().replace('x-gzip', 'gzip')
  if (!['gzip', 'deflate', 'br'].includes(name)) return refuse(req, unknownCoding(coding))
  return readPlain(req, limit, length).then(bytes =>
    bytes instanceof Refusal ? bytes : inflate(bytes, name, limit),
  )
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

// The only place that knows koa-body, which inflates compressed bodies. It reads from a stream and
// a context of ours, so that it sees the header fields that we have checked and leaves nothing on
// the application's context (docs/decisions/0032).

/**
 * Inflates a compressed body. Returns a Refusal with 413 if it has more than `limit` bytes, with
 * 400 if it is broken or cut short.
 */
export async function inflate(
  bytes: Buffer,
  coding: string,
  limit: number,
): Promise<Buffer | Refusal> {
  const { koaBody } = await loadKoaBody()
  // a Latin-1 string has the bytes of the body
  const read = koaBody({
    json: false,
    urlencoded: false,
    text: true,
    textLimit: limit,
    encoding: 'binary',
  })
  const req = Object.assign(Readable.from([bytes]), { headers: { 'content-encoding': coding } })
  const request: { body?: unknown } = {}
  const ctx = { method: 'POST', is: () => true, req, request } as unknown as Context
  try {
    await read(ctx, async () => {})
  } catch (error) {
    const { status, errno } = error as { status?: number; errno?: number }
    if (status === 413) return tooLarge('The body', limit)
    if (status !== 400 && errno === undefined) throw error
    return malformed(`The body is not valid ${coding}.`)
  }
  return Buffer.from(request.body as string, 'latin1')
}

const path = pathOfKoaBody()

/** Returns undefined in a bundle: it contains koa-body, and as CommonJS has no `import.meta.url`. */
function pathOfKoaBody(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve('koa-body')
  } catch {
    return undefined
  }
}

/**
 * Loads koa-body, which takes 100 ms, when the first compressed body arrives. If the process is out
 * of file descriptors then, Node keeps the failure of the `import()` for ever, and that it has not
 * found the package. It keeps no failure of a `require` whose path was resolved before.
 */
async function loadKoaBody(): Promise<typeof import('koa-body')> {
  try {
    return await import('koa-body')
  } catch (error) {
    if (path === undefined) throw error
    return createRequire(path)(path)
  }
}

/**
 * Bytes that arrive in chunks. They are copied into one buffer that doubles, because Node makes an
 * object of 350 bytes of each chunk, and a client may send chunks of one byte. The first chunk is
 * kept without a copy: most bodies are one chunk.
 */
export class CollectedBytes {
  #buffer: Buffer = EMPTY
  #size = 0

  get size(): number {
    return this.#size
  }

  /** All bytes so far. Bytes that are added later do not change them. */
  get bytes(): Buffer {
    // a view of a buffer is an object of its own
    return this.#size === this.#buffer.length ? this.#buffer : this.#buffer.subarray(0, this.#size)
  }

  add(chunk: Buffer): void {
    const size = this.#size + chunk.length
    if (this.#size === 0) this.#buffer = chunk
    else {
      if (size > this.#buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(size, 2 * this.#buffer.length))
        this.#buffer.copy(larger, 0, 0, this.#size)
        this.#buffer = larger
      }
      chunk.copy(this.#buffer, this.#size)
    }
    this.#size = size
  }
}

const EMPTY = Buffer.alloc(0)
