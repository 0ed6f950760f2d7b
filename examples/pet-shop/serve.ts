import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTerminus } from '@godaddy/terminus'
import { createApp, type ShopOptions } from './app.js'
import type { Database } from './database.js'
import { log, logErrors, logRequest } from './log.js'

/** Where the shop listens, and how it stops. */
export interface Service {
  readonly host: string
  readonly port: number
  /** Milliseconds from the signal until no more requests are taken: time for a load balancer to see that the shop is not ready. */
  readonly stopDelay: number
  /** What to do last. */
  readonly onStop?: () => Promise<void>
  readonly shop: ShopOptions
}

/** Milliseconds that requests in flight are given at the end. */
const GRACE = 8_000
/** Milliseconds that the queries of those who did not make it are given. */
const DATABASE_GRACE = 1_500

/** Milliseconds from the end of the delay to the end of the process, at most. */
export const TIME_TO_STOP = 10_000

/**
 * Serves the shop on a database, with `/health/live` (the process responds) and `/health/ready` (the database does too, and the process
 * is not stopping), and gives the port. At SIGTERM or SIGINT it responds to what it has accepted, takes nothing new, and ends the process with 0.
 */
export async function serve(
  database: Database,
  { host, port, stopDelay, onStop, shop }: Service,
): Promise<number> {
  const app = createApp(database, shop)
  logErrors(app)
  const handle = app.callback()
  let stopping = false

  // A proxy that keeps its connections for 60 seconds, as nginx does, must not find one closed that it is about to use.
  const server = createServer(
    { keepAliveTimeout: 65_000, headersTimeout: 10_000, requestTimeout: 30_000 },
    (request, response) => {
      logRequest(request, response)
      if (stopping) response.setHeader('Connection', 'close')
      void handle(request, response)
    },
  )
  createTerminus(server, {
    healthChecks: {
      '/health/live': async () => undefined,
      '/health/ready': async () => {
        if (stopping) throw new Error('The process is stopping')
        await database.query('SELECT 1')
      },
    },
    headers: { 'Cache-Control': 'no-store' },
    sendFailuresDuringShutdown: false,
    signals: ['SIGTERM', 'SIGINT'],
    useExit0: true,
    timeout: GRACE,
    beforeShutdown: () => {
      stopping = true
      return sleep(stopDelay)
    },
    onSignal: async () => {
      // Requests that were cut off at the end of the grace still have to be logged.
      await sleep(10)
      await Promise.race([database.end(), sleep(DATABASE_GRACE)])
      await onStop?.()
    },
    logger: (message, error) => log.warn(error, message),
  })
  server.listen(port, host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
