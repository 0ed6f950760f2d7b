import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createApp } from './app.js'
import { openDatabase, prepareDatabase } from './database.js'
import { startEmbeddedPostgres } from './embedded-postgres.js'

/** Milliseconds that requests in flight are given at the end. */
const GRACE = 10_000

const { DATABASE_URL, PORT = '3000' } = process.env
let server: Server | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close())

const embedded = DATABASE_URL ? undefined : await startEmbeddedPostgres(fileURLToPath(new URL('data', import.meta.url)))
const database = openDatabase(DATABASE_URL || (embedded?.url ?? ''))
await prepareDatabase(database, () => console.log('waiting for the database'))

server = createApp(database).listen(Number(PORT), '127.0.0.1')
await once(server, 'listening').catch(error => {
  console.error(error.code === 'EADDRINUSE' ? `Port ${PORT} is taken. Choose another: PORT=3001 npm start` : error)
  process.exit(1)
})
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
console.log(`ready
  pets           ${address}/pets/
  owners         ${address}/owners/
  documentation  ${address}/docs/
  document       ${address}/docs/openapi.json`)

/** Answers what has been accepted, nothing new, then ends; at the latest after the time of grace. */
async function close(): Promise<void> {
  if (server === undefined) process.exit(0)
  const closed = once(server, 'close')
  server.close()
  // A connection that is kept alive is closed once its answer is out.
  const idle = setInterval(() => server?.closeIdleConnections(), 100)
  const late = setTimeout(() => server?.closeAllConnections(), GRACE)
  await closed
  clearInterval(idle)
  clearTimeout(late)
  await database.end()
  await embedded?.stop()
}
