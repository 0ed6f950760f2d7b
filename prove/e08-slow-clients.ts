import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection, requestBytes } from './connection.js'
import { createDatabase } from './database.js'
import { experiment, scale } from './experiment.js'
import { startServer } from './server-process.js'

// 500 clients that never finish their header fields and 500 that bring their body byte by byte, beside 200 good requests a second to
// the pet shop: those notice nothing, and the slow ones are closed when their time is over. Alone and beside the slow ones in turns, so
// that what else the machine does is in both.

const SLOW = 500 / scale
const RATE = 200
const TURNS = 4
const SECONDS = 5 / scale
const TIMEOUT = 3000

const GOOD = requestBytes('GET', '/pets/1')
const HEAD = 'POST /pets/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'

await experiment('E8', 'slow clients', async scope => {
  const { url } = await createDatabase(scope)
  const timeouts = { HEADERS_TIMEOUT: String(TIMEOUT), REQUEST_TIMEOUT: String(TIMEOUT) }
  const { port } = await startServer(scope, 'servers/shop.ts', { DATABASE_URL: url, ...timeouts })
  const good = await Promise.all(Array.from({ length: 20 }, () => Connection.open(port)))
  await goodTraffic(good, 2)
  const [alone, beside]: [number[], number[]] = [[], []]
  let [errors, closed, opened] = [0, 0, 0]
  for (let turn = 0; turn < TURNS; turn++) {
    const before = await goodTraffic(good, SECONDS)
    const slow = openSlowClients(port)
    const during = await goodTraffic(good, SECONDS)
    opened += slow.sockets.length
    closed += slow.closed()
    slow.end()
    errors += before.errors + during.errors
    alone.push(before.p99)
    beside.push(during.p99)
  }
  for (const connection of good) connection.close()
  scope.figure('slow clients', opened, { atLeast: (1000 * TURNS) / scale })
  scope.figure('closed at their time', closed, { exactly: opened })
  scope.figure('errors of the good', errors, { exactly: 0 })
  scope.figure('p99 alone in ms', Math.min(...alone))
  scope.figure('p99 beside them in ms', Math.min(...beside))
  scope.figure('times p99 alone', Math.min(...beside) / Math.min(...alone), { atMost: 2 })
})

/** Sends requests at a steady rate, whether the ones before are answered or not; a connection takes one at a time. */
async function goodTraffic(connections: readonly Connection[], seconds: number): Promise<{ p99: number; errors: number }> {
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
      () => void (errors += 1),
    )
    waiting.push(done)
  }
  await Promise.all(waiting)
  latencies.sort((left, right) => left - right)
  return { p99: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN, errors }
}

/** Half of them never end their header fields, half bring a body of 5,000 bytes one by one. */
function openSlowClients(port: number): { sockets: readonly Socket[]; closed: () => number; end: () => void } {
  let closed = 0
  const sockets = Array.from({ length: SLOW * 2 }, (_, index) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(index % 2 ? HEAD : `${HEAD}Content-Length: 5000\r\n\r\n`))
    socket.on('error', () => undefined).on('close', () => closed++)
    return socket.resume()
  })
  const drip = setInterval(() => {
    for (const [index, socket] of sockets.entries()) if (socket.writable) socket.write(index % 2 ? 'X' : ' ')
  }, 500)
  return {
    sockets,
    closed: () => closed,
    end() {
      clearInterval(drip)
      for (const socket of sockets) socket.destroy()
    },
  }
}
