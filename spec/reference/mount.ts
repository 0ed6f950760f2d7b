import type Koa from 'koa'
import compose from 'koa-compose'

/** Runs an application below a prefix, which it does not see: what koa-mount does. */
export function mount(prefix: string, app: Koa): Koa.Middleware {
  const whole = compose(app.middleware)
  return async (ctx, next) => {
    const { path } = ctx
    if (!path.startsWith(`${prefix}/`)) return next()
    const inner = path.slice(prefix.length)
    ctx.path = inner
    try {
      await whole(ctx, async () => {
        ctx.path = path
        await next()
        ctx.path = inner
      })
    } finally {
      ctx.path = path
    }
  }
}
