import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf } from '../../src/codec/decode/decode.js'
import { minLength, Upload } from '../../src/codec/define/bounds.js'
import { nullable } from '../../src/codec/define/list.js'
import { isoDate } from '../../src/codec/define/scalar/dates.js'
import { int } from '../../src/codec/define/scalar/scalars.js'
import { struct } from '../../src/codec/define/struct.js'
import { EncodeError, encoderOf, writerOf } from '../../src/codec/encode/encode.js'
import {
  optional,
  readOnly,
  wireName,
  withDefault,
  writeOnly,
} from '../../src/codec/shape/object-shape.js'

function encode(codec: t.Mixed, value: unknown): unknown {
  return encoderOf(codec)(value)
}

function faultOf(codec: t.Mixed, value: unknown): EncodeError {
  try {
    encode(codec, value)
  } catch (error) {
    if (error instanceof EncodeError) return error
    throw error
  }
  throw new Error('it was encoded')
}

describe('T12: what a codec does not declare', () => {
  const canary = { secret: 'canary' }
  const User = t.type({ name: t.string })

  it('never leaves, at any depth and through any codec', () => {
    const user = { name: 'Ann', ...canary }
    const codecs: [t.Mixed, unknown][] = [
      [User, user],
      [t.array(User), [user]],
      [t.tuple([User]), [user]],
      [t.record(t.string, User), { a: user }],
      [t.readonly(t.exact(t.type({ user: User }))), { user }],
      [t.intersection([User, t.strict({ age: t.number })]), { ...user, age: 1 }],
      [
        t.intersection([User, t.union([t.type({ a: t.string }), t.type({ b: t.string })])]),
        { ...user, b: 'b' },
      ],
      [nullable(t.union([User, t.type({ id: t.number })])), user],
      [
        t.recursion('Tree', self => t.type({ name: t.string, children: t.array(self) })),
        { ...user, children: [{ ...user, children: [] }] },
      ],
      [t.refinement(User, () => true), user],
      [t.partial({ user: User }), { user }],
    ]
    for (const [codec, value] of codecs) {
      const text = writerOf(codec)(value)
      expect(text).toContain('Ann')
      expect(text).not.toContain('canary')
    }
  })

  it('is built anew: the program may change its value afterwards', () => {
    const value = { name: 'Ann', tags: ['a'] }
    const wire = encode(t.type({ name: t.string, tags: t.array(t.string) }), value)
    expect(wire).toEqual(value)
    value.tags.push('b')
    expect(wire).toEqual({ name: 'Ann', tags: ['a'] })
  })

  it('is in the order of the codec', () => {
    expect(
      Object.keys(encode(t.type({ a: t.string, b: t.string }), { b: '', a: '' }) as object),
    ).toEqual(['a', 'b'])
  })
})

