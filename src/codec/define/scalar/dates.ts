import { types } from 'node:util'
import type * as t from 'io-ts'
import type { Conversion } from '../../shape/shape.js'
import { isDate, isDateTime } from './formats.js'
import { scalar } from './scalar-codec.js'

/** A codec of strings, and one with the same wire form for programs that use a Date. */
export interface DateCodec extends t.Type<string> {
  /**
   * The value is a Date. Decoding refuses one outside of the years 0 to 9999 in UTC, which an
   * offset can cause; encoding refuses these and invalid dates.
   */
  readonly asDate: t.Type<Date, string>
}

/**
 * A day, `2020-02-29` (RFC 3339 full-date), that is in the calendar. `isoDate.asDate` gives its
 * midnight in UTC.
 */
export const isoDate: DateCodec = dateCodec('isoDate', 'a date', {
  format: 'date',
  test: isDate,
  decode: text => new Date(`${text}T00:00:00Z`),
  // years of four digits, see isWritable
  encode: date => date.toISOString().slice(0, 10),
})

/**
 * A moment, `2020-02-29T12:30:00Z` or with an offset (RFC 3339 date-time), leap seconds at the end
 * of a UTC day included. `isoDateTime.asDate` gives a Date, of milliseconds; a leap second is the
 * first of the next day.
 */
export const isoDateTime: DateCodec = dateCodec('isoDateTime', 'a date and time', {
  format: 'date-time',
  test: isDateTime,
  decode: dateTimeToDate,
  encode: date => date.toISOString(),
})

interface DateFacts {
  readonly format: string
  readonly test: (text: string) => boolean
  readonly decode: (text: string) => Date
  readonly encode: (date: Date) => string
}

function dateCodec(
  name: string,
  noun: string,
  { format, test, decode, encode }: DateFacts,
): DateCodec {
  const facts = {
    type: 'string',
    noun,
    test: (text: string) => (test(text) ? undefined : `Not ${noun}.`),
    // No pattern beside it: a mock that generates strings by their pattern would write days that do
    // not exist.
    schema: { format },
  } as const
  const conversion: Conversion = {
    decode: (text: string) => {
      const date = decode(text)
      return isWritable(date) ? date : undefined
    },
    encode: value => (types.isDate(value) && isWritable(value) ? encode(value) : undefined),
  }
  return Object.assign(scalar<string>(name, facts), {
    asDate: scalar<Date, string>(`${name}.asDate`, { ...facts, conversion }),
  })
}

const [FIRST, LAST] = [
  Date.parse('0000-01-01T00:00:00.000Z'),
  Date.parse('9999-12-31T23:59:59.999Z'),
]

/**
 * Whether the date can be written with a year of four digits in UTC: an offset may put one that was
 * read outside of them.
 */
function isWritable(date: Date): boolean {
  const time = date.getTime()
  return time >= FIRST && time <= LAST
}

function dateTimeToDate(text: string): Date {
  const upper = text.toUpperCase()
  const isLeap = upper.startsWith('60', 17)
  const date = new Date(isLeap ? `${upper.slice(0, 17)}59${upper.slice(19)}` : upper)
  return isLeap ? new Date(date.getTime() + 1000) : date
}
