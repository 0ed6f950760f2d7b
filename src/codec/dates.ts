import { types } from 'node:util'
import type * as t from 'io-ts'
import { scalar } from './scalar.js'
import type { Conversion } from './shape.js'

/** A codec of texts, and the same on the wire for programs that want a Date. */
export interface DateCodec extends t.Type<string> {
  /** The value is a Date; an invalid one, or one outside of the years 0 to 9999, cannot be encoded. */
  readonly asDate: t.Type<Date, string>
}

const DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/
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
    decode,
    encode: value => (types.isDate(value) && !Number.isNaN(value.getTime()) ? encode(value) : undefined),
  }
  return Object.assign(scalar<string>(name, facts), { asDate: scalar<Date, string>(`${name}.asDate`, { ...facts, conversion }) })
}

function isDate(text: string): boolean {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number)
  return year !== undefined && month !== undefined && day !== undefined && day >= 1 && day <= daysOf(year, month)
}

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [31, 0, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0
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
