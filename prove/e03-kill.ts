import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase } from './database.js'
import { experiment, scale } from './experiment.js'
import { startServer } from './server-process.js'
import { judge, versionsAt, writeConcurrently } from './writers.js'

// One of four processes of the pet shop is killed under load and started again. What it had
// acknowledged is there, no other process notices, and no more requests are cut than it had
// connections.

const PROCESSES = 4
const MILLISECONDS = 15_000 / scale
const PATHS = ['/pets/1', '/pets/2', '/pets/3', '/pets/4']
const CONNECTIONS_EACH = 6

await experiment('E3', 'kill -9 of one of four processes', async scope => {
  const { url } = await createDatabase(scope)
  const start = (port = 0) =>
    startServer(scope, 'servers/shop.ts', { DATABASE_URL: url, PORT: String(port) })
  const servers = await Promise.all(Array.from({ length: PROCESSES }, () => start()))
  const [victim, survivor] = servers
  if (!victim || !survivor) throw new Error('there are too few servers')
  const before = await versionsAt(survivor.url, PATHS)
  const writing = writeConcurrently(
    servers.map(server => server.url),
    PATHS,
    MILLISECONDS,
  )
  await sleep(MILLISECONDS * 0.4)
  const signal = await victim.end('SIGKILL')
  await start(victim.port)
  const tally = await writing
  const { committed, lost, missing } = judge(tally, before, await versionsAt(survivor.url, PATHS))
  const others = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).reduce(
      (sum, [server, count]) => sum + (server === victim.url ? 0 : count),
      0,
    )
  scope.figure('killed by', signal)
  scope.figure('acknowledged', tally.acknowledged.length, { atLeast: 300 / scale })
  scope.figure('committed', committed, { atLeast: tally.acknowledged.length })
  scope.figure('acknowledged, not committed', missing, { exactly: 0 })
  scope.figure('lost', lost, { exactly: 0 })
  scope.figure('cut', tally.cut[victim.url] ?? 0, { atLeast: 1, atMost: CONNECTIONS_EACH })
  scope.figure('refused while it was away', tally.refused[victim.url] ?? 0)
  scope.figure('cut elsewhere', others(tally.cut) + others(tally.refused), { exactly: 0 })
  scope.figure('answers other than 200 and 412', others({ ...tally.statuses, 200: 0, 412: 0 }), {
    exactly: 0,
  })
})