describe('fields', () => {
  it('go out under their names on the wire, the write-only ones not at all', () => {
    const codec = struct({
      id: readOnly(int),
      token: wireName('X-Token', t.string),
      secret: writeOnly(t.string),
      nick: optional(t.string),
    })
    expect(encode(codec, { id: 1, token: 'a', secret: 'b', nick: undefined })).toEqual({
      id: 1,
      'X-Token': 'a',
    })
  })

  it('may be absent if they are optional, null only if that is allowed', () => {
    const codec = t.partial({ a: t.string })
    expect(Object.keys(encode(codec, { a: undefined }) as object)).toEqual([])
    expect(faultOf(codec, { a: null }).path).toBe('a')
    expect(encode(t.partial({ a: nullable(t.string) }), { a: null })).toEqual({ a: null })
  })

  it('take their default if they are absent, if it is the same each time', () => {
    const Size = struct({ width: withDefault(int, 1) })
    const codec = struct({
      quantity: withDefault(int, 1),
      breed: withDefault(nullable(t.string), null),
      day: withDefault(isoDate.asDate, new Date(0)),
      tags: withDefault(t.array(t.string), () => []),
      size: withDefault(Size, () => ({}) as t.TypeOf<typeof Size>),
      name: wireName('label', withDefault(t.string, 'none')),
      secret: writeOnly(withDefault(t.string, 'secret')),
    })
    const defaults = {
      quantity: 1,
      breed: null,
      day: '1970-01-01',
      tags: [],
      size: { width: 1 },
      label: 'none',
    }
    for (const value of [{}, { quantity: undefined, tags: undefined }]) {
      expect(encode(codec, value)).toEqual(defaults)
      expect(JSON.parse(writerOf(codec)(value))).toEqual(defaults)
    }
    expect(encode(codec, { quantity: 2, breed: 'Collie' })).toEqual({
      ...defaults,
      quantity: 2,
      breed: 'Collie',
    })
    expect(faultOf(codec, { quantity: null }).path).toBe('quantity')
  })

  it('are not invented: an absent field whose default is made anew each time does not fit', () => {
    const codec = struct({ at: withDefault(int, () => Date.now()) })
    expect(faultOf(codec, {})).toMatchObject({ path: 'at', expected: 'a whole number' })
    expect(() => writerOf(codec)({})).toThrow(EncodeError)
    const own = new t.Type<number>(
      'Own',
      t.number.is,
      (input, context) => t.number.validate(input ?? 7, context),
      t.identity,
    )
    expect(encode(struct({ a: own }), { a: 1 })).toEqual({ a: 1 })
    expect(() => encode(struct({ a: own }), {})).toThrow(EncodeError)
  })

  it('have a default that nobody can change afterwards', () => {
    const given = { tags: ['a'] }
    const codec = struct({ given: withDefault(t.type({ tags: t.array(t.string) }), given) })
    given.tags.push('b')
    const decoded = decoderOf(codec)({}) as typeof codec._A
    decoded.given.tags.push('c')
    expect(encode(codec, {})).toEqual({ given: { tags: ['a'] } })
    expect(decoderOf(codec)({})).toEqual({ given: { tags: ['a'] } })
  })

  it('do not go out by the dictionary that they stand in', () => {
    const codec = t.intersection([
      struct({ token: wireName('X-Token', t.string), secret: writeOnly(t.string) }),
      t.record(t.string, t.string),
    ])
    expect(encode(codec, { token: 'a', secret: 'b', other: 'c', gone: undefined })).toEqual({
      'X-Token': 'a',
      other: 'c',
    })
    expect(faultOf(codec, { token: 'a', other: 1 }).path).toBe('other')
  })

  it('are read from instances and their getters, but not from what every object inherits', () => {
    class Row {
      #id = 1
      name = 'Rex'
      get id() {
        return this.#id
      }
    }
    expect(encode(t.type({ id: int, name: t.string }), new Row())).toEqual({ id: 1, name: 'Rex' })
    expect(encode(t.partial({ constructor: t.unknown, toString: t.unknown }), new Row())).toEqual(
      {},
    )
    const named = JSON.parse('{"__proto__":"a","constructor":"b"}')
    expect(
      JSON.stringify(encode(t.type(Object.fromEntries([['__proto__', t.string]])), named)),
    ).toBe('{"__proto__":"a"}')
  })
})

describe('T13 and T15: a value that does not fit', () => {
  it('is an EncodeError with its place, never a hole or a null', () => {
    const codec = t.type({ items: t.array(t.type({ 'the price': t.number })) })
    const bad = [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      undefined,
      1n,
      new Date(),
      '1',
      null,
      Symbol('x'),
      () => 1,
    ]
    for (const price of bad) {
      const fault = faultOf(codec, { items: [{ 'the price': 1 }, { 'the price': price }] })
      expect(fault).toMatchObject({ path: 'items[1]["the price"]', expected: 'a number' })
    }
    for (const items of [[undefined], new Array(1), new Set([1]), 'abc', undefined])
      expect(() => encode(codec, { items })).toThrow(EncodeError)
    expect(() => encode(t.tuple([int]), [1, 2])).toThrow(EncodeError)
    for (const value of [undefined, null, [], 1, new Map()])
      expect(() => encode(t.type({ a: int }), value)).toThrow(EncodeError)
    expect(() => encode(t.record(t.string, int), new Map([['a', 1]]))).toThrow(EncodeError)
  })

  it('is one that a bound or a predicate refuses', () => {
    expect(faultOf(t.type({ name: minLength(t.string, 3) }), { name: 'ab' })).toMatchObject({
      path: 'name',
      message:
        'The result does not fit its codec at name: expected a string (Must be at least 3 characters long.)',
    })
    expect(() => encode(t.Int, 1.5)).toThrow(EncodeError)
    expect(() => encode(int, 2 ** 53)).toThrow(EncodeError)
    expect(() => encode(isoDate, '2020-02-30')).toThrow(EncodeError)
    expect(() => encode(isoDate.asDate, new Date(Number.NaN))).toThrow(EncodeError)
  })

  it('is a file, and undefined if there is a codec', () => {
    expect(() => encode(Upload, {})).toThrow(EncodeError)
    expect(() => encode(t.undefined, undefined)).toThrow(EncodeError)
    expect(() => encode(nullable(t.undefined), undefined)).toThrow(EncodeError)
  })

  it('is not repeated in the message', () => {
    expect(faultOf(t.type({ a: int }), { a: 'secret' }).message).not.toContain('secret')
  })
})

