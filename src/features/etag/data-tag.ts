import type * as t from 'io-ts'
import { writerOf } from '../../codec/encode/encode.js'
import { isPlainObject } from '../../codec/shape/plain-object.js'
import type { Exchange } from '../../feature-api/exchange.js'
import { isPromise } from '../../feature-api/later.js'
import { entityTagOf, entityTagOfBytes, parseEntityTag } from '../../http/entity-tag.js'
import { bytesOf, LONG_TEXT } from '../../http/text-bytes.js'

/** The source of a tag: a codec that encodes the data, or the names of the fields to include. */
export type TagSource<Data = unknown> = t.Mixed | readonly FieldOf<Data>[]

type FieldOf<Data> = unknown extends Data
  ? string
  : Data extends unknown
    ? Extract<keyof Data, string>
    : never

/** Types whose values would all have the same tag. */
type Opaque =
  | PromiseLike<unknown>
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | ((...given: never[]) => unknown)

/** `unknown`, or a type that explains why the data cannot be tagged. */
export type Taggable<Data> = [Extract<Data, Opaque>] extends [never]
  ? unknown
  : {
      readonly 'a tag is made of JSON data: await a promise, and spread a Map or Set': Extract<
        Data,
        Opaque
      >
    }

/**
 * Returns the string to hash for a tag: the encoded data, the named fields, or the data as
 * canonical JSON. Throws a TypeError if two versions of the data would have the same string.
 */
export function tagText(data: unknown, source?: TagSource): string {
  if (isPromise(data)) throw new TypeError('etag: a promise was given to be tagged: await it')
  if (source === undefined) return canonicalJson(data)
  if ('validate' in source) return writerOf(source)(data)
  return canonicalJson(Object.fromEntries(source.map(name => [name, fieldOf(data, name)])))
}

/**
 * Returns a field of the data; throws if it is absent, since it would be the same in every version.
 * An empty field has to be `null`.
 */
function fieldOf(data: unknown, name: string): unknown {
  const value: unknown = Object(data)[name]
  if (value !== undefined) return value
  throw new TypeError(
    `etag: the data has no field "${name}" to make a tag from (an empty field must be null, not undefined)`,
  )
}

/**
 * Returns the entity tag of data: strong, and equal for equal data in every process and release of
 * this major version.
 */
export function tagOfData(data: unknown, source?: TagSource): string {
  return entityTagOf(tagText(data, source))
}

/**
 * Converts a version that an application returns to an entity tag: a number or a bare string is
 * quoted, a complete entity tag (`W/"v1"`) is used unchanged, `null` means no tag. Throws a
 * TypeError for anything else.
 */
export function tagOfVersion(version: unknown): string | undefined {
  if (version === null) return undefined
  const text = typeof version === 'number' && Number.isFinite(version) ? String(version) : version
  if (typeof text === 'string' && text !== '') {
    const tag = parseEntityTag(text) ? text : `"${text}"`
    if (parseEntityTag(tag)) return tag
  }
  throw new TypeError('etag: a tag is a number, a string, a complete entity tag or null')
}

/**
 * Writes JSON with sorted keys, so that equal data gives equal strings. Throws a TypeError for
 * values that JSON cannot represent, and for instances of classes without `toJSON`: their accessors
 * and private fields would be missing.
 */
export function canonicalJson(data: unknown): string {
  const text = JSON.stringify(data, (_key, value: unknown) => {
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new TypeError('etag: not a finite number')
    if (typeof value === 'function' || typeof value === 'symbol')
      throw new TypeError('etag: only JSON data can be tagged')
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    if (!isPlainObject(value)) throw new TypeError(notPlain(value))
    return Object.fromEntries(
      Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)),
    )
  })
  if (text === undefined) throw new TypeError('etag: there is no data to tag')
  return text
}

function notPlain(value: object): string {
  const name = value.constructor?.name || 'a class'
  return `etag: the data holds an instance of ${name}, whose accessors and private fields would not count: give a plain object, a codec, or the names of fields`
}

/**
 * Returns the entity tag of a response's body string and a suffix; undefined if there is none. The
 * bytes of a long string are created for it, and stored to be sent.
 */
export function tagOfText(exchange: Exchange, suffix = ''): string | undefined {
  const { text } = exchange
  if (text === undefined) return undefined
  if (text.length < LONG_TEXT || !text.isWellFormed() || !suffix.isWellFormed())
    return entityTagOf(text + suffix)
  const bytes = bytesOf(text, suffix)
  exchange.bytes =
    suffix === '' ? bytes : bytes.subarray(0, bytes.length - Buffer.byteLength(suffix))
  return entityTagOfBytes(bytes)
}
