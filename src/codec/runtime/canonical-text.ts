// Writes decoded values as strings, to tell whether two requests are the same: for the fingerprints
// of `idempotent` and the cursors of `keyset`.
import { isUpload, type Upload } from '../types/upload-type.js'

/** Thrown for a value that cannot be told from another one. */
export class Incomparable extends TypeError {
  override readonly name = 'Incomparable'

  constructor(type: string) {
    super(
      `one ${type} among the arguments cannot be told from another one: give its class a toJSON() or toString()`,
    )
  }
}

/**
 * Writes a value as a string, such that two strings are equal if and only if the values are,
 * whatever the order of their fields. Files are added to `files`, since their contents have to be
 * read to be compared. Throws `Incomparable`.
 */
export function canonicalText(value: unknown, files: Upload[]): string {
  const text = textOf(value, files)
  // in UTF-8, which is hashed, all lone surrogates are the same; no other string begins with a
  // quote
  return text.isWellFormed() ? text : JSON.stringify(text)
}

function textOf(value: unknown, files: Upload[]): string {
  switch (typeof value) {
    case 'string':
      // its length delimits it, so nothing has to be escaped
      return `${value.length}:${value}`
    case 'number':
      return `#${value}`
    case 'bigint':
      return `n${value}`
    case 'boolean':
    case 'undefined':
      return String(value)
    case 'object':
      return value === null ? 'null' : textOfObject(value, files)
    default:
      throw new Incomparable(typeof value)
  }
}

function textOfObject(value: object, files: Upload[]): string {
  if (Array.isArray(value)) return textOfList(value, files)
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
    ? textOfFields(value, files)
    : textOfInstance(value, files)
}

function textOfList(values: readonly unknown[], files: Upload[]): string {
  let text = '['
  for (const value of values) text += `${textOf(value, files)},`
  return `${text}]`
}

/** An undefined field is the same as an absent one. */
function textOfFields(value: object, files: Upload[]): string {
  const fields = value as Readonly<Record<string, unknown>>
  let text = '{'
  for (const name of Object.keys(fields).sort()) {
    const field = fields[name]
    if (field !== undefined) text += `${name.length}:${name}=${textOf(field, files)},`
  }
  return `${text}}`
}

/** Writes the instances that codecs decode strings to: dates, files, instances of classes. */
function textOfInstance(value: object, files: Upload[]): string {
  if (value instanceof Date) return `Date(${value.getTime()})`
  if (isUpload(value)) {
    files.push(value)
    return `File(${textOfList([value.filename, value.mediaType], files)})`
  }
  if (ArrayBuffer.isView(value))
    return `Bytes(${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')})`
  if (value instanceof Map || value instanceof Set)
    return `${value instanceof Map ? 'Map' : 'Set'}${textOfList([...value], files)}`
  const name = String(value.constructor?.name)
  const { toJSON, toString: ownText } = value as { toJSON?: unknown; toString?: unknown }
  if (typeof toJSON === 'function') return `JSON(${textOfList([name, toJSON.call(value)], files)})`
  // only a string that the class writes itself can contain its private fields
  const hasText = typeof ownText === 'function' && ownText !== Object.prototype.toString
  if (!hasText && Object.keys(value).length === 0) throw new Incomparable(name)
  return `Instance(${textOfList([name, hasText ? String(ownText.call(value)) : undefined], files)}${textOfFields(value, files)})`
}
