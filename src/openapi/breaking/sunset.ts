/** The moment of `x-sunset` or `--today` in milliseconds; of a day its first. Undefined for any other text. */
export function momentOf(text: unknown): number | undefined {
  if (text instanceof Date) return text.getTime()
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/.test(text))
    return undefined
  const time = new Date(text).getTime()
  return Number.isNaN(time) ? undefined : time
}
