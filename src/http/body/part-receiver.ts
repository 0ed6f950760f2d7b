import { isUtf8 } from 'node:buffer'
import { createWriteStream, type WriteStream } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Refusal } from '../failure.js'
import { addField, type Fields } from '../query.js'
import { type BodySource, eachPart, type Part } from './koa-body.js'
import { type BodyLimits, tooLarge, tooMany } from './request-body.js'
import { Upload } from './upload.js'

/** Takes the parts of one multipart body: those with a file name into files of a folder, all others as fields. */
export class PartReceiver {
  readonly fields: Fields = Object.create(null)
  readonly files: Record<string, Upload | Upload[]> = Object.create(null)
  readonly #directory: string
  readonly #source: BodySource
  readonly #limits: BodyLimits
  readonly #open: { readonly stream: WriteStream; readonly closed: Promise<void> }[] = []
  #fieldCount = 0
  #fieldBytes = 0
  #fileBytes = 0

  constructor(directory: string, source: BodySource, limits: BodyLimits) {
    this.#directory = directory
    this.#source = source
    this.#limits = limits
  }

  /** Receives the whole body. Whatever happens, no file is open any more when this is settled. */
  async receive(req: IncomingMessage): Promise<Refusal | undefined> {
    try {
      return await eachPart(req, this.#source, part => this.#receivePart(part))
    } finally {
      for (const { stream } of this.#open) if (!stream.writableEnded) stream.destroy()
      await Promise.all(this.#open.map(({ closed }) => closed))
    }
  }

  /** What kept a file from being written, after all has been received. */
  get fault(): Error | undefined {
    return this.#open.find(({ stream }) => stream.errored)?.stream.errored ?? undefined
  }

  #receivePart(part: Part): void {
    const { fields, files } = this.#limits
    const { name, filename } = parseDisposition(part.disposition)
    if (name === undefined) this.#source.refuse(new Refusal(400, { message: 'A part of the body has no valid name.' }))
    else if (filename === undefined && ++this.#fieldCount > fields) this.#source.refuse(tooMany('fields', fields))
    else if (filename === undefined) this.#receiveField(name, part)
    else if (this.#open.length === files) this.#source.refuse(tooMany('files', files))
    else this.#receiveFile(name, filename, part)
  }

  #receiveField(name: string, { content }: Part): void {
    const { form } = this.#limits
    const chunks: Buffer[] = []
    content.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      this.#fieldBytes += chunk.length
      if (this.#fieldBytes > form) this.#source.refuse(tooLarge('The fields of the body', form))
    })
    content.on('end', () => {
      const bytes = Buffer.concat(chunks)
      if (isUtf8(bytes)) addField(this.fields, name, bytes.toString())
      else this.#source.refuse(new Refusal(400, { message: 'A field of the body is not valid UTF-8.' }))
    })
  }

  #receiveFile(name: string, filename: string, { type, content }: Part): void {
    const { file, total } = this.#limits
    const path = join(this.#directory, String(this.#open.length))
    const stream = createWriteStream(path, { flags: 'wx' })
    this.#open.push({ stream, closed: new Promise(resolve => stream.once('close', () => resolve())) })
    stream.on('error', error => this.#source.destroy(error))
    // A stream that is ended while it is full closes without having drained.
    for (const event of ['drain', 'close']) stream.on(event, () => this.#source.resume())
    let size = 0
    content.on('data', (chunk: Buffer) => {
      size += chunk.length
      this.#fileBytes += chunk.length
      if (size > file) this.#source.refuse(tooLarge('A file', file))
      else if (this.#fileBytes > Math.max(total, file)) this.#source.refuse(tooLarge('The files of the body', total))
      else if (!stream.write(chunk)) this.#source.pause()
    })
    content.on('end', () => {
      stream.end()
      const isEmptyInput = filename === '' && size === 0
      if (!isEmptyInput) addField(this.files, name, new Upload(filename, type ?? 'application/octet-stream', size, path))
    })
  }
}

const PARAMETER = /;[ \t]*([\w*-]+)=(?:"((?:\\"|[^"])*)"|([^;"]*))/g

interface Disposition {
  name?: string | undefined
  filename?: string | undefined
}

/** The two names of a part (RFC 7578, section 4.2). One that is not valid UTF-8 is left out. */
function parseDisposition(field: string): Disposition {
  const found: Disposition = {}
  for (const [, key, quoted, token] of field.matchAll(PARAMETER)) {
    if (key === 'name' || key === 'filename') found[key] = unescapeName(quoted ?? (token as string).trim())
  }
  return found
}

const ESCAPED: Record<string, string> = { '\\"': '"', '%22': '"', '%0D': '\r', '%0A': '\n' }

/** Undoes what browsers do to a name (HTML Standard, multipart/form-data encoding), and the `\"` of other clients. */
function unescapeName(latin1: string): string | undefined {
  const bytes = Buffer.from(latin1, 'latin1')
  return isUtf8(bytes) ? bytes.toString().replace(/\\"|%22|%0D|%0A/g, text => ESCAPED[text] as string) : undefined
}
