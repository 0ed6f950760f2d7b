// Checks the format of strings. This runs for each string of each item of a list, in and out, so it
// uses no regular expressions. The document has a pattern for each format, and a property test
// holds the two to each other.

const [PLUS, HYPHEN, DOT, ZERO, COLON, AT] = [0x2b, 0x2d, 0x2e, 0x30, 0x3a, 0x40]

const [DIGIT, HEX, ALPHANUMERIC, EMAIL_NAME] = [1, 2, 4, 8]

/** The kinds of each ASCII character, by its code. */
const KINDS = new Uint8Array(128)
for (const [kind, characters] of [
  [DIGIT, /[0-9]/],
  [HEX, /[0-9a-fA-F]/],
  [ALPHANUMERIC, /[a-zA-Z0-9]/],
  [EMAIL_NAME, /[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]/],
] as const) {
  for (let code = 0; code < KINDS.length; code++)
    if (characters.test(String.fromCharCode(code))) KINDS[code] = (KINDS[code] as number) | kind
}

function is(kind: number, code: number): boolean {
  return ((KINDS[code] ?? 0) & kind) !== 0
}

/** Hexadecimal digits in groups of 8, 4, 4, 4 and 12. */
export function isUuid(text: string): boolean {
  if (text.length !== 36) return false
  for (let index = 0; index < 36; index++) {
    const code = text.charCodeAt(index)
    if (
      index === 8 || index === 13 || index === 18 || index === 23 ? code !== HYPHEN : !is(HEX, code)
    )
      return false
  }
  return true
}

/** A number as JSON spells it, without an exponent. */
export function isDecimal(text: string): boolean {
  const start = text.charCodeAt(0) === HYPHEN ? 1 : 0
  const point = endOf(DIGIT, text, start)
  if (point === start || (text.charCodeAt(start) === ZERO && point > start + 1)) return false
  if (point === text.length) return true
  return (
    text.charCodeAt(point) === DOT &&
    point + 1 < text.length &&
    endOf(DIGIT, text, point + 1) === text.length
  )
}

/** The index of the first character from `start` on that is not of a kind. */
function endOf(kind: number, text: string, start: number): number {
  let index = start
  while (index < text.length && is(kind, text.charCodeAt(index))) index += 1
  return index
}

// octets: RFC 5321, section 4.5.3.1.1; RFC 1035, section 2.3.4
const LONGEST_NAME = 64
const LONGEST_LABEL = 63

/**
 * An e-mail address in ASCII: at most 64 octets before the `@`, and a domain of at least two
 * labels.
 */
export function isEmail(text: string): boolean {
  const at = endOfName(text)
  return at >= 1 && at <= LONGEST_NAME && isDomain(text, at + 1)
}

/**
 * Returns the index of the `@` after words separated by dots, or -1 if anything else comes before
 * it.
 */
function endOfName(text: string): number {
  for (let start = 0; ; ) {
    const end = endOf(EMAIL_NAME, text, start)
    if (end === start) return -1
    const code = text.charCodeAt(end)
    if (code === AT) return end
    if (code !== DOT) return -1
    start = end + 1
  }
}

function isDomain(text: string, from: number): boolean {
  let start = from
  for (let labels = 1; ; labels++) {
    let end = start
    while (
      end < text.length &&
      (is(ALPHANUMERIC, text.charCodeAt(end)) || text.charCodeAt(end) === HYPHEN)
    )
      end += 1
    if (end === start || end - start > LONGEST_LABEL) return false
    if (text.charCodeAt(start) === HYPHEN || text.charCodeAt(end - 1) === HYPHEN) return false
    if (end === text.length) return labels > 1
    if (text.charCodeAt(end) !== DOT) return false
    start = end + 1
  }
}

/** A day that is in the calendar. */
export function isDate(text: string): boolean {
  return text.length === 10 && startsWithDate(text)
}

function startsWithDate(text: string): boolean {
  if (text.charCodeAt(4) !== HYPHEN || text.charCodeAt(7) !== HYPHEN) return false
  const day = twoDigits(text, 8)
  return (
    day >= 1 && day <= daysOf(twoDigits(text, 0) * 100 + twoDigits(text, 2), twoDigits(text, 5))
  )
}

/** Parses two digits at this index; NaN if either is not a digit. */
function twoDigits(text: string, index: number): number {
  const tens = text.charCodeAt(index) - ZERO
  const ones = text.charCodeAt(index + 1) - ZERO
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Returns the number of days in a month; 0 for a month or year that does not exist. */
function daysOf(year: number, month: number): number {
  if (month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)) return 29
  return Number.isNaN(year) ? 0 : (DAYS[month - 1] ?? 0)
}

/** `T`, `Z`, and what they are in lower case. */
const [T, Z, TO_LOWER] = [0x54, 0x5a, 0x20]

/** A moment of RFC 3339 that is in the calendar; a leap second is the last one of a UTC day. */
export function isDateTime(text: string): boolean {
  if (text.length < 20 || !startsWithDate(text) || (text.charCodeAt(10) & ~TO_LOWER) !== T)
    return false
  if (text.charCodeAt(13) !== COLON || text.charCodeAt(16) !== COLON) return false
  const hour = twoDigits(text, 11)
  const minute = twoDigits(text, 14)
  const second = twoDigits(text, 17)
  if (!(hour <= 23 && minute <= 59 && second <= 60)) return false
  let zone = 19
  if (text.charCodeAt(zone) === DOT) {
    zone = endOf(DIGIT, text, 20)
    if (zone === 20) return false
  }
  const offset = offsetAt(text, zone)
  if (Number.isNaN(offset)) return false
  const day = 24 * 60
  return second < 60 || (hour * 60 + minute - offset + day) % day === day - 1
}

/** The minutes of an offset at the end of the string; NaN for anything else. */
function offsetAt(text: string, index: number): number {
  const sign = text.charCodeAt(index)
  if ((sign & ~TO_LOWER) === Z) return text.length === index + 1 ? 0 : Number.NaN
  if (
    (sign !== PLUS && sign !== HYPHEN) ||
    text.length !== index + 6 ||
    text.charCodeAt(index + 3) !== COLON
  )
    return Number.NaN
  const hours = twoDigits(text, index + 1)
  const minutes = twoDigits(text, index + 4)
  if (!(hours <= 23 && minutes <= 59)) return Number.NaN
  return (sign === HYPHEN ? -1 : 1) * (hours * 60 + minutes)
}
