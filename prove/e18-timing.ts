import { randomBytes } from 'node:crypto'
import { safeEqual } from '../src/features/secure/safe-equal.js'
import { experiment, scale } from './experiment.js'

// The time for a wrong key does not depend on how much of it is right. Keys that are wrong from the
// first letter on and keys of which only the last letter is wrong are compared in turns, in random
// order; Welch's t-test finds no difference between the two (|t| < 4.5, the threshold of dudect;
// Reparaz et al., 2017). The same test has to find the difference in a comparison that stops at the
// first wrong letter.

const ROUNDS = Math.round(20_000 / scale)
/** Comparisons in one measurement, since the clock is coarser than one. */
const BATCH = 20
const LENGTH = 256

type Compare = (left: string, right: string) => boolean

/** As `===` may do it, letter by letter, so that the test is known to find what it looks for. */
const stopsEarly: Compare = (left, right) => {
  for (let index = 0; index < left.length; index++)
    if (left.charCodeAt(index) !== right.charCodeAt(index)) return false
  return left.length === right.length
}

/** Nanoseconds of each measurement, for keys that are wrong early and keys that are wrong late. */
function measure(compare: Compare): readonly [early: number[], late: number[]] {
  const key = randomBytes(LENGTH / 2).toString('hex')
  const wrong = [`!${key.slice(1)}`, `${key.slice(0, -1)}!`] as const
  const times: [number[], number[]] = [[], []]
  let equal = 0
  for (let round = 0; round < ROUNDS; round++) {
    const which = Math.random() < 0.5 ? 0 : 1
    // a string of its own, so that neither key is better known to the engine
    const given = Buffer.from(wrong[which]).toString('latin1')
    const began = process.hrtime.bigint()
    for (let index = 0; index < BATCH; index++) equal += Number(compare(key, given))
    times[which].push(Number(process.hrtime.bigint() - began))
  }
  if (equal > 0) throw new Error('a wrong key was taken for the right one')
  return times
}

/**
 * Welch's t of two samples, without what interrupts made of their slowest: measurements over the
 * 90th percentile of both.
 */
function welch([first, second]: readonly [number[], number[]]): number {
  const all = [...first, ...second].sort((left, right) => left - right)
  const limit = all[Math.floor(all.length * 0.9)] as number
  const [one, two] = [first, second].map(times => {
    const kept = times.slice(first.length > 2000 ? 1000 : 0).filter(time => time <= limit)
    const mean = kept.reduce((sum, time) => sum + time, 0) / kept.length
    const variance = kept.reduce((sum, time) => sum + (time - mean) ** 2, 0) / (kept.length - 1)
    return { mean, error: variance / kept.length }
  }) as [{ mean: number; error: number }, { mean: number; error: number }]
  return (one.mean - two.mean) / Math.sqrt(one.error + two.error)
}

const median = (values: readonly number[]) =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] as number

await experiment('E18', 'the time for a wrong key', async scope => {
  measure(safeEqual)
  // a single test is wrong now and then on a busy machine; the median of five is not
  const fives = (compare: Compare) =>
    median(Array.from({ length: 5 }, () => Math.abs(welch(measure(compare)))))
  scope.figure('t of safeEqual', fives(safeEqual), { atMost: 4.5 })
  scope.figure('t of a comparison that stops early', fives(stopsEarly), { atLeast: 10 })
})
