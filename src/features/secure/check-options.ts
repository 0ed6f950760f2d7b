import { unknownOptions } from '../../names.js'

/** Throws a TypeError for a name that a document cannot have, and for options that there are not. */
export function checkOptions(kind: string, name: string, options: object, known: readonly string[]): void {
  const faults = [
    ...(/^[\w.-]+$/.test(name) ? [] : ['the name may have letters, digits, dots, dashes and underscores']),
    ...unknownOptions(options, known),
  ]
  if (faults.length > 0) throw new TypeError(`${kind}("${name}"): ${faults.join('; ')}`)
}
