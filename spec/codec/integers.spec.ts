import * as fc from 'fast-check'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf, Invalid } from '../../src/codec/decode/decode.js'
import { uniqueItems } from '../../src/codec/define/bounds.js'
import { list, nullable } from '../../src/codec/define/list.js'
import { int32, int64 } from '../../src/codec/define/scalar/scalars.js'
import { struct } from '../../src/codec/define/struct.js'
import { EncodeError, writerOf } from '../../src/codec/encode/encode.js'
import { describe as described } from '../../src/codec/shape/annotations.js'
import {
  optional,
  readOnly,
  remark,
  wireName,
  withDefault,
  writeOnly,
} from '../../src/codec/shape/object-shape.js'
import { seed } from '../properties/seed.js'
import { validatorOf } from './validator.js'

const errorsOf = (codec: t.Mixed, input: unknown) => {
  const value = decoderOf(codec)(input)
  return value instanceof Invalid ? value.errors : { value }
}
const [LEAST, MOST] = [-(2n ** 63n), 2n ** 63n - 1n]

describe('int32', () => {
  it('is a whole number of 32 bits, in JSON and in text', () => {
    const outside = ['Must lie between -2147483648 and 2147483647.']
    expect(
      [-(2 ** 31), 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 1.5, '1'].map(v => errorsOf(int32, v)),
    ).toEqual([
      { value: -2147483648 },
      { value: 2147483647 },
      outside,
      outside,
      ['Not a whole number.'],
      ['Not a whole number.'],
    ])
    expect(decoderOf(int32, { wire: 'text' })('2147483647')).toBe(2147483647)
    expect(() => writerOf(int32)(2 ** 31)).toThrow(EncodeError)
  })
})

describe('int64', () => {
  it('is a number within the range in which a double is exact', () => {
    expect(errorsOf(int64, Number.MAX_SAFE_INTEGER)).toEqual({ value: Number.MAX_SAFE_INTEGER })
    expect(errorsOf(int64, 2 ** 53)).toEqual([
      'Must lie between -9007199254740991 and 9007199254740991.',
    ])
  })

  it('asBigInt is a string of digits in JSON and digits in text, in one spelling each', () => {
    const codec = int64.asBigInt
    for (const value of [0n, 1n, -1n, LEAST, MOST]) {
      expect(errorsOf(codec, String(value))).toEqual({ value })
      expect(decoderOf(codec, { wire: 'text' })(String(value))).toBe(value)
      expect(writerOf(codec)(value)).toBe(`"${value}"`)
    }
    const wrong = ['Not a whole number of 64 bits.']
    for (const text of [String(MOST + 1n), String(LEAST - 1n), '-0', '01', '+1', '', ' 1', '1n'])
      expect(errorsOf(codec, text)).toEqual(wrong)
    expect(errorsOf(codec, 1)).toEqual(['Not a whole number of 64 bits in a string.'])
    for (const value of [MOST + 1n, LEAST - 1n, 1, '1'])
      expect(() => writerOf(codec)(value)).toThrow(EncodeError)
  })

  it(`asBigInt has a pattern that says its range (seed ${seed})`, () => {
    const near = fc.oneof(
      fc.bigInt({ min: MOST - 10n, max: MOST + 10n }),
      fc.bigInt({ min: LEAST - 10n, max: LEAST + 10n }),
      fc.bigInt({ min: LEAST * 20n, max: MOST * 20n }),
      fc.bigInt({ min: LEAST, max: MOST }),
    )
    const isDocumented = validatorOf(int64.asBigInt)
    return fc.assert(
      fc.property(near, value => {
        const fits = value >= LEAST && value <= MOST
        expect(errorsOf(int64.asBigInt, String(value))).toEqual(
          fits ? { value } : ['Not a whole number of 64 bits.'],
        )
        expect(isDocumented(String(value))).toBe(fits)
      }),
      { seed, numRuns: 500 },
    )
  })

  it('asBigInt is optional, nullable, listed and filled in as any other codec', () => {
    const Counts = struct({
      all: list(int64.asBigInt),
      none: nullable(int64.asBigInt),
      more: optional(int64.asBigInt),
      start: withDefault(int64.asBigInt, 7n),
    })
    const value = { all: [1n, 2n], none: null, start: 7n }
    expect(decoderOf(Counts)({ all: ['1', '2'], none: null })).toEqual(value)
    expect(decoderOf(Counts, { wire: 'text' })({ all: '1,2', none: '3', start: '4' })).toEqual({
      all: [1n, 2n],
      none: 3n,
      start: 4n,
    })
    expect(writerOf(Counts)(value)).toBe('{"all":["1","2"],"none":null,"start":"7"}')
  })
})

describe('remark', () => {
  it('puts the marks of a field around another codec', () => {
    const fields = {
      a: optional(t.string),
      b: withDefault(t.string, 'b'),
      c: wireName('see', readOnly(t.string)),
      d: optional(writeOnly(wireName('dee', t.string))),
      e: t.string,
    }
    const changed = struct(
      Object.fromEntries(
        Object.entries(fields).map(([key, field]) => [key, remark(field, nullable(t.string))]),
      ),
    )
    expect(decoderOf(changed)({ dee: null, e: null })).toEqual({ b: 'b', d: null, e: null })
    expect(decoderOf(changed)({ see: null, e: null })).toEqual(
      new Invalid({ see: ['Read-only field.'] }),
    )
    expect(writerOf(changed)({ a: null, b: null, c: null, d: null, e: null })).toBe(
      '{"a":null,"b":null,"see":null,"e":null}',
    )
    expect(remark(t.string, int32)).toBe(int32)
  })
})

describe('describe', () => {
  it('takes xml and extensions, and refuses anything else', () => {
    expect(() => described(t.string, { 'y-order': 3 } as never)).toThrow(
      'describe(string): there is no option "y-order"',
    )
    expect(() => described(t.string, { xml: 'pet' } as never)).toThrow('xml must be an object')
    expect(described(t.string, { 'x-order': 3, xml: { name: 'pet' } }).name).toBe('string')
  })
})

describe('uniqueItems', () => {
  it('refuses items that are objects or lists, no two of which are the same', () => {
    const Objects = t.array(t.type({ a: t.string })) as unknown as t.ArrayC<t.StringC>
    expect(() => uniqueItems(Objects)).toThrow(
      new TypeError(
        'uniqueItems: the items of Array<{ a: string }> must be strings, numbers or booleans: no two objects are the same item',
      ),
    )
    expect(uniqueItems(t.array(t.string)).name).toBe('Array<string>')
  })
})
