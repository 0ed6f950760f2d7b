import cluster from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { log } from './log.js'

/** How many workers, what they find in their environment, and how they stop. */
export interface Crew {
  readonly size: number
  readonly environment: NodeJS.ProcessEnv
  /** Milliseconds after which a worker that was told to stop is killed. */
  readonly patience: number
  /** What to do when the last one is gone. */
  readonly onStop: () => Promise<void>
}

/**
 * Milliseconds from the end of a worker to the start of the next: one that cannot live must not
 * keep the machine busy.
 */
const RESTART_DELAY = 1000

/**
 * Starts workers that share one port, and gives that port when all of them listen. A worker that
 * dies is replaced; one that dies before any of them listened ends the process. At SIGTERM or
 * SIGINT all are told to stop, and the process ends with 0.
 */
export async function startWorkers({ size, environment, patience, onStop }: Crew): Promise<number> {
  let stopping = false
  const start = () => (stopping ? undefined : cluster.fork(environment))
  const stop = async () => {
    if (stopping) return
    stopping = true
    await stopWorkers(patience)
    await onStop()
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop())

  let listening = 0
  cluster.on('listening', () => listening++)
  // The first one finds out whether the port is free.
  const fail = () => stopping || process.exit(1)
  const first = start()?.once('exit', fail)
  const [, { port }] = await once(cluster, 'listening')
  first?.off('exit', fail)

  cluster.on('exit', async ({ process: { pid } }, code, signal) => {
    if (stopping) return
    log.error({ worker: pid, code, signal }, 'a worker died, another takes its place')
    await sleep(RESTART_DELAY)
    start()
  })
  for (let started = 1; started < size; started++) start()
  while (listening < size) await once(cluster, 'listening')
  return port
}

async function stopWorkers(patience: number): Promise<void> {
  const workers = Object.values(cluster.workers ?? {}).filter(
    worker => worker !== undefined && !worker.isDead(),
  )
  const signalAll = (signal: NodeJS.Signals) =>
    workers.forEach(worker => void worker?.process.kill(signal))
  const late = setTimeout(signalAll, patience, 'SIGKILL')
  signalAll('SIGTERM')
  await Promise.all(workers.map(worker => worker && once(worker, 'exit')))
  clearTimeout(late)
}
