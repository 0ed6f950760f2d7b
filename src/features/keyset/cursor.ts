// A cursor: the place between two rows of a sorted list, as a text that means nothing to a client. Its checksum ties it to the
// search it came from; sealed, it can be neither read nor forged.
import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync } from 'node:crypto'

/** Where a list continues. `values` are those of the row on the near side, as they stand on the wire; null: the list's end. */
export interface Cursor {
  readonly direction: 'next' | 'prev'
  readonly sort: string
  readonly values: readonly unknown[] | null
}

/** Writes and reads cursors. `search` is what the cursor belongs to: one of another search is not read. */
export interface CursorCodec {
  write(cursor: Cursor, search: string): string
  /** `undefined` for anything but a cursor that was written for this search. */
  read(text: string, search: string): Cursor | undefined
}

/** The longest cursor that is read, and written. */
export const LONGEST_CURSOR = 2048

const VERSION = 1
/** Twelve bytes in base64url. */
const CHECKSUM_LENGTH = 16

/**
 * Cursors that can be read, but belong to one search: the checksum detects mistakes, not forgery. The content fills groups of
 * three bytes, so that content and checksum are texts of their own in base64url and no bytes have to be put together.
 */
export const plainCursors: CursorCodec = {
  write(cursor, search) {
    const content = contentOf(cursor)
    const padded = content + PADDING[Buffer.byteLength(content) % 3]
    if (padded.length > LONGEST_CURSOR) throw tooLong()
    const size = scratch.write(padded)
    return bounded(scratch.toString('base64url', 0, size) + checksum(padded, search))
  },
  read(text, search) {
    if (text.length > LONGEST_CURSOR || text.length <= CHECKSUM_LENGTH || text.length % 4 !== 0 || !BASE64URL.test(text)) return undefined
    const size = scratch.write(text.slice(0, -CHECKSUM_LENGTH), 'base64url')
    const content = scratch.toString('utf8', 0, size)
    return text.endsWith(checksum(content, search)) ? cursorOf(content) : undefined
  },
}

/** What a cursor is made of and read from, instead of a buffer for each: nothing is awaited in between. Three bytes for each character at most. */
const scratch = Buffer.allocUnsafe(3 * LONGEST_CURSOR)
/** By the bytes that are over: JSON may be followed by blanks. */
const PADDING = ['', '  ', ' '] as const
const BASE64URL = /^[\w-]+$/

function checksum(content: string, search: string): string {
  return hash('sha256', `${content}\0${search}`, 'base64url').slice(0, CHECKSUM_LENGTH)
}

const SEALED = 2
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Cursors that nobody else can read or make. The initialization vector is a keyed hash of what is sealed, so that equal cursors
 * are equal texts and entity tags stay; it is used again for equal contents only, which AES-GCM allows.
 */
export function sealedCursors(secrets: readonly string[]): CursorCodec {
  const keys = secrets.map(secret => ({ seal: derived(secret, 'seal'), vector: derived(secret, 'vector') }))
  const [first] = keys
  return {
    write(cursor, search) {
      if (!first) throw new TypeError('there is no secret to seal a cursor with')
      const content = contentOf(cursor)
      const iv = createHmac('sha256', first.vector).update(search).update('\0').update(content).digest().subarray(0, IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', first.seal, iv).setAAD(Buffer.from(search))
      const sealed = Buffer.concat([Buffer.of(SEALED), iv, cipher.update(content), cipher.final(), cipher.getAuthTag()])
      return bounded(sealed.toString('base64url'))
    },
    read(text, search) {
      const bytes = bytesOf(text)
      if (!bytes || bytes[0] !== SEALED || bytes.length <= 1 + IV_BYTES + TAG_BYTES) return undefined
      for (const { seal } of keys) {
        const content = opened(bytes, seal, search)
        if (content) return cursorOf(content.toString())
      }
      return undefined
    },
  }
}

function opened(bytes: Buffer, key: Buffer, search: string): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + IV_BYTES)).setAAD(Buffer.from(search))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(1 + IV_BYTES, -TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}

function derived(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'koa-smorest', `cursor ${purpose}`, 32))
}

function contentOf({ direction, sort, values }: Cursor): string {
  return `[${VERSION},${direction === 'next' ? '1' : '-1'},${sort === '' ? '""' : JSON.stringify(sort)},${JSON.stringify(values)}]`
}

/** What a checksum does not prove: that the content was written here. */
function cursorOf(content: string): Cursor | undefined {
  const [version, direction, sort, values] = parsed(content)
  if (version !== VERSION || (direction !== 1 && direction !== -1) || typeof sort !== 'string') return undefined
  if (values !== null && !Array.isArray(values)) return undefined
  return { direction: direction === 1 ? 'next' : 'prev', sort, values }
}

function parsed(content: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(content)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

function bounded(text: string): string {
  if (text.length > LONGEST_CURSOR) throw tooLong()
  return text
}

function tooLong(): RangeError {
  return new RangeError(`the keys of a row make a cursor of over ${LONGEST_CURSOR} characters`)
}

/** The bytes of the one spelling that they have. */
function bytesOf(text: string): Buffer | undefined {
  if (text.length > LONGEST_CURSOR || text === '') return undefined
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}
