import * as fc from 'fast-check'
import { decimal, email, uuid } from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { isDate, isDateTime } from '../../src/codec/define/scalar/formats.js'

// The same said by regular expressions and by Date, as a reader would check it.

const NAME = "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+"
const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?'
const MOMENT =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))$/

function isDay(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text
}

function isMoment(text: string): boolean {
  const [, day = '', hour, minute, second, sign, hours = '0', minutes = '0'] =
    MOMENT.exec(text) ?? []
  if (
    !isDay(day) ||
    Number(hour) > 23 ||
    Number(minute) > 59 ||
    Number(hours) > 23 ||
    Number(minutes) > 59
  )
    return false
  if (Number(second) < 60) return true
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  const inUtc = new Date(Date.UTC(2000, 0, 2, Number(hour), Number(minute)) - offset * 60_000)
  return second === '60' && inUtc.getUTCHours() === 23 && inUtc.getUTCMinutes() === 59
}

interface Format {
  readonly scan: (text: string) => boolean
  readonly reference: (text: string) => boolean
  readonly samples: readonly string[]
}

const label63 = `${'a'.repeat(61)}-b`
const FORMATS: Readonly<Record<string, Format>> = {
  uuid: {
    scan: uuid.is,
    reference: text =>
      /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/.test(text),
    samples: ['2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d', 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF'],
  },
  decimal: {
    scan: decimal.is,
    reference: text => /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/.test(text),
    samples: ['0', '-0', '12.50', '-0.1', '100', '00', '01.5', '1.', '.5', '-'],
  },
  email: {
    scan: email.is,
    reference: text =>
      new RegExp(`^(?=[^@]{1,64}@)${NAME}(?:\\.${NAME})*@(?:${LABEL}\\.)+${LABEL}$`).test(text),
    samples: [
      'ann@example.com',
      'a.b+c@x-y.example.org',
      `${'a'.repeat(64)}@b.c`,
      `${'a'.repeat(65)}@b.c`,
      `a@${label63}.c`,
      `a@${label63}x.c`,
      'a@b',
      'a@b.',
      'a@-b.c',
      'a@b-.c',
      'a..b@c.d',
    ],
  },
  date: {
    scan: isDate,
    reference: isDay,
    samples: ['2020-02-29', '2021-02-29', '1900-02-29', '0000-01-01', '9999-12-31', '2020-04-31'],
  },
  'date-time': {
    scan: isDateTime,
    reference: isMoment,
    samples: [
      '2020-02-29T12:30:00Z',
      '2020-02-29t12:30:00.5z',
      '2020-02-29T12:30:00+05:30',
      '2016-12-31T23:59:60Z',
      '2017-01-01T00:59:60+01:00',
      '2016-12-31T18:59:60.5-05:00',
      '2020-01-01T24:00:00Z',
      '2020-01-01T00:00:00.Z',
      '2020-01-01T00:00:00+24:00',
    ],
  },
}

const CHARACTERS = [...'0123456789aAfFgGzZtT-+.:@_ \n!~é\u0660\u212a']

/**
 * Samples, samples with some characters changed, left out or added, and anything else of what the
 * formats are made of.
 */
function textsLike(samples: readonly string[]): fc.Arbitrary<string> {
  const character = fc.constantFrom(...CHARACTERS)
  const change = fc.tuple(
    fc.nat({ max: 80 }),
    fc.constantFrom(0, 1, 2),
    fc.oneof(character, fc.constant('')),
  )
  const changed = fc
    .tuple(fc.constantFrom(...samples), fc.array(change, { maxLength: 3 }))
    .map(([sample, changes]) =>
      changes.reduce((text, [at, removed, added]) => {
        const index = at % (text.length + 1)
        return text.slice(0, index) + added + text.slice(index + removed)
      }, sample),
    )
  return fc.oneof(
    { weight: 4, arbitrary: changed },
    fc.string({ unit: character, maxLength: 40 }),
    fc.string({ unit: 'binary' }),
  )
}

describe('the formats of texts', () => {
  it.each(Object.entries(FORMATS))(
    '%s: a scan says what the regular expression says',
    (_name, { scan, reference, samples }) => {
      for (const sample of samples)
        expect({ sample, matches: scan(sample) }).toEqual({ sample, matches: reference(sample) })
      return fc.assert(
        fc.property(textsLike(samples), text => {
          expect(scan(text)).toBe(reference(text))
        }),
        { numRuns: Number(process.env.PROPERTY_RUNS ?? 5_000) },
      )
    },
  )
})
