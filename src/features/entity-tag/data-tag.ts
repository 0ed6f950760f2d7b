import type * as t from 'io-ts'
import { writerOf } from '../../codec/encode/encode.js'
import { isPlainObject } from '../../codec/shape/plain-object.js'
import { entityTagOf, parseEntityTag } from '../../http/entity-tag.js'
import { isPromise } from '../../respond/result.js'

/** What says which data a tag is made of: a codec that encodes it, or the names of the fields that count. */
export type TagSource<Data = unknown> = t.Mixed | readonly FieldOf<Data>[]

type FieldOf<Data> = unknown extends Data ? string : Data extends unknown ? Extract<keyof Data, string> : never

/** Data of which the compiler can see that every value of it would have the same tag. */
type Opaque = PromiseLike<unknown> | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | ((...given: never[]) => unknown)

/** `unknown`, or a type that names the mistake where data cannot be tagged. */
export type Taggable<Data> = [Extract<Data, Opaque>] extends [never]
  ? unknown
  : { readonly 'a tag is made of JSON data: await a promise, and spread a Map or Set': Extract<Data, Opaque> }

/**
 * The text that a tag of this data is the hash of: the encoded data, the named fields, or the data as canonical JSON.
 * Throws TypeError for data whose text would not tell two versions of it apart.
 */
export function tagText(data: unknown, source?: TagSource): string {
  if (isPromise(data)) throw new TypeError('etag: a promise was given to be tagged: await it')
  if (source === undefined) return canonicalJson(data)
  if ('validate' in source) return writerOf(source)(data)
  return canonicalJson(Object.fromEntries(source.map(name => [name, fieldOf(data, name)])))
}

/** A field that is not there would be the same in every version; one that may be empty is `null` where it is. */
function fieldOf(data: unknown, name: string): unknown {
  const value = data === undefined || data === null ? undefined : (data as Readonly<Record<string, unknown>>)[name]
  if (value !== undefined) return value
  throw new TypeError(`etag: the data has no field "${name}" to make a tag of (an empty one is null, not undefined)`)
}

/** The entity tag of data: strong, equal for equal data in every process and release of this major version. */
export function tagOfData(data: unknown, source?: TagSource): string {
  return entityTagOf(tagText(data, source))
}

/**
 * The entity tag that an application gives: a number or a bare string is quoted, a complete entity tag (`W/"v1"`) stands
 * as written, `null` is no tag. Throws TypeError for anything else.
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
 * JSON with the keys of every object in order, so that equal data has one text. Throws TypeError for what JSON cannot say,
 * and for instances of classes without `toJSON`: accessors and private fields would be left out of the text.
 */
export function canonicalJson(data: unknown): string {
  const text = JSON.stringify(data, (_key, value: unknown) => {
    if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('etag: not a finite number')
    if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError('etag: only JSON data can be tagged')
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    if (!isPlainObject(value)) throw new TypeError(notPlain(value))
    return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
  })
  if (text === undefined) throw new TypeError('etag: there is no data to tag')
  return text
}

function notPlain(value: object): string {
  const name = value.constructor?.name || 'a class'
  return `etag: the data holds an instance of ${name}, whose accessors and private fields would not count: give a plain object, a codec, or the names of fields`
}
