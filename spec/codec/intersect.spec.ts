import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf, Invalid } from '../../src/codec/decode/decode.js'
import { minLength } from '../../src/codec/define/bounds.js'
import { int } from '../../src/codec/define/scalar/scalars.js'
import { struct } from '../../src/codec/define/struct.js'
import { optional, withDefault } from '../../src/codec/shape/object-shape.js'
import type { ObjectShape, RecursionShape, Shape, UnionShape } from '../../src/codec/shape/shape.js'
import { shapeOf } from '../../src/codec/shape/shape-of.js'

/** Which of the values a codec accepts. */
const accepted = (codec: t.Mixed, ...inputs: readonly unknown[]) =>
  inputs.filter(input => !(decoderOf(codec)(input) instanceof Invalid))
const keysOf = (shape: Shape) => (shape as ObjectShape).fields.map(field => field.key)

describe('an intersection', () => {
  it('of objects is one object, with their fields in order', () => {
    const codec = t.intersection(
      [
        t.readonly(t.strict({ a: t.string })),
        t.partial({ b: t.string }),
        struct({ c: optional(int) }),
      ],
      'Both',
    )
    expect(shapeOf(codec)).toMatchObject({ kind: 'object', codec: { name: 'Both' } })
    expect(keysOf(shapeOf(codec))).toEqual(['a', 'b', 'c'])
  })

  it('applies both codecs to a field that two objects have, and requires it if either does', () => {
    const codec = t.intersection([
      t.type({ kind: t.string, age: optional(int) }),
      t.type({ kind: t.literal('a'), age: withDefault(int, 1) }),
    ])
    expect(shapeOf(codec)).toMatchObject({
      fields: [{ shape: { kind: 'literal', values: ['a'] } }, { optional: true }],
    })
    expect(decoderOf(codec)({ kind: 'a' })).toEqual({ kind: 'a', age: 1 })
    expect(accepted(codec, { kind: 'b' })).toEqual([])
    expect(
      accepted(
        t.intersection([t.partial({ a: t.string }), t.type({ a: t.string })]),
        {},
        { a: 'x' },
      ),
    ).toEqual([{ a: 'x' }])
  })

  it('with a dictionary applies its codec to the values under all keys', () => {
    const codec = t.intersection([
      t.type({ a: t.union([t.string, t.number]) }),
      t.record(t.string, t.string),
    ])
    expect(accepted(codec, { a: 'x', other: 'y' }, { a: 1 }, { a: 'x', other: 1 })).toEqual([
      { a: 'x', other: 'y' },
    ])
    expect(shapeOf(codec)).toMatchObject({ kind: 'object', rest: { kind: 'scalar' } })
  })

  it('with a union of objects is a union with the same discriminator', () => {
    const codec = t.intersection([
      t.type({ id: int }),
      t.union([t.type({ kind: t.literal('a') }), t.type({ kind: t.literal('b'), b: int })]),
    ])
    const shape = shapeOf(codec) as UnionShape
    expect(shape.discriminator).toBe('kind')
    expect(shape.members.map(keysOf)).toEqual([
      ['id', 'kind'],
      ['id', 'kind', 'b'],
    ])
    expect(decoderOf(codec)({ id: 1, kind: 'b', b: 2 })).toEqual({ id: 1, kind: 'b', b: 2 })
  })

  it('has no members that no value could match', () => {
    const codec = t.intersection([
      t.union([t.type({ a: int }), t.null]),
      t.union([t.type({ b: int }), t.null, t.array(int)]),
    ])
    expect((shapeOf(codec) as UnionShape).members.map(({ kind }) => kind)).toEqual([
      'object',
      'scalar',
    ])
  })

  it('keeps predicates, which get the whole value', () => {
    const Ordered = t.refinement(t.type({ from: int, to: int }), ({ from, to }) => from < to)
    const codec = t.intersection([t.type({ name: t.string }), Ordered])
    expect(accepted(codec, { name: 'a', from: 1, to: 2 }, { name: 'a', from: 2, to: 1 })).toEqual([
      { name: 'a', from: 1, to: 2 },
    ])
  })

  it('of recursions is a recursion, which refers to itself', () => {
    const Tree = t.recursion(
      'Tree',
      (self: t.Mixed): t.Mixed => t.type({ name: t.string, child: t.union([self, t.null]) }),
    )
    const Named = t.recursion(
      'Named',
      (self: t.Mixed): t.Mixed => t.type({ id: int, child: t.union([self, t.null]) }),
    )
    const codec = t.intersection([Tree, Named])
    const value = { name: 'a', id: 1, child: { name: 'b', id: 2, child: null } }
    expect(decoderOf(codec)(value)).toEqual(value)
    expect(accepted(codec, { name: 'a', id: 1, child: { name: 'b', child: null } })).toEqual([])
    const child = ((shapeOf(codec) as RecursionShape).target() as ObjectShape).fields[1]?.shape
    expect((child as UnionShape).members).toContain(shapeOf(codec))
  })

  it('of lists is a list of what both accept', () => {
    const codec = t.intersection([t.array(t.type({ a: int })), t.array(t.type({ b: int }))])
    expect(accepted(codec, [{ a: 1, b: 2 }], [{ a: 1 }])).toEqual([[{ a: 1, b: 2 }]])
  })

  it('with unknown is the other member, as it was', () => {
    const Pet = t.type({ a: minLength(t.string, 2) }, 'Pet')
    expect(shapeOf(t.intersection([t.unknown, Pet]))).toBe(shapeOf(Pet))
  })
})
