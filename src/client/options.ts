/** Throws for an unknown option: a misspelt one would be silently ignored. */
export function refuseUnknown(options: object): void {
  for (const name in options) throw new TypeError(`there is no option "${name}"`)
}
