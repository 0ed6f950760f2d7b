import * as fc from 'fast-check'
import * as Either from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf, Invalid } from '../../src/codec/decode/decode.js'
import { isoDate, isoDateTime } from '../../src/codec/define/scalar/dates.js'
import { bool, decimal, email, float, int, uuid } from '../../src/codec/define/scalar/scalars.js'
import { cpuTime } from '../support/cpu-time.js'
import { BAD_DATE_TIMES } from './date-texts.js'
import { validatorOf } from './validator.js'

const accepts = (codec: t.Mixed, input: unknown) => !(decoderOf(codec)(input) instanceof Invalid)

/** Texts like this one, with one place changed, left out or doubled. */
function like(text: string): fc.Arbitrary<string> {
  const piece = fc.constantFrom(
    '',
    '0',
    '1',
    '6',
    '9',
    'a',
    'G',
    'Z',
    'z',
    'T',
    't',
    ' ',
    '-',
    '+',
    '.',
    ':',
    '@',
    '\n',
    'é',
    'K',
    text,
  )
  return fc
    .tuple(fc.nat(text.length), fc.nat(2), piece)
    .map(([at, length, put]) => text.slice(0, at) + put + text.slice(at + length))
}

const EXAMPLES: [string, t.Mixed, string[]][] = [
  [
    'uuid',
    uuid,
    [
      '2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d',
      '2C5EA4C0-4067-11E9-8BAD-9B1DEB4D3B7D',
      'urn:uuid:2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d',
    ],
  ],
  ['isoDate', isoDate, ['2020-02-29', '1900-02-28', '2000-02-29', '0000-12-31', '2021-04-30']],
  [
    'isoDateTime',
    isoDateTime,
    [
      '2020-02-29T23:59:59Z',
      '2016-12-31t23:59:60z',
      '2017-01-01T05:29:60.5+05:30',
      '2016-12-31T20:29:60-03:30',
      '2020-01-01 00:00:00+05',
    ],
  ],
  [
    'email',
    email,
    [
      ...[
        'ann@example.com',
        "o'hara.x+tag@a-b.example.co",
        'a@b.c',
        'a..b@example.com',
        'ann@example',
      ],
      ...[64, 65].map(length => `${'a'.repeat(length)}@example.com`),
      ...[63, 64].map(length => `ann@${'a'.repeat(length)}.com`),
    ],
  ],
  ['decimal', decimal, ['12.50', '-0', '0.1', '100000000000000000000', '1e3', '.5']],
  ['int', int, []],
  ['float', float, []],
  ['bool', bool, []],
]

describe.each(EXAMPLES)('%s', (_name, codec, examples) => {
  const validate = validatorOf(codec)
  const others = [0, 1, 1.5, -1, true, false, null, 'true', '1', '', {}, []]

  it('accepts in JSON exactly what its schema does', () => {
    for (const input of [...examples, ...others])
      expect({ input, accepts: accepts(codec, input) }).toEqual({ input, accepts: validate(input) })
    const near = fc.oneof(
      fc.string(),
      ...examples.map(like),
      ...examples.map(text => like(text).chain(like)),
    )
    void fc.assert(
      fc.property(near, input => accepts(codec, input) === validate(input)),
      { numRuns: 3000 },
    )
  })

  it('does the same alone as within other codecs', () => {
    for (const input of [...examples, ...others]) {
      const decoded = decoderOf(codec)(input)
      expect(codec.decode(input)).toEqual(
        decoded instanceof Invalid
          ? Either.left([expect.objectContaining({ message: String(decoded.errors) })])
          : Either.right(decoded),
      )
      if (!(decoded instanceof Invalid)) expect(codec.encode(decoded)).toEqual(decoded)
      expect(t.array(codec).is([input])).toBe(accepts(codec, input))
    }
    expect(() => codec.encode({})).toThrow(TypeError)
  })
})

describe('uuid', () => {
  const id = '2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d'

  it('is read in any case, and is in lower case from then on (T42)', () => {
    expect(decoderOf(uuid)(id.toUpperCase())).toBe(id)
  })

  it.each([`{${id}}`, `urn:uuid:${id}`, `${id}0`, `${id}\n`, id.replaceAll('-', '')])(
    'refuses %j (T42)',
    text => {
      expect(accepts(uuid, text)).toBe(false)
    },
  )
})

describe('isoDateTime', () => {
  it.each(['2020-02-29T00:00:00Z', '2020-01-01T00:00:00-00:00', '2016-12-31T23:59:60Z'])(
    'accepts %s (T41)',
    text => {
      expect(accepts(isoDateTime, text)).toBe(true)
    },
  )

  it.each(BAD_DATE_TIMES)('refuses %s (T41)', text => {
    expect(accepts(isoDateTime, text)).toBe(false)
  })
})

describe('isoDate', () => {
  it.each([
    '2026-02-29',
    '2026-00-01',
    '2026-13-01',
    '2026-01-00',
    '2026-01-32',
    '20260101',
    '2026-01-01Z',
  ])('refuses %s (T41)', text => {
    expect(accepts(isoDate, text)).toBe(false)
  })
})

describe('scalars', () => {
  it('read a long text in linear time (T26)', () => {
    const texts = [
      'a'.repeat(64_000),
      'a.'.repeat(32_000),
      `a@${'a'.repeat(64_000)}`,
      `a@${'a-'.repeat(32_000)}`,
      `a@${'a.'.repeat(32_000)}!`,
      '1'.repeat(64_000),
      `1.${'1'.repeat(64_000)}x`,
    ]
    for (const codec of [uuid, email, decimal, isoDate, isoDateTime, int, float]) {
      for (const wire of ['json', 'text'] as const) {
        const decode = decoderOf(codec, { wire })
        const start = cpuTime()
        for (const text of texts) decode(text)
        expect(cpuTime() - start, codec.name).toBeLessThan(100)
      }
    }
  })
})

describe('asDate', () => {
  it('decodes to a Date, and encodes it again', () => {
    expect(decoderOf(isoDate.asDate)('2020-02-29')).toEqual(new Date(Date.UTC(2020, 1, 29)))
    expect(isoDate.asDate.encode(new Date(Date.UTC(2020, 1, 29, 23)))).toBe('2020-02-29')
    expect(decoderOf(isoDateTime.asDate)('2020-02-29t12:30:00.123456+05:30')).toEqual(
      new Date(Date.UTC(2020, 1, 29, 7, 0, 0, 123)),
    )
    expect(isoDateTime.asDate.encode(new Date(0))).toBe('1970-01-01T00:00:00.000Z')
    expect(decoderOf(isoDateTime.asDate)('2016-12-31T23:59:60Z')).toEqual(
      new Date('2017-01-01T00:00:00Z'),
    )
    expect(decoderOf(isoDate.asDate)('0000-01-01')).toEqual(new Date('0000-01-01'))
  })

  it('is no codec of a date that its format cannot express', () => {
    for (const date of [
      new Date(Number.NaN),
      new Date(253402300800000),
      new Date(-62167219200001),
      '2020-01-01',
      undefined,
    ]) {
      expect(isoDate.asDate.is(date)).toBe(false)
      expect(isoDateTime.asDate.is(date)).toBe(false)
    }
  })
})
