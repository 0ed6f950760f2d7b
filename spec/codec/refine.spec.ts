import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf, Invalid } from '../../src/codec/decode/decode.js'
import { minLength } from '../../src/codec/define/bounds.js'
import { nullable } from '../../src/codec/define/list.js'
import { partial } from '../../src/codec/define/partial.js'
import { refine } from '../../src/codec/define/refine.js'
import { isoDate } from '../../src/codec/define/scalar/dates.js'
import { int } from '../../src/codec/define/scalar/scalars.js'
import { omit, pick, struct } from '../../src/codec/define/struct.js'
import { encoderOf, writerOf } from '../../src/codec/encode/encode.js'
import { describe as annotate } from '../../src/codec/shape/annotations.js'
import { optional, readOnly, wireName } from '../../src/codec/shape/object-shape.js'
import { Schemas } from '../../src/openapi/schema/schemas.js'

function decode(codec: t.Mixed, input: unknown): unknown {
  const value = decoderOf(codec)(input)
  return value instanceof Invalid ? { errors: value.errors } : value
}

const Bounds = struct({ min: int, max: int }, 'Bounds')
const Range = refine(Bounds, ({ min, max }) =>
  min <= max ? undefined : { max: ['Must not be below min.'] },
)

describe('a refined codec', () => {
  it('is decoded if its check says nothing, and has the messages of the check if it does', () => {
    expect(decode(Range, { min: 1, max: 2 })).toEqual({ min: 1, max: 2 })
    expect(decode(Range, { min: 2, max: 1 })).toEqual({
      errors: { max: ['Must not be below min.'] },
    })
  })

  it('refuses unknown fields, and is checked only when all fields are right', () => {
    let checks = 0
    const codec = refine(Bounds, () => {
      checks += 1
      return undefined
    })
    expect(decode(codec, { min: 1, max: 2, typo: 1 })).toEqual({
      errors: { typo: ['Unknown field.'] },
    })
    expect(decode(codec, { min: 'x', max: 1 })).toEqual({
      errors: { min: ['Not a whole number.'] },
    })
    expect(checks).toBe(0)
  })

  it('lets out what its codec does: nothing undeclared, and values that its check would refuse', () => {
    const value = { min: 2, max: 1, secret: 'canary' }
    expect(encoderOf(Range)(value)).toEqual({ min: 2, max: 1 })
    expect(writerOf(t.array(Range))([value])).toBe('[{"min":2,"max":1}]')
  })

  it('is documented as its codec is, under its name', () => {
    for (const direction of ['input', 'output'] as const) {
      const [plain, refined] = [new Schemas(), new Schemas()]
      const use = { direction, where: 'here' }
      expect(refined.of(t.array(Range), use)).toEqual(plain.of(t.array(Bounds), use))
      expect(refined.components).toEqual(plain.components)
      const both = new Schemas()
      expect([both.of(Range, use), both.of(Bounds, use)]).toEqual([
        plain.of(Bounds, use),
        plain.of(Bounds, use),
      ])
    }
  })

  it('keeps its check under other annotations, in other codecs and when it is refined again', () => {
    const Twice = refine(Range, ({ min }) => (min >= 0 ? undefined : 'Must not be negative.'))
    const codec = t.type({
      range: optional(annotate(Twice, { description: 'A range' })),
      others: t.array(nullable(Twice)),
    })
    expect(
      decode(codec, { range: { min: 2, max: 1 }, others: [null, { min: -1, max: 1 }] }),
    ).toEqual({
      errors: {
        range: { max: ['Must not be below min.'] },
        others: { 1: { _schema: ['Must not be negative.'] } },
      },
    })
  })

  it('sees the value that its fields have with another object', () => {
    const codec = t.intersection([Range, t.type({ step: int })])
    expect(decode(codec, { min: 1, max: 2, step: 1 })).toEqual({ min: 1, max: 2, step: 1 })
    expect(decode(codec, { min: 2, max: 1, step: 1 })).toEqual({
      errors: { max: ['Must not be below min.'] },
    })
  })

  it('counts for its member in a union', () => {
    const Even = refine(int, value => (value % 2 === 0 ? undefined : 'Must be even.'))
    expect(decode(t.union([Even, t.type({ odd: int })]), 3)).toEqual({ errors: ['Must be even.'] })
    expect(
      decode(t.union([Range, t.type({ min: int, max: int, free: t.literal(true) })]), {
        min: 2,
        max: 1,
        free: true,
      }),
    ).toEqual({
      min: 2,
      max: 1,
      free: true,
    })
    const Tagged = t.union([
      t.type({ kind: t.literal('a') }),
      refine(t.type({ kind: t.literal('b'), at: isoDate.asDate }), ({ at }) =>
        at > new Date(0) ? undefined : { at: 'Is too early.' },
      ),
    ])
    expect(decode(Tagged, { kind: 'b', at: '1960-01-01' })).toEqual({
      errors: { at: ['Is too early.'] },
    })
    expect(decode(Tagged, { kind: 'b', at: '2020-01-01' })).toEqual({
      kind: 'b',
      at: new Date('2020-01-01'),
    })
  })
})