describe('unions', () => {
  it('T14: lose no field to a member that stands first', () => {
    const codec = t.union([t.strict({ a: t.string }), t.strict({ a: t.string, b: t.string })])
    expect(encode(codec, { a: 'a', b: 'b' })).toEqual({ a: 'a', b: 'b' })
    expect(encode(codec, { a: 'a', c: 'c' })).toEqual({ a: 'a' })
    expect(
      encode(
        t.union([
          t.strict({ p: t.strict({ a: int }) }),
          t.strict({ p: t.strict({ a: int, b: int }) }),
        ]),
        { p: { a: 1, b: 2 } },
      ),
    ).toEqual({
      p: { a: 1, b: 2 },
    })
  })

  it('count what is in the value, not the defaults that a member adds', () => {
    const Filled = t.type({
      a: withDefault(int, 1),
      b: withDefault(int, 2),
      c: withDefault(int, 3),
      name: t.string,
    })
    const codec = t.union([Filled, t.type({ name: t.string, nick: t.string })])
    expect(encode(codec, { name: 'Ann', nick: 'A' })).toEqual({ name: 'Ann', nick: 'A' })
    expect(
      encode(
        t.union([t.type({ list: t.array(Filled) }), t.type({ list: t.array(t.UnknownRecord) })]),
        { list: [{ name: 'Ann' }] },
      ),
    ).toEqual({
      list: [{ a: 1, b: 2, c: 3, name: 'Ann' }],
    })
  })

  it('do not take a date for an object whose fields are all absent', () => {
    expect(encode(t.union([t.partial({ a: int }), isoDate.asDate]), new Date(0))).toBe('1970-01-01')
    expect(encode(t.union([struct({ a: withDefault(int, 1) }), isoDate.asDate]), new Date(0))).toBe(
      '1970-01-01',
    )
  })

  it('are decided by their tag, and then by nothing else', () => {
    const codec = t.union([
      t.type({ kind: t.literal('a'), a: int }),
      t.type({ kind: t.literal('b'), b: int }),
    ])
    expect(encode(codec, { kind: 'b', a: 1, b: 2 })).toEqual({ kind: 'b', b: 2 })
    expect(faultOf(codec, { kind: 'a', b: 2 }).path).toBe('a')
    expect(faultOf(codec, { kind: 'c' })).toMatchObject({ path: 'kind', expected: 'one of: a, b' })
    expect(() => encode(codec, null)).toThrow(EncodeError)
  })

  it('of nothing that fits are a fault', () => {
    expect(faultOf(t.type({ a: t.union([t.string, t.null]) }), { a: 1 })).toMatchObject({
      path: 'a',
      expected: 'a string or null',
    })
  })
})

describe('foreign codecs', () => {
  const Cents = new t.Type<number, string>(
    'Cents',
    t.number.is,
    t.number.validate,
    cents => `${(cents / 100).toFixed(2)}`,
  )

  it('encode what they take for their own', () => {
    expect(encode(t.type({ price: Cents }), { price: 150 })).toEqual({ price: '1.50' })
    expect(faultOf(t.type({ price: Cents }), { price: '1' })).toMatchObject({
      path: 'price',
      expected: 'Cents',
    })
  })

  it('are a fault if their encode throws, or returns no JSON', () => {
    const broken = new t.Type<string, unknown>('Broken', t.string.is, t.string.validate, () => {
      throw new RangeError('inside')
    })
    expect(faultOf(broken, 'a').cause).toBeInstanceOf(RangeError)
    const big = new t.Type<string, unknown>('Big', t.string.is, t.string.validate, () => 1n)
    expect(() => encode(big, 'a')).toThrow(EncodeError)
  })
})

describe('unknown values', () => {
  it('are what JSON makes of them', () => {
    const value = { a: [1, 'b', null, { toJSON: () => 'c' }], at: new Date(0), gone: undefined }
    expect(encode(t.unknown, value)).toEqual({
      a: [1, 'b', null, 'c'],
      at: '1970-01-01T00:00:00.000Z',
    })
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    for (const bad of [undefined, () => 1, Symbol('x'), 1n, { a: 1n }, cycle, Number.NaN])
      expect(() => encode(t.unknown, bad)).toThrow(EncodeError)
  })
})

describe('dictionaries', () => {
  it('have their own entries, of names in their domain', () => {
    const codec = t.record(t.union([t.keyof({ a: null }), minLength(t.string, 2)]), int)
    expect(encode(codec, { a: 1, bb: 2, c: 3, dd: undefined })).toEqual({ a: 1, bb: 2 })
    expect(encode(t.record(int, t.string) as t.Mixed, { 1: 'a', x: 'b' })).toEqual({ 1: 'a' })
    expect(faultOf(t.record(t.string, int), { 'a b': 'x' }).path).toBe('["a b"]')
  })

  it('T32: never write -0', () => {
    expect(writerOf(t.array(t.number))([-0])).toBe('[0]')
  })
})
