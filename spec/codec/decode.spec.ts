import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { type DecodeOptions, decoderOf, Invalid } from '../../src/codec/decode/decode.js'
import { nullable } from '../../src/codec/define/list.js'
import { int } from '../../src/codec/define/scalar/scalars.js'
import { struct } from '../../src/codec/define/struct.js'
import {
  optional,
  readOnly,
  wireName,
  withDefault,
  writeOnly,
} from '../../src/codec/shape/object-shape.js'

const MISSING = ['Missing data for required field.']
const UNKNOWN = ['Unknown field.']

/** The decoded value, or `{ errors }`. */
function decode(codec: t.Mixed, input: unknown, options?: DecodeOptions): unknown {
  const value = decoderOf(codec, options)(input)
  return value instanceof Invalid ? { errors: JSON.parse(JSON.stringify(value.errors)) } : value
}

describe('scalars in JSON', () => {
  it('are never converted', () => {
    expect(decode(t.string, 1)).toEqual({ errors: ['Not a string.'] })
    expect(decode(t.number, '1')).toEqual({ errors: ['Not a number.'] })
    expect(decode(int, '1')).toEqual({ errors: ['Not a whole number.'] })
    expect(decode(t.boolean, 'true')).toEqual({ errors: ['Must be true or false.'] })
    expect(decode(t.literal(1), '1')).toEqual({ errors: ['Must be 1.'] })
  })

  it('T34: have finite numbers only', () => {
    for (const text of ['1e999', '-1e999'])
      expect(decode(t.number, JSON.parse(text))).toEqual({ errors: ['Not a number.'] })
    expect(decode(t.number, Number.NaN)).toEqual({ errors: ['Not a number.'] })
    expect(decode(t.number, 1e300)).toBe(1e300)
  })

  it('T35: have whole numbers that a double holds exactly', () => {
    const unsafe = { errors: ['Must lie between -9007199254740991 and 9007199254740991.'] }
    expect(decode(int, JSON.parse('9007199254740993'))).toEqual(unsafe)
    expect(decode(t.Int, 1e20)).toEqual(unsafe)
    expect(decode(int, Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER)
    expect(decode(int, 1.5)).toEqual({ errors: ['Not a whole number.'] })
  })

  it('T32: have no -0 among whole numbers', () => {
    expect(Object.is(decode(int, JSON.parse('-0')), 0)).toBe(true)
  })

  it('T30: have lone surrogates as data', () => {
    expect(decode(t.string, JSON.parse('"\\ud800"'))).toBe('\ud800')
  })

  it('say what they expect, and that null is not it', () => {
    expect(decode(t.keyof({ cat: null, dog: null }), 'cow')).toEqual({
      errors: ['Must be one of: cat, dog.'],
    })
    expect(decode(t.string, null)).toEqual({ errors: ['May not be null.'] })
    expect(decode(nullable(t.string), null)).toBe(null)
  })
})

describe('objects', () => {
  const Pet = t.type({ name: t.string, tags: t.array(t.type({ label: t.string })) })

  it('report every fault under its field', () => {
    expect(decode(Pet, { tags: [{ label: 'a' }, { label: 1 }] })).toEqual({
      errors: { name: MISSING, tags: { 1: { label: ['Not a string.'] } } },
    })
    expect(decode(t.array(Pet), {})).toEqual({ errors: ['Not a list.'] })
  })

  it('T09 and T10: refuse, leave out or keep unknown fields at every depth', () => {
    const input = { name: 'Rex', isAdmin: true, tags: [{ label: 'a', color: 'red' }] }
    expect(decode(Pet, input)).toEqual({
      errors: { isAdmin: UNKNOWN, tags: { 0: { color: UNKNOWN } } },
    })
    expect(decode(Pet, input, { unknown: 'exclude' })).toEqual({
      name: 'Rex',
      tags: [{ label: 'a' }],
    })
    expect(decode(Pet, input, { unknown: 'include' })).toEqual(input)
  })

  it('T10: apply that to the members of unions and to intersections as one object', () => {
    const union = t.union([t.strict({ a: int }), t.strict({ b: t.string })])
    expect(decode(union, { b: 'x', c: 1 })).toEqual({ errors: { c: UNKNOWN } })
    const both = t.intersection([t.strict({ a: int }), t.partial({ b: int })])
    expect(decode(both, { a: 1, b: 2 })).toEqual({ a: 1, b: 2 })
    expect(decode(both, { a: 1, b: 2, c: 3 })).toEqual({ errors: { c: UNKNOWN } })
  })

  it('T11: refuse read-only fields under every policy', () => {
    const codec = struct({ id: readOnly(int), name: t.string })
    for (const unknown of ['raise', 'exclude', 'include'] as const) {
      expect(decode(codec, { id: 1, name: 'Rex' }, { unknown })).toEqual({
        errors: { id: ['Read-only field.'] },
      })
      expect(decode(codec, { name: 'Rex' }, { unknown })).toEqual({ name: 'Rex' })
    }
  })

  it('fill in defaults, each time anew', () => {
    const codec = struct({
      quantity: withDefault(int, 1),
      tags: withDefault(t.array(t.string), []),
      at: withDefault(int, () => Date.now()),
    })
    const decoder = decoderOf(codec)
    const [first, second] = [decoder({}), decoder({})] as {
      quantity: number
      tags: string[]
      at: number
    }[]
    expect(first).toMatchObject({ quantity: 1, tags: [], at: expect.any(Number) })
    expect(first?.tags).not.toBe(second?.tags)
    expect(decode(codec, { quantity: null })).toEqual({
      errors: { quantity: ['May not be null.'] },
    })
  })

  it('leave optional fields absent', () => {
    const codec = t.type({
      a: optional(t.string),
      b: t.union([t.string, t.undefined]),
      c: writeOnly(optional(int)),
    })
    expect(decode(codec, {})).toEqual({})
    expect(Object.keys(decode(codec, { a: undefined }) as object)).toEqual([])
    expect(decode(codec, { b: 1 })).toEqual({ errors: { b: ['Not a string.'] } })
  })

  it('find fields by their names on the wire and report them there', () => {
    const codec = t.type({ token: wireName('X-Token', t.string) })
    expect(decode(codec, { 'X-Token': 'a' })).toEqual({ token: 'a' })
    expect(decode(codec, { token: 'a' })).toEqual({
      errors: { 'X-Token': MISSING, token: UNKNOWN },
    })
    expect(decode(codec, { 'X-Token': 'a', token: 'b' }, { unknown: 'include' })).toEqual({
      token: 'a',
    })
  })

  it('T07 and T08: know own properties only, whatever they are called', () => {
    for (const name of [
      'constructor',
      'hasOwnProperty',
      'toString',
      'valueOf',
      'toJSON',
      'then',
      'length',
      '__proto__',
    ]) {
      const codec = t.type(Object.fromEntries([[name, t.string]]))
      const input = JSON.parse(`{"${name}":"data"}`)
      expect(decode(codec, {})).toEqual({ errors: JSON.parse(`{"${name}":["${MISSING}"]}`) })
      expect(JSON.stringify(decode(codec, input))).toBe(JSON.stringify(input))
      expect(JSON.stringify(decode(t.type({}), input, { unknown: 'include' }))).toBe(
        JSON.stringify(input),
      )
    }
  })

  it('T01 and T03: set no prototype, neither of the value nor of anything else', () => {
    const input = JSON.parse(
      '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}',
    )
    for (const codec of [t.type({}), t.record(t.string, t.unknown), t.unknown]) {
      const value = decode(codec, input, { unknown: 'include' }) as Record<string, unknown>
      expect(value.isAdmin).toBeUndefined()
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    }
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined()
  })

  it('are plain: no list, no instance of a class, no date', () => {
    class Box {
      a = 1
    }
    for (const input of [[], new Box(), new Date(), new Map(), 'text', 1])
      expect(decode(t.type({ a: int }), input)).toEqual({ errors: { _schema: ['Not an object.'] } })
    expect(decode(t.type({ a: int }), Object.assign(Object.create(null), { a: 1 }))).toEqual({
      a: 1,
    })
  })
})

describe('lists and dictionaries', () => {
  it('have exactly the length of a tuple', () => {
    const pair = t.tuple([int, t.string])
    expect(decode(pair, [1, 'a'])).toEqual([1, 'a'])
    for (const input of [[1], [1, 'a', 2]])
      expect(decode(pair, input)).toEqual({ errors: ['Must have exactly 2 items.'] })
  })

  it('hold the values of a dictionary to its codec, and its names', () => {
    const codec = t.record(t.keyof({ a: null, b: null }), int)
    expect(decode(codec, { a: 1, b: 2 })).toEqual({ a: 1, b: 2 })
    expect(decode(codec, { a: 1, c: 1 })).toEqual({ errors: { b: MISSING, c: UNKNOWN } })
    const named = t.record(
      t.brand(t.string, (text): text is t.Branded<string, never> => text !== 'no', 'Name' as never),
      int,
    )
    expect(decode(named, { no: 1, yes: 'x' })).toEqual({
      errors: { no: UNKNOWN, yes: ['Not a whole number.'] },
    })
    expect(decode(named, { no: 1, yes: 1 }, { unknown: 'include' })).toEqual({ yes: 1 })
  })

  it('T22: stop after as many bad items as an error body shows', () => {
    let calls = 0
    const counted = t.refinement(t.unknown, () => {
      calls += 1
      return false
    })
    const value = decoderOf(t.array(counted))(Array.from({ length: 100_000 }, () => 1))
    expect(calls).toBeLessThan(110)
    expect(Object.keys((value as Invalid).errors)).toHaveLength(51)
  })
})

describe('foreign codecs', () => {
  const DateFromText = new t.Type<Date, string>(
    'DateFromText',
    (value): value is Date => value instanceof Date,
    (input, context) => {
      const date = new Date(String(input))
      return Number.isNaN(date.getTime()) ? t.failure(input, context) : t.success(date)
    },
    date => date.toISOString(),
  )

  it('validate themselves', () => {
    expect(decode(t.type({ at: DateFromText }), { at: '2020-01-01' })).toEqual({
      at: new Date('2020-01-01'),
    })
    expect(decode(t.type({ at: DateFromText }), { at: 'x' })).toEqual({
      errors: { at: ['Not a valid DateFromText.'] },
    })
  })

  it('report their own messages under the fields that they name', () => {
    const opaque = t
      .array(t.union([t.type({ a: t.string }), t.type({ b: t.string })]))
      .pipe(t.UnknownArray as t.Mixed)
    const { errors } = decode(opaque, ['x']) as { errors: unknown }
    expect(errors).toEqual({ 0: ['Not a valid value.'] })
    const message = new t.Type<string>(
      'x',
      t.string.is,
      (input, context) => t.failure(input, context, 'Never good.'),
      t.identity,
    )
    expect(decode(message, 1)).toEqual({ errors: ['Never good.'] })
  })

  it('may throw, which is not a fault of the request', () => {
    const broken = t.refinement(t.string, () => {
      throw new Error('broken')
    })
    expect(() => decode(broken, 'a')).toThrow('broken')
  })
})

describe('messages', () => {
  it('T23: never repeat a value', () => {
    const secret = 'x'.repeat(900_000)
    const codecs = [
      int,
      t.type({ a: int }),
      t.literal('a'),
      nullable(int),
      t.union([int, t.type({ a: int })]),
      t.array(int),
      t.refinement(t.string, () => false),
    ]
    for (const codec of codecs)
      expect(JSON.stringify(decode(codec, secret)).length).toBeLessThan(200)
  })
})
