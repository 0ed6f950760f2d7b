import type { EventEmitter } from 'node:events'
import type { Dicer } from '@fastify/busboy'
import { Refusal } from '../failure.js'
import { type PartHeader, parsePartHeader } from './part-header.js'
import type { PartSink } from './part-store.js'
import { tooLarge } from './request-body.js'

// The only place that knows @fastify/busboy, which is imported when the first multipart body arrives. Its Dicer finds the boundaries
// and hands on what is between them. Its reader of header fields is replaced, because it drops without a word what it cannot read and
// what is beyond its limits (docs/decisions/0015).

/** What a parser reports of the body that it is given. */
export interface PartListener {
  /** A part begins. What is returned takes its content, or is why the body is refused. */
  onPart(header: PartHeader): PartSink | Refusal
  /** The body is refused. Nothing is reported after it. */
  onRefusal(refusal: Refusal): void
  /** The body has ended, and all its parts have. Nothing is reported after it. */
  onFinish(): void
  /** More can be written, after the parser was full. */
  onReady(): void
}

export async function loadDicer(): Promise<typeof Dicer> {
  return (await import('@fastify/busboy')).Dicer
}

/** What Dicer reads header fields with, as far as it is replaced. Its 'header' event tells Dicer that content follows. */
interface HeaderReader extends EventEmitter {
  /** Reads on, and returns how many of the bytes belong to the header where they contain its end. */
  push(bytes: Buffer): number | undefined
}

/** What Dicer is told of a piece of the body: whether a delimiter follows the bytes from `start` to `end`. */
type OnInfo = (isMatch: boolean, data?: Buffer, start?: number, end?: number) => void

/** The parts of Dicer that are replaced, and the hyphens that it has counted behind a delimiter. */
interface DicerInside {
  readonly _hparser: HeaderReader
  _oninfo: OnInfo
  readonly _dashes: number
}

/** Dicer goes through all that it is given, and cannot be stopped: thousands of boundaries fit into what a connection brings at once. */
const PIECE = 4 * 1024
const LONGEST_HEADER = 8 * 1024
const HEADER_END = '\r\n\r\n'
const MALFORMED = new Refusal(400, { message: 'The body is not valid multipart/form-data.' })
const LONG_HEADER = new Refusal(400, {
  message: `The header fields of a part may have at most ${LONGEST_HEADER} bytes.`,
})

/** Splits a multipart body into its parts (RFC 2046, section 5.1.1), as its bytes come. */
export class MultipartParser {
  readonly #dicer: Dicer
  readonly #listener: PartListener
  readonly #headerBytes: number
  #headerLeft: number
  /** The header of the part that began last, as far as it has come; `undefined` where it has ended. */
  #header: string | undefined
  /** The part that began last. */
  #part: Dicer.PartStream | undefined
  #openParts = 0
  #isEmpty = true
  #hasEnded = false
  /** The closing boundary has come. */
  #hasClosed = false
  #isOver = false

  /** @param headerBytes how much the headers of all parts may have together */
  constructor(dicer: Dicer, headerBytes: number, listener: PartListener) {
    this.#dicer = dicer
    this.#headerBytes = headerBytes
    this.#headerLeft = headerBytes
    this.#listener = listener
    const inside = dicer as unknown as DicerInside
    const { _hparser: reader, _oninfo: onInfo } = inside
    reader.push = bytes => this.#readHeader(reader, bytes)
    inside._oninfo = (...info) => {
      onInfo.apply(dicer, info)
      // it would add the hyphen behind one delimiter to the hyphen behind the next, and take both for the end of the body
      if (info[0] && inside._dashes === 1) this.#refuse(MALFORMED)
    }
    dicer.on('part', part => this.#beginPart(part))
    dicer.on('drain', () => listener.onReady())
    dicer.on('error', () => this.#refuse(MALFORMED))
    dicer.on('finish', () => {
      this.#hasClosed = true
      // the closing boundary came in the middle of a header
      if (this.#header !== undefined) this.#refuse(MALFORMED)
      this.#finishIfDone()
      // Dicer does not drain any more
      listener.onReady()
    })
  }

  /** Whether nothing more should be written until `onReady`. */
  get isFull(): boolean {
    return this.#dicer.writableNeedDrain && !this.#hasClosed
  }

  /** What follows the closing boundary, and what follows the reason of a refusal, is ignored. */
  write(bytes: Buffer): void {
    this.#isEmpty = false
    for (let start = 0; start < bytes.length && !this.#hasClosed && !this.#isOver; start += PIECE) {
      this.#dicer.write(bytes.subarray(start, start + PIECE))
    }
  }

  /** The body has ended. One without a single byte has no parts. */
  end(): void {
    this.#hasEnded = true
    if (this.#isEmpty) this.#hasClosed = true
    if (this.#hasClosed) this.#finishIfDone()
    else this.#dicer.end()
  }

  /** Reports nothing any more. */
  stop(): void {
    this.#isOver = true
  }

  #beginPart(part: Dicer.PartStream): void {
    // a boundary came in the middle of the header of the part before
    if (this.#header !== undefined) this.#refuse(MALFORMED)
    this.#header = ''
    this.#part = part
    // what is wrong with the body is reported by Dicer itself too
    part.on('error', () => undefined)
  }

  #readHeader(reader: HeaderReader, bytes: Buffer): number | undefined {
    const before = this.#header ?? ''
    const header = before + bytes.toString('latin1', 0, LONGEST_HEADER + HEADER_END.length)
    const end = header.indexOf(HEADER_END, Math.max(0, before.length - HEADER_END.length + 1))
    if ((end === -1 ? header.length : end) > LONGEST_HEADER) this.#refuse(LONG_HEADER)
    this.#header = end === -1 ? header : undefined
    if (end === -1) return undefined
    if (!this.#isOver) this.#begin(this.#open(header.slice(0, end)))
    reader.emit('header', {})
    return end + HEADER_END.length - before.length
  }

  /** `text` is what stands between the boundary and the content, without the two line breaks at its end. */
  #open(text: string): PartSink | Refusal {
    this.#headerLeft -= text.length
    if (this.#headerLeft < 0) return tooLarge('The header fields of the parts', this.#headerBytes)
    // the first line is what is left of the boundary's own
    const header =
      text === '' || text.startsWith('\r\n') ? parsePartHeader(text.slice(2)) : MALFORMED
    return header instanceof Refusal ? header : this.#listener.onPart(header)
  }

  #begin(sink: PartSink | Refusal): void {
    if (sink instanceof Refusal) {
      this.#refuse(sink)
      return
    }
    this.#openParts += 1
    this.#part?.on('data', (chunk: Buffer) => {
      if (!this.#isOver) this.#refuse(sink.write(chunk))
    })
    this.#part?.on('end', () => {
      this.#openParts -= 1
      if (!this.#isOver) this.#refuse(sink.end())
      this.#finishIfDone()
    })
  }

  #finishIfDone(): void {
    if (!this.#hasEnded || !this.#hasClosed || this.#openParts > 0 || this.#isOver) return
    this.#isOver = true
    this.#listener.onFinish()
  }

  #refuse(refusal: Refusal | undefined): void {
    if (this.#isOver || refusal === undefined) return
    this.#isOver = true
    this.#listener.onRefusal(refusal)
  }
}
