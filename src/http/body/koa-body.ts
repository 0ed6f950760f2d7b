import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Transform, type TransformCallback } from 'node:stream'
import type { Context } from 'koa'
import type { KoaBodyMiddlewareOptions } from 'koa-body'
import { Refusal } from '../failure.js'
import { cutShort, tooLarge } from './request-body.js'

// koa-body, with co-body and formidable behind it, stands behind this door alone. It is imported when the first compressed
// or multipart body comes (that takes 100 ms), and reads from a stream and a context of ours, so that it sees the header
// fields we have checked and leaves nothing on the application's context.

/** One part of a multipart body. The texts are Latin-1, so that no byte is lost. */
export interface Part {
  /** The value of its Content-Disposition field. */
  readonly disposition: string
  /** The value of its Content-Type field. */
  readonly type: string | undefined
  /** Emits 'data' with a Buffer, and 'end'. Listen at once, and throw nothing. */
  readonly content: EventEmitter
}

/** A body on its way to koa-body, which may be paused, and refused half-way. */
export class BodySource extends Transform {
  refusal: Refusal | undefined
  #left: number
  #around: number

  /** @param around how many bytes of a multipart body may be something else than content of its parts */
  constructor(
    readonly headers: object,
    readonly limit: number,
    around = Number.POSITIVE_INFINITY,
  ) {
    super()
    this.#left = limit
    this.#around = around
  }

  /** Says that so many of the bytes were content of a part. */
  countContent(bytes: number): void {
    this.#around += bytes
  }

  /** Stops reading, or what is still to come of what has been read. The first refusal is the answer. */
  refuse(refusal: Refusal): void {
    this.refusal ??= refusal
    this.destroy(new Error('refused'))
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#left -= chunk.length
    this.#around -= chunk.length
    if (this.#left < 0) this.refuse(tooLarge('The body', this.limit))
    else if (this.#around < 0) this.refuse(LONG_HEADERS)
    else done(null, chunk)
  }
}

const LONGEST_HEADERS = 8 * 1024
const LONG_HEADERS = new Refusal(400, { message: `The header fields of a part may have at most ${LONGEST_HEADERS} bytes.` })

/** Reads a compressed body. A Refusal with 413 where it has more bytes than `limit`, 400 where it is broken or cut short. */
export async function inflate(req: IncomingMessage, coding: string, limit: number): Promise<Buffer | Refusal> {
  const source = new BodySource({ 'content-encoding': coding }, limit)
  try {
    // The text of a Latin-1 body is its bytes.
    const options = { json: false, urlencoded: false, text: true, textLimit: limit, encoding: 'binary' }
    return Buffer.from((await parse(req, source, options)) as string, 'latin1')
  } catch (error) {
    if (source.refusal) return source.refusal
    const { status, errno } = error as { status?: number; errno?: number }
    if (status === 413) return tooLarge('The body', limit)
    if (status !== 400 && errno === undefined) throw error
    return new Refusal(400, { message: `The body is not valid ${coding}.` })
  } finally {
    source.destroy()
  }
}

/**
 * Reads a multipart body, handing on its parts as they come. What `source` was refused with is the result; a body that is
 * not multipart of this boundary, or is cut short, is refused with 400.
 */
export async function eachPart(req: IncomingMessage, source: BodySource, onPart: (part: Part) => void): Promise<Refusal | undefined> {
  let settled = false
  const formidable: KoaBodyMiddlewareOptions['formidable'] = {
    encoding: 'binary',
    // Nothing is handed on to formidable's own handling of parts, which takes a file without a type for a field, a field
    // with one for a file, and leaves files open after an error.
    onPart: part => {
      // formidable goes through what it has buffered after an error too.
      if (settled) return
      const { headers } = part as unknown as { headers: Record<string, string | undefined> }
      if (Object.entries(headers).flat().join('').length > LONGEST_HEADERS) return source.refuse(LONG_HEADERS)
      part.on('data', chunk => source.countContent(chunk.length))
      onPart({ disposition: headers['content-disposition'] ?? '', type: headers['content-type'], content: part })
    },
  }
  try {
    await parse(req, source, { json: false, urlencoded: false, text: false, multipart: true, formidable })
    return source.refusal
  } catch (error) {
    if (source.refusal) return source.refusal
    if ((error as { httpCode?: number }).httpCode === undefined) throw error
    return new Refusal(400, { message: 'The body is not valid multipart/form-data.' })
  } finally {
    settled = true
    source.destroy()
  }
}

/** The header fields with which formidable reads a multipart body. */
export function multipartHeaders(boundary: string): object {
  return {
    'transfer-encoding': 'chunked',
    // formidable takes a body for JSON if the field has "json" anywhere, in a random boundary too.
    'content-type': { toString: () => 'multipart/form-data', match: () => ['', boundary] },
  }
}

async function parse(req: IncomingMessage, source: BodySource, options: Partial<KoaBodyMiddlewareOptions>): Promise<unknown> {
  const { koaBody } = await import('koa-body')
  const request: { body?: unknown } = {}
  const ctx = { method: 'POST', is: () => true, req: source, request } as unknown as Context
  const onCut = () => {
    if (!req.readableEnded) source.refuse(cutShort())
  }
  try {
    await new Promise<void>((resolve, reject) => {
      // co-body does not notice that the stream which it inflates has failed.
      source.once('error', reject)
      if (req.destroyed) return onCut()
      req.once('error', onCut).once('close', onCut).pipe(source)
      koaBody(options)(ctx, async () => {}).then(resolve, reject)
    })
  } finally {
    req.off('error', onCut).off('close', onCut)
  }
  return request.body
}
