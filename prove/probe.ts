import { readdirSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

// Loaded before a server under test: it tells the experiment what the process looks like from inside.

/** What a process tells of itself. Sizes are in bytes, delays in milliseconds. */
export interface Measurement {
  /** After garbage has been collected. */
  readonly heap: number
  readonly rss: number
  readonly openFiles: number
  /** How long the event loop was blocked since the measurement before this one: at most, and the 99th percentile. */
  readonly longestBlock: number
  readonly block99: number
  readonly unhandledRejections: number
  readonly warnings: number
}

let unhandledRejections = 0
let warnings = 0
process.on('unhandledRejection', reason => {
  unhandledRejections += 1
  console.error('unhandled rejection:', reason)
})
process.on('warning', warning => {
  warnings += 1
  console.error(warning)
})

const RESOLUTION = 1
const delay = monitorEventLoopDelay({ resolution: RESOLUTION })
delay.enable()

process.on('message', message => {
  if (message === 'measure') process.send?.(measure())
})
// the channel alone does not keep the process alive: one that has drained ends by itself
process.channel?.unref()

function measure(): Measurement {
  const [longestBlock, block99] = [delay.max, delay.percentile(99)].map(nanoseconds => Math.max(0, nanoseconds / 1e6 - RESOLUTION))
  for (let round = 0; round < 3; round++) globalThis.gc?.()
  const { heapUsed: heap, rss } = process.memoryUsage()
  const openFiles = readdirSync('/proc/self/fd').length
  delay.reset()
  return { heap, rss, openFiles, longestBlock: longestBlock ?? 0, block99: block99 ?? 0, unhandledRejections, warnings }
}
