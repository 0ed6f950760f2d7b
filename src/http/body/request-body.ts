import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import { Refusal } from '../failure.js'
import { isUtf8Type, type MediaType, parseMediaType } from '../media-type.js'
import type { Fields } from '../query.js'
import { isRepeated } from '../repeated-field.js'

/** The part of the Koa context that reading a body needs. */
export interface BodyContext {
  readonly req: IncomingMessage
  /**
   * Koa's request, on which body parsers of the application leave `body`, `rawBody` and `files`.
   */
  readonly request: object
}

/** Limits of a body. Exceeding one is a 413 (`depth`: 400). Sizes are in bytes. */
export interface BodyLimits {
  /** The bytes of a JSON body, inflated. */
  readonly json: number
  /** The bytes of a urlencoded form, or of all text fields of a multipart body together. */
  readonly form: number
  /** The number of fields of a form. */
  readonly fields: number
  /** One file. */
  readonly file: number
  /** The number of files. */
  readonly files: number
  /** All files of a body together; at least one file of the size `file` fits in any case. */
  readonly total: number
  /** The levels of nesting of a JSON body. */
  readonly depth: number
}

/** The default limits. */
export const DEFAULT_LIMITS: BodyLimits = Object.freeze({
  json: 1024 * 1024,
  form: 64 * 1024,
  fields: 1000,
  file: 10 * 1024 * 1024,
  files: 10,
  total: 50 * 1024 * 1024,
  depth: 64,
})

/**
 * Whether the request has a body; it may still turn out empty. HTTP/1.1 frames it by header fields
 * (RFC 9112, section 6.3), HTTP/2 by the end of the stream, so that it needs no length (RFC 9113,
 * section 8.1.1).
 */
export function hasBody(req: IncomingMessage): boolean {
  const { headers } = req
  if (headers['transfer-encoding'] !== undefined) return true
  const length = headers['content-length']
  if (length !== undefined) return length !== '0'
  return (req as { stream?: ServerHttp2Stream }).stream?.endAfterHeaders === false
}

const RECEIVED = Symbol('received')
type Receivable = IncomingMessage & { [RECEIVED]?: true }

/** Marks a body as received, slightly before the request itself does. */
export function markReceived(req: IncomingMessage): void {
  ;(req as Receivable)[RECEIVED] = true
}

/** Returns whether a part of the body is still to arrive. */
export function isUnread(req: IncomingMessage): boolean {
  return !hasEnded(req) && !(req as Receivable)[RECEIVED] && hasBody(req)
}

/**
 * Returns whether nothing more arrives. Requests without a connection (of tests, of serverless
 * platforms) have no `complete`.
 */
function hasEnded(req: IncomingMessage): boolean {
  return req.complete || req.readableEnded || req.destroyed
}

/**
 * Returns the media type of the body if `accepts` allows it and its charset is UTF-8, or what
 * `isReadable` allows. Otherwise returns a Refusal with 415 that names the type sent and the types
 * `wanted`.
 */
export function mediaTypeOf(
  req: IncomingMessage,
  wanted: readonly string[],
  accepts: (mediaType: MediaType) => boolean,
  isReadable: (mediaType: MediaType) => boolean = isUtf8Type,
): MediaType | Refusal {
  const field = req.headers['content-type']
  const isTwice = isRepeated(req, 'content-type')
  const mediaType = field === undefined || isTwice ? undefined : parseMediaType(field)
  const isWanted = mediaType !== undefined && accepts(mediaType)
  if (isWanted && isReadable(mediaType)) return mediaType
  const sent =
    field === undefined
      ? 'there is no Content-Type'
      : isTwice
        ? 'there are several Content-Types'
        : `not ${bounded(field)}`
  const accepted = wanted.join(', ')
  return new Refusal(415, {
    message: `The body must be ${oneOf(wanted)}${isWanted ? ' in UTF-8' : ''}, ${sent}.`,
    // RFC 9110, section 15.5.16; for PATCH also RFC 5789, section 2.2
    headers: { Accept: accepted, ...(req.method === 'PATCH' && { 'Accept-Patch': accepted }) },
  })
}

