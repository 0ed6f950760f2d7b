// Tells tools what happens to a request of an operation, by node:diagnostics_channel. Called by the frame of each operation.
import { tracingChannel } from 'node:diagnostics_channel'
import type { Context, Exchange } from '../contract/exchange.js'
import type { Stage } from '../contract/stages.js'
import type { Failure } from '../http/failure.js'

/** What an operation is known by. */
export interface OperationNames {
  readonly operationId: string
  /** The rule in the spelling of `ctx._matchedRoute`: `/pets/:petId`. */
  readonly route: string
  /** Upper case, and that of the operation: a HEAD request that GET responds to has `GET`. */
  readonly method: string
}

/**
 * What subscribers of `tracingChannel('koa-smorest.operation')` are given: one object for each request, the same in all events,
 * so properties may be added to it. It lives from before the Blueprint's middleware until the response is handed over.
 */
export interface OperationTrace extends OperationNames {
  readonly ctx: Context
  /** The stage that the request has reached: for a request that failed, the one that it failed in. */
  readonly stage: Stage
  /** What the request failed with, refused or thrown; undefined for a success, and before the end. */
  readonly refusal: Failure | undefined
}

const channel = tracingChannel<unknown, OperationTrace>('koa-smorest.operation')

class Trace implements OperationTrace {
  readonly ctx: Context
  readonly operationId: string
  readonly route: string
  readonly method: string
  readonly #exchange: Exchange

  constructor(exchange: Exchange, { operationId, route, method }: OperationNames) {
    this.ctx = exchange.ctx
    this.operationId = operationId
    this.route = route
    this.method = method
    this.#exchange = exchange
  }

  get stage(): Stage {
    return this.#exchange.stage
  }

  get refusal(): Failure | undefined {
    return this.#exchange.failure
  }
}

/** Runs an operation so that subscribers see it; without any, it costs a look at whether there are some. */
export function traced(exchange: Exchange, names: OperationNames, run: (exchange: Exchange) => void | Promise<void>): void | Promise<void> {
  if (!channel.hasSubscribers) return run(exchange)
  return channel.tracePromise(() => Promise.resolve(run(exchange)), new Trace(exchange, names))
}
