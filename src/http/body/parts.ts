import { isUtf8 } from 'node:buffer'
import { createWriteStream, rmSync, type WriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Refusal } from '../failure.js'
import { essenceOf } from '../media-type.js'
import { addField, type Fields } from '../query.js'
import { TOKEN } from '../token.js'
import { CollectedBytes } from './bytes.js'
import { type BodyLimits, malformed, tooLarge, tooMany } from './request-body.js'
import { Upload } from './upload.js'

/** Takes the content of one part. A refusal ends the reading of the body. */
interface PartSink {
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
  /** In the order in which the parts began. */
  readonly #parts: { readonly name: string; value?: string | Upload }[] = []
  readonly #streams: { readonly stream: WriteStream; readonly closed: Promise<void> }[] = []
  #fieldCount = 0
  #fieldBytes = 0
  #fileCount = 0
  #fileBytes = 0

  /**
   * @param directory for the files; without it they are not stored
   * @param jsonParts the fields that may be Blobs of JSON, to which FormData gives a file name
   */
  constructor(
    private readonly directory: string | undefined,
    private readonly limits: BodyLimits,
    private readonly jsonParts: readonly string[] = [],
  ) {}

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
    const isJson =
      this.jsonParts.includes(header.name) && essenceOf(header.type ?? '') === 'application/json'
    return header.filename === undefined || isJson
      ? this.#beginField(header)
      : this.#beginFile(header, header.filename)
  }

  /** No file is open any more when this is settled. */
  async close(): Promise<void> {
    for (const { stream } of this.#streams) if (!stream.writableEnded) stream.destroy()
    await Promise.all(this.#streams.map(({ closed }) => closed))
  }

  #beginField({ name }: PartHeader): PartSink | Refusal {
    const { form, fields } = this.limits
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
        return isUtf8(bytes) ? undefined : malformed('A field of the body is not valid UTF-8.')
      },
    }
  }

  #beginFile(header: PartHeader, filename: string): PartSink | Refusal {
    const { file, files, total } = this.limits
    this.#fileCount += 1
    if (this.#fileCount > files) return tooMany('files', files)
    const kept =
      this.directory === undefined
        ? undefined
        : this.#keep(header, filename, join(this.directory, String(this.#fileCount)))
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
 * exits.
 */
export async function temporaryDirectory(onEnd: OnEnd): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'koa-smorest-'))
  if (directories.size === 0) process.on('exit', removeAll)
  directories.add(directory)
  onEnd(() => remove(directory))
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

const LINE_BREAK = '\r\n'
const HEADER_END = LINE_BREAK + LINE_BREAK
const LONGEST_HEADER = 8 * 1024
const NOTHING = Buffer.alloc(0)
/** The first delimiter needs no line break of its own. */
const START = Buffer.from(LINE_BREAK)
const MALFORMED = malformed('The body is not valid multipart/form-data.')
const LONG_HEADER = malformed(
  `The header fields of a part may have at most ${LONGEST_HEADER} bytes.`,
)

/** Ignores what precedes the first delimiter. */
const PREAMBLE: PartSink = { write: () => undefined, end: () => undefined }

/**
 * Splits a multipart body into its parts (RFC 2046, section 5.1.1), and hands content on at once. A
 * Refusal that `write` or `end` returns ends the reading.
 */
export class MultipartParser {
  readonly #delimiter: Buffer
  #headerSize = 0
  /** Takes the content that arrives; undefined while the header of a part is read. */
  #sink: PartSink | undefined = PREAMBLE
  /** Bytes that cannot be judged before more arrive. */
  #held: Buffer = START
  /** The length of the line break at the start that ended a header. */
  #skipped = 0
  #isClosed = false

  /**
   * @param headerBytes how much the headers of all parts may have together
   * @param begin returns what takes the content of a part, or why the body is refused
   */
  constructor(
    boundary: string,
    private readonly headerBytes: number,
    private readonly begin: (header: PartHeader) => PartSink | Refusal,
  ) {
    this.#delimiter = Buffer.from(`${LINE_BREAK}--${boundary}`, 'latin1')
  }

