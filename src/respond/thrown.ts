// Handles thrown values, which may be anything.
import { isAbort } from '../feature-api/abort-signal.js'
import type { Context } from '../feature-api/exchange.js'
import { type Failure, HttpException, ProblemFailure } from '../http/failure.js'

/** Values thrown by operations, as opposed to middleware. */
const ofOperations = new WeakSet<object>()

/**
 * Notes that a value was thrown by an operation: its method, or a feature on its behalf (a loader,
 * a scheme). Such an error of a client of another service is unrelated to this request.
 */
export function noteOfOperation(thrown: unknown): void {
  if (typeof thrown === 'object' && thrown !== null) ofOperations.add(thrown)
}

/**
 * Returns the failure for a thrown value. An error decides the status if it was made to: an
 * HttpException, or an error of `ctx.throw` or http-errors. Koa's rule for a status of 400 to 499
 * holds for what middleware throws, as body parsers do, without its header fields. A foreign error
 * never contributes its message. The object is new each time: an exception may be thrown again, and
 * a handler may change what it receives.
 */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof HttpException) return { ...thrown.failure }
  if (thrown instanceof ProblemFailure) return { ...thrown }
  const { code = 500, headers } = readHttpError(thrown)
  return { code, ...(headers && { headers }), cause: thrown }
}

/** The part of a foreign error that decides on the response. */
interface HttpError {
  /** The status of the response; undefined if the error does not decide it. */
  readonly code?: number
  readonly headers?: NonNullable<Failure['headers']>
  /** Whether the error was made for the client. */
  readonly isMeant: boolean
  /** A status that the error has, and that the response does not. */
  readonly ignored?: number
}

const NOT_MEANT: HttpError = { isMeant: false }

function readHttpError(thrown: unknown): HttpError {
  if (!(thrown instanceof Error)) return NOT_MEANT
  const { status, statusCode, expose, headers } = thrown as {
    status?: unknown
    statusCode?: unknown
    expose?: unknown
    headers?: Failure['headers']
  }
  const code = statusCode ?? status
  if (!isErrorStatus(code)) return NOT_MEANT
  // the test of http-errors itself: clients of other services give their errors one of the two
  if (expose === true || (expose === false && status === statusCode))
    return {
      code,
      isMeant: true,
      ...(typeof headers === 'object' && headers !== null && { headers: { ...headers } }),
    }
  return code < 500 && !ofOperations.has(thrown)
    ? { code, isMeant: false }
    : { isMeant: false, ignored: code }
}

function isErrorStatus(code: unknown): code is number {
  return Number.isInteger(code) && (code as number) >= 400 && (code as number) <= 599
}

/**
 * Returns the Error to emit for a thrown value: the value itself if it is an Error, else an Error
 * with the value as its cause.
 */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error
    ? thrown
    : new Error('a value that is not an Error was thrown', { cause: thrown })
}

/**
 * Emits a thrown value on the app if it is a fault of the application: not a response meant for the
 * client, and not what an aborted signal has led to.
 */
export function reportFault(ctx: Context, thrown: unknown): void {
  if (isAbort(ctx, thrown)) return
  if (failureOf(thrown).code < 500 && (isOwn(thrown) || readHttpError(thrown).isMeant)) return
  ctx.app.emit('error', explained(thrown), ctx)
}

function isOwn(thrown: unknown): boolean {
  return thrown instanceof HttpException || thrown instanceof ProblemFailure
}

/** Returns the Error to emit, which explains how to use a status that was ignored. */
function explained(thrown: unknown): Error {
  const { ignored } = isOwn(thrown) ? NOT_MEANT : readHttpError(thrown)
  if (ignored === undefined) return errorOf(thrown)
  const { name, message } = thrown as Error
  return new Error(
    `${name}: ${message}. It has the status ${ignored}, but was not made for the client of this API, who gets a 500: catch it, and call abort(${ignored}) if that is what the client should get`,
    { cause: thrown },
  )
}
