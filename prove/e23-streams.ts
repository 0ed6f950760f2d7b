import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { experiment, type Scope, scale } from './experiment.js'
import { type ServerProcess, startServer } from './server-process.js'
import type { StreamClientsLook } from './servers/stream-clients.js'
import type { StreamsLook } from './servers/streams.js'

// A thousand clients of an event stream, half of which are killed: nothing of theirs is left within
// two heartbeats, and the others miss nothing when the server starts again. A million lines in
// constant memory, beside clients that do not read. What an event and a line cost, beside the same
// by hand.

const CLIENTS = Math.round(1000 / scale)
const LINES = Math.round(1_000_000 / scale)
const IDLE_READERS = 10
const HEARTBEAT = 1000
const BURSTS = 100
const ROUNDS = 5
/** How many times it is looked, twice a second, whether clients have begun. */
const PATIENCE = 120

await experiment('E23', 'streams', async scope => {
  await vanishAndRestart(scope)
  const server = await startServer(scope, 'servers/streams.ts')
  await readLines(scope, server)
  await compareEvents(scope, server)
  await compareLines(scope, server)
})

async function vanishAndRestart(scope: Scope): Promise<void> {
  const server = await startServer(scope, 'servers/streams.ts')
  const before = await look(server)
  const { openFiles } = await server.measure()
  const half = CLIENTS / 2
  const staying = startClients(scope, server.port, '/ticks', half)
  await untilBegun(staying, half)
  const leaving = startClients(scope, server.port, '/ticks', half)
  await untilBegun(leaving, half)
  const full = await look(server)
  scope.figure('streams', full.generators, { exactly: CLIENTS })
  leaving.process.kill('SIGKILL')
  await sleep(2 * HEARTBEAT)
  const left = await look(server)
  scope.figure('generators left of those killed', left.generators - half, { exactly: 0 })
  scope.figure('sockets left', left.sockets - before.sockets - half, { exactly: 0 })
  // of each stream its heartbeat, of some the wait for the next tick
  scope.figure('timers left', Math.max(0, left.timers - before.timers - 2 * half), { atMost: 2 })
  const openNow = (await server.measure()).openFiles - openFiles
  scope.figure('descriptors left', openNow - half, { atMost: 2 })

  await server.end('SIGTERM')
  await sleep(1000)
  const again = await startServer(scope, 'servers/streams.ts', { PORT: String(server.port) })
  const restarted = Math.floor(Date.now() / 100)
  let { begun, wrong, last } = await staying.look()
  for (let count = 0; last < restarted && count < 120; count++) {
    await sleep(500)
    ;({ begun, wrong, last } = await staying.look())
  }
  scope.figure('clients after the restart', begun, { exactly: half })
  scope.figure('clients that have caught up', last >= restarted ? 'all' : 'some')
  scope.figure('events missed or repeated', wrong, { exactly: 0 })
  scope.figure('streams after the restart', (await look(again)).generators, { exactly: half })
  staying.process.kill('SIGKILL')
  await again.stop()
}

async function readLines(scope: Scope, server: ServerProcess): Promise<void> {
  const idle: IncomingMessage[] = []
  for (let index = 0; index < IDLE_READERS; index++) {
    const response = await request(server.port, '/lines', LINES)
    response.pause()
    idle.push(response)
  }
  await sleep(500)
  const { heap } = await server.measure()
  const response = await request(server.port, '/lines', LINES)
  let [lines, growth] = [0, 0]
  let measuring = Promise.resolve()
  let next = LINES / 10
  for await (const piece of response) {
    for (const byte of piece as Uint8Array) if (byte === 10) lines++
    if (lines < next) continue
    next += LINES / 10
    measuring = measuring.then(async () => {
      growth = Math.max(growth, (await server.measure()).heap - heap)
    })
  }
  await measuring
  scope.figure('lines', lines, { exactly: LINES })
  scope.figure('heap growth while reading in MB', growth / 1e6, { atMost: 10 })
  for (const response of idle) response.destroy()
}

