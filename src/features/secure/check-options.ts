import { shown } from '../../names.js'
import { faultsIn, func, isString, type Rule, type Rules, required, string } from '../../options.js'

/** Throws a TypeError that lists the faults of a scheme: of its name, and of its options. */
export function checkScheme<Options extends object>(
  kind: string,
  name: string,
  options: Options,
  rules: Rules<NoInfer<Options>>,
): void {
  const isName = isString(name) && /^[\w.-]+$/.test(name)
  const faults = [
    ...(isName ? [] : ['the name may have letters, digits, dots, dashes and underscores']),
    ...faultsIn(options, rules),
  ]
  if (faults.length > 0) throw new TypeError(`${kind}(${shown(name)}): ${faults.join('; ')}`)
}

/** The rules of options that most schemes have. */
export const COMMON = {
  identify: func,
  description: string,
} as const satisfies Record<string, Rule>

/** The rule of `principal`, if nothing else identifies the owner of the credentials. */
export const PRINCIPAL = required(func)
