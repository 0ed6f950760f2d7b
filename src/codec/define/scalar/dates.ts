import { types } from 'node:util'
import type * as t from 'io-ts'
import type { Conversion } from '../../shape/shape.js'
import { isDate, isDateTime, isLeap, secondBefore } from './formats.js'
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
  return isLeap(text) ? new Date(secondBefore(text).getTime() + 1000) : new Date(text.toUpperCase())
}

// JSON Schema has no format for these: its `date-time` and `time` require an offset, and its
// `duration` takes no fractions. So each has a complete pattern, the length of the months included,
// that uses only what every dialect of regular expressions has.

const TIME = '(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]+)?'

const LONG_MONTH = '(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])'
const SHORT_MONTH = '(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)'
const FEBRUARY = '02-(?:0[1-9]|1[0-9]|2[0-8])'
const LEAP_YEAR = '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)'
const DATE = `(?:[0-9]{4}-(?:${LONG_MONTH}|${SHORT_MONTH}|${FEBRUARY})|${LEAP_YEAR}-02-29)`

const LOCAL_TIME = new RegExp(`^${TIME}$`)

/**
 * A date and time without a time zone, as on a wall clock: `2020-02-29T12:30:00` (RFC 3339 without
 * its offset), days that exist, no leap seconds. It is a string: the instant, and so the Date,
 * depends on the place.
 */
export const localDateTime: t.Type<string> = scalar('localDateTime', {
  type: 'string',
  noun: 'a date and time without an offset',
  test: (text: string) =>
    isLocalDateTime(text) ? undefined : 'Not a date and time without an offset.',
  schema: { pattern: `^${DATE}[Tt]${TIME}$`, examples: ['2020-02-29T12:30:00'] },
})

/** A time of day of no time zone, `12:30:00` (RFC 3339 partial-time), without leap seconds. */
export const localTime: t.Type<string> = scalar('localTime', {
  type: 'string',
  noun: 'a time without an offset',
  test: (text: string) => (LOCAL_TIME.test(text) ? undefined : 'Not a time without an offset.'),
  schema: { pattern: LOCAL_TIME.source, examples: ['12:30:00'] },
})

const CLOCK_TIME =
  'T(?:[0-9]+H(?:[0-9]+M)?(?:[0-9]+(?:\\.[0-9]+)?S)?|[0-9]+M(?:[0-9]+(?:\\.[0-9]+)?S)?|[0-9]+(?:\\.[0-9]+)?S)'
const DAYS = '(?:[0-9]+Y(?:[0-9]+M)?(?:[0-9]+D)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)'
const DURATION = new RegExp(`^P(?:[0-9]+W|${DAYS}(?:${CLOCK_TIME})?|${CLOCK_TIME})$`)

/**
 * A length of time, `P1Y2M10DT2H30M`, `PT1.5S` or `P4W` (ISO 8601): whole numbers, except for
 * seconds; weeks cannot be combined with other units.
 */
export const duration: t.Type<string> = scalar('duration', {
  type: 'string',
  noun: 'a duration',
  test: (text: string) => (DURATION.test(text) ? undefined : 'Not a duration.'),
  schema: { pattern: DURATION.source, examples: ['P1DT2H30M'] },
})

function isLocalDateTime(text: string): boolean {
  return (
    isDate(text.slice(0, 10)) &&
    (text[10] === 'T' || text[10] === 't') &&
    LOCAL_TIME.test(text.slice(11))
  )
}