async function compareEvents(scope: Scope, server: ServerProcess): Promise<void> {
  const cost = async (path: string) => {
    const clients = startClients(scope, server.port, path, CLIENTS)
    if (path === '/bursts') await untilOpen(server, CLIENTS)
    else await untilBegun(clients, CLIENTS)
    const before = (await look(server)).cpuMs
    for (let id = 0; id < BURSTS; id++) {
      server.process.send(id)
      await sleep(30)
    }
    await sleep(500)
    const after = (await look(server)).cpuMs
    clients.process.kill('SIGKILL')
    await once(clients.process, 'exit')
    await sleep(500)
    // frees the generators, which wait for a burst
    server.process.send(0)
    await sleep(500)
    return ((after - before) * 1000) / (BURSTS * CLIENTS)
  }
  const [ours, byHand] = await inTurn(
    () => cost('/bursts'),
    () => cost('/by-hand/bursts'),
  )
  scope.figure('us of CPU for an event', ours)
  scope.figure('us of CPU for an event by hand', byHand)
  scope.figure('times the CPU by hand, events', ours / byHand, { atMost: 1.3 })
}

async function compareLines(scope: Scope, server: ServerProcess): Promise<void> {
  const cost = async (path: string) => {
    const before = (await look(server)).cpuMs
    const response = await request(server.port, path, LINES)
    response.resume()
    await once(response, 'end')
    return (((await look(server)).cpuMs - before) * 1000) / LINES
  }
  const [ours, byHand] = await inTurn(
    () => cost('/lines'),
    () => cost('/by-hand/lines'),
  )
  scope.figure('us of CPU for a line', ours)
  scope.figure('us of CPU for a line by hand', byHand)
  scope.figure('times the CPU by hand, lines', ours / byHand, { atMost: 1.2 })
}

/** Measures both in turn, after a round to warm up; the medians. */
async function inTurn(
  first: () => Promise<number>,
  second: () => Promise<number>,
): Promise<readonly [number, number]> {
  const found: [number[], number[]] = [[], []]
  for (let round = -1; round < ROUNDS; round++) {
    const [one, two] = [await first(), await second()]
    if (round < 0) continue
    found[0].push(one)
    found[1].push(two)
  }
  const median = (values: number[]) =>
    values.sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN
  return [median(found[0]), median(found[1])]
}

async function request(port: number, path: string, count: number): Promise<IncomingMessage> {
  const headers = { 'X-Count': String(count) }
  const [response] = await once(
    get({ host: '127.0.0.1', port, path, headers, agent: false }),
    'response',
  )
  return response.on('error', () => undefined)
}

async function look(server: ServerProcess): Promise<StreamsLook> {
  const answer = once(server.process, 'message')
  server.process.send('look')
  return (await answer)[0]
}

interface Clients {
  readonly process: ChildProcess
  look(): Promise<StreamClientsLook>
}

function startClients(scope: Scope, port: number, path: string, count: number): Clients {
  const file = fileURLToPath(new URL('servers/stream-clients.ts', import.meta.url))
  const child = fork(file, [String(port), path, String(count)], { execArgv: ['--import', 'tsx'] })
  scope.onEnd(() => child.kill('SIGKILL'))
  return {
    process: child,
    look: async () => {
      const answer = once(child, 'message')
      child.send('look')
      return (await answer)[0]
    },
  }
}

async function untilBegun(clients: Clients, count: number): Promise<void> {
  for (let tries = 0; (await clients.look()).begun < count; tries++) {
    if (tries > PATIENCE) throw new Error('The clients have not begun')
    await sleep(500)
  }
}

async function untilOpen(server: ServerProcess, count: number): Promise<void> {
  for (let tries = 0; (await look(server)).generators < count; tries++) {
    if (tries > PATIENCE) throw new Error('The streams have not begun')
    await sleep(500)
  }
  // the head waits for the first event, for a second
  await sleep(1500)
}
