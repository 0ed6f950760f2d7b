import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf } from '../../src/codec/decode/decode.js'
import { list, nullable } from '../../src/codec/define/list.js'
import { partial } from '../../src/codec/define/partial.js'
import { int } from '../../src/codec/define/scalar/scalars.js'
import { struct } from '../../src/codec/define/struct.js'
import { encoderOf } from '../../src/codec/encode/encode.js'
import {
  optional,
  readOnly,
  wireName,
  withDefault,
  writeOnly,
} from '../../src/codec/shape/object-shape.js'

const Pet = struct(
  {
    id: readOnly(int),
    nick: optional(t.string),
    quantity: withDefault(int, 1),
    token: wireName('X-Token', t.string),
    secret: writeOnly(t.string),
  },
  'Pet',
)
const wire = { id: 1, 'X-Token': 'a', secret: 'b' }
const value = { id: 1, quantity: 1, token: 'a', secret: 'b' }

describe('a struct as a codec of io-ts', () => {
  it('decodes all its fields, read-only ones too, and drops the rest', () => {
    expect(Pet.decode({ ...wire, other: 1 })).toEqual({ _tag: 'Right', right: value })
  })

  it('encodes all fields but write-only ones', () => {
    expect(Pet.encode(value)).toEqual({ id: 1, quantity: 1, 'X-Token': 'a' })
  })

  it.each([value, { ...value, nick: undefined }])('is the codec of %j', one => {
    expect(Pet.is(one)).toBe(true)
  })

  it.each([{ ...value, id: '1' }, { ...value, quantity: undefined }, [], null, wire])(
    'is not the codec of %j',
    other => {
      expect(Pet.is(other)).toBe(false)
    },
  )

  it('does not see inherited fields', () => {
    expect(struct({ toString: t.Function } as t.Props).is({})).toBe(false)
    // of any type, undefined included
    expect(struct({ constructor: t.unknown } as t.Props).is({})).toBe(true)
  })

  it('reports errors as io-ts does, each with its context', () => {
    expect(t.array(Pet).decode([{ ...wire, id: 'x' }])).toMatchObject({
      left: [
        {
          value: 'x',
          message: 'Not a whole number.',
          context: [{}, { key: '0' }, { key: 'id', actual: 'x' }],
        },
      ],
    })
  })

  it('can be used within any codec of io-ts', () => {
    const codec = t.type({
      pets: t.readonlyArray(nullable(Pet)),
      both: t.exact(t.intersection([Pet, t.partial({ age: int })])),
    })
    const input = { pets: [wire, null], both: { ...wire, age: 2 } }
    expect(codec.decode(input)).toMatchObject({
      right: { pets: [value, null], both: { id: 1, age: 2 } },
    })
    expect(decoderOf(codec, { whole: true })(input)).toEqual({
      pets: [value, null],
      both: { ...value, age: 2 },
    })
  })

  it('can be recursive', () => {
    const Tree = t.recursion(
      'Tree',
      (self: t.Mixed): t.Mixed => struct({ name: t.string, child: optional(self) }),
    )
    expect(Tree.decode({ name: 'a', child: { name: 'b', x: 1 } })).toEqual({
      _tag: 'Right',
      right: { name: 'a', child: { name: 'b' } },
    })
    expect(Tree.encode({ name: 'a', child: { name: 'b', x: 1 } })).toEqual({
      name: 'a',
      child: { name: 'b' },
    })
  })
})

describe('marks in objects of io-ts', () => {
  it('work fully in this library, and outside of it as far as io-ts goes', () => {
    const codec = t.strict({
      nick: optional(t.string),
      quantity: withDefault(int, 1),
      ids: list(int),
    })
    expect(codec.decode({ ids: [1] })).toEqual({
      _tag: 'Right',
      right: { nick: undefined, quantity: 1, ids: [1] },
    })
    expect(codec.encode({ nick: undefined, quantity: 2, ids: [] })).toEqual({
      quantity: 2,
      ids: [],
    })
    expect(decoderOf(codec)({ ids: [1] })).toEqual({ quantity: 1, ids: [1] })
  })
})

describe('partial', () => {
  it('makes every field optional and fills in no default', () => {
    const Changes = partial(Pet, 'PetChanges')
    expect(Changes.name).toBe('PetChanges')
    expect(decoderOf(Changes)({})).toEqual({})
    expect(decoderOf(Changes)({ 'X-Token': 'b' })).toEqual({ token: 'b' })
    expect(decoderOf(Changes)({ id: 1 })).toMatchObject({ errors: { id: ['Read-only field.'] } })
    expect(encoderOf(Changes)({ secret: 'a', quantity: 2 })).toEqual({ quantity: 2 })
  })

  it('takes objects of io-ts, too', () => {
    expect(decoderOf(partial(t.strict({ a: int })))({})).toEqual({})
    expect(decoderOf(partial(t.type({ a: int })))({ a: 'x' })).toMatchObject({
      errors: { a: ['Not a whole number.'] },
    })
  })
})