describe('the check', () => {
  it('is given the program’s value, and its messages are reported under the names on the wire, as deep as they are', () => {
    const Item = struct({ count: wireName('Count', int), at: isoDate.asDate })
    const codec = refine(
      struct({
        id: readOnly(int),
        items: wireName('Items', t.array(Item)),
        notes: t.record(t.string, nullable(Item)),
        free: t.string,
      }),
      value => {
        expect(value).toEqual({
          items: [{ count: 1, at: new Date(0) }],
          notes: { a: { count: 2, at: new Date(0) } },
          free: '',
        })
        return {
          items: { 0: { count: 'Is too small.' } },
          notes: { a: { at: ['Is too old.', 'Is not new.'] } },
          free: undefined,
          _schema: 'Is not right as a whole.',
        }
      },
    )
    const item = (count: number) => ({ Count: count, at: '1970-01-01' })
    expect(decode(codec, { Items: [item(1)], notes: { a: item(2) }, free: '' })).toEqual({
      errors: {
        Items: { 0: { Count: ['Is too small.'] } },
        notes: { a: { at: ['Is too old.', 'Is not new.'] } },
        _schema: ['Is not right as a whole.'],
      },
    })
  })

  it('may say a text of the whole, which of an object stands under _schema', () => {
    expect(
      decode(
        refine(Bounds, () => 'Is wrong.'),
        { min: 1, max: 1 },
      ),
    ).toEqual({ errors: { _schema: ['Is wrong.'] } })
    expect(
      decode(
        refine(Bounds, () => ['Is wrong.', 'Is bad.']),
        { min: 1, max: 1 },
      ),
    ).toEqual({ errors: { _schema: ['Is wrong.', 'Is bad.'] } })
    expect(
      decode(
        refine(minLength(t.string, 1), text => (text === 'a' ? 'Is an a.' : undefined)),
        'a',
      ),
    ).toEqual({ errors: ['Is an a.'] })
  })

  it('says nothing with an empty list or object', () => {
    for (const said of [undefined, [], {}, { min: [], max: undefined }]) {
      expect(
        decode(
          refine(Bounds, () => said as undefined),
          { min: 1, max: 1 },
        ),
      ).toEqual({ min: 1, max: 1 })
    }
  })

  it('is a mistake of the program if it says anything else, or later', () => {
    for (const said of [false, 1, null, [1], { min: 1 }, Promise.resolve(undefined), new Map()])
      expect(
        () =>
          decode(
            refine(Bounds, () => said as never),
            { min: 1, max: 1 },
          ),
        String(said),
      ).toThrow(/refine\(Bounds\)/)
    expect(() =>
      decode(refine(Bounds, (async () => undefined) as never), { min: 1, max: 1 }),
    ).toThrow(/not waited for/)
  })

  it('runs alone, too, with errors as io-ts has them', () => {
    expect(Range.decode({ min: 1, max: 2, other: 3 })).toEqual({
      _tag: 'Right',
      right: { min: 1, max: 2 },
    })
    expect(t.array(Range).decode([{ min: 2, max: 1 }])).toMatchObject({
      left: [
        {
          value: 1,
          message: 'Must not be below min.',
          context: [{}, { key: '0' }, { key: 'max' }],
        },
      ],
    })
    expect(Range.is({ min: 2, max: 1 })).toBe(true)
    expect(Range.encode({ min: 2, max: 1 })).toEqual({ min: 2, max: 1 })
  })
})

describe('what a check would be lost in', () => {
  it('is refused when it is defined: a mark inside, and parts of a refined object', () => {
    expect(() => refine(optional(int), () => undefined)).toThrow(/^refine: put optional/)
    for (const refined of [
      Range,
      t.refinement(Bounds, () => true),
      annotate(Range, { title: 'Range' }),
    ] as never[]) {
      expect(() => partial(refined)).toThrow(/Bounds.* is refined/)
      expect(() => partial(refined, { deep: true })).toThrow(/is refined/)
      expect(() => pick(refined, ['min'] as never)).toThrow(/is refined/)
      expect(() => omit(refined, ['min'] as never)).toThrow(/is refined/)
    }
  })
})
