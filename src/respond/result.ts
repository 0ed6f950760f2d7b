import type { Exchange } from '../contract/exchange.js'
import { Reply } from '../contract/reply.js'

/** Whether a value has to be awaited: a promise, or anything with a `then` (a query builder). */
export function isPromise<T>(value: T | PromiseLike<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}

/**
 * Takes what a method returned for the exchange: promises and fp-ts Tasks are awaited, an Either's right is the value, a
 * `Reply` says status and header fields, a `Response`, a stream, a buffer or a body that the method gave to Koa is sent as
 * it is. Returns a promise only where the method did.
 */
export function settle(exchange: Exchange, returned: unknown): void | Promise<void> {
  if (isPromise(returned)) return Promise.resolve(returned).then(value => settle(exchange, value))
  if (typeof returned === 'function') return settle(exchange, (returned as () => unknown)())
  if (typeof returned === 'object' && returned !== null && !Array.isArray(returned)) {
    const value = rightOf(returned)
    if (value !== returned) return settle(exchange, value)
    if (value instanceof Reply) return settleReply(exchange, value)
    if (isRawBody(value)) return settleRaw(exchange, value)
  }
  exchange.result = returned
  if (returned === undefined && exchange.ctx.body != null) takeRaw(exchange)
  return undefined
}

/** The value of an fp-ts Right; throws what a Left holds, wrapped where it is no Error. */
function rightOf(value: object): unknown {
  const either = value as { _tag?: unknown; right?: unknown; left?: unknown }
  if (either._tag === 'Right' && 'right' in either) return either.right
  if (either._tag === 'Left' && 'left' in either) {
    throw either.left instanceof Error ? either.left : new Error('the method returned a Left that is no Error', { cause: either.left })
  }
  return value
}

function settleReply(exchange: Exchange, { value, status, headers }: Reply<unknown>): void | Promise<void> {
  const outcome = settle(exchange, value)
  const apply = (): void => {
    if (status !== undefined) {
      exchange.status = status
      if (exchange.isRaw) exchange.ctx.status = status
    }
    for (const [name, text] of headers ? pairsOf(headers) : []) exchange.ctx.append(name, text)
  }
  return outcome instanceof Promise ? outcome.then(apply) : apply()
}

function pairsOf(headers: NonNullable<Reply<unknown>['headers']>): Iterable<readonly [string, string | string[]]> {
  const pairs = Array.isArray(headers) ? (headers as readonly (readonly [string, unknown])[]) : Object.entries(headers)
  return pairs.map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : String(value)] as const)
}

function isRawBody(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return typeof (value as { pipe?: unknown }).pipe === 'function'
  return (
    value instanceof Response ||
    value instanceof Uint8Array ||
    value instanceof Blob ||
    value instanceof ReadableStream ||
    typeof (value as { pipe?: unknown }).pipe === 'function'
  )
}

function settleRaw(exchange: Exchange, body: unknown): void {
  const { ctx } = exchange
  if (body instanceof Response) {
    ctx.status = body.status
    // the Headers iterator gives every Set-Cookie its own line; Koa's setter would join them
    for (const [name, value] of body.headers) ctx.append(name, value)
    ctx.body = body.body ?? null
    if (body.body === null) ctx.status = body.status
  } else {
    ctx.body = body instanceof Uint8Array && !Buffer.isBuffer(body) ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : body
  }
  takeRaw(exchange)
}

function takeRaw(exchange: Exchange): void {
  exchange.isRaw = true
  exchange.status = exchange.ctx.status
}
