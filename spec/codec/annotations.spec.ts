import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf } from '../../src/codec/decode/decode.js'
import { nullable } from '../../src/codec/define/list.js'
import { int } from '../../src/codec/define/scalar/scalars.js'
import { struct } from '../../src/codec/define/struct.js'
import {
  describe as annotate,
  annotationsOf,
  componentName,
  originOf,
} from '../../src/codec/shape/annotations.js'
import { optional, readOnly } from '../../src/codec/shape/object-shape.js'

const Pet = t.type({ name: t.string }, 'Pet')

describe('describe', () => {
  it('annotates a copy that works like the codec and remembers it', () => {
    const Described = annotate(Pet, { description: 'A pet' })
    expect(Described).not.toBe(Pet)
    expect(annotationsOf(Pet)).toEqual({})
    expect(annotationsOf(Described)).toEqual({ description: 'A pet' })
    expect(originOf(Described)).toBe(Pet)
    expect(originOf(Pet)).toBe(Pet)
    expect(Described.decode({ name: 'Rex' })).toEqual(Pet.decode({ name: 'Rex' }))
    const refused = Described.decode(1)
    expect(refused._tag === 'Left' && refused.left[0]?.context[0]?.type).toBe(Described)
  })

  it('adds to what an earlier copy says', () => {
    const twice = annotate(optional(annotate(int, { description: 'a', title: 't' })), {
      description: 'b',
    })
    expect(annotationsOf(twice)).toEqual({ description: 'b', title: 't' })
    expect(originOf(twice)).toBe(int)
  })

  it('works on every codec of this library', () => {
    const codec = struct(
      {
        id: annotate(readOnly(int), { description: 'd' }),
        name: annotate(t.string, { example: 'Rex' }),
      },
      'Thing',
    )
    expect(
      decoderOf(annotate(codec, { title: 'x' }), { whole: true })({ id: 1, name: 'a' }),
    ).toEqual({ id: 1, name: 'a' })
  })
})

describe('componentName', () => {
  it('is the name that a user gave', () => {
    expect(componentName(Pet)).toBe('Pet')
    expect(componentName(t.strict({}, 'Strict'))).toBe('Strict')
    expect(componentName(t.exact(Pet))).toBe('Pet')
    expect(componentName(t.readonly(t.exact(t.partial({}, 'Part'))))).toBe('Part')
    expect(componentName(t.union([Pet, t.string], 'PetOrName'))).toBe('PetOrName')
    expect(componentName(t.keyof({ a: null }, 'Kind'))).toBe('Kind')
    expect(componentName(t.recursion('Tree', () => t.type({})))).toBe('Tree')
    expect(componentName(t.intersection([Pet, t.type({})], 'Both'))).toBe('Both')
    expect(componentName(t.refinement(t.exact(Pet), () => true, 'GoodPet'))).toBe('GoodPet')
    expect(componentName(struct({ a: int }, 'Struct'))).toBe('Struct')
    expect(componentName(optional(annotate(Pet, { description: 'x' })))).toBe('Pet')
    expect(componentName(annotate(t.string, { name: 'Sku' }))).toBe('Sku')
  })

  it('is none that io-ts made up, and none of a scalar, a list or a value', () => {
    const codecs = [
      t.type({}),
      t.partial({}),
      t.strict({ a: t.string }),
      t.exact(t.partial({})),
      nullable(Pet),
      t.union([Pet, Pet]),
      t.keyof({ a: null }),
    ]
    const others = [
      t.string,
      t.Int,
      t.literal('a'),
      t.literal(true),
      t.array(Pet),
      t.array(Pet, 'Pets'),
      t.brand(t.string, (x): x is never => true, 'Sku' as never),
    ]
    for (const codec of [
      ...codecs,
      ...others,
      t.intersection([Pet, Pet]),
      t.readonly(t.type({})),
      struct({ a: int }),
    ]) {
      expect(componentName(codec), codec.name).toBeUndefined()
    }
  })
})
