import { optionsIn, shown, unknownOptions } from '../../names.js'

/** Throws a TypeError for a name that is invalid in a document, for unknown options, and for missing functions. */
export function checkOptions(
  kind: string,
  name: string,
  options: object | undefined,
  known: readonly string[],
  functions: readonly string[] = [],
): void {
  const isName = typeof name === 'string' && /^[\w.-]+$/.test(name)
  const faults = [
    ...(isName ? [] : ['the name may have letters, digits, dots, dashes and underscores']),
    ...(options === undefined ? [`it takes options, ${kind}('name', { … })`] : []),
    ...unknownOptions(options, known),
    ...functions.flatMap(option =>
      typeof Reflect.get(optionsIn(options), option) === 'function'
        ? []
        : [`${option} has to be a function`],
    ),
  ]
  if (faults.length > 0) throw new TypeError(`${kind}(${shown(name)}): ${faults.join('; ')}`)
}
