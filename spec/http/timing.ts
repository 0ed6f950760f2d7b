import { cpuTime } from '../support/cpu-time.js'

/**
 * How long an action takes at its best of five, in milliseconds: what else the machine does is left
 * out.
 */
export function millisecondsFor(action: () => unknown): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 5; round++) {
    const start = cpuTime()
    action()
    best = Math.min(best, cpuTime() - start)
  }
  return best
}
