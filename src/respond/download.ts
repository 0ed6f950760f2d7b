// Files and bytes as results: with a strong tag, conditions and ranges (RFC 9110, sections 13, 14).

import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { fileURLToPath } from 'node:url'
import type { Context, Exchange } from '../feature-api/exchange.js'
import { entityTagOf } from '../http/entity-tag.js'
import { HttpException } from '../http/failure.js'
import { reads } from '../http/methods.js'
import { conditionsOf, evaluate } from '../http/preconditions.js'
import { shown } from '../names.js'
import { flag, requireOptions, string } from '../options.js'
import { ignoreDisconnects } from './stream.js'

/** Options of `download`. */
export interface DownloadOptions {
  /** The name under which a client saves it. Default: the name of the file, if it is one. */
  readonly name?: string
  /** Whether a browser shows it instead of saving it. Default: false. */
  readonly inline?: boolean
}

/** The source of a download: the path or `file:` URL of a file, or its bytes. */
export type DownloadSource = string | URL | Uint8Array | Blob

/** A file or bytes, as the result of a method. Created by `download`. */
export class Download {
  constructor(
    readonly source: DownloadSource,
    readonly options: DownloadOptions,
  ) {}
}

/**
 * Sends a file or bytes: `return download('/var/reports/7.pdf', { name: 'Report.pdf' })`, in an
 * operation with `response({ contentType: 'application/pdf' })`. The response has a strong entity
 * tag, `Content-Length`, `Accept-Ranges` and `Content-Disposition`. If-Match (412) and
 * If-None-Match (304) are evaluated first, then If-Range. A GET for one range is a 206, for one
 * outside the file a 416; several ranges and unknown units are ignored. The tag of a file is made
 * of its size and time of change, that of bytes is their hash. Throws a TypeError for another
 * source and for unknown options; a file that cannot be read is a 500.
 */
export function download(source: DownloadSource, options: DownloadOptions = {}): Download {
  requireOptions('download()', options, { name: string, inline: flag })
  if (source instanceof URL) return new Download(fileURLToPath(source), options)
  if (typeof source === 'string' || source instanceof Uint8Array || source instanceof Blob)
    return new Download(source, options)
  throw new TypeError(
    `download() takes a path, a file: URL, bytes or a Blob, not ${shown(source as unknown)}`,
  )
}

/** A source that is open: its size and tag are known, and a part of it can be read. */
interface Opened {
  readonly size: number
  readonly etag: string
  /** Returns the bytes from one index to another, inclusive; the source is closed after them. */
  read(first: number, last: number): Readable
  close(): Promise<void>
}

const sent = new WeakSet<Context>()

/** Returns whether the response is a download, which has statuses of its own: 206, 304. */
export function isDownload(ctx: Context): boolean {
  return sent.has(ctx)
}

/**
 * Takes a download into the exchange, as a body for Koa. `status` is the one that the method has
 * set, or 0; conditions and ranges apply to a 200.
 */
export async function settleDownload(
  exchange: Exchange,
  { source, options }: Download,
  status: number,
): Promise<void> {
  const { ctx } = exchange
  const opened = await openSource(source)
  try {
    sent.add(ctx)
    exchange.isRaw = true
    exchange.status = status
    const isWhole = status !== 0 && status !== 200
    const { etag, size } = opened
    const outcome =
      isWhole || !reads(ctx.method)
        ? 200
        : evaluate(ctx.method, conditionsOf(ctx.req.headers), { etag })
    if (outcome === 412) throw new HttpException({ code: 412 })
    ctx.set('ETag', etag)
    if (outcome === 304) {
      exchange.status = 304
      return await opened.close()
    }
    const range = isWhole || ctx.method !== 'GET' ? undefined : rangeOf(ctx, opened)
    if (range === 'outside')
      throw new HttpException({ code: 416, headers: { 'Content-Range': `bytes */${size}` } })
    const [first, last] = range ?? [0, size - 1]
    const isEmpty = ctx.method === 'HEAD' || size === 0
    if (isEmpty) await opened.close()
    exchange.mediaType =
      (source instanceof Blob && source.type) || ctx.response.get('Content-Type') || undefined
    ignoreDisconnects(ctx)
    ctx.body = isEmpty ? Readable.from([]) : opened.read(first, last)
    if (range) {
      exchange.status = 206
      ctx.set('Content-Range', `bytes ${first}-${last}/${size}`)
    }
    ctx.set('Content-Length', String(last - first + 1))
    ctx.set('Accept-Ranges', 'bytes')
    ctx.set('Content-Disposition', dispositionOf(source, options))
  } catch (thrown) {
    await opened.close()
    throw thrown
  }
}

function openSource(source: DownloadSource): Promise<Opened> {
  if (source instanceof Blob) return openBlob(source)
  if (source instanceof Uint8Array) return openBlob(new Blob([source as Uint8Array<ArrayBuffer>]))
  return open(source).then(async file => {
    try {
      return await openFile(file)
    } catch (thrown) {
      await file.close()
      throw thrown
    }
  })
}

async function openFile(file: FileHandle): Promise<Opened> {
  const stats = await file.stat({ bigint: true })
  if (!stats.isFile()) throw new TypeError('download() was given the path of something not a file')
  return {
    size: Number(stats.size),
    etag: entityTagOf(`${stats.size} ${stats.mtimeNs}`),
    // Koa destroys the stream when the client has gone, which closes the file
    read: (start, end) => file.createReadStream({ start, end }),
    close: () => file.close(),
  }
}

async function openBlob(blob: Blob): Promise<Opened> {
  const hash = createHash('sha256')
  for await (const chunk of blob.stream() as unknown as AsyncIterable<Uint8Array>)
    hash.update(chunk)
  return {
    size: blob.size,
    etag: `"${hash.digest('base64url').slice(0, 22)}"`,
    read: (first, last) => Readable.fromWeb(blob.slice(first, last + 1).stream() as WebStream),
    close: async () => undefined,
  }
}

/** Returns the range that is asked for; undefined if all of it has to be sent. */
function rangeOf(
  { req: { headers } }: Context,
  { size, etag }: Opened,
): readonly [first: number, last: number] | 'outside' | undefined {
  const ifRange = headers['if-range']
  const match = /^bytes=[\t ]*(\d*)-(\d*)[\t ]*$/i.exec(headers.range ?? '')
  if (!match || (ifRange !== undefined && ifRange !== etag)) return undefined
  const [, first = '', last = ''] = match
  if (first === '') {
    if (last === '') return undefined
    const count = Math.min(Number(last), size)
    return count === 0 ? 'outside' : [size - count, size - 1]
  }
  if (last !== '' && Number(last) < Number(first)) return undefined
  if (Number(first) >= size) return 'outside'
  return [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)]
}

/** Returns the Content-Disposition (RFC 6266), with a name for old clients and the name itself. */
function dispositionOf(source: DownloadSource, { name, inline = false }: DownloadOptions): string {
  const type = inline ? 'inline' : 'attachment'
  const file = name ?? (typeof source === 'string' ? basename(source) : undefined)
  if (file === undefined) return type
  const encoded = encodeURIComponent(file.toWellFormed()).replace(
    /['()*]/g,
    char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${type}; filename="${file.replace(/[^ !#-[\]-~]|%/g, '_')}"; filename*=UTF-8''${encoded}`
}
