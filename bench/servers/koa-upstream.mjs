import { randomUUID } from 'node:crypto'
import cors from '@koa/cors'
import { logger } from './shop.mjs'

/** The middlewares that both Koa servers stand behind. */
export const upstream = [
  cors({ origin: '*' }),
  async function requestId(ctx, next) {
    ctx.state.requestId = ctx.get('X-Request-Id') || randomUUID()
    ctx.set('X-Request-Id', ctx.state.requestId)
    await next()
  },
  async function log(ctx, next) {
    const start = performance.now()
    await next()
    logger.info({
      id: ctx.state.requestId,
      method: ctx.method,
      url: ctx.url,
      status: ctx.status,
      time: performance.now() - start,
    })
  },
]
