import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { createTerminus } from '@godaddy/terminus'
import type Koa from 'koa'
import { pino } from 'pino'
import { pinoHttp } from 'pino-http'
import { api, app } from './app.js'
import { store } from './store.js'

const { PORT = '3000', HOST = '127.0.0.1', LOG = 'info' } = process.env

const log = pino({ level: LOG, timestamp: pino.stdTimeFunctions.isoTime })
const logRequest = pinoHttp({
  logger: log,
  // the proxy's id, if it is harmless; the response has it too, so that a user can report it
  genReqId(request, response) {
    const given = request.headers['x-request-id']
    const id = typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : randomUUID()
    response.setHeader('X-Request-Id', id)
    return id
  },
  customLogLevel: (_, { statusCode }, error) => (error || statusCode >= 500 ? 'error' : 'info'),
  // other header fields may hold credentials
  serializers: {
    req: ({ id, method, url }) => ({ id, method, url }),
    res: ({ statusCode }) => ({ statusCode }),
  },
})
// logs an error in the line of its request
app.on('error', (error: Error, ctx?: Koa.Context) => {
  if (ctx && !ctx.res.writableFinished) ctx.res.err = error
  else log.error(error)
})

const handle = app.callback()
let stopping = false
const server = createServer(
  {
    keepAliveTimeout: 65_000, // longer than the proxy's
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 5_000,
  },
  (request, response) => {
    logRequest(request, response)
    if (stopping) response.setHeader('Connection', 'close')
    void handle(request, response)
  },
)
// ends a connection whose client takes nothing of a response for so long
server.timeout = 60_000
createTerminus(server, {
  healthChecks: {
    '/health/live': async () => undefined,
    '/health/ready': async () => {
      if (stopping) throw new Error('The process is stopping')
      await store.ready()
    },
  },
  sendFailuresDuringShutdown: false,
  signals: ['SIGTERM', 'SIGINT'],
  useExit0: true,
  timeout: 8_000,
  // ends streams; requests in flight get their responses
  beforeShutdown: async () => {
    stopping = true
    api.stop()
  },
  onSignal: () => store.close(),
})

await store.open()
server.on('error', error => {
  log.fatal(error)
  process.exit(1)
})
server.listen(Number(PORT), HOST, () => log.info(`listening on http://${HOST}:${PORT}`))
