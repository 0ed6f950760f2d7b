// Entity tags of bodies given to Koa: strings, bytes and files. koa-etag computes them, so they are
// those of a plain Koa app.
import koaEtag from 'koa-etag'
import type { Context } from '../../feature-api/exchange.js'
import { conditionsOf, evaluate } from '../../http/preconditions.js'
import { writeNotModified } from '../../respond/response.js'

const tagged = koaEtag()

/**
 * Koa middleware for a GET outside any operation: tags the response of `next`, and turns it into a
 * 304 if the client has it.
 */
export async function respondConditionally(ctx: Context, next: () => Promise<void>): Promise<void> {
  await tagged(ctx, next)
  const etag = ctx.response.get('ETag') || undefined
  if (evaluate('GET', conditionsOf(ctx.req.headers), { etag }) === 304) writeNotModified(ctx)
}

/**
 * Returns the tag of a body that a method gave to Koa: a string, a buffer or a file. koa-etag would
 * treat any other as `{}`.
 */
export async function tagOfKoaBody(ctx: Context): Promise<string | undefined> {
  const body: unknown = ctx.body
  if (typeof body !== 'string' && !Buffer.isBuffer(body) && !isFileStream(body)) return undefined
  // the method is over, so there is nothing left for the middleware to wait for
  await tagged(ctx, async () => undefined)
  return ctx.response.get('ETag') || undefined
}

function isFileStream(body: unknown): boolean {
  return (
    typeof (body as { path?: unknown } | null)?.path === 'string' &&
    typeof (body as { pipe?: unknown }).pipe === 'function'
  )
}
