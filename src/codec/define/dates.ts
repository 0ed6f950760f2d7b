import { types } from 'node:util'
import type * as t from 'io-ts'
import type { Conversion } from '../shape/shape.js'
import { scalar } from './scalar-codec.js'

/** A codec of texts, and the same on the wire for programs that want a Date. */
export interface DateCodec extends t.Type<string> {
  /**
   * The value is a Date. One outside of the years 0 to 9999 in UTC, which an offset can say, is refused; one that is invalid or outside
   * of them cannot be encoded.
   */
  readonly asDate: t.Type<Date, string>
}

const DATE_TIME = /^([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]+)?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))$/

/** A day, `2020-02-29` (RFC 3339 full-date), that is in the calendar. `isoDate.asDate` gives its midnight in UTC. */
export const isoDate: DateCodec = dateCodec('isoDate', 'a date', {
  format: 'date',
  test: isDate,
  decode: text => new Date(`${text}T00:00:00Z`),
  encode: date => date.toISOString().replace(/T.*/, ''),
})

/**
 * A moment, `2020-02-29T12:30:00Z` or with an offset (RFC 3339 date-time), leap seconds at the end of a UTC day included.
 * `isoDateTime.asDate` gives a Date, of milliseconds; a leap second is the first of the next day.
 */
export const isoDateTime: DateCodec = dateCodec('isoDateTime', 'a date and time', {
  format: 'date-time',
  pattern: DATE_TIME.source.replaceAll(/\((?!\?)/g, '(?:'),
  test: isDateTime,
  decode: dateTimeToDate,
  encode: date => date.toISOString(),
})

interface DateFacts {
  readonly format: string
  readonly pattern?: string
  readonly test: (text: string) => boolean
  readonly decode: (text: string) => Date
  readonly encode: (date: Date) => string
}

function dateCodec(name: string, noun: string, { format, pattern, test, decode, encode }: DateFacts): DateCodec {
  const facts = {
    type: 'string',
    noun,
    test: (text: string) => (test(text) ? undefined : `Not ${noun}.`),
    schema: { format, ...(pattern && { pattern }) },
  } as const
  const conversion: Conversion = {
    decode: (text: string) => {
      const date = decode(text)
      return isWritable(date) ? date : undefined
    },
    encode: value => (types.isDate(value) && isWritable(value) ? encode(value) : undefined),
  }
  return Object.assign(scalar<string>(name, facts), { asDate: scalar<Date, string>(`${name}.asDate`, { ...facts, conversion }) })
}

const [FIRST, LAST] = [Date.parse('0000-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')]

/** Whether the date can be written with a year of four digits in UTC: an offset may put one that was read outside of them. */
function isWritable(date: Date): boolean {
  const time = date.getTime()
  return time >= FIRST && time <= LAST
}

/** Whether a text is a day that is in the calendar. Each date of each item of a list is read here: without a regular expression. */
export function isDate(text: string): boolean {
  if (text.length !== 10 || text.charCodeAt(4) !== HYPHEN || text.charCodeAt(7) !== HYPHEN) return false
  const day = twoDigits(text, 8)
  return day >= 1 && day <= daysOf(twoDigits(text, 0) * 100 + twoDigits(text, 2), twoDigits(text, 5))
}

const HYPHEN = 0x2d

/** Parses two digits at this index; NaN if either is not a digit. */
function twoDigits(text: string, index: number): number {
  const tens = text.charCodeAt(index) - 0x30
  const ones = text.charCodeAt(index + 1) - 0x30
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** How many days a month has; none where there is no such month or year. */
function daysOf(year: number, month: number): number {
  if (month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)) return 29
  return Number.isNaN(year) ? 0 : (DAYS[month - 1] ?? 0)
}

function isDateTime(text: string): boolean {
  const [, date = '', hourText, minuteText, secondText, , sign, offsetHourText = '0', offsetMinuteText = '0'] = DATE_TIME.exec(text) ?? []
  const [hour, minute, second, offsetHour, offsetMinute] = [hourText, minuteText, secondText, offsetHourText, offsetMinuteText].map(Number)
  if (hour === undefined || minute === undefined || second === undefined || offsetHour === undefined || offsetMinute === undefined)
    return false
  if (!isDate(date) || hour > 23 || minute > 59 || offsetHour > 23 || offsetMinute > 59) return false
  if (second < 60) return true
  const minutesInUtc = hour * 60 + minute - (sign === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute)
  // a leap second is the last one of a UTC day
  return second === 60 && (minutesInUtc + 24 * 60) % (24 * 60) === 23 * 60 + 59
}

function dateTimeToDate(text: string): Date {
  const upper = text.toUpperCase()
  const isLeap = /^.{17}60/.test(upper)
  const date = new Date(isLeap ? `${upper.slice(0, 17)}59${upper.slice(19)}` : upper)
  return isLeap ? new Date(date.getTime() + 1000) : date
}
