import { type Feature, Refusal } from 'koa-smorest'

/** So many requests of one address in so many seconds. */
export interface RateLimitOptions {
  readonly limit: number
  readonly window: number
}

/**
 * Lets each address send a number of requests in a window of time; further ones are refused with
 * 429 and Retry-After.
 */
export function rateLimit({
  limit,
  window,
}: RateLimitOptions): Feature<Record<never, never>, 'rate-limit'> {
  return {
    kind: 'rate-limit',
    on(route) {
      if (!(limit >= 1 && window > 0))
        route.fault('rateLimit: limit and window are positive numbers')
      // made here, so that each operation counts for itself
      const windows = new Map<string, { count: number; endsAt: number }>()
      return [
        {
          stage: 'begin',
          step(exchange) {
            const now = Date.now()
            for (const [address, { endsAt }] of windows) if (endsAt <= now) windows.delete(address)
            const current = windows.get(exchange.ctx.ip) ?? {
              count: 0,
              endsAt: now + 1000 * window,
            }
            current.count++
            windows.set(exchange.ctx.ip, current)
            exchange.setHeader('X-Requests-Left', String(Math.max(0, limit - current.count)))
            if (current.count <= limit) return undefined
            return new Refusal(429, {
              headers: { 'Retry-After': String(Math.ceil((current.endsAt - now) / 1000)) },
            })
          },
          docs: schemas => ({
            every: { headers: { 'X-Requests-Left': { schema: { type: 'integer' } } } },
            responses: {
              429: schemas.errorResponse(429, {
                headers: { 'Retry-After': { required: true, schema: { type: 'integer' } } },
              }),
            },
          }),
        },
      ]
    },
  }
}
