const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const LONG_DAY = '(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)'
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const MONTH = `(?<month>${MONTHS.join('|')})`
const TIME = '(?<hours>\\d\\d):(?<minutes>\\d\\d):(?<seconds>\\d\\d)'

const FORMS = [
  new RegExp(`^${DAY}, (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(`^${LONG_DAY}, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${TIME} GMT$`),
  new RegExp(`^${DAY} ${MONTH} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`),
]

/**
 * Reads an HTTP-date in any of its three forms (RFC 9110, section 5.6.7), and in no other:
 * `undefined`. A year of two digits is the one that is at most 50 years ahead of `now`.
 */
export function parseHttpDate(text: string, now = new Date()): Date | undefined {
  const fields = FORMS.map(form => form.exec(text)?.groups).find(groups => groups !== undefined)
  if (fields === undefined) return undefined
  const [day, hours, minutes, seconds] = ['day', 'hours', 'minutes', 'seconds'].map(name =>
    Number(fields[name]),
  ) as [number, number, number, number]
  const month = MONTHS.indexOf(fields.month as string)
  const year =
    fields.year?.length === 2
      ? fullYear(Number(fields.year), now.getUTCFullYear())
      : Number(fields.year)
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  // A leap second, 60, is the first of the next minute.
  if (date.getUTCMonth() !== month || day === 0 || hours > 23 || minutes > 59 || seconds > 60)
    return undefined
  date.setUTCHours(hours, minutes, seconds)
  return date
}

function fullYear(twoDigits: number, currentYear: number): number {
  const year = currentYear - (currentYear % 100) + twoDigits
  if (year > currentYear + 50) return year - 100
  return year <= currentYear - 50 ? year + 100 : year
}

/**
 * Writes an HTTP-date in the form to be sent (IMF-fixdate). Its unit is the second: milliseconds
 * are cut off.
 */
export function formatHttpDate(date: Date): string {
  return date.toUTCString()
}
