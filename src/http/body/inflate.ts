import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { Refusal } from '../failure.js'
import { tooLarge } from './request-body.js'

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
    return new Refusal(400, { message: `The body is not valid ${coding}.` })
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
