const TIME = '\\d\\d:\\d\\d:\\d\\d'
const FORMS = new RegExp(
  `^(?:\\w{3}, \\d\\d \\w{3} \\d{4} ${TIME} GMT|\\w+day, \\d\\d-\\w{3}-\\d\\d ${TIME} GMT|\\w{3} \\w{3} [ \\d]\\d ${TIME} \\d{4})$`,
)

/**
 * Reads an HTTP-date in any of its three forms (RFC 9110, section 5.6.7), and in no other:
 * `undefined`.
 */
export function parseHttpDate(text: string): Date | undefined {
  if (!FORMS.test(text)) return undefined
  // the oldest form does not name its time zone
  const date = new Date(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(date.getTime()) ? undefined : date
}
