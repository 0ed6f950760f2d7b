import { unknownOptions } from '../../names.js'

/** Throws a TypeError for a name that a document cannot have, for options that there are not, and for functions that are missing. */
export function checkOptions(
  kind: string,
  name: string,
  options: object,
  known: readonly string[],
  functions: readonly string[] = [],
): void {
  const faults = [
    ...(/^[\w.-]+$/.test(name) ? [] : ['the name may have letters, digits, dots, dashes and underscores']),
    ...unknownOptions(options, known),
    ...functions.flatMap(option => (typeof Reflect.get(options, option) === 'function' ? [] : [`${option} has to be a function`])),
  ]
  if (faults.length > 0) throw new TypeError(`${kind}("${name}"): ${faults.join('; ')}`)
}
