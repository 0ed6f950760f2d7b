import * as fc from 'fast-check'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf, Invalid, type Unknown, type Wire } from '../../src/codec/decode/decode.js'
import { exclusiveMinimum, minimum, minLength } from '../../src/codec/define/bounds.js'
import { nullable } from '../../src/codec/define/list.js'
import { refine } from '../../src/codec/define/refine.js'
import { isoDate, isoDateTime } from '../../src/codec/define/scalar/dates.js'
import { decimal, email, float, int, uuid } from '../../src/codec/define/scalar/scalars.js'
import { encoderOf, writerOf } from '../../src/codec/encode/encode.js'
import { faultsOf } from '../../src/codec/encode/faults.js'
import { cases, seed } from '../properties/seed.js'
import { codecs, fittingInputs, inputsOf } from './arbitrary.js'

const numRuns = cases(500)

// What a client has sent and a program has stored, everybody reads. A codec that decodes what it
// cannot encode lets one client break the answers of all others.

/** Texts at the ends of what scalars take. */
const ENDS = [
  '0000-01-01',
  '9999-12-31',
  '0000-01-01T00:00:00Z',
  '0000-01-01T00:00:00+00:01',
  '0000-01-01T23:58:59+23:59',
  '0000-12-31T23:59:60-00:00',
  '9999-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59-01:00',
  '9999-12-31T23:59:60Z',
  '9999-12-31T20:29:60-03:30',
  '9999-12-31T23:59:59.9999999999999Z',
  `2020-01-01T00:00:00.${'9'.repeat(400)}Z`,
  '2C5EA4C0-4067-11E9-8BAD-9B1DEB4D3B7D',
  `${'a'.repeat(64)}@example.com`,
  `${'9'.repeat(400)}.${'9'.repeat(400)}`,
  '\ud800',
  '\u0000',
  '__proto__',
]

/** JSON texts of scalars at the ends of their ranges: numbers that no double holds among them. */
const scalarTexts = fc.oneof(
  fc.constantFrom(...ENDS.map(text => JSON.stringify(text))),
  fc.constantFrom(
    '1e999',
    '-1e999',
    '1e308',
    '-0',
    '0.0',
    '1E400',
    '5e-324',
    '9007199254740991',
    '9007199254740992',
    '-9007199254740993',
  ),
  fc.constantFrom(
    `1${'0'.repeat(400)}`,
    `-${'9'.repeat(309)}`,
    '1e-999',
    '"1e999"',
    'null',
    'true',
  ),
  fc.double().map(value => JSON.stringify(Number.isFinite(value) ? value : 0)),
  fc.string({ unit: 'binary' }).map(text => JSON.stringify(text)),
)

/** A JSON text with some of its scalars replaced by others. */
function withEnds(text: string): fc.Arbitrary<string> {
  const scalar = /"(?:[^"\\]|\\.)*"(?!:)|-?[0-9][0-9.eE+-]*|true|false|null/g
  const places = [...text.matchAll(scalar)]
  return fc.array(fc.tuple(fc.nat(), scalarTexts), { maxLength: 3 }).map(changes => {
    let changed = text
    for (const [at, end] of changes) {
      const place = places[at % Math.max(places.length, 1)]
      if (place && changed === text)
        changed = text.slice(0, place.index) + end + text.slice(place.index + place[0].length)
    }
    return changed
  })
}

/** Bytes: any, or a JSON text with some of its bytes changed. */
function withOtherBytes(text: string): fc.Arbitrary<string> {
  const bytes = Buffer.from(text)
  const changed = fc
    .array(fc.tuple(fc.nat({ max: Math.max(bytes.length - 1, 0) }), fc.nat({ max: 255 })), {
      maxLength: 3,
    })
    .map(changes =>
      changes.reduce((all, [at, byte]) => Buffer.from(all).fill(byte, at, at + 1), bytes),
    )
  return fc
    .oneof(
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }) },
      { weight: 4, arbitrary: changed },
    )
    .map(all => Buffer.from(all).toString())
}

function texts(codec: t.Mixed): fc.Arbitrary<string> {
  const json = inputsOf(codec).map(value => JSON.stringify(value))
  return fc.oneof(
    json,
    json.chain(withEnds),
    fittingInputs(codec)
      .map(value => JSON.stringify(value))
      .chain(withEnds),
    json.chain(withOtherBytes),
  )
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** As JSON, with bigints as strings. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner))
}

/**
 * Decodes a JSON text and, where it fits, encodes the value: both ways of encoding give the same
 * JSON, which decodes to the same value.
 */
function roundTrip(codec: t.Mixed, text: string, unknown: Unknown): boolean {
  const input = parsed(text)
  const value = input ? decoderOf(codec, { unknown, whole: true })(input.value) : new Invalid([])
  if (value instanceof Invalid) return false
  const wire = encoderOf(codec)(value)
  const written = writerOf(codec)(value)
  expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(wire)))
  const again = decoderOf(codec, { unknown, whole: true })(JSON.parse(written))
  // where unknown fields are no fault, a check or another member of a union may see another value
  // without them
  if (unknown === 'raise') expect(textOf(again)).toBe(textOf(value))
  return true
}

