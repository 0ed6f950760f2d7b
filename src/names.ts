// Describes values and names in messages about what applications write: options, settings.

/**
 * Describes a value of the wrong kind for a message: `undefined`, `"x"`, `a function`. Its content
 * stays out: it may be a secret.
 */
export function shown(value: unknown): string {
  if (typeof value === 'string') return value.length <= 40 ? JSON.stringify(value) : 'a string'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'function' ? 'a function' : String(value)
}

/** Returns the given options; an empty object if something else was given. */
export function optionsIn<Options extends object>(given: Options | undefined): Partial<Options> {
  return typeof given === 'object' && given !== null && !Array.isArray(given) ? given : {}
}

/** Returns `, did you mean "tags"?`, or nothing if no known name is similar. */
export function suggestion(name: string, known: readonly string[]): string {
  const [nearest] = known
    .map(candidate => ({
      candidate,
      distance: distanceOf(name.toLowerCase(), candidate.toLowerCase()),
    }))
    .filter(({ distance }) => distance <= Math.max(1, name.length / 4))
    .sort((left, right) => left.distance - right.distance)
  return nearest ? `, did you mean "${nearest.candidate}"?` : ''
}

/** Returns the Levenshtein distance. */
function distanceOf(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (const [line, letter] of [...left].entries()) {
    const next = [line + 1]
    for (const [index, other] of [...right].entries()) {
      const changed = (row[index] as number) + (letter === other ? 0 : 1)
      next.push(Math.min(changed, (row[index + 1] as number) + 1, (next[index] as number) + 1))
    }
    row = next
  }
  return row[right.length] as number
}
