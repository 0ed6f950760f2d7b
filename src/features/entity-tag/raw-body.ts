import etagOfBody from 'koa-etag'
import type { Context } from '../../contract/exchange.js'

const tagBody = etagOfBody()

/** The tag of a string, a buffer or a file that the method answered by Koa's means; koa-etag takes every other body for `{}`. */
export async function tagOfRawBody(ctx: Context): Promise<string | undefined> {
  const body: unknown = ctx.body
  if (typeof body !== 'string' && !Buffer.isBuffer(body) && !isFileStream(body)) return undefined
  await tagBody(ctx, async () => undefined)
  return ctx.response.get('ETag') || undefined
}

function isFileStream(body: unknown): boolean {
  return typeof (body as { path?: unknown } | null)?.path === 'string' && typeof (body as { pipe?: unknown }).pipe === 'function'
}
