import cluster from 'node:cluster'
import { randomSecrets } from './access.js'
import { openDatabase, prepareDatabase } from './database.js'
import { startEmbeddedPostgres } from './embedded-postgres.js'
import { readEnvironment } from './environment.js'
import { log } from './log.js'
import { serve, TIME_TO_STOP } from './serve.js'
import { startWorkers } from './workers.js'

const {
  databaseUrl,
  data,
  workers,
  stopDelay,
  host,
  port,
  isOpen,
  isProduction,
  ordersPerMinute,
  ...given
} = readEnvironment(process.env)
const random = randomSecrets()
const secrets = {
  key: given.key ?? random.key,
  tokenSecret: given.tokenSecret ?? random.tokenSecret,
}
const service = {
  host,
  port,
  stopDelay: stopDelay * 1000,
  // In development a subscriber may be on this machine.
  allowPrivate: !isProduction,
  shop: { secrets, givesTokens: !isProduction, isOpen, ordersPerMinute, workers },
}

try {
  // A worker is given the URL of the database by the process that started it, and finds the tables
  // made.
  if (cluster.isWorker) await serve(openDatabase(databaseUrl ?? ''), service)
  else announce(await open())
} catch (error) {
  const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  console.error(taken ? `Port ${port} is taken. Choose another: PORT=3001 npm start` : error)
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
  // What one worker has signed, all of them accept.
  const environment = {
    DATABASE_URL: url,
    SHOP_KEY: secrets.key,
    SHOP_TOKEN_SECRET: secrets.tokenSecret,
  }
  return await startWorkers({
    size: workers,
    environment,
    patience: service.stopDelay + TIME_TO_STOP,
    onStop,
  })
}

/**
 * Says where to look, and in development how to write: in words, or, where `LOG` asks for a log, in
 * its form.
 */
function announce(listening: number): void {
  const url = `http://${host}:${listening}`
  const key = given.key === undefined && !isProduction ? secrets.key : undefined
  if (given.key === undefined && isProduction) log.warn('SHOP_KEY is not set: nobody can write')
  if (process.env.LOG) return void log.info({ url, workers, key }, 'ready')
  console.log(`ready
  orders live    ${url}/
  pets           ${url}/pets/
  owners         ${url}/owners/
  orders         ${url}/orders/
  subscriptions  ${url}/subscriptions/
  documentation  ${url}/docs/
  document       ${url}/docs/openapi.json`)
  if (isOpen) console.log('  to write       nothing is needed: SHOP_OPEN is set')
  else if (key)
    console.log(`  to write       curl -H 'X-Key: ${key}', or a token from ${url}/tokens/`)
}
