// Options of features are objects of the application: a misspelt one would be ignored, and a limit of NaN would be no limit.
import { optionsIn, unknownOptions } from '../names.js'
import type { Route } from './feature.js'

/** Reports options that are not known, with those that are, and what is no object of options; returns what can be read. */
export function checkOptions<Options extends object>(
  route: Pick<Route, 'fault'>,
  place: string,
  options: Options | undefined,
  known: readonly string[],
): Options {
  for (const fault of unknownOptions(options, known)) route.fault(`${place}: ${fault}`)
  // a program without types may leave out what has to be there: whoever reads it reports that
  return optionsIn(options) as Options
}

/** Options without those that are `undefined`, so that a default of theirs stands when these are spread over it. */
export function given<Options extends object>(options: Options): { readonly [Name in keyof Options]: Exclude<Options[Name], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never
}

/** Whether a value is a whole number from `minimum` on; reports it otherwise. `Infinity` is no limit, unless it has to be `finite`. */
export function checkLimit(
  route: Pick<Route, 'fault'>,
  place: string,
  value: unknown,
  { minimum, finite = false }: { readonly minimum: number; readonly finite?: boolean },
): boolean {
  const isLimit = Number.isSafeInteger(value) || (value === Number.POSITIVE_INFINITY && !finite)
  if (isLimit && (value as number) >= minimum) return true
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  route.fault(`${place} is ${text}, but takes a whole number from ${minimum} on${finite ? '' : ', or Infinity'}`)
  return false
}
