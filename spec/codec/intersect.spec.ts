import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf, Invalid } from '../../src/codec/decode/decode.js'
import { minLength } from '../../src/codec/define/bounds.js'
import { int } from '../../src/codec/define/scalar/scalars.js'
import { struct } from '../../src/codec/define/struct.js'
import { optional, withDefault } from '../../src/codec/shape/field-marks.js'
import type { ObjectShape, RecursionShape, Shape, UnionShape } from '../../src/codec/shape/shape.js'
import { shapeOf } from '../../src/codec/shape/shape-of.js'

const accepts = (codec: t.Mixed, input: unknown) => !(decoderOf(codec)(input) instanceof Invalid)
const keysOf = (shape: Shape) => (shape as ObjectShape).fields.map(field => field.key)

describe('an intersection', () => {
  it('of objects is one object, its fields in their order', () => {
    const codec = t.intersection([t.readonly(t.strict({ a: t.string })), t.partial({ b: t.string }), struct({ c: optional(int) })], 'Both')
    expect(shapeOf(codec)).toMatchObject({ kind: 'object', codec: { name: 'Both' } })
    expect(keysOf(shapeOf(codec))).toEqual(['a', 'b', 'c'])
  })

  it('holds a field that two objects have to both, and demands it if either does', () => {
    const codec = t.intersection([
      t.type({ kind: t.string, age: optional(int) }),
      t.type({ kind: t.literal('a'), age: withDefault(int, 1) }),
    ])
    expect(shapeOf(codec)).toMatchObject({ fields: [{ shape: { kind: 'literal', values: ['a'] } }, { optional: true }] })
    expect(decoderOf(codec)({ kind: 'a' })).toEqual({ kind: 'a', age: 1 })
    expect(accepts(codec, { kind: 'b' })).toBe(false)
    expect(accepts(t.intersection([t.partial({ a: t.string }), t.type({ a: t.string })]), {})).toBe(false)
  })

  it('with a dictionary holds the values under all keys to it', () => {
    const codec = t.intersection([t.type({ a: t.union([t.string, t.number]) }), t.record(t.string, t.string)])
    expect(accepts(codec, { a: 'x', other: 'y' })).toBe(true)
    expect(accepts(codec, { a: 1 })).toBe(false)
    expect(accepts(codec, { a: 'x', other: 1 })).toBe(false)
    expect(shapeOf(codec)).toMatchObject({ kind: 'object', rest: { kind: 'scalar' } })
  })

  it('with a union of objects is a union, whose tag stays', () => {
    const codec = t.intersection([
      t.type({ id: int }),
      t.union([t.type({ kind: t.literal('a') }), t.type({ kind: t.literal('b'), b: int })]),
    ])
    const shape = shapeOf(codec) as UnionShape
    expect(shape.tag).toBe('kind')
    expect(shape.members.map(keysOf)).toEqual([
      ['id', 'kind'],
      ['id', 'kind', 'b'],
    ])
    expect(decoderOf(codec)({ id: 1, kind: 'b', b: 2 })).toEqual({ id: 1, kind: 'b', b: 2 })
  })

  it('has no members that nothing can fit', () => {
    const codec = t.intersection([t.union([t.type({ a: int }), t.null]), t.union([t.type({ b: int }), t.null, t.array(int)])])
    expect((shapeOf(codec) as UnionShape).members.map(({ kind }) => kind)).toEqual(['object', 'scalar'])
  })

  it('keeps predicates, which see the whole value', () => {
    const Ordered = t.refinement(t.type({ from: int, to: int }), ({ from, to }) => from < to)
    const codec = t.intersection([t.type({ name: t.string }), Ordered])
    expect(accepts(codec, { name: 'a', from: 1, to: 2 })).toBe(true)
    expect(accepts(codec, { name: 'a', from: 2, to: 1 })).toBe(false)
  })

  it('with a recursion is a recursion, that ends where it meets itself', () => {
    const Tree = t.recursion('Tree', (self: t.Mixed): t.Mixed => t.type({ name: t.string, child: t.union([self, t.null]) }))
    const Named = t.recursion('Named', (self: t.Mixed): t.Mixed => t.type({ id: int, child: t.union([self, t.null]) }))
    const codec = t.intersection([Tree, Named])
    const value = { name: 'a', id: 1, child: { name: 'b', id: 2, child: null } }
    expect(decoderOf(codec)(value)).toEqual(value)
    expect(accepts(codec, { name: 'a', id: 1, child: { name: 'b', child: null } })).toBe(false)
    const child = ((shapeOf(codec) as RecursionShape).target() as ObjectShape).fields[1]?.shape
    expect((child as UnionShape).members).toContain(shapeOf(codec))
  })

  it('of lists is a list of what fits both', () => {
    const codec = t.intersection([t.array(t.type({ a: int })), t.array(t.type({ b: int }))])
    expect(accepts(codec, [{ a: 1, b: 2 }])).toBe(true)
    expect(accepts(codec, [{ a: 1 }])).toBe(false)
  })

  it('with unknown is the other member, as it was', () => {
    const Pet = t.type({ a: minLength(t.string, 2) }, 'Pet')
    expect(shapeOf(t.intersection([t.unknown, Pet]))).toBe(shapeOf(Pet))
  })
})
