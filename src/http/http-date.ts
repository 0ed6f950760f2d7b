const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d'
const MONTH = '[A-Z][a-z]{2}'

/** The forms of an HTTP-date (RFC 9110, section 5.6.7): the one to be sent, and two obsolete ones. */
const FORM = new RegExp(
  `^(?:[A-Z][a-z]{2}, \\d\\d ${MONTH} \\d{4} ${TIME} GMT|[A-Z][a-z]+day, \\d\\d-${MONTH}-\\d\\d ${TIME} GMT|[A-Z][a-z]{2} ${MONTH} [ \\d]\\d ${TIME} \\d{4})$`,
)

/** Reads an HTTP-date in any of its three forms, and in no other: `undefined`. */
export function parseHttpDate(text: string): Date | undefined {
  if (!FORM.test(text)) return undefined
  const date = new Date(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/**
 * Writes an HTTP-date in the form to be sent (IMF-fixdate). Its unit is the second: milliseconds
 * are cut off.
 */
export function formatHttpDate(date: Date): string {
  return date.toUTCString()
}