/** Shortens a field of the request for a message. */
export function bounded(field: string): string {
  return field.length <= LONGEST_SHOWN ? field : `${field.slice(0, LONGEST_SHOWN)}…`
}

const LONGEST_SHOWN = 80

function oneOf(types: readonly string[]): string {
  return types.join(', ').replace(/, ([^,]*)$/, ' or $1')
}

/** The properties that a body parser of the application has left. */
export interface ConsumedBody {
  readonly body?: unknown
  readonly rawBody?: unknown
  readonly files?: unknown
}

/**
 * Returns the body that a parser of the application has left, if the stream of the request has been
 * read; otherwise `undefined`. Throws an Error if the stream has been read and nothing is left.
 */
export function consumedBody({ req, request }: BodyContext): ConsumedBody | undefined {
  // an empty body ends without any data
  if (!req.readableDidRead && !req.readableEnded) return undefined
  const consumed: ConsumedBody = request
  if (consumed.body !== undefined || consumed.rawBody !== undefined) return consumed
  if (!req.readableEnded) return undefined
  throw new Error(
    'Middleware before the API has read the request body and left no ctx.request.body',
  )
}

/** Creates the Refusal of a body that is too large. */
export function tooLarge(what: string, limit: number): Refusal {
  return new Refusal(413, { message: `${what} may have at most ${limit} bytes.` })
}

/** Creates the Refusal of a body with too many parts. */
export function tooMany(what: string, limit: number): Refusal {
  return new Refusal(413, { message: `The body may have at most ${limit} ${what}.` })
}

/** Creates the Refusal of a body that cannot be read. */
export function malformed(message: string): Refusal {
  return new Refusal(400, { message })
}

/** Creates the Refusal of a request that ended before its body; no client reads it. */
export function cutShort(): Refusal {
  return malformed('The request ended before its body.')
}

/** Returns the text of a body, without a byte order mark. */
export function textOf(body: Buffer | string): string | Refusal {
  if (typeof body !== 'string' && !isUtf8(body)) return malformed('Not valid UTF-8.')
  return body.toString().replace(/^\ufeff/, '')
}

/**
 * Moves the message of a 400 to the errors of a location: `errors: { <location>: [text] }`. Any
 * other result stays unchanged.
 */
export function located<Result>(result: Result | Refusal, location: string): Result | Refusal {
  if (!(result instanceof Refusal) || result.code !== 400 || result.message === undefined)
    return result
  return new Refusal(400, { errors: { [location]: [result.message] } })
}

/** The names and values that a body parser of the application has left. */
export function copyFields(body: unknown): Fields {
  return Object.assign(Object.create(null), body)
}

/** Discards the rest of a refused body, so that the next request of the connection can be read. */
export function discard(req: IncomingMessage): void {
  req.unpipe()
  req.resume()
}

/** How many bytes of an unwanted body are read, and for how many milliseconds. */
const BYTES = 1024 * 1024
const PATIENCE = 1000

/**
 * Reads the rest of a refused body and throws it away, so that the client has finished sending when
 * the response arrives, and the next bytes on the connection are a request. Resolves to false if
 * the rest is too long to wait for: the connection should be closed.
 */
export function drain(req: IncomingMessage): Promise<boolean> {
  // an 'end' that has passed does not come again
  if (hasEnded(req)) return Promise.resolve(true)
  if (Number(req.headers['content-length']) > BYTES) return Promise.resolve(false)
  return new Promise(resolve => {
    let left = BYTES
    const settle = (isDrained: boolean) => {
      clearTimeout(timer)
      req.off('data', count).off('end', end).off('close', end).off('error', end)
      resolve(isDrained)
    }
    const end = () => settle(true)
    const count = (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) settle(false)
    }
    const timer = setTimeout(settle, PATIENCE, false)
    req.on('data', count).on('end', end).on('close', end).on('error', end).resume()
  })
}
