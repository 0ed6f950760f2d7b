/**
 * How deep a recursion may go, in decoding and encoding. Values from the network are held to less
 * when they are parsed.
 */
export const MAX_RECURSION = 500

type Results = Map<unknown, unknown>

/** From how many names on those of an object are kept: V8 needs 20 ms to list 100,000. */
const MANY_NAMES = 100

/**
 * Knows the recursions that the decoders or encoders of one codec are in, and what they have made
 * of the values inside. A value is decoded once by each of them, however many members of a union
 * ask for it: without that, each level could double the work. Nothing is kept once all have
 * returned.
 */
export class Nesting {
  #depth = 0
  #runs = 0
  readonly #names = new Map<unknown, readonly string[]>()
  readonly #all: Results[] = [this.#names]

  /** The names of an object, which are listed once however many members of a union ask for them. */
  namesOf(value: object): readonly string[] {
    const known = this.#names.size > 0 ? this.#names.get(value) : undefined
    if (known) return known
    const names = Object.keys(value)
    if (names.length >= MANY_NAMES) this.#names.set(value, names)
    return names
  }

  /**
   * Wraps the `step` of a recursion. For an object that is nested too deeply, or is inside itself,
   * it returns `refusal`. With `inText` one string counts as a list of one string, so it can
   * contain itself too.
   */
  guard<T>(step: (value: unknown) => T, refusal: T, inText = false): (value: unknown) => T {
    const results = this.#newResults()
    return value => {
      if (!isObject(value)) return inText ? guardScalar(results, step, value, refusal) : step(value)
      const known = results.get(value)
      if (known !== undefined) return known as T
      if (this.#depth === MAX_RECURSION) return refusal
      this.#depth += 1
      results.set(value, refusal)
      let result: T | undefined
      try {
        result = step(value)
        return result
      } finally {
        this.#depth -= 1
        if (result === undefined) results.delete(value)
        else results.set(value, result)
      }
    }
  }

  /** A step that is taken once for each object in a run. */
  once<T>(step: (value: unknown) => T): (value: unknown) => T {
    const results = this.#newResults()
    return value => {
      const known = results.get(value)
      if (known !== undefined) return known as T
      const result = step(value)
      if (isObject(value)) results.set(value, result)
      return result
    }
  }

  /** A step from outside, at whose end the values are forgotten. */
  run<T>(step: (value: unknown) => T): (value: unknown) => T {
    return value => {
      this.#runs += 1
      try {
        return step(value)
      } finally {
        this.#runs -= 1
        if (this.#runs === 0) for (const results of this.#all) results.clear()
      }
    }
  }

  #newResults(): Results {
    const results: Results = new Map()
    this.#all.push(results)
    return results
  }
}

function guardScalar<T>(
  results: Results,
  step: (value: unknown) => T,
  value: unknown,
  refusal: T,
): T {
  if (results.has(value)) return refusal
  results.set(value, refusal)
  try {
    return step(value)
  } finally {
    results.delete(value)
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