describe(`whatever a codec decodes, it can encode (seed ${seed})`, () => {
  it.each<Unknown>(['raise', 'exclude', 'include'])(
    'of random codecs and JSON texts, unknown fields: %s',
    { timeout: 600_000 },
    unknown => {
      let decoded = 0
      const some = codecs().filter(
        codec => faultsOf(codec, 'input', unknown).length + faultsOf(codec, 'output').length === 0,
      )
      const cases = some.chain(codec =>
        fc.array(texts(codec), { minLength: 5, maxLength: 5 }).map(all => ({ codec, texts: all })),
      )
      const holds = ({ codec, texts: all }: { codec: t.Mixed; texts: readonly string[] }) => {
        for (const text of all) if (roundTrip(codec, text, unknown)) decoded += 1
      }
      void fc.assert(fc.property(cases, holds), { seed, numRuns: Math.ceil(numRuns / 5) })
      expect(decoded).toBeGreaterThan(numRuns / 10)
    },
  )

  it('of each scalar, at the ends of its range and beyond', () => {
    const scalars = [
      t.string,
      t.number,
      int,
      float,
      uuid,
      email,
      decimal,
      isoDate,
      isoDate.asDate,
      isoDateTime,
      isoDateTime.asDate,
      t.unknown,
    ]
    void fc.assert(
      fc.property(
        fc.constantFrom(...scalars),
        scalarTexts,
        (codec, text) => void roundTrip(nullable(codec), text, 'raise'),
      ),
      { seed, numRuns },
    )
  })
})

describe('what could not be encoded again', () => {
  const refused = (
    codec: t.Mixed,
    text: string,
    unknown: Unknown = 'raise',
    wire: Wire = 'json',
  ) => {
    const value = decoderOf(codec, { unknown, wire })(JSON.parse(text))
    return value instanceof Invalid ? value.errors : JSON.stringify(value)
  }

  it('is a moment whose year is not one of four digits in UTC', () => {
    for (const text of [
      '9999-12-31T23:59:59-01:00',
      '0000-01-01T00:00:00+00:01',
      '9999-12-31T23:59:60Z',
    ]) {
      expect(refused(isoDateTime.asDate, JSON.stringify(text)), text).toEqual([
        'Not a date and time.',
      ])
      expect(refused(isoDateTime, JSON.stringify(text)), text).toBe(JSON.stringify(text))
    }
    expect(decoderOf(isoDateTime.asDate)('9999-12-31T23:59:59.999+00:00')).toEqual(
      new Date(253_402_300_799_999),
    )
    expect(decoderOf(isoDateTime.asDate)('0000-01-01T00:00:00-00:01')).toEqual(
      new Date(-62_167_219_140_000),
    )
  })

  it('is a number that is too large for a double, wherever any JSON is let in', () => {
    const infinite = ['Must be a finite number.']
    expect(refused(t.unknown, '1e999')).toEqual(infinite)
    expect(refused(t.unknown, '{"a":[1,-1e999]}')).toEqual({ a: { 1: infinite } })
    expect(refused(t.UnknownRecord, '{"a":1e999}')).toEqual({ a: infinite })
    expect(refused(t.UnknownArray, '[[1e999]]')).toEqual({ 0: { 0: infinite } })
    expect(refused(t.type({ a: int }), '{"a":1,"b":{"c":1e999}}', 'include')).toEqual({
      b: { c: infinite },
    })
    expect(refused(t.type({ a: int }), '{"a":1,"b":{"c":1e308}}', 'include')).toBe(
      '{"a":1,"b":{"c":1e+308}}',
    )
    expect(refused(t.literal(Number.POSITIVE_INFINITY), '1e999')).toEqual([expect.any(String)])
  })

  it('is what is nested too deeply to be written', () => {
    const deep = `${'['.repeat(501)}${']'.repeat(501)}`
    expect(JSON.stringify(refused(t.unknown, deep))).toContain('Nested more than 500 levels deep.')
    expect(refused(t.unknown, deep.slice(1, -1))).toBe(deep.slice(1, -1))
  })
})

describe('the names of a dictionary', () => {
  it('go out as they came in, whatever their codec makes of them', () => {
    const records: readonly (readonly [t.Mixed, string, string])[] = [
      [t.record(minimum(int, 1) as t.Mixed as t.StringC, t.string), '{"1":"x"}', '{"1":"x"}'],
      [
        t.record(exclusiveMinimum(t.number, 0) as t.Mixed as t.StringC, t.string),
        '{"1.50":"x"}',
        '{"1.5":"x"}',
      ],
      [
        t.record(t.union([t.literal(1), t.literal(2)]) as t.Mixed as t.StringC, t.string),
        '{"1":"x","2":"y"}',
        '{"1":"x","2":"y"}',
      ],
      [
        t.record(uuid, t.string),
        '{"2C5EA4C0-4067-11E9-8BAD-9B1DEB4D3B7D":"x"}',
        '{"2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d":"x"}',
      ],
      [
        t.record(isoDate.asDate as t.Mixed as t.StringC, t.string),
        '{"2020-02-29":"x"}',
        '{"2020-02-29":"x"}',
      ],
      [t.record(minLength(t.string, 2), t.string), '{"ab":"x"}', '{"ab":"x"}'],
      [
        t.record(
          refine(t.string, () => undefined),
          t.string,
        ),
        '{"ab":"x"}',
        '{"ab":"x"}',
      ],
    ]
    for (const [codec, text, expected] of records) {
      const value = decoderOf(codec)(JSON.parse(text))
      expect(JSON.stringify(encoderOf(codec)(value))).toBe(expected)
      expect(writerOf(codec)(value)).toBe(expected)
    }
  })

  it('are checked by `refine` on the way in only', () => {
    const codec = t.record(
      refine(t.string, name => (name === 'old' ? 'Is an old name.' : undefined)),
      int,
    )
    expect(decoderOf(codec)({ old: 1 })).toEqual(new Invalid({ old: ['Unknown field.'] }))
    expect(encoderOf(codec)({ old: 1, new: 2 })).toEqual({ old: 1, new: 2 })
  })
})
