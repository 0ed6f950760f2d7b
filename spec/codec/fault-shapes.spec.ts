import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf, Invalid } from '../../src/codec/decode/decode.js'
import { nullable } from '../../src/codec/define/list.js'
import { int } from '../../src/codec/define/scalar/scalars.js'
import { struct } from '../../src/codec/define/struct.js'

function errorsOf(codec: t.Mixed, input: unknown): unknown {
  const value = decoderOf(codec)(input)
  return value instanceof Invalid ? value.errors : 'it was decoded'
}

const Pet = struct({ name: t.string })
const Tagged = t.union([t.type({ kind: t.literal('a') }), t.type({ kind: t.literal('b') })])
const Tree = t.recursion('Tree', (self: t.Mixed): t.Mixed => t.type({ children: t.array(self) }))

const OBJECTS: readonly (readonly [string, t.Mixed])[] = [
  ['a struct', Pet],
  ['a refined object', t.refinement(Pet, () => false, 'Good')],
  ['a tagged union', Tagged],
  ['a union of objects', t.union([Pet, t.type({ age: int })])],
  ['a recursion', Tree],
  ['a nullable object', nullable(Pet)],
  [
    'an intersection that is no one object',
    t.intersection([Tree, t.refinement(t.UnknownRecord, () => true)]),
  ],
]

describe('what is wrong with an object as a whole', () => {
  it.each(OBJECTS)('stands under _schema: %s', (_what, codec) => {
    for (const input of [5, 'text', true, []]) {
      const errors = errorsOf(codec, input)
      if (errors === 'it was decoded') continue
      expect(errors).toEqual({ _schema: [expect.any(String)] })
      expect(errorsOf(t.type({ field: codec }), { field: input })).toEqual({ field: errors })
      expect(errorsOf(t.array(codec), [input])).toEqual({ 0: errors })
      expect(errorsOf(t.record(t.string, codec), { key: input })).toEqual({ key: errors })
    }
  })

  it.each(OBJECTS)(
    'is not under _schema if it is null in a field or below one: %s',
    (_what, codec) => {
      const errors = errorsOf(t.type({ field: codec }), { field: null })
      if (errors === 'it was decoded') return
      expect(errors).toEqual({ field: [expect.any(String)] })
      expect(errorsOf(t.type({ list: t.array(codec) }), { list: [null] })).toEqual({
        list: { 0: [expect.any(String)] },
      })
      expect(errorsOf(t.record(t.string, codec), { key: null })).toEqual({
        key: [expect.any(String)],
      })
    },
  )

  it('is under _schema if it is an item of a body that is a list', () => {
    expect(errorsOf(t.array(Pet), [null, { name: null }, 5])).toEqual({
      0: { _schema: ['May not be null.'] },
      1: { name: ['May not be null.'] },
      2: { _schema: ['Not an object.'] },
    })
    expect(
      errorsOf(
        t.refinement(t.array(Pet), () => true),
        [null],
      ),
    ).toEqual({
      0: { _schema: ['May not be null.'] },
    })
    expect(errorsOf(t.array(t.record(t.string, int)), [null])).toEqual({ 0: ['May not be null.'] })
  })

  it('has the same shape if a predicate refuses it', () => {
    expect(
      errorsOf(t.type({ pet: t.refinement(Pet, () => false, 'Good') }), { pet: { name: 'Rex' } }),
    ).toEqual({
      pet: { _schema: ['Not a valid Good.'] },
    })
  })

  it('is no fault of the object if it is absent: that is one of its place', () => {
    expect(errorsOf(t.type({ pet: Pet }), {})).toEqual({
      pet: ['Missing data for required field.'],
    })
  })
})

describe('what is wrong with anything else', () => {
  it('is a list of texts, null included', () => {
    for (const codec of [
      t.string,
      int,
      t.array(Pet),
      t.tuple([int]),
      t.record(t.string, int),
      t.union([Pet, t.UnknownRecord]),
      t.literal('a'),
      t.union([Pet, t.string]),
    ]) {
      expect(errorsOf(t.type({ field: codec }), { field: null })).toEqual({
        field: [expect.any(String)],
      })
      expect(errorsOf(t.type({ field: codec }), { field: false })).toEqual({
        field: [expect.any(String)],
      })
    }
  })
})
