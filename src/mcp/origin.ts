import type { Context } from '../feature-api/exchange.js'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i
const LOOPBACK_ADDRESS = /^(?:127\.|::1$|::ffff:127\.)/

/**
 * Returns whether a request comes from a page of another origin. A page whose name has been made
 * to lead to this machine (DNS rebinding) has an origin like ours; it is known by its name.
 */
export function isForeign(ctx: Context): boolean {
  const { origin } = ctx.req.headers
  if (origin === undefined || origin === '') return false
  if (!URL.canParse(origin)) return true
  const { host } = new URL(origin)
  if (host !== hostOf(ctx)) return true
  const isLocal = LOOPBACK_ADDRESS.test(ctx.req.socket.localAddress ?? '')
  return isLocal && !ctx.app.proxy && !LOOPBACK.test(host)
}

/** Returns the host without the default port, as URLs have it. */
function hostOf(ctx: Context): string | undefined {
  const url = `${ctx.protocol}://${ctx.host}`
  return URL.canParse(url) ? new URL(url).host : undefined
}
