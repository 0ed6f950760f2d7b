import type { IncomingMessage } from 'node:http'
import { Transform, type TransformCallback } from 'node:stream'
import type { Context } from 'koa'
import { Refusal } from '../failure.js'
import { cutShort, tooLarge } from './request-body.js'

// The only place that knows koa-body, which inflates compressed bodies. It is imported when the first of them arrives (loading it
// takes 100 ms), and reads from a stream and a context of ours, so that it sees the header fields that we have checked and leaves
// nothing on the application's context.

/** A compressed body on its way to koa-body: counts its bytes, and can be stopped half-way. */
class CompressedBody extends Transform {
  refusal: Refusal | undefined
  readonly headers: object
  readonly #limit: number
  #size = 0

  constructor(coding: string, limit: number) {
    super()
    this.headers = { 'content-encoding': coding }
    this.#limit = limit
  }

  refuse(refusal: Refusal): void {
    this.refusal ??= refusal
    this.destroy(new Error('refused'))
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#size += chunk.length
    if (this.#size > this.#limit) this.refuse(tooLarge('The body', this.#limit))
    else done(null, chunk)
  }
}

/** Reads a compressed body. A Refusal with 413 where it has more than `limit` bytes, 400 where it is broken or cut short. */
export async function inflate(
  req: IncomingMessage,
  coding: string,
  limit: number,
): Promise<Buffer | Refusal> {
  const body = new CompressedBody(coding, limit)
  try {
    return await readWithKoaBody(req, body, limit)
  } catch (error) {
    if (body.refusal) return body.refusal
    const { status, errno } = error as { status?: number; errno?: number }
    if (status === 413) return tooLarge('The body', limit)
    if (status !== 400 && errno === undefined) throw error
    return new Refusal(400, { message: `The body is not valid ${coding}.` })
  } finally {
    body.destroy()
  }
}

async function readWithKoaBody(
  req: IncomingMessage,
  body: CompressedBody,
  limit: number,
): Promise<Buffer> {
  const { koaBody } = await import('koa-body')
  // a Latin-1 text has the bytes of the body
  const read = koaBody({
    json: false,
    urlencoded: false,
    text: true,
    textLimit: limit,
    encoding: 'binary',
  })
  const request: { body?: unknown } = {}
  const ctx = { method: 'POST', is: () => true, req: body, request } as unknown as Context
  const onCut = () => {
    if (!req.readableEnded) body.refuse(cutShort())
  }
  try {
    await new Promise<void>((resolve, reject) => {
      // co-body does not notice that the stream which it inflates has failed
      body.once('error', reject)
      if (req.destroyed) return onCut()
      req.once('error', onCut).once('close', onCut).pipe(body)
      read(ctx, async () => {}).then(resolve, reject)
    })
  } finally {
    req.off('error', onCut).off('close', onCut)
  }
  return Buffer.from(request.body as string, 'latin1')
}
