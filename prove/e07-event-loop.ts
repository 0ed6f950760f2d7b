import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from './connection.js'
import { COSTLIEST_REQUESTS } from './costliest-requests.js'
import { experiment, type Scope, scale } from './experiment.js'
import { longestTurn } from './longest-turn.js'
import { type Found, search, write } from './pump-search.js'
import { TARGETS } from './pump-targets.js'
import { type ServerProcess, startServer } from './server-process.js'
import { createThreatsApp } from './threats-app.js'

// No request that the limits let through blocks the event loop for long: a body of 1 MiB is parsed
// and decoded in one turn, which takes less than half a second. Two kinds are tried: those that we know to be costly, and those that a search finds for every parser that a
// request reaches, in a server of this process, the worst of which are then sent to the other
// server too. What else the machine does is left out: only the time of the thread counts, and of
// several rounds the best.

const MOST = 500
const ROUNDS = 8
const TRIES = Math.ceil(100 / scale)
const CONFIRMED = 5
const seed = Number(process.env.PROVE_SEED ?? Date.now() % 2 ** 31)

await experiment('E7', 'event loop', async scope => {
  const server = await startServer(scope, 'servers/threats.ts')
  const known: { name: string; block: number }[] = []
  for (const [name, bytesOf] of Object.entries(COSTLIEST_REQUESTS))
    known.push({ name, block: await leastBlock(server, bytesOf) })
  report(scope, 'known', known)
  scope.figure('requests', known.length, { atLeast: 30 })

  const found = await searchAll()
  report(
    scope,
    'found',
    found.map(({ target, pump, cost }) => ({
      name: `${target.name}: ${JSON.stringify(pump)}`,
      block: cost,
    })),
  )
  scope.figure('seed', seed)
  scope.figure('parsers', found.length, { atLeast: 30 })
  const confirmed: { name: string; block: number }[] = []
  for (const { target, pump } of found
    .sort((left, right) => right.cost - left.cost)
    .slice(0, CONFIRMED)) {
    const bytes = target.request(write(pump, target))
    confirmed.push({ name: target.name, block: await leastBlock(server, () => bytes) })
  }
  report(scope, 'found, on a connection', confirmed)
})

function report(
  scope: Scope,
  kind: string,
  blocks: readonly { name: string; block: number }[],
): void {
  const [worst] = [...blocks].sort((left, right) => right.block - left.block)
  scope.figure(`${kind}: longest block in ms`, worst?.block ?? Number.NaN, { atMost: MOST })
  scope.figure(`${kind}: by`, worst?.name ?? '')
}

/** The costliest text for each parser; of two turns the shorter counts. */
async function searchAll(): Promise<Found[]> {
  process.env.NODE_ENV = 'production'
  const respond = createThreatsApp().callback()
  const server = createServer((request, response) => void respond(request, response))
  const costOf = async (bytes: Buffer) =>
    Math.min(await longestTurn(server, bytes), await longestTurn(server, bytes))
  // code that has never run is slow
  for (const target of TARGETS) await search(target, Math.min(TRIES, 10), seed, costOf)
  const found: Found[] = []
  for (const target of TARGETS) found.push(await search(target, TRIES, seed, costOf))
  return found
}

/**
 * How long a request blocks the event loop, at its best, in ms; no longer than its thread was at
 * work.
 */
async function leastBlock(
  { port, blocked, process: { pid } }: ServerProcess,
  bytesOf: (round: number) => Buffer,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const connection = await Connection.open(port)
    const bytes = bytesOf(round)
    await blocked()
    const before = workOf(pid)
    const { status } = await connection.send(bytes)
    if (status >= 500) throw new Error(`the response was ${status}`)
    await sleep(5)
    const work = workOf(pid) - before
    least = Math.min(least, work, (await blocked()).longest)
    connection.close()
  }
  return least
}

/** How long the main thread of a process has been at work, in ms. */
function workOf(pid: number | undefined): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
}
