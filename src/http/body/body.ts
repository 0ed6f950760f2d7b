import { isUtf8 } from 'node:buffer'
import { shown, unknownOptions } from '../../names.js'
import { abort, Refusal } from '../failure.js'
import { essenceOf, isJson, type MediaType } from '../media-type.js'
import { type Fields, parsePairs } from '../query.js'
import { readBytes } from './bytes.js'
import { checkJson, parseJson } from './json.js'
import { readMultipart } from './multipart.js'
import {
  type BodyContext,
  type BodyLimits,
  consumedBody,
  copyFields,
  DEFAULT_LIMITS,
  hasBody,
  located,
  mediaTypeOf,
  tooMany,
} from './request-body.js'

/** How a JSON body is read: its limits, and a media type that is accepted besides `application/json` and all that end in `+json`. */
export interface JsonOptions {
  readonly limit?: number
  readonly depth?: number
  readonly mediaType?: string
}

/** How a form is read. */
export interface FormOptions {
  readonly limits?: BodyLimits
  /** A media type that is accepted besides `application/x-www-form-urlencoded`, and read as that is. */
  readonly mediaType?: string
  /** Whether somebody takes the files of a multipart form, so that they have to be stored. Default `true`. */
  readonly withFiles?: boolean
}

/**
 * Reads a JSON body: its value, `undefined` where it is absent or empty, or a Refusal with 415 (media type, charset,
 * content coding), 413 (the limit) or 400 (not JSON, not UTF-8, too deep, `__proto__`, cut short; `errors: { json: [text] }`).
 * A promise of that only where something has to be waited for.
 */
export function readJson(ctx: BodyContext, options: JsonOptions = {}): unknown {
  if (!hasBody(ctx.req)) return undefined
  const {
    limit = DEFAULT_LIMITS.json,
    depth = DEFAULT_LIMITS.depth,
    mediaType = 'application/json',
  } = options
  const found = mediaTypeOf(
    ctx.req,
    [mediaType],
    type => isJson(type) || type.essence === essenceOf(mediaType),
  )
  if (found instanceof Refusal) return found
  const read = (body: unknown): unknown => {
    if (body instanceof Refusal) return located(body, 'json')
    const value =
      typeof body === 'string' || Buffer.isBuffer(body)
        ? parseJson(body, depth)
        : checkJson(body, depth)
    return value instanceof Promise
      ? value.then(parsed => located(parsed, 'json'))
      : located(value, 'json')
  }
  const consumed = consumedBody(ctx)
  return consumed ? read(consumed.rawBody ?? consumed.body) : readBytes(ctx.req, limit).then(read)
}

/**
 * Reads a form, urlencoded or multipart: its fields, none where the body is absent or empty, or a Refusal with 415, 413 or
 * 400 (`errors: { form: [text] }`). The files of a multipart body are for `readMultipart`, which reads it once for both.
 */
export async function readForm(
  ctx: BodyContext,
  options: FormOptions = {},
): Promise<Fields | Refusal> {
  if (!hasBody(ctx.req)) return Object.create(null)
  const { limits = DEFAULT_LIMITS, mediaType = URLENCODED, withFiles = true } = options
  const declared = essenceOf(mediaType)
  const isForm = ({ essence }: MediaType) =>
    essence === URLENCODED || essence === MULTIPART || essence === declared
  const found = mediaTypeOf(ctx.req, [...new Set([mediaType, URLENCODED, MULTIPART])], isForm)
  if (found instanceof Refusal) return found
  if (found.essence === MULTIPART) {
    const multipart = await readMultipart(ctx, { limits, location: 'form', withFiles })
    return multipart instanceof Refusal ? multipart : multipart.fields
  }
  const consumed = consumedBody(ctx)
  if (consumed && typeof consumed.rawBody !== 'string' && !Buffer.isBuffer(consumed.rawBody))
    return copyFields(consumed.body)
  const bytes = consumed
    ? Buffer.from(consumed.rawBody as string | Buffer)
    : await readBytes(ctx.req, limits.form)
  return located(bytes instanceof Refusal ? bytes : parseForm(bytes, limits), 'form')
}

const URLENCODED = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data'

function parseForm(bytes: Buffer, limits: BodyLimits): Fields | Refusal {
  if (!isUtf8(bytes)) return new Refusal(400, { message: 'Not valid UTF-8.' })
  const text = bytes.toString()
  if (text.split('&', limits.fields + 1).length > limits.fields)
    return tooMany('fields', limits.fields)
  return parsePairs(text) ?? new Refusal(400, { message: 'Not valid percent-encoded UTF-8.' })
}

/**
 * The bytes of a body as the client sent them, without its content coding: for what is signed, such as the HMAC of a webhook. They are
 * read once and kept as `ctx.request.rawBody`, so that `json` and `form` decode the same bytes later. `limit` is in bytes, 1 MiB by
 * default; a longer body is aborted with 413, a broken one with 400. Without a body it is an empty Buffer. Throws an Error if
 * middleware has read the body before and kept only what it parsed, and a TypeError for a limit that is no number.
 */
export async function rawBody(
  ctx: BodyContext,
  options: { readonly limit?: number } = {},
): Promise<Buffer> {
  if (typeof ctx?.req?.headers !== 'object' || typeof ctx.request !== 'object')
    throw new TypeError(`rawBody() takes the ctx of the request, not ${shown(ctx)}`)
  const [fault] = unknownOptions(options, ['limit'])
  if (fault !== undefined) throw new TypeError(`rawBody(): ${fault}`)
  const { limit = DEFAULT_LIMITS.json } = options
  // nothing is beyond NaN
  if (!(typeof limit === 'number' && limit >= 0))
    throw new TypeError(`rawBody(): limit is a number of bytes, not ${shown(limit)}`)
  if (!hasBody(ctx.req)) return Buffer.alloc(0)
  const consumed = consumedBody(ctx)
  if (consumed) {
    const { rawBody: kept } = consumed
    if (Buffer.isBuffer(kept)) return kept
    if (typeof kept === 'string') return Buffer.from(kept)
    throw new Error(
      'rawBody: middleware before the API has read the request body and left no ctx.request.rawBody',
    )
  }
  const bytes = await readBytes(ctx.req, limit)
  if (bytes instanceof Refusal) abort(bytes.code, bytes)
  Object.assign(ctx.request, { rawBody: bytes })
  return bytes
}
