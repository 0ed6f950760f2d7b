// Checks of the options that applications pass to features: a misspelt option would be ignored, and a limit of NaN would be no limit.
import { optionsIn, unknownOptions } from '../names.js'
import type { Route } from './feature.js'

/** Reports unknown options, and anything that is not an object of options. Returns the readable options. */
export function checkOptions<Options extends object>(
  route: Pick<Route, 'fault'>,
  place: string,
  options: Options | undefined,
  known: readonly string[],
): Options {
  for (const fault of unknownOptions(options, known)) route.fault(`${place}: ${fault}`)
  // an untyped program may omit a required option: the code that reads the option reports it
  return optionsIn(options) as Options
}

/** Removes options that are `undefined`, so that defaults survive when the options are spread over them. */
export function given<Options extends object>(
  options: Options,
): { readonly [Name in keyof Options]: Exclude<Options[Name], undefined> } {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as never
}

/**
 * Returns whether a value is a whole number of at least `minimum`, and reports a fault otherwise. `Infinity` means no limit and is allowed
 * unless the option has to be `finite`.
 */
export function checkLimit(
  route: Pick<Route, 'fault'>,
  place: string,
  value: unknown,
  { minimum, finite = false }: { readonly minimum: number; readonly finite?: boolean },
): boolean {
  const isLimit = Number.isSafeInteger(value) || (value === Number.POSITIVE_INFINITY && !finite)
  if (isLimit && (value as number) >= minimum) return true
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  route.fault(
    `${place} is ${text}, but takes a whole number from ${minimum} on${finite ? '' : ', or Infinity'}`,
  )
  return false
}
