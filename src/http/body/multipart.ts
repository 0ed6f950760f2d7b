import type { IncomingMessage } from 'node:http'
import { Refusal } from '../failure.js'
import { addField, type Fields } from '../query.js'
import { BodySource, multipartHeaders } from './koa-body.js'
import { PartReceiver } from './part-receiver.js'
import {
  type BodyContext,
  type BodyLimits,
  consumedBody,
  copyFields,
  DEFAULT_LIMITS,
  discard,
  hasBody,
  located,
  mediaTypeOf,
  tooLarge,
} from './request-body.js'
import { temporaryDirectory } from './temporary-directory.js'
import { Upload } from './upload.js'

/** A multipart/form-data body (RFC 7578): parts with a file name are files, all others fields. */
export interface Multipart {
  readonly fields: Fields
  readonly files: Record<string, Upload | Upload[]>
}

const results = new WeakMap<IncomingMessage, Promise<Multipart | Refusal>>()

/**
 * Reads a multipart body, once for all who ask. A file input that was left empty is no file; no body is no fields and no
 * files. A Refusal with 415 for another media type or a compressed body, 413 over the limits, 400 for what is malformed,
 * not UTF-8 or cut short, its text under `location`. The files go when the response is finished or its connection closed.
 */
export async function readMultipart(
  ctx: BodyContext,
  limits: BodyLimits = DEFAULT_LIMITS,
  location: 'files' | 'form' = 'files',
): Promise<Multipart | Refusal> {
  const result = results.get(ctx.req) ?? read(ctx, limits)
  results.set(ctx.req, result)
  return located(await result, location)
}

const BOUNDARY = /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/
const BYTES_AROUND_PART = 1024
/** What may be on its way to the parser while nothing is known of it yet. */
const BYTES_UNDERWAY = 256 * 1024

async function read(ctx: BodyContext, limits: BodyLimits): Promise<Multipart | Refusal> {
  const { req, res } = ctx
  if (!hasBody(req)) return { fields: Object.create(null), files: Object.create(null) }
  const mediaType = mediaTypeOf(req, 'multipart/form-data', ({ essence }) => essence === 'multipart/form-data')
  if (mediaType instanceof Refusal) return mediaType
  const consumed = consumedBody(ctx)
  if (consumed) return { fields: copyFields(consumed.body), files: uploadsOf(consumed.files) }
  if ((req.headers['content-encoding'] ?? 'identity') !== 'identity') {
    return new Refusal(415, { message: 'A multipart body cannot be compressed.', headers: { 'Accept-Encoding': 'identity' } })
  }
  const boundary = mediaType.parameters.get('boundary')
  if (boundary === undefined || !BOUNDARY.test(boundary)) return new Refusal(400, { message: 'The media type has no valid boundary.' })
  const around = BYTES_AROUND_PART * (limits.fields + limits.files)
  const limit = limits.form + Math.max(limits.total, limits.file) + around
  if (Number(req.headers['content-length']) > limit) return tooLarge('The body', limit)
  const receiver = new PartReceiver(
    await temporaryDirectory(res),
    new BodySource(multipartHeaders(boundary), limit, around + BYTES_UNDERWAY),
    limits,
  )
  const refusal = await receiver.receive(req)
  if (refusal) discard(req)
  else if (receiver.fault) throw receiver.fault
  return refusal ?? receiver
}

interface FormidableFile {
  readonly originalFilename: string | null
  readonly mimetype: string | null
  readonly size: number
  readonly filepath: string
}

/** The files that a koa-body of the application has left; they stay where it has put them. */
function uploadsOf(files: unknown): Record<string, Upload | Upload[]> {
  const uploads: Record<string, Upload | Upload[]> = Object.create(null)
  for (const [name, value] of Object.entries((files ?? {}) as Record<string, FormidableFile | FormidableFile[]>)) {
    for (const { originalFilename, mimetype, size, filepath } of [value].flat()) {
      addField(uploads, name, new Upload(originalFilename ?? '', mimetype ?? 'application/octet-stream', size, filepath))
    }
  }
  return uploads
}
