import { json } from 'node:stream/consumers'
import Koa from 'koa'
import compose from 'koa-compose'
import { createApplication, play } from './application.js'
import type { Case } from './case.js'

const CONFIGURATIONS = [false, true].flatMap(require_if_match =>
  [false, true].map(etag_disabled => ({ require_if_match, etag_disabled })),
)

/**
 * `PUT /__case` sets the case, `GET /__case` tells how often was written; anything else goes to the
 * application in the case's configuration.
 */
export function createServer(): Koa {
  const server = new Koa()
  // some cases end in a 500 on purpose
  server.on('error', () => {})
  server.use(async (ctx, next) => {
    if (ctx.path !== '/__case') return next()
    if (ctx.method === 'PUT') {
      play.current = (await json(ctx.req)) as Case
      play.writes = 0
      ctx.status = 204
    } else {
      ctx.body = { writes: play.writes }
    }
  })
  const applications = CONFIGURATIONS.map(config => ({
    config,
    middleware: compose(createApplication(config).middleware),
  }))
  server.use((ctx, next) => {
    const { require_if_match = false, etag_disabled = false } = play.current.config
    const fitting = applications.find(
      ({ config }) =>
        config.require_if_match === require_if_match && config.etag_disabled === etag_disabled,
    )
    return fitting?.middleware(ctx, next)
  })
  return server
}
