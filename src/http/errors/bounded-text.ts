// Texts of errors come from anywhere and may be of any size. They are written value by value under a budget, so that nothing in
// them (cycles, BigInt, getters that throw) can keep an error from being sent.

const DEPTH = 32
const CHARACTERS = 64 * 1024

/** What may still be written of one error. */
export class Budget {
  #characters = CHARACTERS

  /** As much of a text as there is left. */
  take(text: string): string {
    const taken = text.slice(0, Math.max(0, this.#characters))
    this.#characters -= taken.length
    return taken
  }

  /** The same as JSON. */
  quote(text: string): string {
    return JSON.stringify(this.take(text))
  }

  /** A value as JSON text; undefined where JSON has no such value. What is beyond the budget or 32 levels is cut off. */
  json(value: unknown, depth = DEPTH): string | undefined {
    this.#characters -= 4
    if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return String(value)
    if (typeof value === 'function' || typeof value === 'symbol' || value === undefined) return undefined
    if (typeof value !== 'object') return this.quote(String(value))
    return depth === 0 ? undefined : this.#entries(value, depth - 1)
  }

  #entries(value: object, depth: number): string {
    const isList = isArray(value)
    let text = ''
    this.eachEntry(value, (key, item) => {
      const json = this.json(item, depth)
      if (json !== undefined) text += `${text && ','}${isList ? '' : `${this.quote(key)}:`}${json}`
    })
    return isList ? `[${text}]` : `{${text}}`
  }

  /** Visits the own enumerable entries of an object, as long as something is left of the budget and none of them throws. */
  eachEntry(value: object, visit: (key: string, item: unknown) => void): void {
    try {
      for (const key in value) {
        if (this.#characters <= 0) return
        if (Object.hasOwn(value, key)) visit(key, (value as Record<string, unknown>)[key])
      }
    } catch {
      // A getter or a proxy that throws: what has been read is enough.
    }
  }
}

/** `Array.isArray`, which throws for a revoked Proxy. */
export function isArray(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value)
  } catch {
    return false
  }
}
