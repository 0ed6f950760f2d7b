import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTerminus } from '@godaddy/terminus'
import { createShop, type ShopOptions } from './app.js'
import { type Database, isDatabaseAway } from './database.js'
import { log, logErrors, logRequest } from './log.js'
import { Sender } from './outbox.js'

/** Where the shop listens, and how it stops. */
export interface Service {
  readonly host: string
  readonly port: number
  /**
   * Milliseconds from the signal until no more requests are taken: time for a load balancer to see
   * that the shop is not ready.
   */
  readonly stopDelay: number
  /** Whether orders are also sent to subscribers in the shop's own network. */
  readonly allowPrivate: boolean
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
 * Serves the shop on a database, with `/health/live` (the process responds) and `/health/ready`
 * (the database does too, and the process is not stopping), and gives the port. At SIGTERM or
 * SIGINT it responds to what it has accepted, ends its streams, takes nothing new, lets the event end
 * that it is sending, and ends the process with 0.
 */
export async function serve(
  database: Database,
  { host, port, stopDelay, allowPrivate, onStop, shop }: Service,
): Promise<number> {
  const { app, api } = createShop(database, shop)
  logErrors(app)
  const handle = app.callback()
  const inFlight = new Set<ServerResponse>()
  const stopSending = new AbortController()
  let sending: Promise<void> | undefined
  let stopping = false

  // A proxy that keeps its connections for 60 seconds, as nginx does, must not find one closed that
  // it is about to use.
  const server = createServer(
    {
      keepAliveTimeout: 65_000,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 5_000,
    },
    (request, response) => {
      logRequest(request, response)
      if (stopping) response.setHeader('Connection', 'close')
      inFlight.add(response)
      response.once('close', () => inFlight.delete(response))
      void handle(request, response)
    },
  )
  // A connection on which nothing moves, such as that of a client that does not read.
  server.timeout = 120_000
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
    beforeShutdown: async () => {
      stopping = true
      // No client sends another request on a connection that is about to be closed.
      for (const response of inFlight)
        if (!response.headersSent) response.setHeader('Connection', 'close')
      await sleep(stopDelay)
      api.stop()
      stopSending.abort()
    },
    onSignal: async () => {
      // Requests that were cut off at the end of the grace still have to be logged.
      await sleep(10)
      await sending
      await Promise.race([database.end(), sleep(DATABASE_GRACE)])
      await onStop?.()
    },
    logger: (message, error) => log.warn(error, message),
  })
  server.listen(port, host)
  await once(server, 'listening')
  const sender = new Sender(database, { allowPrivate })
  sending = sender.run(stopSending.signal, error => {
    if (!isDatabaseAway(error)) log.error(error)
  })
  return (server.address() as AddressInfo).port
}
