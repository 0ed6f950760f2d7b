import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf, Invalid } from '../../src/codec/decode/decode.js'
import { minLength } from '../../src/codec/define/bounds.js'
import { nullable } from '../../src/codec/define/list.js'
import { isoDate } from '../../src/codec/define/scalar/dates.js'
import { int } from '../../src/codec/define/scalar/scalars.js'
import { struct } from '../../src/codec/define/struct.js'
import { wireName } from '../../src/codec/shape/object-shape.js'

function decode(codec: t.Mixed, input: unknown): unknown {
  const value = decoderOf(codec)(input)
  return value instanceof Invalid ? { errors: JSON.parse(JSON.stringify(value.errors)) } : value
}

describe('unions with a tag', () => {
  const Cat = struct({ kind: t.literal('cat'), lives: int }, 'Cat')
  const Dog = struct({ kind: t.keyof({ dog: null, wolf: null }), breed: t.string }, 'Dog')
  const Animal = t.union([Cat, Dog])

  it('report the faults of the member that the tag names', () => {
    expect(decode(Animal, { kind: 'wolf', breed: 'grey' })).toEqual({ kind: 'wolf', breed: 'grey' })
    expect(decode(Animal, { kind: 'cat', breed: 'x' })).toEqual({
      errors: { lives: ['Missing data for required field.'], breed: ['Unknown field.'] },
    })
  })

  it('say which tags there are', () => {
    expect(decode(Animal, { kind: 'cow' })).toEqual({
      errors: { kind: ['Must be one of: cat, dog, wolf.'] },
    })
    expect(decode(Animal, {})).toEqual({ errors: { kind: ['Missing data for required field.'] } })
    expect(decode(Animal, [])).toEqual({ errors: { _schema: ['Not an object.'] } })
  })

  it('have their tag under its name on the wire', () => {
    const first = struct({ kind: wireName('@type', t.literal('first')) })
    const second = struct({ kind: wireName('@type', t.literal('second')) })
    expect(decode(t.union([first, second]), { '@type': 'second' })).toEqual({ kind: 'second' })
  })

  it('take no tag from a prototype', () => {
    const [first, second] = [
      struct({ kind: wireName('toString', t.literal('a')) }),
      struct({ kind: wireName('toString', t.literal('b')) }),
    ]
    const codec = t.union([first, second])
    expect(decode(codec, {})).toEqual({
      errors: { toString: ['Missing data for required field.'] },
    })
    expect(decode(codec, { toString: 'b' })).toEqual({ kind: 'b' })
  })
})

describe('unions without a tag', () => {
  it('take the first member that fits', () => {
    expect(decode(t.union([t.string, int]), 1)).toBe(1)
    expect(
      decode(t.union([t.strict({ a: int }), t.strict({ a: int, b: int })]), { a: 1, b: 2 }),
    ).toEqual({ a: 1, b: 2 })
  })

  it('report the faults of the only member of that type', () => {
    expect(decode(nullable(minLength(t.string, 2)), 'a')).toEqual({
      errors: ['Must be at least 2 characters long.'],
    })
    expect(decode(t.union([isoDate, int]), 'a')).toEqual({ errors: ['Not a date.'] })
    expect(decode(t.union([t.array(int), t.type({ a: int })]), ['a'])).toEqual({
      errors: { 0: ['Not a whole number.'] },
    })
  })

  it('report the faults of the closest object', () => {
    const codec = t.union([t.strict({ a: int, b: int, c: int }), t.strict({ x: int, y: int })])
    expect(decode(codec, { a: 1, b: 2, c: 'x' })).toEqual({
      errors: { c: ['Not a whole number.'] },
    })
  })

  it('say in one sentence what fits if no member stands out', () => {
    expect(decode(t.union([int, t.boolean]), 'x')).toEqual({
      errors: ['Must be a whole number or true or false.'],
    })
    expect(decode(t.union([t.literal('a'), t.literal('b'), t.null]), 'c')).toEqual({
      errors: ['Must be one of: a, b or null.'],
    })
    expect(decode(t.union([t.strict({ a: int }), t.strict({ b: int, c: int })]), 'x')).toEqual({
      errors: { _schema: ['Must be an object with a or an object with b and c.'] },
    })
    const many = t.strict({ a: int, b: int, c: int, d: int, e: int, f: int })
    expect(decode(t.union([many, t.type({}), struct({}, 'Owner')]), 'x')).toEqual({
      errors: { _schema: ['Must be an object or an Owner.'] },
    })
  })

  it('prefer that sentence to the faults of one of several that are as close', () => {
    const codec = t.union([t.strict({ a: int }), t.strict({ b: int })])
    expect(decode(codec, { c: 1 })).toEqual({
      errors: { _schema: ['Must be an object with a or an object with b.'] },
    })
  })

  it('of literals say all values', () => {
    expect(decode(t.union([t.literal('a'), t.literal(1)]), 'c')).toEqual({
      errors: ['Must be one of: a, 1.'],
    })
    expect(decode(t.union([t.literal(''), struct({})]), 'c')).toEqual({
      errors: ['Must be "" or an object.'],
    })
  })
})

describe('intersections that are no one object', () => {
  it('must fit every member, and have a value that is one of every member', () => {
    const Trimmed = new t.Type<string>(
      'Trimmed',
      t.string.is,
      input => t.success(String(input).trim()),
      t.identity,
    )
    expect(decode(t.intersection([minLength(t.string, 3), Trimmed]), ' abc ')).toBe('abc')
    expect(decode(t.intersection([minLength(t.string, 3), Trimmed]), ' a ')).toEqual({
      errors: ['Not a valid value.'],
    })
    expect(decode(t.intersection([isoDate, isoDate.asDate]), '2020-02-29')).toEqual({
      errors: ['Not a valid value.'],
    })
    expect(decode(t.intersection([minLength(t.string, 3), Trimmed]), ' ')).toEqual({
      errors: ['Must be at least 3 characters long.'],
    })
  })

  it('refuse, strip or keep the fields that no member declares, at every depth', () => {
    const Numbered = t.record(int as t.Mixed as t.StringC, t.type({ a: int }))
    const codec = t.type({
      both: t.intersection([Numbered, t.partial({ name: t.type({ first: t.string }) })]),
    })
    const input = { both: { 1: { a: 1, b: 2 }, name: { first: 'x', last: 'y' }, other: 3 } }
    const errors = {
      1: { b: ['Unknown field.'] },
      name: { last: ['Unknown field.'] },
      other: ['Unknown field.'],
    }
    expect(decode(codec, input)).toEqual({ errors: { both: errors } })
    expect(decoderOf(codec, { unknown: 'exclude' })(input)).toEqual({
      both: { 1: { a: 1 }, name: { first: 'x' } },
    })
    expect(decoderOf(codec, { unknown: 'include' })(input)).toEqual({
      both: { 1: { a: 1, b: 2 }, name: { first: 'x', last: 'y' }, other: 3 },
    })
  })

  it('join the objects of a foreign codec and of others', () => {
    const AnyObject = t.UnknownRecord.pipe(t.UnknownRecord)
    const codec = t.intersection([AnyObject, t.type({ at: isoDate.asDate })])
    expect(decode(codec, { at: '2020-01-01', other: 1 })).toEqual({
      at: new Date('2020-01-01'),
      other: 1,
    })
    expect(decode(codec, { at: 1 })).toEqual({ errors: { at: ['Not a date.'] } })
  })
})
