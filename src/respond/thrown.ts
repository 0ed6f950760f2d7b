// What was thrown may be anything, and anything may throw again when it is looked at.
import type { Context } from '../contract/exchange.js'
import { type Failure, HttpException, ProblemFailure } from '../http/failure.js'

/** `instanceof` for values from outside: one whose prototype cannot be asked for (a Proxy) is an instance of nothing. */
export function isInstance<T>(value: unknown, type: abstract new (...given: never[]) => T): value is T {
  try {
    return value instanceof type
  } catch {
    return false
  }
}

/**
 * The failure that a response is made of, whatever was thrown; a foreign error gives its status, never its message. It is a new
 * object each time: an exception may be thrown again, and a handler may change what it is given.
 */
export function failureOf(thrown: unknown): Failure {
  if (isInstance(thrown, HttpException)) return { ...thrown.failure }
  if (isInstance(thrown, ProblemFailure)) return { ...thrown }
  const foreign = readHttpError(thrown)
  return { code: foreign?.code ?? 500, ...(foreign?.headers && { headers: foreign.headers }), cause: thrown }
}

/** Status and header fields of an error of `ctx.throw` or http-errors; any property of it may throw when it is read. */
function readHttpError(thrown: unknown): Pick<Failure, 'code' | 'headers'> | undefined {
  try {
    if (!(thrown instanceof Error)) return undefined
    const { status, statusCode = status, headers } = thrown as { status?: unknown; statusCode?: unknown; headers?: Failure['headers'] }
    if (typeof statusCode !== 'number' || !Number.isInteger(statusCode) || statusCode < 400 || statusCode > 599) return undefined
    return { code: statusCode, ...(typeof headers === 'object' && headers !== null && { headers: { ...headers } }) }
  } catch {
    return undefined
  }
}

/** What is emitted for a thrown value: itself if it is an Error, else an Error with the value as its cause. */
export function errorOf(thrown: unknown): Error {
  return isInstance(thrown, Error) ? thrown : new Error('something that is no Error was thrown', { cause: thrown })
}

/** Emits what was thrown on the app, where it is a fault of the application and not what the client is to be told. */
export function reportFault(ctx: Context, thrown: unknown): void {
  if (failureOf(thrown).code >= 500) ctx.app.emit('error', errorOf(thrown), ctx)
}
