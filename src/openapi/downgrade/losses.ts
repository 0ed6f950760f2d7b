const SHOWN = 3

/** What a version had no place for, and where: one text for all of it, which the application can be warned with. */
export class Losses {
  readonly #places = new Map<string, string[]>()

  readonly lost = (what: string, at: string): void => {
    this.#places.set(what, [...(this.#places.get(what) ?? []), at])
  }

  /** Undefined where nothing was lost. */
  text(version: string): string | undefined {
    if (this.#places.size === 0) return undefined
    const items = [...this.#places].map(
      ([what, places]) => what + where([...new Set(places)].filter(place => place !== '')),
    )
    return `The document leaves out what OpenAPI ${version} cannot say: ${items.join('; ')}`
  }
}

function where(places: readonly string[]): string {
  if (places.length === 0) return ''
  const more = places.length > SHOWN ? ` and ${places.length - SHOWN} more` : ''
  return ` (${places.slice(0, SHOWN).join(', ')}${more})`
}
