import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { requestBytes } from '../spec/support/wire.js'
import { Connection } from './connection.js'
import { DEAREST_REQUESTS, DEAREST_TEXTS } from './dearest-requests.js'
import { experiment } from './experiment.js'
import { type ServerProcess, startServer } from './server-process.js'

// The dearest requests that the limits let through, one at a time: none blocks the event loop for more than 50 ms. Where V8's JSON
// parser alone may need longer, a request takes no more than twice what it takes. What else the machine does is left out: only the
// time of the thread counts, and of several rounds the best.

const ROUNDS = 8

await experiment('E7', 'event loop', async scope => {
  const server = await startServer(scope, 'servers/threats.ts')
  const blocks: { name: string; block: number }[] = []
  for (const [name, bytes] of Object.entries(DEAREST_REQUESTS)) blocks.push({ name, block: await leastBlock(server, () => bytes) })
  const [worst] = blocks.sort((left, right) => right.block - left.block)
  scope.figure('requests', blocks.length, { atLeast: 30 })
  scope.figure('longest block in ms', worst?.block ?? Number.NaN, { atMost: 50 })
  scope.figure('by', worst?.name ?? '')
  for (const [name, textOf] of Object.entries(DEAREST_TEXTS)) {
    const alone = leastParse(textOf)
    const block = await leastBlock(server, round =>
      requestBytes('POST', '/read/anything', ['Content-Type: application/json'], textOf(round)),
    )
    scope.figure(`${name}: ms`, block)
    scope.figure(`${name}: times JSON.parse`, block / alone, { atMost: 2 })
  }
})

/** How long a request blocks the event loop, at its best, in ms; no longer than its thread was at work. */
async function leastBlock({ port, blocked, process: { pid } }: ServerProcess, bytesOf: (round: number) => Buffer): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const connection = await Connection.open(port)
    const bytes = bytesOf(round)
    await blocked()
    const before = workOf(pid)
    const { status } = await connection.send(bytes)
    if (status >= 500) throw new Error(`it was answered ${status}`)
    await sleep(5)
    const work = workOf(pid) - before
    least = Math.min(least, work, (await blocked()).longest)
    connection.close()
  }
  return least
}

/** How long V8's parser alone needs, at its best, in ms. */
function leastParse(textOf: (round: number) => string): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const bytes = Buffer.from(textOf(-1 - round))
    const before = workOf(process.pid)
    JSON.parse(bytes.toString())
    least = Math.min(least, workOf(process.pid) - before)
  }
  return least
}

/** How long the main thread of a process has been at work, in ms. */
function workOf(pid: number | undefined): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
}
