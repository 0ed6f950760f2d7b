import * as Either from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { minLength } from '../../src/codec/define/bounds.js'
import { list, nullable } from '../../src/codec/define/list.js'
import { int } from '../../src/codec/define/scalar/scalars.js'
import { describe as annotate } from '../../src/codec/shape/annotations.js'
import { optional, readOnly, wireName, withDefault } from '../../src/codec/shape/object-shape.js'
import type { Field, Shape } from '../../src/codec/shape/shape.js'
import { shapeOf } from '../../src/codec/shape/shape-of.js'

/** A copy of a codec that does something else, as io-ts-types makes them. */
function withFallback<C extends t.Mixed>(codec: C, value: t.TypeOf<C>): C {
  const validate = (input: unknown, context: t.Context) =>
    t.success(Either.getOrElse(() => value)(codec.validate(input, context)))
  const copy = Object.assign(Object.create(Object.getPrototypeOf(codec)), codec)
  return Object.assign(copy, { validate, decode: (input: unknown) => validate(input, []) })
}

function fieldsOf(codec: t.Mixed): readonly Field[] {
  const shape = shapeOf(codec)
  return shape.kind === 'object' ? shape.fields : []
}

const kindOf = (codec: t.Mixed): Shape['kind'] => shapeOf(codec).kind

describe('shapeOf', () => {
  it('reads a codec once', () => {
    const codec = t.type({ a: t.string })
    expect(shapeOf(codec)).toBe(shapeOf(codec))
  })

  it('sees through the wrappers of io-ts', () => {
    expect(kindOf(t.readonly(t.exact(t.type({ a: t.string }))))).toBe('object')
    expect(kindOf(t.readonlyArray(t.string))).toBe('array')
    expect(kindOf(t.record(t.keyof({ a: null }), t.string))).toBe('object')
    expect(kindOf(t.UnknownRecord)).toBe('record')
    expect(kindOf(t.void)).toBe('undefined')
    expect(shapeOf(t.Int)).toMatchObject({ kind: 'scalar', type: 'integer' })
    expect(shapeOf(list(int))).toMatchObject({ kind: 'array', isSeparated: true })
  })

  it('takes literals alone for one literal', () => {
    expect(shapeOf(t.union([t.literal('a'), t.keyof({ b: null, a: null })]))).toMatchObject({
      kind: 'literal',
      values: ['a', 'b'],
    })
  })

  it('does not trust the tag of a codec whose methods are others', () => {
    expect(kindOf(withFallback(t.number, 1))).toBe('opaque')
    expect(kindOf(annotate(t.number, { description: 'a number' }))).toBe('scalar')
    expect(kindOf(t.string.pipe(t.string))).toBe('opaque')
    expect(kindOf(t.readonly(t.string))).toBe('scalar')
  })

  it('knows the codecs of another copy of io-ts, as far as they are bound', () => {
    expect(kindOf({ ...t.string } as unknown as t.Mixed)).toBe('scalar')
    expect(kindOf({ ...withFallback(t.number, 1) } as unknown as t.Mixed)).toBe('opaque')
  })

  it('knows the discriminator of a union, also behind recursions and wrappers', () => {
    const discriminatorOf = (codec: t.Mixed) =>
      (shapeOf(codec) as Shape & { kind: 'union' }).discriminator
    const first = t.type({ kind: t.literal('a'), same: t.literal(1) })
    const second = t.recursion(
      'Second',
      (self: t.Mixed): t.Mixed =>
        t.strict({ same: t.literal(1), kind: t.literal('b'), next: nullable(self) }),
    )
    expect(discriminatorOf(t.union([first, t.readonly(second)]))).toBe('kind')
    expect(discriminatorOf(t.union([first, t.partial({ kind: t.literal('b') })]))).toBeUndefined()
    expect(discriminatorOf(t.union([first, second, t.null]))).toBeUndefined()
    expect(
      discriminatorOf(
        t.union([
          t.type({ kind: t.literal('b') }),
          t.type({ kind: wireName('@kind', t.literal('a')) }),
        ]),
      ),
    ).toBeUndefined()
  })
})

describe('fields', () => {
  it('are optional by t.partial, by a mark, and where undefined fits', () => {
    const codec = t.type({
      a: optional(t.string),
      b: t.union([t.string, t.undefined]),
      c: t.unknown,
      d: withDefault(int, 1),
      e: t.string,
    })
    expect(fieldsOf(codec).map(({ key, optional }) => [key, optional])).toEqual([
      ['a', true],
      ['b', true],
      ['c', true],
      ['d', true],
      ['e', false],
    ])
    expect(fieldsOf(codec)[1]?.shape).toBe(shapeOf(t.string))
    expect(fieldsOf(t.partial({ a: t.string })).every(field => field.optional)).toBe(true)
  })

  it('have the default that a foreign codec makes of undefined', () => {
    const [field] = fieldsOf(t.type({ a: withFallback(t.number, 7) }))
    expect(field).toMatchObject({ optional: true })
    expect(field?.fallback?.()).toBe(7)
  })

  it('keep all marks, the outer ones winning, and annotations between them', () => {
    const [field] = fieldsOf(
      t.type({
        a: wireName(
          'A',
          annotate(readOnly(optional(withDefault(wireName('x', int), 1))), { description: 'd' }),
        ),
      }),
    )
    expect(field).toMatchObject({ key: 'a', name: 'A', optional: true, access: 'read' })
    expect(field).not.toHaveProperty('fallback')
    expect(field?.shape.kind).toBe('scalar')
  })

  it('are what marks speak of: inside anything else they are an error that says so', () => {
    for (const make of [
      () => t.array(optional(t.string)),
      () => t.union([readOnly(int), t.null]),
      () => t.record(t.string, withDefault(int, 1)),
    ]) {
      expect(() => shapeOf(make())).toThrow(/speak of a field of an object/)
    }
    expect(() => shapeOf(minLength(withDefault(t.string, 'a'), 1))).toThrow(TypeError)
    expect(kindOf(optional(t.string))).toBe('scalar')
  })
})

describe('codecs of io-ts-types', () => {
  it('are known by their name, if they also do what it says', () => {
    const make = (decode: (input: unknown) => number | undefined) =>
      new t.Type<number, string>(
        'NumberFromString',
        t.number.is,
        (input, context) => {
          const value = decode(input)
          return value === undefined ? t.failure(input, context) : t.success(value)
        },
        String,
      )
    const genuine = make(input =>
      typeof input === 'string' && input !== '' && !Number.isNaN(Number(input))
        ? Number(input)
        : undefined,
    )
    expect(shapeOf(genuine)).toMatchObject({ kind: 'opaque', schema: { type: 'string' } })
    expect(shapeOf(make(() => 5))).not.toHaveProperty('schema')
    const NonEmpty = t.brand(
      t.string,
      (text): text is t.Branded<string, never> => text !== '',
      'NonEmptyString' as never,
    )
    expect(shapeOf(NonEmpty)).toMatchObject({ kind: 'constrained', schema: { minLength: 1 } })
  })
})
