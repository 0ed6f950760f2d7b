import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { requestBytes } from '../spec/support/wire.js'
import { Connection } from './connection.js'
import { createDatabase } from './database.js'
import { experiment, type Scope, scale } from './experiment.js'
import { startServer } from './server-process.js'
import type { SlowClients } from './servers/slow-clients.js'

// 500 clients that never finish their header fields and 500 that bring their body byte by byte,
// beside 200 good requests a second to the pet shop: those notice nothing, and the slow ones are
// closed when their time is over.

const SLOW = Math.round(1000 / scale)
const RATE = 200
/**
 * In ms: after so long a request has to be there, which is looked after twice a second; and within
 * so long all slow clients come.
 */
const TIMEOUT = 8000
const SPREAD = 8000
const SECONDS_ALONE = 6
const SECONDS_BESIDE = (TIMEOUT + SPREAD) / 1000 + 2

const GOOD = requestBytes('GET', '/pets/1')

await experiment('E8', 'slow clients', async scope => {
  const { url } = await createDatabase(scope)
  const timeouts = { HEADERS_TIMEOUT: String(TIMEOUT), REQUEST_TIMEOUT: String(TIMEOUT) }
  const { port } = await startServer(scope, 'servers/shop.ts', { DATABASE_URL: url, ...timeouts })
  const good = await Promise.all(Array.from({ length: 20 }, () => Connection.open(port)))
  await goodTraffic(good, 2)
  const before = await goodTraffic(good, SECONDS_ALONE)
  const slow = startSlowClients(scope, port)
  const beside = await goodTraffic(good, SECONDS_BESIDE)
  const { opened, closed, longestLife } = await slow.look()
  slow.end()
  const after = await goodTraffic(good, SECONDS_ALONE)
  const alone = Math.max(before.p99, after.p99)
  for (const connection of good) connection.close()
  scope.figure('slow clients', opened, { exactly: SLOW })
  scope.figure('closed at their time', closed, { exactly: opened })
  scope.figure('longest life in ms', longestLife, { atMost: TIMEOUT + 1500 })
  scope.figure('errors of the good', before.errors + beside.errors + after.errors, { exactly: 0 })
  scope.figure('p99 alone in ms', alone)
  scope.figure('p99 beside them in ms', beside.p99)
  scope.figure('times p99 alone', beside.p99 / alone, { atMost: 2 })
})

/**
 * Sends requests at a steady rate, whether the ones before are answered or not; a connection takes
 * one at a time.
 */
async function goodTraffic(
  connections: readonly Connection[],
  seconds: number,
): Promise<{ p99: number; errors: number }> {
  const latencies: number[] = []
  let errors = 0
  const idle = [...connections]
  const waiting: Promise<void>[] = []
  const began = performance.now()
  for (let sent = 0; sent < seconds * RATE; sent++) {
    await sleep(began + (sent * 1000) / RATE - performance.now())
    const connection = idle.shift()
    if (!connection) {
      errors += 1
      continue
    }
    const start = performance.now()
    const done = connection.send(GOOD).then(
      ({ status }) => {
        latencies.push(performance.now() - start)
        if (status !== 200) errors += 1
        idle.push(connection)
      },
      () => {
        errors += 1
      },
    )
    waiting.push(done)
  }
  await Promise.all(waiting)
  latencies.sort((left, right) => left - right)
  return { p99: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN, errors }
}

/** Starts the slow clients, in a process of their own. */
function startSlowClients(
  scope: Scope,
  port: number,
): { look: () => Promise<SlowClients>; end: () => void } {
  const file = fileURLToPath(new URL('servers/slow-clients.ts', import.meta.url))
  const child = fork(file, [port, SLOW, SPREAD].map(String), { execArgv: ['--import', 'tsx'] })
  const end = () => child.kill('SIGKILL')
  scope.onEnd(end)
  const look = async () => {
    const answer = once(child, 'message')
    child.send('look')
    return (await answer)[0] as SlowClients
  }
  return { look, end }
}
