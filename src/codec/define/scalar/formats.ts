// Checks days and moments. This runs for each string of each item of a list, in and out.

const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/
const TIME = '(?:[01][0-9]|2[0-3]):[0-5][0-9]'
const MOMENT = new RegExp(
  `^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt]${TIME}:(?:[0-5][0-9]|60)(?:\\.[0-9]+)?(?:[Zz]|[+-]${TIME})$`,
)

/** A day that is in the calendar. */
export function isDate(text: string): boolean {
  return DATE.test(text) && isDay(text)
}

/** A moment of RFC 3339 that is in the calendar; a leap second is the last one of a UTC day. */
export function isDateTime(text: string): boolean {
  if (!MOMENT.test(text) || !isDay(text)) return false
  return !isLeap(text) || secondBefore(text).toISOString().startsWith('T23:59', 10)
}

/** Whether a moment is a leap second. */
export function isLeap(text: string): boolean {
  return text.startsWith('60', 17)
}

/** Returns the Date of the second before a leap second: a Date has none. */
export function secondBefore(text: string): Date {
  return new Date(`${text.slice(0, 17)}59${text.slice(19)}`.toUpperCase())
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Whether the digits that the string begins with are a day that there is. */
function isDay(text: string): boolean {
  const [month, day] = [twoDigits(text, 5), twoDigits(text, 8)]
  if (month === 2 && day === 29) {
    const year = 100 * twoDigits(text, 0) + twoDigits(text, 2)
    return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  }
  return day >= 1 && day <= (DAYS[month - 1] ?? 0)
}

function twoDigits(text: string, index: number): number {
  return 10 * (text.charCodeAt(index) - 48) + text.charCodeAt(index + 1) - 48
}