  /** Reads on. Bytes after the closing delimiter are ignored. */
  write(bytes: Buffer): Refusal | undefined {
    let seen = this.#held.length
    let left = seen === 0 ? bytes : Buffer.concat([this.#held, bytes])
    this.#held = NOTHING
    while (left.length > 0 && !this.#isClosed) {
      const rest = this.#sink ? this.#readContent(this.#sink, left) : this.#readHeader(left, seen)
      if (rest instanceof Refusal) return rest
      left = rest
      seen = 0
    }
    return undefined
  }

  /** The body has ended. One without a single byte has no parts. */
  end(): Refusal | undefined {
    return this.#isClosed || this.#held === START ? undefined : MALFORMED
  }

  /** Returns what follows the next delimiter. */
  #readContent(sink: PartSink, bytes: Buffer): Buffer | Refusal {
    const index = bytes.indexOf(this.#delimiter)
    // the line break before a delimiter belongs to it, so it cannot end a header as well
    if (index === 0 && this.#skipped > 0) return MALFORMED
    const end = index === -1 ? this.#startOfDelimiter(bytes) : index
    const content = bytes.subarray(this.#skipped, end)
    const refusal = content.length > 0 ? sink.write(content) : undefined
    if (refusal) return refusal
    if (end > 0) this.#skipped = 0
    if (index === -1) {
      this.#held = bytes.subarray(end)
      return NOTHING
    }
    this.#sink = undefined
    return sink.end() ?? bytes.subarray(index + this.#delimiter.length)
  }

  /** Returns the start of a delimiter that may be incomplete, or the end of the bytes. */
  #startOfDelimiter(bytes: Buffer): number {
    const start = bytes.lastIndexOf(LINE_BREAK[0] as string)
    const tail = bytes.subarray(start === -1 ? bytes.length : start)
    return this.#delimiter.indexOf(tail) === 0 ? bytes.length - tail.length : bytes.length
  }

  /** Returns the content after a header. The first `seen` bytes do not contain its end. */
  #readHeader(bytes: Buffer, seen: number): Buffer | Refusal {
    if (bytes.toString('latin1', 0, 2) === '--') {
      this.#isClosed = true
      return NOTHING
    }
    const end = bytes.indexOf(HEADER_END, Math.max(0, seen - HEADER_END.length + 1))
    if ((end === -1 ? bytes.length - HEADER_END.length + 1 : end) > LONGEST_HEADER)
      return LONG_HEADER
    if (end === -1) {
      this.#held = bytes
      return NOTHING
    }
    const sink = this.#open(bytes.subarray(0, end))
    if (sink instanceof Refusal) return sink
    this.#sink = sink
    this.#skipped = LINE_BREAK.length
    return bytes.subarray(end + LINE_BREAK.length)
  }

  /**
   * Begins a part. `bytes` are between the delimiter and the two line breaks before the content.
   */
  #open(bytes: Buffer): PartSink | Refusal {
    this.#headerSize += bytes.length
    if (this.#headerSize > this.headerBytes)
      return tooLarge('The header fields of the parts', this.headerBytes)
    const text = bytes.toString('latin1')
    if (text !== '' && !text.startsWith(LINE_BREAK)) return MALFORMED
    // a delimiter may look like a header field
    if (bytes.includes(this.#delimiter)) return MALFORMED
    const header = parsePartHeader(text.slice(LINE_BREAK.length))
    return header instanceof Refusal ? header : this.begin(header)
  }
}

/** The header of a part of a multipart/form-data body (RFC 7578, section 4). */
export interface PartHeader {
  readonly name: string
  /** `undefined` for a field; any string, even an empty one, for a file. */
  readonly filename: string | undefined
  /** The Content-Type field as sent, `undefined` without one. */
  readonly type: string | undefined
}

const FIELD = new RegExp(`^(${TOKEN}):[ \\t]*([^\\0\\r\\n]*)$`)

/**
 * Parses the header of a part: its lines without the empty one at their end, as Latin-1, so that no
 * byte is lost. Nothing that is malformed or given twice is skipped, because two parsers that skip
 * different things see two different bodies: it is a Refusal with 400. Header fields that form data
 * has no use for are ignored (RFC 7578, section 4.8).
 */
function parsePartHeader(text: string): PartHeader | Refusal {
  const fields = new Map<string, string>()
  for (const line of text === '' ? [] : text.split('\r\n')) {
    const [, name, value] = FIELD.exec(line) ?? []
    if (name === undefined || value === undefined)
      return malformed('A header field of a part is malformed.')
    const key = name.toLowerCase()
    if (!KNOWN.has(key)) continue
    if (fields.has(key)) return malformed(`A part has two ${name} fields.`)
    fields.set(key, value.trimEnd())
  }
  const encoding = fields.get('content-transfer-encoding')?.toLowerCase() ?? 'binary'
  if (!UNENCODED.has(encoding))
    return malformed('The Content-Transfer-Encoding of a part must be 7bit, 8bit or binary.')
  const names = parseDisposition(fields.get('content-disposition') ?? '')
  if (names?.name === undefined) return malformed('A part of the body has no valid name.')
  return {
    name: names.name,
    filename: names.filename,
    type: fields.get('content-type') || undefined,
  }
}

const KNOWN = new Set(['content-disposition', 'content-type', 'content-transfer-encoding'])
/**
 * The encodings that change nothing; others are deprecated for form data, and nobody sends them
 * (RFC 7578, section 4.7).
 */
const UNENCODED = new Set(['7bit', '8bit', 'binary'])

const FORM_DATA = /^form-data[ \t]*(?=;|$)/i
// Browsers send a backslash unchanged, other clients put one before each quote of a name.
const PARAMETER = /;[ \t]*([\w*-]+)[ \t]*=[ \t]*(?:"((?:\\"|[^"])*)"[ \t]*(?=;|$)|([^;"]*))/y

/** The two names of a part (RFC 7578, section 4.2), or `undefined` if they are malformed. */
function parseDisposition(text: string): { name?: string; filename?: string } | undefined {
  const found: { name?: string; filename?: string } = {}
  const start = FORM_DATA.exec(text)?.[0].length ?? 0
  if (start === 0) return undefined
  for (let index = start; index < text.length; index = PARAMETER.lastIndex) {
    PARAMETER.lastIndex = index
    const [matched, parameter, quoted, token] = PARAMETER.exec(text) ?? []
    if (matched === undefined) return /^;[ \t]*$/.test(text.slice(index)) ? found : undefined
    const key = (parameter as string).toLowerCase()
    if (key !== 'name' && key !== 'filename') continue
    const value = unescapeName(quoted ?? (token as string).trim())
    if (value === undefined || key in found) return undefined
    found[key] = value
  }
  return found
}

const ESCAPED: Record<string, string> = { '\\"': '"', '%22': '"', '%0D': '\r', '%0A': '\n' }

/**
 * Undoes what browsers do to a name (HTML Standard, multipart/form-data encoding), and the `\"` of
 * other clients.
 */
function unescapeName(latin1: string): string | undefined {
  const bytes = Buffer.from(latin1, 'latin1')
  return isUtf8(bytes)
    ? bytes.toString().replace(/\\"|%22|%0D|%0A/g, text => ESCAPED[text] as string)
    : undefined
}
