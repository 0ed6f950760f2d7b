import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from './connection.js'
import { DEAREST_REQUESTS } from './dearest-requests.js'
import { experiment } from './experiment.js'
import { type ServerProcess, startServer } from './server-process.js'

// The dearest requests that the limits let through, one at a time: none blocks the event loop for more than 50 ms. What else the
// machine does is left out: of several rounds the best counts.

const ROUNDS = 8

await experiment('E7', 'event loop', async scope => {
  const server = await startServer(scope, 'servers/threats.ts')
  const blocks = []
  for (const [name, bytes] of Object.entries(DEAREST_REQUESTS)) blocks.push({ name, longest: await leastBlock(server, name, bytes) })
  const [worst] = blocks.sort((left, right) => right.longest - left.longest)
  scope.figure('requests', blocks.length, { atLeast: 30 })
  scope.figure('longest block in ms', worst?.longest ?? Number.NaN, { atMost: 50 })
  scope.figure('by', worst?.name ?? '')
  scope.figure(
    'longer than 20 ms',
    blocks
      .filter(({ longest }) => longest > 20)
      .map(({ name, longest }) => `${name} ${Math.round(longest)}`)
      .join(', '),
  )
})

/** How long a request blocks the event loop, at its best of several rounds, in ms; no longer than its thread was at work. */
async function leastBlock({ port, blocked, process: { pid } }: ServerProcess, name: string, bytes: Buffer): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const connection = await Connection.open(port)
    await blocked()
    const before = workOf(pid)
    const { status } = await connection.send(bytes)
    if (status >= 500) throw new Error(`${name}: ${status}`)
    await sleep(5)
    const work = workOf(pid) - before
    least = Math.min(least, work, (await blocked()).longest)
    connection.close()
  }
  return least
}

/** How long the main thread of a process has been at work, in ms: time in which the machine did something else does not count. */
function workOf(pid: number | undefined): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
}
