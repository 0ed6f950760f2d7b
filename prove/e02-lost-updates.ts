import pg from 'pg'
import { createDatabase } from './database.js'
import { experiment, scale } from './experiment.js'
import { startServer } from './server-process.js'
import { judge, versionsAt, writeConcurrently } from './writers.js'

// 24 clients write the same things through four processes on one PostgreSQL. Nothing that was
// answered 200 may be lost where the version stands in the WHERE (the pet shop) or the row is
// locked; the naive form has to lose some, or this would prove nothing.

const PROCESSES = 4
const MILLISECONDS = 15_000 / scale
const ENOUGH = 500 / scale

await experiment('E2', 'lost updates', async scope => {
  const { url } = await createDatabase(scope)
  await createCounters(url)
  const start = (file: string) =>
    Promise.all(
      Array.from({ length: PROCESSES }, () => startServer(scope, file, { DATABASE_URL: url })),
    )
  const forms = {
    where: { file: 'servers/shop.ts', paths: pathsTo(6, '/pets/') },
    locked: { file: 'servers/forms.ts', paths: pathsTo(6, '/locked/') },
    naive: { file: 'servers/forms.ts', paths: pathsTo(2, '/naive/') },
  }
  for (const [name, { file, paths }] of Object.entries(forms)) {
    const servers = await start(file)
    const urls = servers.map(server => server.url)
    const [first = ''] = urls
    const before = await versionsAt(first, paths)
    const tally = await writeConcurrently(urls, paths, MILLISECONDS, ENOUGH)
    const { committed, lost, missing } = judge(tally, before, await versionsAt(first, paths))
    for (const server of servers) await server.stop()
    const acknowledged = tally.acknowledged.length
    const isControl = name === 'naive'
    scope.figure(`${name}: acknowledged`, acknowledged, { atLeast: 300 / scale })
    scope.figure(`${name}: committed`, committed, isControl ? {} : { exactly: acknowledged })
    scope.figure(`${name}: lost`, lost, isControl ? { atLeast: 1 } : { exactly: 0 })
    if (!isControl) scope.figure(`${name}: missing`, missing, { exactly: 0 })
    scope.figure(`${name}: refused with 412`, tally.statuses[412] ?? 0, { atLeast: 1 })
    scope.figure(`${name}: other answers`, others(tally.statuses), { exactly: 0 })
  }
})

function pathsTo(count: number, prefix: string): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`)
}

function others(statuses: Readonly<Record<number, number>>): number {
  return Object.entries(statuses).reduce(
    (sum, [status, count]) => sum + (status === '200' || status === '412' ? 0 : count),
    0,
  )
}

async function createCounters(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    "CREATE TABLE counters AS SELECT id, 'new' AS name, 1 AS version FROM generate_series(1, 6) AS id",
  )
  await client.end()
}
