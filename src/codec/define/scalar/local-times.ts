import type * as t from 'io-ts'
import { isDate } from './formats.js'
import { scalar } from './scalar-codec.js'

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
