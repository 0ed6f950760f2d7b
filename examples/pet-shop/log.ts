import { randomUUID } from 'node:crypto'
import type Koa from 'koa'
import { pino } from 'pino'
import { pinoHttp } from 'pino-http'

/**
 * The log: JSON lines on standard output. `LOG` names the least level that is written (`debug`,
 * `info`, `warn`, `error`, `silent`); by default that is `info`, and on a terminal, where nobody
 * wants to read JSON, `warn`.
 */
export const log = pino({
  level: process.env.LOG || (process.stdout.isTTY ? 'warn' : 'info'),
  timestamp: pino.stdTimeFunctions.isoTime,
  base: { pid: process.pid },
  formatters: { level: level => ({ level }) },
})

process.on('uncaughtExceptionMonitor', error => log.fatal(error))

const REQUEST_ID = /^[\w.:-]{1,64}$/

/**
 * Writes a line for each request when its response is sent or the client has gone: level `info`, or
 * `error` with the whole error where the status is 5xx. The request's id is the `X-Request-Id` of
 * the proxy where that is one of harmless letters, else a UUID; the response carries it.
 */
export const logRequest = pinoHttp({
  logger: log,
  genReqId(request, response) {
    const given = request.headers['x-request-id']
    const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
    response.setHeader('X-Request-Id', id)
    return id
  },
  customLogLevel: (_, { statusCode }, error) => (error || statusCode >= 500 ? 'error' : 'info'),
  // All header fields would be logged otherwise, and with them what nobody may read in a log.
  serializers: {
    req: ({ id, method, url }) => ({ id, method, url }),
    res: ({ statusCode }) => ({ statusCode }),
  },
})

/**
 * Has the errors of an app logged, each in the line of its request, in place of Koa's text on
 * standard error.
 */
export function logErrors(app: Koa): void {
  app.on('error', (error: Error, ctx?: Koa.Context) => {
    if (ctx === undefined) log.error(error)
    else if (ctx.res.writableFinished) ctx.req.log.error(error)
    else ctx.res.err = error
  })
}
