// The outermost frame of an operation: it creates the exchange before the middleware of the
// Blueprint runs, and ensures that the header fields of every response are sent with whatever
// response there is. Registration creates one for each operation.
import type { Middleware } from 'koa'
import compose from 'koa-compose'
import {
  CompleteResponse,
  type Context,
  Exchange,
  operationEnded,
  type StepResult,
} from '../feature-api/exchange.js'
import { attempt, proceed } from '../feature-api/later.js'
import type { OpenStreams } from '../feature-api/open-streams.js'
import { Refusal } from '../http/failure.js'
import { shown } from '../names.js'
import { type OperationNames, traced } from './operation-trace.js'
import { applyEveryHeader, sendComplete } from './response.js'
import type { CompiledOperation, Run } from './run-operation.js'
import { dropStream } from './stream.js'
import { failureOf, noteOfOperation } from './thrown.js'

/** Responds to one request of an operation. */
export type Handle = (
  ctx: Context,
  parameters: Record<string, unknown>,
  texts: Readonly<Record<string, string>>,
) => void | Promise<void>

/** Responds with an error to a request that a step refused. */
type Refuse = (exchange: Exchange, refusal: Refusal) => void

/** Wraps an operation in the middleware of its Blueprint, and both in the frame. */
export function frame(
  { begin, run }: CompiledOperation,
  names: OperationNames,
  middleware: readonly Middleware[],
  streams: OpenStreams,
  refuse: Refuse,
): Handle {
  const end = (exchange: Exchange, result: StepResult): void => {
    if (result instanceof Refusal) {
      exchange.failure = result
      dropStream(exchange)
      refuse(exchange, result)
    } else if (result instanceof CompleteResponse) sendComplete(exchange.ctx, result)
    else if (result !== undefined)
      throw new TypeError(
        `${names.operationId}: a step of the stage ${exchange.stage} must return a Refusal, a CompleteResponse or nothing, not ${shown(result)}`,
      )
    applyEveryHeader(exchange)
  }
  const inner = ended(run, end, noteOfOperation)
  const behind = middleware.length > 0 ? behindMiddleware(inner, middleware) : inner
  const whole = begin ? ended(afterBegin(begin, behind), end) : behind
  const respond = (exchange: Exchange) => traced(exchange, names, whole)
  return (ctx, parameters, texts) => {
    const exchange = new Exchange(ctx, parameters, texts, streams)
    return attempt(respond, exchange, operationEnded, endedBy)
  }
}

function endedBy(exchange: Exchange, thrown: unknown): never {
  operationEnded(exchange)
  throw thrown
}

type Respond = (exchange: Exchange) => void | Promise<void>

/**
 * Runs to the end, whatever that is; sets the header fields of every response before it rethrows.
 */
function ended(
  run: Run,
  end: (exchange: Exchange, result: StepResult) => void,
  note?: (thrown: unknown) => void,
): Respond {
  const failed = (exchange: Exchange, thrown: unknown) => {
    note?.(thrown)
    return fail(exchange, thrown)
  }
  const finish = (exchange: Exchange, result: StepResult): void => {
    try {
      end(exchange, result)
    } catch (thrown) {
      fail(exchange, thrown)
    }
  }
  return exchange => attempt(run, exchange, finish, failed)
}

function fail(exchange: Exchange, thrown: unknown): never {
  exchange.failure = failureOf(thrown)
  dropStream(exchange)
  applyEveryHeader(exchange)
  throw thrown
}

/**
 * Middleware may respond instead of the operation, or throw: the header fields are then applied
 * after it.
 */
function behindMiddleware(inner: Respond, middleware: readonly Middleware[]): Respond {
  const around = compose([...middleware])
  return ended(
    exchange => around(exchange.ctx, () => Promise.resolve(inner(exchange))) as Promise<undefined>,
    exchange => applyEveryHeader(exchange),
  )
}

function afterBegin(begin: Run, behind: Respond): Run {
  return exchange => proceed(begin(exchange), refused => refused ?? behind(exchange))
}
