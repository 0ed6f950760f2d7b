import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf, Invalid } from '../../../src/codec/decode/decode.js'
import { struct } from '../../../src/codec/define/struct.js'
import { EncodeError, writerOf } from '../../../src/codec/encode/encode.js'
import { optional, wireName } from '../../../src/codec/shape/object-shape.js'

const NAMES = [
  '"];globalThis.broken=1//',
  "'+globalThis.x+'",
  '`',
  '$',
  '\\',
  '\n',
  '\u2028',
  '\u2029',
  '\ud800',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'v',
  'depth',
  'return',
  '*/',
  '',
]

describe('names and fixed values in compiled code', () => {
  it('are never code', () => {
    for (const name of NAMES) {
      const value = JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(name)}}`)
      const codecs = [t.literal(name), t.string, t.keyof(value)].flatMap(codec => [
        t.strict(fields([name, codec])),
        struct(fields([name, optional(codec)])),
        struct(fields(['key', wireName(name, codec)])),
        t.record(t.string, codec),
      ])
      for (const codec of codecs) {
        const decoded = decoderOf(codec)(value)
        expect(writerOf(codec)(decoded)).toBe(JSON.stringify(value))
        expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype)
        expect(
          decoderOf(codec)(JSON.parse(`{${JSON.stringify(name)}:0,"other":0}`)),
        ).toBeInstanceOf(Invalid)
      }
    }
    expect(Object.hasOwn(globalThis, 'broken')).toBe(false)
  })

  it('tell the members of a union apart', () => {
    for (const name of NAMES.filter(name => name !== 'kind' && name !== '__proto__')) {
      const codec = t.union([
        t.strict({ ...fields([name, t.literal(name)]), a: t.number }),
        t.strict({ ...fields([name, t.literal(1)]), b: t.number }),
      ])
      expect(writerOf(codec)(decoderOf(codec)({ [name]: 1, b: 2 }))).toBe(
        JSON.stringify({ [name]: 1, b: 2 }),
      )
      expect(() => writerOf(codec)({ [name]: 2, b: 2 })).toThrow(EncodeError)
    }
  })

  it('that every object inherits are read only if they are its own', () => {
    const codec = t.strict(
      fields(['toString', t.unknown], ['constructor', t.unknown], ['__proto__', t.unknown]),
    )
    expect(decoderOf(codec)({})).toEqual({})
    expect(writerOf(codec)(new Date(0))).toBe('{}')
  })
})

/** Props, `__proto__` among them. */
function fields(...entries: readonly (readonly [string, t.Mixed])[]): t.Props {
  return Object.fromEntries(entries)
}
