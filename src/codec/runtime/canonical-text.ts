// A value that a codec has decoded, as one text: what tells two requests apart, for fingerprints and cursors.
import { isUpload, type Upload } from '../types/upload-type.js'

/**
 * A value as text: equal texts for equal values, whatever the order of their fields, and no others. Files are added to a list, since
 * only reading them tells their contents. Throws `Incomparable`.
 */
export function canonicalText(value: unknown, files: Upload[]): string {
  switch (typeof value) {
    case 'string':
      // told apart by its length: to escape it would cost more
      return `${value.length}:${value}`
    case 'number':
      return `#${value}`
    case 'bigint':
      return `n${value}`
    case 'object':
      return value === null ? 'null' : textOfObject(value, files)
    case 'function':
    case 'symbol':
      throw new Incomparable(typeof value)
    default:
      return String(value)
  }
}

function textOfObject(value: object, files: Upload[]): string {
  if (Array.isArray(value)) {
    let text = '['
    for (let index = 0; index < value.length; index++) text += `${canonicalText(value[index], files)},`
    return `${text}]`
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null ? textOfFields(value, files) : textOfInstance(value, files)
}

function textOfFields(value: object, files: Upload[]): string {
  const fields = value as Readonly<Record<string, unknown>>
  let text = '{'
  for (const name of inOrder(Object.keys(fields))) {
    const one = fields[name]
    if (one !== undefined) text += `${name.length}:${name}=${canonicalText(one, files)},`
  }
  return `${text}}`
}

/** Sorts names; a few of them faster than `sort` does. */
function inOrder(names: string[]): readonly string[] {
  if (names.length > 16) return names.sort()
  for (let index = 1; index < names.length; index++) {
    const name = names[index] as string
    let place = index
    for (; place > 0 && (names[place - 1] as string) > name; place--) names[place] = names[place - 1] as string
    names[place] = name
  }
  return names
}

/** What a codec has made of a text: a date, a file, an object of a class. */
function textOfInstance(value: object, files: Upload[]): string {
  if (value instanceof Date) return `Date(${value.getTime()})`
  if (isUpload(value)) {
    files.push(value)
    return `File(${canonicalText(value.filename, files)}${canonicalText(value.mediaType, files)})`
  }
  if (ArrayBuffer.isView(value)) return `Bytes(${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')})`
  if (value instanceof Map || value instanceof Set) return `${value.constructor.name}${canonicalText([...value], files)}`
  const name = String(value.constructor?.name)
  const { toJSON, toString: ownText } = value as { toJSON?: unknown; toString?: unknown }
  if (typeof toJSON === 'function') return `${name}(${canonicalText(toJSON.call(value), files)})`
  // fields that are private can only be seen in a text that the class makes itself
  const own =
    typeof ownText === 'function' && ownText !== Object.prototype.toString ? canonicalText(String(ownText.call(value)), files) : ''
  if (own === '' && Object.keys(value).length === 0) throw new Incomparable(name)
  return `${name}(${own}${textOfFields(value, files)})`
}

/** A value of which nobody can say whether it equals another one. */
export class Incomparable extends TypeError {
  override readonly name = 'Incomparable'

  constructor(type: string) {
    super(`one ${type} among the arguments cannot be told from another one: give its class a toJSON() or toString()`)
  }
}
