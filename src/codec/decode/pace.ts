/** Says what is decoded in steps, and when it is time for others. */
export interface Pace {
  /** Whether a value is decoded in steps, where its decoder has any. */
  readonly isLong: (value: unknown) => boolean
  /** Whether a turn of the event loop should come before the next part, after so many more. */
  readonly isDue: (parts?: number) => boolean
}

/** No pauses. */
export const AT_ONCE: Pace = { isLong: () => false, isDue: () => false }

/** No pauses either, but short values are told from long ones. */
export const WITHOUT_PAUSE: Pace = { isLong: value => isLong(value), isDue: () => false }

/** Other limits are for tests. */
export interface TurnLimits {
  /** Values with as many parts inside, or with deeper ones, are long. A recursion leaves more levels than these to what is decoded at once. */
  readonly long: number
  readonly deep: number
  /** How long a turn lasts, in ms. */
  readonly time: number
  /** After how many parts the clock is looked at. */
  readonly parts: number
}

const LIMITS: TurnLimits = { long: 1_000, deep: 64, time: 10, parts: 2_000 }

/** The pace for one value, at which no turn takes much longer than 10 ms. */
export class Turns implements Pace {
  readonly #limits: TurnLimits
  #left: number
  #end = 0

  constructor(limits = LIMITS) {
    this.#limits = limits
    this.#left = limits.parts
  }

  /** Begins a turn. */
  begin(): void {
    this.#end = performance.now() + this.#limits.time
  }

  readonly isLong = (value: unknown): boolean => {
    const { long, deep, parts } = this.#limits
    const size = sizeOf(value, long, deep)
    // V8 takes longer to see that there are many names than for so many parts
    this.#left -= size >= long ? parts : size
    return size >= long
  }

  readonly isDue = (parts = 1): boolean => {
    this.#left -= parts
    if (this.#left > 0) return false
    this.#left = this.#limits.parts
    return performance.now() >= this.#end
  }
}

/** Whether a value is decoded in turns. */
export function isLong(value: unknown, { long, deep } = LIMITS): boolean {
  return sizeOf(value, long, deep) >= long
}

/** The number of values in a value, itself included; `most` where there are more, or deeper ones. */
function sizeOf(value: unknown, most: number, levels: number): number {
  if (typeof value !== 'object' || value === null) return 1
  if (levels === 0) return most
  let size = 1
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && size < most; index++)
      size += sizeOf(value[index], most - size, levels - 1)
    return size
  }
  for (const name in value) {
    size += sizeOf((value as Record<string, unknown>)[name], most - size, levels - 1)
    if (size >= most) break
  }
  return size
}
