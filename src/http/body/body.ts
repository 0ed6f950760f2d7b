import { isUtf8 } from 'node:buffer'
import { Refusal } from '../failure.js'
import { essenceOf, isJson, type MediaType } from '../media-type.js'
import { type Fields, parsePairs } from '../query.js'
import { readBytes } from './bytes.js'
import { type MultipartOptions, readMultipart } from './multipart.js'
import {
  type BodyContext,
  type BodyLimits,
  consumedBody,
  copyFields,
  hasBody,
  located,
  malformed,
  mediaTypeOf,
  textOf,
  tooMany,
} from './request-body.js'

/**
 * How a JSON body is read: its limits, and a media type that is accepted besides `application/json`
 * and all that end in `+json`.
 */
interface JsonOptions {
  readonly limit: number
  readonly depth: number
  readonly mediaType: string
  /** Parses a language other than JSON, in which case only `mediaType` is accepted. */
  readonly parse?: Parse | undefined
}

/** Returns the value of a string; throws or rejects if it cannot be read. */
export type Parse = (text: string) => unknown

/** How a form is read. */
interface FormOptions extends MultipartOptions {
  /**
   * A media type that is accepted besides `application/x-www-form-urlencoded`, and read as that is.
   */
  readonly mediaType: string
}

/**
 * Reads a JSON body: its value, `undefined` if it is absent or empty, or a Refusal with 415 (media
 * type, charset, content coding), 413 (the limit) or 400 (not JSON, not UTF-8, too deep,
 * `__proto__`, cut short; `errors: { json: [text] }`). Returns a promise only if it has to wait.
 */
export function readJson(
  ctx: BodyContext,
  { limit, depth, mediaType, parse }: JsonOptions,
): unknown {
  if (!hasBody(ctx.req)) return undefined
  const found = mediaTypeOf(ctx.req, [mediaType], jsonTypes(mediaType, ctx.req.method, parse))
  if (found instanceof Refusal) return found
  const read = (body: unknown): unknown => {
    if (body instanceof Refusal) return located(body, 'json')
    const isText = typeof body === 'string' || Buffer.isBuffer(body)
    const value = !isText
      ? checkJson(body, depth)
      : parse
        ? parseAs(body, depth, mediaType, parse)
        : parseJson(body, depth)
    return value instanceof Promise
      ? value.then(parsed => located(parsed, 'json'))
      : located(value, 'json')
  }
  const consumed = consumedBody(ctx)
  return consumed ? read(consumed.rawBody ?? consumed.body) : readBytes(ctx.req, limit).then(read)
}

/**
 * Returns whether `readJson` reads bodies of a media type. A JSON patch is a list of changes, not
 * the data itself, so under PATCH it is read only if its media type is declared.
 */
export function jsonTypes(
  declared: string,
  method: string | undefined,
  parse?: Parse,
): (mediaType: MediaType) => boolean {
  return mediaType =>
    (!parse && isJson(mediaType) && !(method === 'PATCH' && PATCHES.has(mediaType.essence))) ||
    mediaType.essence === essenceOf(declared)
}

const PATCHES = new Set(['application/json-patch+json', 'application/merge-patch+json'])

/** Parses with the application's parser. Its error may hold more than a client should see. */
async function parseAs(
  body: Buffer | string,
  depth: number,
  mediaType: string,
  parse: Parse,
): Promise<unknown> {
  const text = textOf(body)
  if (text instanceof Refusal) return text
  if (text === '') return undefined
  try {
    return checkJson(await parse(text), depth)
  } catch {
    return malformed(`The body is not valid ${mediaType}.`)
  }
}

/**
 * Reads a form, urlencoded or multipart: its fields, none if the body is absent or empty, or a
 * Refusal with 415, 413 or 400 (`errors: { form: [text] }`). The files of a multipart body are for
 * `readMultipart`, which reads it once for both.
 */
export async function readForm(ctx: BodyContext, options: FormOptions): Promise<Fields | Refusal> {
  if (!hasBody(ctx.req)) return Object.create(null)
  const { limits, mediaType } = options
  const types = formTypes(mediaType)
  const found = mediaTypeOf(ctx.req, types, ({ essence }) =>
    types.some(type => essenceOf(type) === essence),
  )
  if (found instanceof Refusal) return found
  if (found.essence === MULTIPART) {
    const multipart = await readMultipart(ctx, options, 'form')
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

/** The media types that `readForm` reads. */
export function formTypes(declared: string): readonly string[] {
  return [...new Set([declared, URLENCODED, MULTIPART])]
}

function parseForm(bytes: Buffer, limits: BodyLimits): Fields | Refusal {
  if (!isUtf8(bytes)) return malformed('Not valid UTF-8.')
  const text = bytes.toString()
  if (text.split('&', limits.fields + 1).length > limits.fields)
    return tooMany('fields', limits.fields)
  return parsePairs(text) ?? malformed('Not valid percent-encoded UTF-8.')
}

/**
 * Parses JSON (RFC 8259). Returns a Refusal with 400 if it is not JSON, not UTF-8, nested deeper
 * than `depth` levels, or has a `__proto__` anywhere. One byte order mark is skipped; an empty
 * string is `undefined`. If a name is repeated, the last one wins.
 */
export function parseJson(body: Buffer | string, depth: number): unknown {
  const text = textOf(body)
  if (text instanceof Refusal) return text
  if (text === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return malformed('Invalid JSON body.')
  }
  return checkJson(value, depth)
}

/** Returns a parsed value, or a Refusal if it is nested too deeply or has a `__proto__`. */
export function checkJson(value: unknown, depth: number): unknown {
  const fault = faultIn(value, depth)
  return fault === undefined ? value : malformed(fault)
}

/** Says what is wrong with a value that may be nested `left` levels deep. */
function faultIn(value: unknown, depth: number, left = depth): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (left === 0) return `Nested deeper than ${depth} levels.`
  if (Array.isArray(value)) {
    for (const item of value) {
      const fault = faultIn(item, depth, left - 1)
      if (fault !== undefined) return fault
    }
    return undefined
  }
  for (const name in value) {
    if (name === '__proto__') return 'The name "__proto__" is not allowed.'
    const fault = faultIn((value as Record<string, unknown>)[name], depth, left - 1)
    if (fault !== undefined) return fault
  }
  return undefined
}
