/** How deep a recursion may go, in decoding and encoding. Values from the network are held to less when they are parsed. */
export const MAX_RECURSION = 500

/** Counts the recursions that the decoders or encoders of one codec are in. */
export class Nesting {
  #depth = 0

  /**
   * `step` for what a recursion meets. For what is nested too deeply, or is inside itself, it returns `refusal`. A value is
   * looked at once, however many members of a union ask for it: without that, each level of a recursion could double the work.
   */
  guard<T>(step: (value: unknown) => T, refusal: T): (value: unknown) => T {
    const results = new Map<unknown, T>()
    return value => {
      if (typeof value !== 'object' || value === null) return step(value)
      const known = results.get(value)
      if (known !== undefined) return known
      if (this.#depth === MAX_RECURSION) return refusal
      results.set(value, refusal)
      this.#depth += 1
      try {
        const result = step(value)
        results.set(value, result)
        return result
      } finally {
        this.#depth -= 1
        if (this.#depth === 0) results.clear()
      }
    }
  }
}
