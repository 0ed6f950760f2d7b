import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf, Invalid } from '../../src/codec/decode/decode.js'
import {
  exclusiveMaximum,
  exclusiveMinimum,
  maxItems,
  maximum,
  maxLength,
  maxSize,
  minItems,
  minimum,
  minLength,
  multipleOf,
  pattern,
  Upload,
  uniqueItems,
} from '../../src/codec/define/bounds.js'
import { int } from '../../src/codec/define/scalar/scalars.js'
import { validatorOf } from './validator.js'

function faultOf(codec: t.Mixed, input: unknown): unknown {
  const value = decoderOf(codec)(input)
  return value instanceof Invalid ? value.errors : undefined
}

const INPUTS = [
  '',
  'a',
  'ab',
  'abc',
  'abcd',
  '💩',
  '💩💩',
  '💩💩💩',
  'é',
  'e\u0301',
  '\ud800',
  '\ud800\ud800\ud800',
  -1,
  0,
  1,
  2,
  2.5,
  3,
  4,
  5,
  6,
  1e300,
  [],
  [1],
  [1, 1],
  [1, 2, 3],
  ['a', 'a'],
  null,
]

const BOUNDS: [string, t.Mixed, unknown, string][] = [
  ['minLength', minLength(t.string, 2), 'a', 'Must be at least 2 characters long.'],
  ['maxLength', maxLength(t.string, 1), '💩💩', 'Must be at most 1 character long.'],
  [
    'both lengths',
    maxLength(minLength(t.string, 2), 3),
    'abcd',
    'Must be at most 3 characters long.',
  ],
  ['pattern', pattern(t.string, /^.$/), 'ab', 'Must match the pattern ^.$'],
  ['minimum', minimum(int, 2), 1, 'Must be at least 2.'],
  ['maximum', maximum(t.number, 2), 2.5, 'Must be at most 2.'],
  ['exclusiveMinimum', exclusiveMinimum(int, 2), 2, 'Must be greater than 2.'],
  ['exclusiveMaximum', exclusiveMaximum(t.number, 2.5), 2.5, 'Must be less than 2.5.'],
  ['multipleOf', multipleOf(int, 2), 3, 'Must be a multiple of 2.'],
  ['minItems', minItems(t.array(t.unknown), 1), [], 'Must have at least 1 item.'],
  ['maxItems', maxItems(t.array(t.unknown), 2), [1, 2, 3], 'Must have at most 2 items.'],
  [
    'uniqueItems',
    uniqueItems(t.array(t.union([t.string, t.number]))),
    ['a', 'a'],
    'Must not have the same item twice.',
  ],
]

describe.each(BOUNDS)('%s', (_name, codec, bad, message) => {
  it('says in its message what it requires', () => {
    expect(faultOf(codec, bad)).toEqual([message])
  })

  it('accepts exactly what its schema does, alone and within other codecs', () => {
    const validate = validatorOf(codec)
    const isUnsafe = (input: unknown) => Number.isInteger(input) && !Number.isSafeInteger(input)
    for (const input of INPUTS.filter(value => !isUnsafe(value))) {
      const accepts = validate(input)
      expect({
        input,
        within: faultOf(codec, input) === undefined,
        alone: codec.decode(input)._tag,
        is: codec.is(input),
      }).toEqual({
        input,
        within: accepts,
        alone: accepts ? 'Right' : 'Left',
        is: accepts,
      })
    }
  })
})

describe('bounds', () => {
  it('are checked from the inside out, so that no long text reaches a pattern (T25)', () => {
    let matched = 0
    const counted = t.refinement(maxLength(t.string, 10), () => {
      matched += 1
      return true
    })
    decoderOf(counted)('x'.repeat(900_000))
    expect(matched).toBe(0)
  })

  it('throw for a pattern or a multiple that a document cannot express', () => {
    expect(() => pattern(t.string, /a/i)).toThrow('flags i')
    expect(() => pattern(t.string, /a/gu)).toThrow(TypeError)
    expect(() => multipleOf(int, 0.1)).toThrow(TypeError)
  })

  it('apply to branded codecs as well', () => {
    expect(faultOf(minimum(t.Int, 1), 0)).toEqual(['Must be at least 1.'])
    expect(minimum(int, 1).decode(0)).toMatchObject({ left: [{ message: 'Must be at least 1.' }] })
  })
})

describe('a bound that is not a number', () => {
  const make: { readonly [name: string]: (bound: number) => t.Mixed } = {
    minLength: bound => minLength(t.string, bound),
    maxLength: bound => maxLength(t.string, bound),
    minItems: bound => minItems(t.array(t.string), bound),
    maxItems: bound => maxItems(t.array(t.string), bound),
    maxSize: bound => maxSize(Upload, bound),
    minimum: bound => minimum(t.number, bound),
    maximum: bound => maximum(t.number, bound),
    exclusiveMinimum: bound => exclusiveMinimum(t.number, bound),
    exclusiveMaximum: bound => exclusiveMaximum(t.number, bound),
  }
  it.each(Object.keys(make))('makes %s throw, since everything would pass it or nothing', name => {
    for (const bound of [Number.NaN, undefined, '5', null, Number.POSITIVE_INFINITY])
      expect(() => make[name]?.(bound as number)).toThrow(new RegExp(`^${name}: .* is not a `))
    expect(() => make[name]?.(2)).not.toThrow()
  })
})
