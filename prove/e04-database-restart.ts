import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase } from './database.js'
import { experiment, scale } from './experiment.js'
import { startServer } from './server-process.js'
import { judge, versionsAt, writeConcurrently } from './writers.js'

// The database is killed under four processes of the pet shop, and comes back. Until then they say
// 503 (or 500) as JSON, and go on by themselves; what was acknowledged is there.

const PROCESSES = 4
const MILLISECONDS = 15_000 / scale
const PATHS = ['/pets/1', '/pets/2', '/pets/3', '/pets/4']

await experiment('E4', 'restart of the database', async scope => {
  const { url, restart } = await createDatabase(scope)
  if (!restart)
    throw new Error('only an embedded database can be killed: run E4 without DATABASE_URL')
  const servers = await Promise.all(
    Array.from({ length: PROCESSES }, () =>
      startServer(scope, 'servers/shop.ts', { DATABASE_URL: url }),
    ),
  )
  const urls = servers.map(server => server.url)
  const before = await versionsAt(urls[0] as string, PATHS)
  const writing = writeConcurrently(urls, PATHS, MILLISECONDS)
  await sleep(MILLISECONDS * 0.4)
  const killed = performance.now()
  await restart()
  const away = performance.now() - killed
  const tally = await writing
  const { lost, missing, committed } = judge(
    tally,
    before,
    await versionsAt(urls[0] as string, PATHS),
  )
  const {
    200: ok = 0,
    412: stale = 0,
    503: unavailable = 0,
    500: failed = 0,
    ...others
  } = tally.statuses
  scope.figure('acknowledged', tally.acknowledged.length, { atLeast: 300 / scale })
  scope.figure('committed', committed, { atLeast: tally.acknowledged.length })
  scope.figure('acknowledged, not committed', missing, { exactly: 0 })
  scope.figure('lost', lost, { exactly: 0 })
  scope.figure('answers 200', ok)
  scope.figure('answers 412', stale)
  scope.figure('answers 503', unavailable, { atLeast: 1 })
  scope.figure('answers 500', failed)
  scope.figure('other statuses', Object.keys(others).length, { exactly: 0 })
  scope.figure('answers that are no JSON', tally.malformed, { exactly: 0 })
  scope.figure('connections cut', Object.keys({ ...tally.cut, ...tally.refused }).length, {
    exactly: 0,
  })
  scope.figure('seconds the database was away', away / 1000)
  scope.figure('seconds without a success', tally.longestPause / 1000, { atMost: 5 + away / 1000 })
})
