// Values that codecs have decoded, as bytes: what tells two requests apart, for fingerprints and cursors. Each value begins with a
// byte for its kind and shows where it ends, so that no two values together look like another two.
import { isUpload, type Upload } from '../types/upload-type.js'

/** A value of which nobody can say whether it equals another one. */
export class Incomparable extends TypeError {
  override readonly name = 'Incomparable'

  constructor(type: string) {
    super(`one ${type} among the arguments cannot be told from another one: give its class a toJSON() or toString()`)
  }
}

/**
 * A value as bytes: equal bytes for equal values, whatever the order of their fields, and for no others. They are valid until the next
 * call. Files are added to a list, since only reading them tells their contents. Throws `Incomparable`.
 */
export function canonicalBytes(value: unknown, files: Upload[]): Buffer {
  return writer.write(value, files)
}

const [END, UNDEFINED, NULL, FALSE, TRUE, NUMBER, BIGINT, STRING] = [0, 1, 2, 3, 4, 5, 6, 7]
const [LIST, OBJECT, DATE, FILE, BYTES, MAP, SET, INSTANCE, JSON_OF] = [8, 9, 10, 11, 12, 13, 14, 15, 16]

/** How large the buffer is between two calls. */
const USUAL_SIZE = 16 * 1024
/** Longer strings are copied at once, which for short ones costs more than a loop. */
const LONG = 128

/** Writes into one buffer, again and again: a request of the usual size allocates nothing. */
class Writer {
  #bytes: Buffer = Buffer.allocUnsafeSlow(USUAL_SIZE)
  #view = viewOf(this.#bytes)
  #end = 0
  #files: Upload[] = []

  write(value: unknown, files: Upload[]): Buffer {
    if (this.#bytes.length > USUAL_SIZE) this.#use(Buffer.allocUnsafeSlow(USUAL_SIZE))
    this.#end = 0
    this.#files = files
    this.#add(value)
    return this.#bytes.subarray(0, this.#end)
  }

  #use(bytes: Buffer): void {
    this.#bytes = bytes
    this.#view = viewOf(bytes)
  }

  #reserve(size: number): void {
    const needed = this.#end + size
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, needed))
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#use(larger)
  }

  #add(value: unknown): void {
    if (typeof value === 'string') this.#addString(STRING, value)
    else if (typeof value === 'number') this.#addNumber(NUMBER, value)
    else if (typeof value === 'boolean') this.#addKind(value ? TRUE : FALSE)
    else if (value === undefined) this.#addKind(UNDEFINED)
    else if (value === null) this.#addKind(NULL)
    else if (typeof value === 'bigint') this.#addString(BIGINT, String(value))
    else if (typeof value === 'object') this.#addObject(value)
    else throw new Incomparable(typeof value)
  }

  #addKind(kind: number): void {
    this.#reserve(1)
    this.#bytes[this.#end++] = kind
  }

  /** -0 is 0, and all that is not a number is the same. */
  #addNumber(kind: number, value: number): void {
    this.#reserve(9)
    this.#bytes[this.#end] = kind
    this.#view.setFloat64(this.#end + 1, Number.isNaN(value) ? Number.NaN : value + 0)
    this.#end += 9
  }

  /** Each UTF-16 code unit for itself: in UTF-8 all lone surrogates are one. */
  #addString(kind: number, text: string): void {
    const { length } = text
    this.#reserve(5 + 3 * length)
    const bytes = this.#bytes
    let end = this.#end
    bytes[end] = kind
    this.#view.setUint32(end + 1, length)
    end += 5
    if (length > LONG) end += bytes.write(text, end, 'utf16le')
    else
      for (let index = 0; index < length; index++) {
        const unit = text.charCodeAt(index)
        if (unit < 0x80) bytes[end++] = unit
        else {
          bytes[end++] = 0xe0 | (unit >> 12)
          bytes[end++] = 0x80 | ((unit >> 6) & 0x3f)
          bytes[end++] = 0x80 | (unit & 0x3f)
        }
      }
    this.#end = end
  }

  #addObject(value: object): void {
    const prototype: unknown = Object.getPrototypeOf(value)
    if (Array.isArray(value)) this.#addList(value)
    else if (prototype === Object.prototype || prototype === null) this.#addFields(value)
    else this.#addInstance(value)
  }

  #addList(values: readonly unknown[]): void {
    this.#addKind(LIST)
    for (let index = 0; index < values.length; index++) this.#add(values[index])
    this.#addKind(END)
  }

  /** A field that is undefined is as good as none. */
  #addFields(value: object): void {
    const fields = value as Readonly<Record<string, unknown>>
    this.#addKind(OBJECT)
    for (const name of inOrder(Object.keys(fields))) {
      const field = fields[name]
      if (field === undefined) continue
      this.#addString(STRING, name)
      this.#add(field)
    }
    this.#addKind(END)
  }

  /** What a codec has made of a text: a date, a file, an object of a class. */
  #addInstance(value: object): void {
    if (value instanceof Date) this.#addNumber(DATE, value.getTime())
    else if (isUpload(value)) this.#addFile(value)
    else if (ArrayBuffer.isView(value)) this.#addBytes(value)
    else if (value instanceof Map || value instanceof Set) {
      this.#addKind(value instanceof Map ? MAP : SET)
      this.#addList([...value])
    } else this.#addOther(value)
  }

  #addOther(value: object): void {
    const name = String(value.constructor?.name)
    const { toJSON, toString: ownText } = value as { toJSON?: unknown; toString?: unknown }
    if (typeof toJSON === 'function') {
      this.#addString(JSON_OF, name)
      this.#add(toJSON.call(value))
      return
    }
    // fields that are private can only be seen in a text that the class makes itself
    const hasText = typeof ownText === 'function' && ownText !== Object.prototype.toString
    if (!hasText && Object.keys(value).length === 0) throw new Incomparable(name)
    this.#addString(INSTANCE, name)
    this.#add(hasText ? String(ownText.call(value)) : undefined)
    this.#addFields(value)
  }

  #addFile(file: Upload): void {
    this.#files.push(file)
    this.#addKind(FILE)
    this.#add(file.filename)
    this.#add(file.mediaType)
  }

  #addBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): void {
    this.#addNumber(BYTES, byteLength)
    this.#reserve(byteLength)
    this.#end += Buffer.from(buffer, byteOffset, byteLength).copy(this.#bytes, this.#end)
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

const writer = new Writer()

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
