import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { minLength } from '../../src/codec/define/bounds.js'
import { nullable } from '../../src/codec/define/list.js'
import { refine } from '../../src/codec/define/refine.js'
import { int } from '../../src/codec/define/scalar/scalars.js'
import { struct } from '../../src/codec/define/struct.js'
import { faultsOf } from '../../src/codec/encode/faults.js'
import { optional } from '../../src/codec/shape/object-shape.js'

const Small = t.strict({ a: t.string }, 'Small')
const Large = t.strict({ a: minLength(t.string, 1), b: t.string }, 'Large')

describe('what comes in', () => {
  const lost = (codec: t.Mixed) => faultsOf(codec, 'input', 'exclude')

  it('is ambiguous if a member that stands first takes a value and loses a field', () => {
    expect(lost(t.type({ pets: t.array(t.union([Small, Large])) }))).toEqual([
      'the union at pets[] is ambiguous: what is meant as a Large passes for a Small, which is listed before it, and loses b: put the one with more fields ' +
        'first, refuse unknown fields, or give each a field with a literal of its own, as in t.type({ kind: t.literal(…) })',
    ])
    expect(lost(t.union([t.partial({ a: t.string }), t.partial({ b: t.string })]))).toHaveLength(1)
    expect(
      lost(t.union([t.strict({ p: t.array(Small) }), t.strict({ p: t.array(Large) })]))[0],
    ).toContain('loses p.b')
    expect(faultsOf(t.union([Small, Large]), 'input', 'include')).toHaveLength(1)
  })

  it('is not ambiguous if the order, the types, a tag or a predicate tell the members apart', () => {
    const tagged = t.union([
      struct({ kind: t.literal('a') }),
      struct({ kind: t.literal('b'), b: t.string }),
    ])
    const judged = t.union([t.refinement(Small, ({ a }) => a === 'a'), Large])
    for (const codec of [
      t.union([Large, Small]),
      t.union([t.strict({ a: int }), Large]),
      tagged,
      judged,
      nullable(Large),
      t.union([Small, t.array(Large)]),
    ]) {
      expect(lost(codec), codec.name).toEqual([])
    }
  })

  it('is ambiguous if a member is refined that loses a field to one that is not', () => {
    expect(lost(t.union([Small, t.refinement(Large, () => true)]))).toHaveLength(1)
    expect(lost(t.union([Small, refine(Large, () => undefined)]))).toHaveLength(1)
  })

  it('is not ambiguous if unknown fields are refused', () => {
    expect(faultsOf(t.union([Small, Large]), 'input')).toEqual([])
  })

  it('is looked for again if unknown fields are treated differently', () => {
    const codec = t.union([Small, Large])
    const Open = t.union([Small, t.unknown])
    const found = (['raise', 'exclude', 'include'] as const).map(
      unknown => faultsOf(codec, 'input', unknown).length,
    )
    expect(found).toEqual([0, 1, 1])
    expect(faultsOf(Open, 'input')).toEqual([])
    expect(faultsOf(Open, 'output')).toHaveLength(1)
  })

  it('is looked for behind recursions, once', () => {
    const Tree = t.recursion(
      'Tree',
      (self: t.Mixed): t.Mixed =>
        t.type({ value: t.union([Small, Large]), children: t.array(self) }),
    )
    expect(lost(Tree)).toHaveLength(1)
    const Both = t.recursion(
      'Both',
      (self: t.Mixed): t.Mixed =>
        t.union([t.type({ next: self }), t.type({ next: self, b: optional(int) })]),
    )
    expect(lost(Both)).toHaveLength(1)
  })
})

describe('what goes out', () => {
  it('is ambiguous if an object passes for something open', () => {
    expect(faultsOf(t.union([Small, t.unknown]), 'output')[0]).toContain(
      'a Small passes for a JSON value, which lets out fields that the former does not declare',
    )
    expect(faultsOf(t.union([t.record(t.string, t.string), Large]), 'output')).toHaveLength(1)
    expect(faultsOf(t.union([t.array(t.unknown), t.array(Small)]), 'output')).toHaveLength(1)
  })

  it('is so through predicates on either side, in whatever stands around the object', () => {
    const Branded = t.brand(
      Small,
      (small): small is t.Branded<t.TypeOf<typeof Small>, { readonly Good: symbol }> =>
        small.a !== '',
      'Good',
    )
    const open: readonly (readonly [t.Mixed, t.Mixed])[] = [
      [Branded, t.UnknownRecord],
      [refine(Small, () => undefined), t.UnknownRecord],
      [Small, t.refinement(t.UnknownRecord, () => true)],
      [t.strict({ pet: nullable(Small) }), t.strict({ pet: t.unknown })],
      [t.record(t.string, Small), t.UnknownRecord],
      [t.record(t.string, Small), t.partial({ a: t.unknown })],
      [t.tuple([Small]), t.UnknownArray],
      [t.array(Small), t.tuple([t.unknown])],
      [Small, t.intersection([t.type({ a: t.string }), t.UnknownRecord])],
    ]
    for (const [first, second] of open) {
      expect(
        faultsOf(t.union([first, second]), 'output'),
        `${first.name} | ${second.name}`,
      ).toHaveLength(1)
      expect(
        faultsOf(t.union([second, first]), 'output'),
        `${second.name} | ${first.name}`,
      ).toHaveLength(1)
    }
  })

  it('is not ambiguous if the member that keeps most is the one that is meant', () => {
    for (const codec of [
      t.union([Small, Large]),
      t.union([Small, t.record(t.string, int)]),
      nullable(Small),
      t.union([t.string, t.unknown]),
    ]) {
      expect(faultsOf(codec, 'output'), codec.name).toEqual([])
    }
  })
})
