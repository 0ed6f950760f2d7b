// Checks of the options that applications pass: a misspelt option would be ignored, and a limit of
// NaN would be no limit. The compiler checks that a table has a rule for each option.
import { optionsIn, shown, suggestion } from './names.js'

/**
 * Removes the keys whose value is undefined: spread over defaults, they would replace them.
 */
export function defined<T extends object>(object: { [Key in keyof T]: T[Key] | undefined }): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T
}

/** The rule for an option. */
export interface Rule {
  /** Continues "must be": `a whole number of at least 1`. */
  readonly text: string
  fits(value: unknown): boolean
  readonly isRequired?: boolean
  /**
   * Whether the option must not be present and undefined: a guard that is not there guards nothing.
   */
  readonly isGuard?: boolean
  /** Whether messages leave the value out. */
  readonly isSecret?: boolean
}

/** A rule for each option. */
export type Rules<Options> = { readonly [Name in keyof Options]-?: Rule }

/** Returns the faults of an object of options: unknown names, and values that break their rule. */
export function faultsIn<Options extends object>(
  given: Options | undefined,
  rules: Rules<NoInfer<Options>>,
): readonly string[] {
  if (given !== undefined && optionsIn(given) !== given)
    return [`the options must be an object, not ${shown(given)}`]
  const known = Object.keys(rules)
  const unknown = Object.keys(given ?? {}).filter(name => !known.includes(name))
  return [
    ...unknown.map(
      name =>
        `there is no option "${name}"${suggestion(name, known) || `, the options are ${known.join(', ')}`}`,
    ),
    ...known.flatMap(name => faultOf(name, given, rules) ?? []),
  ]
}

function faultOf<Options extends object>(
  name: string,
  given: Options | undefined,
  rules: Rules<NoInfer<Options>>,
): string | undefined {
  const rule = rules[name as keyof Options]
  const value: unknown = given?.[name as keyof Options]
  const mayBeMissing = !rule.isRequired && !(rule.isGuard && Object.hasOwn(optionsIn(given), name))
  if (value === undefined ? mayBeMissing : rule.fits(value)) return undefined
  return `${name} must be ${rule.text}, not ${rule.isSecret ? kindOf(value) : shownList(value)}`
}

/** Shows the members of a short list: one of them is what breaks the rule. */
function shownList(value: unknown): string {
  return Array.isArray(value) && value.length <= 5
    ? `[${value.map(shown).join(', ')}]`
    : shown(value)
}

const kindOf = (value: unknown): string =>
  typeof value === 'string' && value !== '' ? 'a string' : shown(value)

/**
 * Reports the faults of options to a route. Returns the options that fit their rules, so that
 * defaults replace the others.
 */
export function checkOptions<Options extends object>(
  route: { fault(text: string): void },
  place: string,
  given: Options | undefined,
  rules: Rules<NoInfer<Options>>,
): Options {
  const faults = faultsIn(given, rules)
  for (const fault of faults) route.fault(`${place}: ${fault}`)
  // an untyped program may omit a required option
  if (faults.length === 0) return (given ?? {}) as Options
  const fitting = Object.entries(optionsIn(given)).filter(([name, value]) =>
    (rules as Partial<Record<string, Rule>>)[name]?.fits(value),
  )
  return Object.fromEntries(fitting) as Options
}

/** Throws a TypeError that lists the faults of options. */
export function requireOptions<Options extends object>(
  place: string,
  given: Options | undefined,
  rules: Rules<NoInfer<Options>>,
): void {
  const faults = faultsIn(given, rules)
  if (faults.length > 0) throw new TypeError(`${place}: ${faults.join('; ')}`)
}

/** The same rule, for an option that must be given. */
export const required = (rule: Rule): Rule => ({ ...rule, isRequired: true })

/** The same rule, for an option that must not be present and undefined. */
export const guard = (rule: Rule): Rule => ({ ...rule, isGuard: true })

/** Anything: for options with a check of their own. */
export const anything: Rule = { text: 'anything', fits: () => true }

export const flag: Rule = { text: 'true or false', fits: value => typeof value === 'boolean' }

export const func: Rule = { text: 'a function', fits: value => typeof value === 'function' }

export const isString = (value: unknown): value is string => typeof value === 'string'

export const string: Rule = { text: 'a string', fits: isString }

const isStrings = (value: unknown): boolean => Array.isArray(value) && value.every(isString)

export const strings: Rule = { text: 'a list of strings', fits: isStrings }

export const object: Rule = {
  text: 'an object',
  fits: value => optionsIn(value as object) === value,
}

export const list: Rule = { text: 'a list', fits: Array.isArray }

/** One of these strings. */
export function oneOf(...members: readonly string[]): Rule {
  const quoted = members.map(member => JSON.stringify(member))
  const before = quoted.slice(0, -1).join(', ')
  return {
    text: before === '' ? `${quoted[0]}` : `${before} or ${quoted.at(-1)}`,
    fits: value => isString(value) && members.includes(value),
  }
}

/** A whole number of at least `minimum`, or Infinity, which means no limit. */
export function limitFrom(minimum: number): Rule {
  const whole = wholeFrom(minimum)
  return {
    text: `${whole.text}, or Infinity`,
    fits: value => value === Number.POSITIVE_INFINITY || whole.fits(value),
  }
}

/** A whole number of at least `minimum`. */
export function wholeFrom(minimum: number): Rule {
  return {
    text: `a whole number of at least ${minimum}`,
    fits: value => Number.isSafeInteger(value) && (value as number) >= minimum,
  }
}

/** The status of an error response. */
export const errorStatus: Rule = {
  text: 'the status of an error, 400 to 599',
  fits: value => Number.isInteger(value) && (value as number) >= 400 && (value as number) <= 599,
}

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
