// Handles thrown values: anything may be thrown, and may throw again when it is inspected.
import type { Context } from '../contract/exchange.js'
import { type Failure, HttpException, ProblemFailure } from '../http/failure.js'

/** `instanceof` for untrusted values: if the prototype cannot be read (a Proxy), the value is an instance of nothing. */
export function isInstance<T>(
  value: unknown,
  type: abstract new (...given: never[]) => T,
): value is T {
  try {
    return value instanceof type
  } catch {
    return false
  }
}

/**
 * Returns the failure for a thrown value; a foreign error contributes its status, never its message. The object is new each time: an
 * exception may be thrown again, and a handler may change what it receives.
 */
export function failureOf(thrown: unknown): Failure {
  if (isInstance(thrown, HttpException)) return { ...thrown.failure }
  if (isInstance(thrown, ProblemFailure)) return { ...thrown }
  const foreign = readHttpError(thrown)
  return {
    code: foreign?.code ?? 500,
    ...(foreign?.headers && { headers: foreign.headers }),
    cause: thrown,
  }
}

/** Reads status and header fields of an error of `ctx.throw` or http-errors; any property of it may throw when read. */
function readHttpError(thrown: unknown): Pick<Failure, 'code' | 'headers'> | undefined {
  try {
    if (!(thrown instanceof Error)) return undefined
    const {
      status,
      statusCode = status,
      headers,
    } = thrown as { status?: unknown; statusCode?: unknown; headers?: Failure['headers'] }
    if (
      typeof statusCode !== 'number' ||
      !Number.isInteger(statusCode) ||
      statusCode < 400 ||
      statusCode > 599
    )
      return undefined
    return {
      code: statusCode,
      ...(typeof headers === 'object' && headers !== null && { headers: { ...headers } }),
    }
  } catch {
    return undefined
  }
}

/** Returns the Error to emit for a thrown value: the value itself if it is an Error, else an Error with the value as its cause. */
export function errorOf(thrown: unknown): Error {
  return isInstance(thrown, Error)
    ? thrown
    : new Error('a value that is not an Error was thrown', { cause: thrown })
}

/** Emits a thrown value on the app if it is a fault of the application, and not a response meant for the client. */
export function reportFault(ctx: Context, thrown: unknown): void {
  if (failureOf(thrown).code >= 500) ctx.app.emit('error', errorOf(thrown), ctx)
}
