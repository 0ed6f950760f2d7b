import { Refusal } from '../failure.js'
import { type PartHeader, parsePartHeader } from './part-header.js'
import type { PartSink } from './part-store.js'
import { tooLarge } from './request-body.js'

const LINE_BREAK = '\r\n'
const HEADER_END = LINE_BREAK + LINE_BREAK
const LONGEST_HEADER = 8 * 1024
const NOTHING = Buffer.alloc(0)
/** The first delimiter needs no line break of its own. */
const START = Buffer.from(LINE_BREAK)
const MALFORMED = new Refusal(400, { message: 'The body is not valid multipart/form-data.' })
const LONG_HEADER = new Refusal(400, {
  message: `The header fields of a part may have at most ${LONGEST_HEADER} bytes.`,
})

type Begin = (header: PartHeader) => PartSink | Refusal

/** Ignores what precedes the first delimiter. */
const PREAMBLE: PartSink = { write: () => undefined, end: () => undefined }

/**
 * Splits a multipart body into its parts (RFC 2046, section 5.1.1), and hands content on at once. A
 * Refusal that `write` or `end` returns ends the reading.
 */
export class MultipartParser {
  readonly #delimiter: Buffer
  readonly #headerBytes: number
  readonly #begin: Begin
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
  constructor(boundary: string, headerBytes: number, begin: Begin) {
    this.#delimiter = Buffer.from(`${LINE_BREAK}--${boundary}`, 'latin1')
    this.#headerBytes = headerBytes
    this.#begin = begin
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
    if (this.#headerSize > this.#headerBytes)
      return tooLarge('The header fields of the parts', this.#headerBytes)
    const text = bytes.toString('latin1')
    if (text !== '' && !text.startsWith(LINE_BREAK)) return MALFORMED
    // a delimiter may look like a header field
    if (bytes.includes(this.#delimiter)) return MALFORMED
    const header = parsePartHeader(text.slice(LINE_BREAK.length))
    return header instanceof Refusal ? header : this.#begin(header)
  }
}
