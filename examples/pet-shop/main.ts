import cluster from 'node:cluster'
import { openDatabase, prepareDatabase } from './database.js'
import { startEmbeddedPostgres } from './embedded-postgres.js'
import { readEnvironment } from './environment.js'
import { log } from './log.js'
import { serve, TIME_TO_STOP } from './serve.js'
import { startWorkers } from './workers.js'

const { databaseUrl, data, workers, stopDelay, ...address } = readEnvironment(process.env)
const service = { ...address, stopDelay: stopDelay * 1000 }

try {
  // A worker is given the URL of the database by the process that started it, and finds the tables made.
  if (cluster.isWorker) await serve(openDatabase(databaseUrl ?? ''), service)
  else announce(await open())
} catch (error) {
  const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  console.error(taken ? `Port ${address.port} is taken. Choose another: PORT=3001 npm start` : error)
  process.exit(1)
}

/** Opens the shop, with one process or several, and gives the port. */
async function open(): Promise<number> {
  // As long as nothing is served there is nothing to finish.
  const leave = () => process.exit(0)
  process.on('SIGTERM', leave).on('SIGINT', leave)
  const embedded = databaseUrl ? undefined : await startEmbeddedPostgres(data)
  const url = databaseUrl ?? embedded?.url ?? ''
  const database = openDatabase(url)
  await prepareDatabase(database, () => log.warn('waiting for the database'))
  process.off('SIGTERM', leave).off('SIGINT', leave)

  const onStop = async () => embedded?.stop()
  if (workers === 1) return await serve(database, { ...service, onStop })
  await database.end()
  return await startWorkers({ size: workers, environment: { DATABASE_URL: url }, patience: service.stopDelay + TIME_TO_STOP, onStop })
}

/** Says where to look: in words, or, where `LOG` asks for a log, in its form. */
function announce(port: number): void {
  const url = `http://${address.host}:${port}`
  if (process.env.LOG) log.info({ url, workers }, 'ready')
  else
    console.log(`ready
  pets           ${url}/pets/
  owners         ${url}/owners/
  documentation  ${url}/docs/
  document       ${url}/docs/openapi.json`)
}
