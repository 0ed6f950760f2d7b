import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { Refusal } from '../failure.js'
import { addField } from '../query.js'
import { codingOf } from './bytes.js'
import {
  type Multipart,
  MultipartParser,
  type OnEnd,
  PartStore,
  temporaryDirectory,
} from './parts.js'
import {
  type BodyContext,
  type BodyLimits,
  bounded,
  type ConsumedBody,
  consumedBody,
  copyFields,
  cutShort,
  discard,
  hasBody,
  located,
  malformed,
  mediaTypeOf,
  tooLarge,
} from './request-body.js'
import { Upload } from './upload.js'

export type { Multipart } from './parts.js'

/** How a multipart body is read. */
export interface MultipartOptions {
  readonly limits: BodyLimits
  /** Whether files are stored; if not, the result has no files, but their limits still hold. */
  readonly withFiles: boolean
  /** The fields that may be parts of the media type `application/json` with a file name. */
  readonly jsonParts: readonly string[]
  /** Registers a callback for the end of the request: its files go then. */
  readonly onEnd: OnEnd
}

const results = new WeakMap<IncomingMessage, Promise<Multipart | Refusal>>()

/**
 * Reads a multipart body, once for all callers. A file input that was left empty is not a file; an
 * absent body has no fields and no files. Returns a Refusal with 415 for another media type or a
 * compressed body, 413 over the limits, 400 for a body that is malformed, not UTF-8 or cut short,
 * with its message under `location`. The files are removed at the end of the request.
 */
export async function readMultipart(
  ctx: BodyContext,
  options: MultipartOptions,
  location: 'files' | 'form',
): Promise<Multipart | Refusal> {
  const result = results.get(ctx.req) ?? read(ctx, options)
  results.set(ctx.req, result)
  return located(await result, location)
}

const BOUNDARY = /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/
/** How many bytes of a body may be something else than content, for each part that it may have. */
const BYTES_AROUND_PART = 1024
/** One part alone may have a header of this size. */
const BYTES_OF_HEADER = 8 * 1024

async function read(
  ctx: BodyContext,
  { limits, withFiles, jsonParts, onEnd }: MultipartOptions,
): Promise<Multipart | Refusal> {
  const { req } = ctx
  if (!hasBody(req)) return { fields: Object.create(null), files: Object.create(null) }
  const mediaType = mediaTypeOf(
    req,
    ['multipart/form-data'],
    ({ essence }) => essence === 'multipart/form-data',
  )
  if (mediaType instanceof Refusal) return mediaType
  const consumed = consumedBody(ctx)
  const bytes = consumed?.rawBody
  if (consumed && !Buffer.isBuffer(bytes)) return consumedParts(consumed)
  const coding = codingOf(req)
  if (coding !== undefined) {
    return new Refusal(415, {
      message: `A multipart body cannot be compressed, and this is ${bounded(coding)}.`,
      headers: { 'Accept-Encoding': 'identity' },
    })
  }
  const boundary = mediaType.parameters.get('boundary')
  if (boundary === undefined || !BOUNDARY.test(boundary))
    return malformed('The media type has no valid boundary.')
  const around = BYTES_AROUND_PART * (limits.fields + limits.files)
  const limit = limits.form + Math.max(limits.total, limits.file) + around
  if (Number(req.headers['content-length']) > limit) return tooLarge('The body', limit)
  const directory = withFiles ? await temporaryDirectory(onEnd) : undefined
  const store = new PartStore(directory, limits, jsonParts)
  try {
    const source = Buffer.isBuffer(bytes) ? Readable.from(bytes) : req
    const refusal = await receive(source, store, boundary, limit, BYTES_OF_HEADER + around)
    if (refusal) discard(req)
    return refusal ?? store.multipart
  } finally {
    await store.close()
  }
}

/** Receives the whole body into the store. Rejects if a file cannot be written. */
function receive(
  source: Readable,
  store: PartStore,
  boundary: string,
  limit: number,
  headerBytes: number,
): Promise<Refusal | undefined> {
  const parser = new MultipartParser(boundary, headerBytes, header => store.begin(header))
  return new Promise((resolve, reject) => {
    const stop = () => source.off('data', onData).off('end', onEnd).off('close', onCut)
    const settle = (refusal?: Refusal) => {
      stop()
      resolve(refusal)
    }
    store.onReady = () => {
      if (!store.isFull) source.resume()
    }
    store.onFault = error => {
      stop()
      reject(error)
    }
    let left = limit
    const onData = (chunk: Buffer) => {
      left -= chunk.length
      const refusal = left < 0 ? tooLarge('The body', limit) : parser.write(chunk)
      if (refusal) settle(refusal)
      else if (store.isFull) source.pause()
    }
    const onEnd = () => settle(parser.end())
    // an error of the request is followed by its close, and is emitted only to those who listen for
    // it
    const onCut = () => settle(cutShort())
    if (source.destroyed) onCut()
    else source.on('data', onData).on('end', onEnd).on('close', onCut)
  })
}

interface FormidableFile {
  readonly originalFilename: string | null
  readonly mimetype: string | null
  readonly size: number
  readonly filepath: string
}

/**
 * The parts that a body parser of the application has left. Files only matter to callers that ask
 * for them.
 */
function consumedParts({ body, files }: ConsumedBody): Multipart {
  return {
    fields: copyFields(body),
    get files() {
      return uploadsOf(files)
    },
  }
}

/**
 * The files that the application's koa-body has left; they stay in their place. Throws if another
 * parser has read them.
 */
function uploadsOf(files: unknown): Record<string, Upload | Upload[]> {
  if (typeof files !== 'object' || files === null || Array.isArray(files)) throw filesConsumed()
  const uploads: Record<string, Upload | Upload[]> = Object.create(null)
  for (const [name, value] of Object.entries(
    files as Record<string, FormidableFile | FormidableFile[]>,
  )) {
    for (const { originalFilename, mimetype, size, filepath } of [value].flat()) {
      if (typeof filepath !== 'string') throw filesConsumed()
      addField(
        uploads,
        name,
        new Upload(originalFilename ?? '', mimetype ?? 'application/octet-stream', size, filepath),
      )
    }
  }
  return uploads
}

function filesConsumed(): Error {
  return new Error(
    'Middleware before the API has read the request body and left no ctx.request.files as koa-body leaves it: ' +
      'take it away from this path, the operation reads its files itself',
  )
}
