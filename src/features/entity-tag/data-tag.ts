import type * as t from 'io-ts'
import { writerOf } from '../../codec/encode/encode.js'
import { entityTagOf, parseEntityTag } from '../../http/entity-tag.js'

/** What says which data a tag is made of: a codec that encodes it, or the names of the fields that count. */
export type TagSource = t.Mixed | readonly string[]

/** The text that a tag of this data is the hash of: the encoded data, the named fields, or the data as canonical JSON. */
export function tagText(data: unknown, source?: TagSource): string {
  if (source === undefined) return canonicalJson(data)
  if ('validate' in source) return writerOf(source)(data)
  const fields = data as Readonly<Record<string, unknown>>
  return canonicalJson(Object.fromEntries(source.map(name => [name, fields[name]])))
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

/** JSON with the keys of every object in order, so that equal data has one text. Throws TypeError for what JSON cannot say. */
export function canonicalJson(data: unknown): string {
  const text = JSON.stringify(data, (_key, value: unknown) => {
    if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('etag: not a finite number')
    if (typeof value === 'function' || typeof value === 'symbol' || value instanceof Map || value instanceof Set) {
      throw new TypeError('etag: only JSON data can be tagged')
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
  })
  if (text === undefined) throw new TypeError('etag: there is no data to tag')
  return text
}
