/** How deep a recursion may go, in decoding and encoding. Values from the network are held to less when they are parsed. */
export const MAX_RECURSION = 500

type Results = Map<unknown, unknown>

/**
 * Knows the recursions that the decoders or encoders of one codec are in, and what they have made of the values inside. A value is decoded once by each of them,
 * however many members of a union ask for it: without that, each level could double the work. Nothing is kept once all have returned.
 */
export class Nesting {
  #depth = 0
  #runs = 0
  readonly #all: Results[] = []

  /** Whether more than half of the levels are used up. */
  get isDeep(): boolean {
    return this.#depth > MAX_RECURSION / 2
  }

  /** `step` for what a recursion meets. For what is nested too deeply, or is inside itself, it returns `refusal`. */
  guard<T>(step: (value: unknown) => T, refusal: T): (value: unknown) => T {
    const results = this.#newResults()
    return value => {
      const known = this.#enter(results, value, refusal)
      if (known !== undefined) return known as T
      let result: T | undefined
      try {
        result = step(value)
        return result
      } finally {
        this.#leave(results, value, result)
      }
    }
  }

  /** `guard` for what may pause. */
  guardSteps<T>(
    step: (value: unknown) => Generator<void, T>,
    refusal: T,
  ): (value: unknown) => Generator<void, T> {
    const results = this.#newResults()
    const [enter, leave] = [this.#enter.bind(this), this.#leave.bind(this)]
    return function* (value) {
      const known = enter(results, value, refusal)
      if (known !== undefined) return known as T
      let result: T | undefined
      try {
        result = yield* step(value)
        return result
      } finally {
        leave(results, value, result)
      }
    }
  }

  /** A step that is taken once for each object in a run. */
  once<T>(step: (value: unknown) => Generator<void, T>): (value: unknown) => Generator<void, T> {
    const results = this.#newResults()
    return function* (value) {
      const known = results.get(value)
      if (known !== undefined) return known as T
      const result = yield* step(value)
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

  /** Returns the known result, if any. A string counts as a list of one string, so it can contain itself, as an object can. */
  #enter(results: Results, value: unknown, refusal: unknown): unknown {
    const known = results.get(value)
    if (known !== undefined) return known
    if (isObject(value)) {
      if (this.#depth === MAX_RECURSION) return refusal
      this.#depth += 1
    }
    results.set(value, refusal)
    return undefined
  }

  #leave(results: Results, value: unknown, result: unknown): void {
    if (isObject(value)) this.#depth -= 1
    if (isObject(value) && result !== undefined) results.set(value, result)
    else results.delete(value)
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
