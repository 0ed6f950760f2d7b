/** Throws for the first of the options that are left over: a misspelt one would be ignored without a word. */
export function refuseUnknown(options: object): void {
  for (const name in options) throw new TypeError(`there is no option "${name}"`)
}
