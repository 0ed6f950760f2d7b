import { isUtf8 } from 'node:buffer'
import { createWriteStream, rmSync, type WriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Refusal } from '../failure.js'
import { addField, type Fields } from '../query.js'
import { CollectedBytes } from './collected-bytes.js'
import type { PartHeader } from './part-header.js'
import { type BodyLimits, tooLarge, tooMany } from './request-body.js'
import { Upload } from './upload.js'

/** Takes the content of one part. A refusal ends the reading of the body. */
export interface PartSink {
  write(chunk: Buffer): Refusal | undefined
  end(): Refusal | undefined
}

/** A multipart/form-data body (RFC 7578): parts with a file name are files, all others fields. */
export interface Multipart {
  readonly fields: Fields
  readonly files: Record<string, Upload | Upload[]>
}

/** Keeps the parts of one multipart body: files in a folder, fields in memory. */
export class PartStore {
  /** Called when files can be written again after `isFull`. */
  onReady: () => void = () => undefined
  /** Called when a file could not be written. */
  onFault: (error: Error) => void = () => undefined
  readonly #directory: string | undefined
  readonly #limits: BodyLimits
  /** In the order in which the parts began. */
  readonly #parts: { readonly name: string; value?: string | Upload }[] = []
  readonly #streams: { readonly stream: WriteStream; readonly closed: Promise<void> }[] = []
  #fieldCount = 0
  #fieldBytes = 0
  #fileCount = 0
  #fileBytes = 0

  /** @param directory for the files; without it they are not stored */
  constructor(directory: string | undefined, limits: BodyLimits) {
    this.#directory = directory
    this.#limits = limits
  }

  /** Whether files are written more slowly than they come. */
  get isFull(): boolean {
    return this.#streams.some(({ stream }) => stream.writableNeedDrain)
  }

  /** All parts, after they have ended. A file input that was left empty is not a file. */
  get multipart(): Multipart {
    const [fields, files]: [Fields, Record<string, Upload | Upload[]>] = [
      Object.create(null),
      Object.create(null),
    ]
    for (const { name, value } of this.#parts) {
      if (typeof value === 'string') addField(fields, name, value)
      else if (value !== undefined && (value.filename !== '' || value.size > 0))
        addField(files, name, value)
    }
    return { fields, files }
  }

  /** Begins a part. */
  begin(header: PartHeader): PartSink | Refusal {
    return header.filename === undefined
      ? this.#beginField(header)
      : this.#beginFile(header, header.filename)
  }

  /** No file is open any more when this is settled. */
  async close(): Promise<void> {
    for (const { stream } of this.#streams) if (!stream.writableEnded) stream.destroy()
    await Promise.all(this.#streams.map(({ closed }) => closed))
  }

  #beginField({ name }: PartHeader): PartSink | Refusal {
    const { form, fields } = this.#limits
    this.#fieldCount += 1
    if (this.#fieldCount > fields) return tooMany('fields', fields)
    const part: { name: string; value?: string } = { name }
    this.#parts.push(part)
    const collected = new CollectedBytes()
    return {
      write: chunk => {
        collected.add(chunk)
        this.#fieldBytes += chunk.length
        return this.#fieldBytes > form ? tooLarge('The fields of the body', form) : undefined
      },
      end() {
        const { bytes } = collected
        part.value = bytes.toString()
        return isUtf8(bytes)
          ? undefined
          : new Refusal(400, { message: 'A field of the body is not valid UTF-8.' })
      },
    }
  }

  #beginFile(header: PartHeader, filename: string): PartSink | Refusal {
    const { file, files, total } = this.#limits
    this.#fileCount += 1
    if (this.#fileCount > files) return tooMany('files', files)
    const kept =
      this.#directory === undefined
        ? undefined
        : this.#keep(header, filename, join(this.#directory, String(this.#fileCount)))
    let size = 0
    return {
      write: chunk => {
        size += chunk.length
        this.#fileBytes += chunk.length
        if (size > file) return tooLarge('A file', file)
        if (this.#fileBytes > Math.max(total, file)) return tooLarge('The files of the body', total)
        kept?.write(chunk)
        return undefined
      },
      end() {
        kept?.end(size)
        return undefined
      },
    }
  }

  #keep(
    { name, type }: PartHeader,
    filename: string,
    path: string,
  ): { write(chunk: Buffer): void; end(size: number): void } {
    const part: { name: string; value?: Upload } = { name }
    this.#parts.push(part)
    const stream = createWriteStream(path, { flags: 'wx' })
    this.#streams.push({
      stream,
      closed: new Promise(resolve => stream.once('close', () => resolve())),
    })
    stream.on('error', error => this.onFault(error))
    // a stream that is ended while it is full closes without having drained
    for (const event of ['drain', 'close']) stream.on(event, () => this.onReady())
    return {
      write: chunk => void stream.write(chunk),
      end(size) {
        stream.end()
        part.value = new Upload(filename, type ?? 'application/octet-stream', size, path)
      },
    }
  }
}

const directories = new Set<string>()

/** Registers a callback for the end of a request. */
export type OnEnd = (callback: () => unknown) => void

/**
 * Creates a folder that is removed with its contents at the end of the request, or when the process
 * exits. Without `onEnd` a request ends when its response is finished or its connection closes.
 */
export async function temporaryDirectory(res: ServerResponse, onEnd?: OnEnd): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'koa-smorest-'))
  if (directories.size === 0) process.on('exit', removeAll)
  directories.add(directory)
  if (onEnd) onEnd(() => remove(directory))
  else if (res.closed) void remove(directory)
  else res.once('close', () => void remove(directory))
  return directory
}

async function remove(directory: string): Promise<void> {
  try {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // Nobody is left who could be told: the response has been sent.
  }
  directories.delete(directory)
  if (directories.size === 0) process.off('exit', removeAll)
}

function removeAll(): void {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
}
