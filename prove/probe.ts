import { readdirSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

// Loaded before a server under test: it tells the experiment what the process looks like from
// inside.

/** What a process tells of itself. Sizes are in bytes. */
export interface Measurement {
  /** After garbage has been collected. */
  readonly heap: number
  readonly rss: number
  readonly openFiles: number
  readonly unhandledRejections: number
  readonly warnings: number
}

/**
 * How long the event loop was blocked since it was last asked, at most and in 99 of 100 turns, in
 * milliseconds.
 */
export interface Blocked {
  readonly longest: number
  readonly most: number
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

const ANSWERS: Readonly<Record<string, () => Measurement | Blocked>> = { measure, blocked }
process.on('message', message => {
  const answer = ANSWERS[String(message)]
  if (answer) process.send?.(answer())
})
// the channel alone does not keep the process alive: one that has drained ends by itself
process.channel?.unref()
// nor does it outlive the experiment, however that ends
process.once('disconnect', () => process.exit())

function measure(): Measurement {
  for (let round = 0; round < 3; round++) globalThis.gc?.()
  const { heapUsed: heap, rss } = process.memoryUsage()
  return {
    heap,
    rss,
    openFiles: readdirSync('/proc/self/fd').length,
    unhandledRejections,
    warnings,
  }
}

function blocked(): Blocked {
  const [longest = 0, most = 0] = [delay.max, delay.percentile(99)].map(nanoseconds =>
    Math.max(0, nanoseconds / 1e6 - RESOLUTION),
  )
  delay.reset()
  return { longest, most }
}
