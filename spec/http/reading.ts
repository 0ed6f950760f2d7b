// The readers of bodies with their default limits. Files go with the response.
import type { IncomingMessage, ServerResponse } from 'node:http'
import * as body from '../../src/http/body/body.js'
import * as multipart from '../../src/http/body/multipart.js'
import {
  type BodyContext,
  type BodyLimits,
  DEFAULT_LIMITS,
} from '../../src/http/body/request-body.js'

/** What the servers of the specs hand to a reader. */
export interface ReadContext extends BodyContext {
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

function files(ctx: BodyContext) {
  const onEnd = (callback: () => unknown) => {
    const { res } = ctx as ReadContext
    if (res.closed) callback()
    else res.once('close', callback)
  }
  return { withFiles: true, jsonParts: [], onEnd }
}

export const readJson = (
  ctx: BodyContext,
  options: Partial<Parameters<typeof body.readJson>[1]> = {},
) => {
  const { json: limit, depth } = DEFAULT_LIMITS
  return body.readJson(ctx, { limit, depth, mediaType: 'application/json', ...options })
}

export const readForm = (
  ctx: BodyContext,
  { limits = DEFAULT_LIMITS, mediaType = 'application/x-www-form-urlencoded' } = {},
) => body.readForm(ctx, { limits, mediaType, ...files(ctx) })

export const readMultipart = (
  ctx: BodyContext,
  { limits = DEFAULT_LIMITS }: { readonly limits?: BodyLimits } = {},
) => multipart.readMultipart(ctx, { limits, ...files(ctx) }, 'files')
