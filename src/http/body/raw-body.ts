import { shown } from '../../names.js'
import { type Rule, requireOptions } from '../../options.js'
import { abort, Refusal } from '../failure.js'
import { isInRange, isUtf8Type, type MediaType } from '../media-type.js'
import { readBytes } from './bytes.js'
import {
  type BodyContext,
  consumedBody,
  DEFAULT_LIMITS,
  hasBody,
  located,
  mediaTypeOf,
  textOf,
  tooLarge,
} from './request-body.js'

/**
 * The bytes of a body as the client sent them, without its content coding: for what is signed, such
 * as the HMAC of a webhook. They are read once and kept as `ctx.request.rawBody`, so that the
 * arguments of the operation decode the same bytes later. `limit` is in bytes, 1 MiB by default; a
 * longer body is aborted with 413, a broken one with 400. Without a body it is an empty Buffer.
 * Throws an Error if middleware has read the body before and kept only what it parsed, and a
 * TypeError for a limit that is not a number.
 */
export async function rawBody(
  ctx: BodyContext,
  options: { readonly limit?: number } = {},
): Promise<Buffer> {
  if (typeof ctx?.req?.headers !== 'object' || typeof ctx.request !== 'object')
    throw new TypeError(`rawBody() takes the ctx of the request, not ${shown(ctx)}`)
  requireOptions('rawBody()', options, { limit: BYTES })
  const { limit = DEFAULT_LIMITS.json } = options
  const kept = keptBytes(ctx)
  if (kept) return kept
  const bytes = await readBytes(ctx.req, limit)
  if (bytes instanceof Refusal) abort(bytes.code, bytes)
  Object.assign(ctx.request, { rawBody: bytes })
  return bytes
}

// nothing is beyond NaN
const BYTES: Rule = {
  text: 'a number of bytes',
  fits: value => typeof value === 'number' && value >= 0,
}

/**
 * Returns the bytes of a body that is absent or has been read; undefined if it is to be read. For a
 * text, a string that a parser has left will do.
 */
function keptBytes(ctx: BodyContext, isBinary = true): Buffer | undefined {
  if (!hasBody(ctx.req)) return Buffer.alloc(0)
  const consumed = consumedBody(ctx)
  if (!consumed) return undefined
  const { rawBody: kept = isBinary ? undefined : consumed.body } = consumed
  if (Buffer.isBuffer(kept)) return kept
  if (typeof kept === 'string') return Buffer.from(kept)
  throw new Error(
    'rawBody: middleware before the API has read the request body and left no ctx.request.rawBody',
  )
}

/** The options for a body of bytes or text. */
interface RawOptions {
  /** The media type or range that is accepted. */
  readonly mediaType: string
  /** In bytes. */
  readonly limit: number
}

/**
 * Reads a body as bytes; none if it is absent. A Refusal with 415, 413, or 400 for one that is
 * broken (`errors: { bytes: [text] }`).
 */
export async function readRaw(
  ctx: BodyContext,
  options: RawOptions,
): Promise<Uint8Array | Refusal> {
  const bytes = await read(ctx, options, true)
  return bytes instanceof Refusal
    ? located(bytes, 'bytes')
    : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

/**
 * Reads a body as a string, without a byte order mark; an empty one if it is absent. Returns a
 * Refusal like `readRaw`, also with 415 for a charset other than UTF-8, and with 400 for bytes that
 * are not UTF-8 (`errors: { text: [message] }`).
 */
export async function readText(ctx: BodyContext, options: RawOptions): Promise<string | Refusal> {
  const bytes = await read(ctx, options, false)
  if (bytes instanceof Refusal) return located(bytes, 'text')
  return located(textOf(bytes), 'text')
}

async function read(
  ctx: BodyContext,
  { mediaType, limit }: RawOptions,
  isBinary: boolean,
): Promise<Buffer | Refusal> {
  if (hasBody(ctx.req)) {
    const accepts = (type: MediaType) => isInRange(mediaType.toLowerCase(), type.essence)
    const found = mediaTypeOf(ctx.req, [mediaType], accepts, isBinary ? () => true : isUtf8Type)
    if (found instanceof Refusal) return found
  }
  const bytes = keptBytes(ctx, isBinary) ?? (await readBytes(ctx.req, limit))
  if (bytes instanceof Refusal) return bytes
  return bytes.length > limit ? tooLarge('The body', limit) : bytes
}
