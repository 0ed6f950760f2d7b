// A cursor: a position between two rows of a sorted list, as a string that is opaque to clients.
// Its checksum ties it to the search it came from; a sealed cursor can be neither read nor forged.
import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync } from 'node:crypto'

/**
 * The position at which a list continues. `values` are the encoded keys of the row before it; null
 * means the end of the list.
 */
export interface Cursor {
  readonly direction: 'next' | 'prev'
  readonly sort: string
  readonly values: readonly unknown[] | null
}

/**
 * Writes and reads cursors. `search` identifies the search that a cursor belongs to; cursors of
 * other searches are rejected.
 */
export interface CursorCodec {
  write(cursor: Cursor, search: string): string
  /** Returns `undefined` for anything but a cursor that was written for this search. */
  read(text: string, search: string): Cursor | undefined
}

/** The longest cursor that is read, and written. */
export const LONGEST_CURSOR = 2048

const VERSION = 1
/** Twelve bytes in base64url. */
const CHECKSUM_LENGTH = 16

/**
 * Cursors that clients can decode, tied to one search: the checksum detects mistakes, not forgery.
 */
export const plainCursors: CursorCodec = {
  write(cursor, search) {
    const content = contentOf(cursor)
    return bounded(Buffer.from(content).toString('base64url') + checksum(content, search))
  },
  read(text, search) {
    const content = bytesOf(text.slice(0, -CHECKSUM_LENGTH))?.toString()
    return content !== undefined && text.endsWith(checksum(content, search))
      ? cursorOf(content)
      : undefined
  },
}

function checksum(content: string, search: string): string {
  return hash('sha256', `${content}\0${search}`, 'base64url').slice(0, CHECKSUM_LENGTH)
}

const SEALED = 2
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Cursors that only this application can read or create. The initialization vector is a keyed hash
 * of the content, so that equal cursors are equal strings and entity tags stay the same; it is
 * reused for equal contents only, which is safe with AES-GCM.
 */
export function sealedCursors(secrets: readonly string[]): CursorCodec {
  const keys = secrets.map(secret => ({
    seal: derived(secret, 'seal'),
    vector: derived(secret, 'vector'),
  }))
  const [first] = keys
  return {
    write(cursor, search) {
      if (!first) throw new TypeError('CURSOR_SECRETS is empty: a cursor cannot be sealed')
      const content = contentOf(cursor)
      const iv = createHmac('sha256', first.vector)
        .update(search)
        .update('\0')
        .update(content)
        .digest()
        .subarray(0, IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', first.seal, iv).setAAD(Buffer.from(search))
      const sealed = Buffer.concat([
        Buffer.of(SEALED),
        iv,
        cipher.update(content),
        cipher.final(),
        cipher.getAuthTag(),
      ])
      return bounded(sealed.toString('base64url'))
    },
    read(text, search) {
      const bytes = bytesOf(text)
      if (!bytes || bytes[0] !== SEALED || bytes.length <= 1 + IV_BYTES + TAG_BYTES)
        return undefined
      for (const { seal } of keys) {
        const content = opened(bytes, seal, search)
        if (content) return cursorOf(content.toString())
      }
      return undefined
    },
  }
}

function opened(bytes: Buffer, key: Buffer, search: string): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + IV_BYTES)).setAAD(
    Buffer.from(search),
  )
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([
      decipher.update(bytes.subarray(1 + IV_BYTES, -TAG_BYTES)),
      decipher.final(),
    ])
  } catch {
    return undefined
  }
}

function derived(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'koa-smorest', `cursor ${purpose}`, 32))
}

function contentOf({ direction, sort, values }: Cursor): string {
  return JSON.stringify([VERSION, direction === 'next' ? 1 : -1, sort, values])
}

/** Validates the content, which a checksum alone does not prove to be written here. */
function cursorOf(content: string): Cursor | undefined {
  const [version, direction, sort, values] = parsed(content)
  if (version !== VERSION || (direction !== 1 && direction !== -1) || typeof sort !== 'string')
    return undefined
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
  if (text.length <= LONGEST_CURSOR) return text
  throw new RangeError(`the keys of a row make a cursor of over ${LONGEST_CURSOR} characters`)
}

/** Decodes base64url; returns undefined for a non-canonical spelling. */
function bytesOf(text: string): Buffer | undefined {
  if (text.length > LONGEST_CURSOR || text === '') return undefined
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}
