import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { STAFF } from './credentials.js'
import { createDatabase } from './database.js'
import { experiment, type Scope } from './experiment.js'
import { startServer } from './server-process.js'

// A budget of 100 orders a minute, which four processes of the pet shop share by the database: of
// 1,000 at once exactly 100 get through. With the database away each process counts a quarter of
// the budget in its memory, and nothing gets through without being counted.

const PROCESSES = 4
const BUDGET = 100
const REQUESTS = 1000

await experiment('E15', 'a limit that processes share', async scope => {
  const { url } = await createDatabase(scope)
  const wire = await startWire(scope, url)
  const env = {
    DATABASE_URL: wire.url,
    ORDERS_PER_MINUTE: String(BUDGET),
    WORKERS: String(PROCESSES),
  }
  const servers = await Promise.all(
    Array.from({ length: PROCESSES }, () => startServer(scope, 'servers/shop.ts', env)),
  )
  const sendAll = () =>
    Promise.all(
      Array.from({ length: REQUESTS }, (_, index) => order(servers[index % PROCESSES]?.url ?? '')),
    )

  // connections to the database are made first: here it is about what is counted over them
  for (const server of servers) for (let round = 0; round < 3; round++) await readAtOnce(server.url)
  const began = performance.now()
  const shared = count(await sendAll())
  scope.figure('seconds', (performance.now() - began) / 1000, { atMost: 60 })
  scope.figure('let through', REQUESTS - (shared[429] ?? 0), { exactly: BUDGET })
  scope.figure('statuses', JSON.stringify(shared))

  wire.cut()
  const alone = count(await sendAll())
  scope.figure('let through without the database', REQUESTS - (alone[429] ?? 0), {
    atMost: BUDGET,
    atLeast: 1,
  })
  scope.figure('orders placed without the database', alone[201] ?? 0, { exactly: 0 })
  scope.figure('statuses without the database', JSON.stringify(alone))
})

async function readAtOnce(url: string): Promise<void> {
  await Promise.all(
    Array.from({ length: 20 }, async () => (await fetch(`${url}/pets/1`)).arrayBuffer()),
  )
}

async function order(url: string): Promise<number> {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID(), ...STAFF }
  const response = await fetch(`${url}/orders/`, {
    method: 'POST',
    headers,
    body: '{"kind":"fish","ownerId":1}',
  })
  await response.arrayBuffer()
  return response.status
}

function count(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** A wire to the database that can be cut. */
async function startWire(scope: Scope, database: string): Promise<{ url: string; cut(): void }> {
  const { hostname, port } = new URL(database)
  const sockets = new Set<Socket>()
  const server = createServer(near => {
    const far = connect(Number(port || 5432), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on('error', () => undefined).on('close', () => other.destroy())
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(database)
  url.port = String((server.address() as AddressInfo).port)
  const cut = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  scope.onEnd(cut)
  return { url: url.href, cut }
}
