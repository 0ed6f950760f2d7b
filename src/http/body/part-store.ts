import { isUtf8 } from 'node:buffer'
import { createWriteStream, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../failure.js'
import { addField, type Fields } from '../query.js'
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

  /** @param directory where files are kept; without it they are not */
  constructor(directory: string | undefined, limits: BodyLimits) {
    this.#directory = directory
    this.#limits = limits
  }

  /** Whether files are written more slowly than they come. */
  get isFull(): boolean {
    return this.#streams.some(({ stream }) => stream.writableNeedDrain)
  }

  /** All parts, after they have ended. An input for files that was left empty is no file. */
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
    const chunks: Buffer[] = []
    return {
      write: chunk => {
        chunks.push(chunk)
        this.#fieldBytes += chunk.length
        return this.#fieldBytes > form ? tooLarge('The fields of the body', form) : undefined
      },
      end() {
        const bytes = Buffer.concat(chunks)
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
