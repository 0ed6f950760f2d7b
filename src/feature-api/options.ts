import type { Rule } from '../options.js'

/** A time: milliseconds, or a number with its unit, `'24h'`. */
export type Period = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** The milliseconds of a period of more than none; undefined for anything else. */
export function milliseconds(period: unknown): number | undefined {
  const text = typeof period === 'number' ? `${period}ms` : String(period)
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? []
  const result = Number(number) * UNITS[unit as keyof typeof UNITS]
  return result > 0 ? result : undefined
}

/** The rule of options that are periods. */
export const PERIOD: Rule = {
  text: 'milliseconds or a string such as "24h" or "30m"',
  fits: value => milliseconds(value) !== undefined,
}
