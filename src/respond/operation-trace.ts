// Publishes what happens to a request of an operation with node:diagnostics_channel. Called by the
// frame of each operation.
import { tracingChannel } from 'node:diagnostics_channel'
import type { Context, Exchange } from '../feature-api/exchange.js'
import type { Stage } from '../feature-api/stages.js'
import type { Failure } from '../http/failure.js'

/** The names of an operation. */
export interface OperationNames {
  readonly operationId: string
  /** The rule, spelled as in `ctx._matchedRoute`: `/pets/:petId`. */
  readonly route: string
  /**
   * Upper case. It is the method of the operation: for a HEAD request that a GET responds to,
   * `GET`.
   */
  readonly method: string
}

/**
 * The message for subscribers of `tracingChannel('koa-smorest.operation')`: one object for each
 * request, the same in all events, so that subscribers may add properties to it. It lives from
 * before the middleware of the Blueprint until the response is handed over.
 */
export interface OperationTrace extends OperationNames {
  readonly ctx: Context
  /** The stage that the request has reached; for a failed request, the stage that it failed in. */
  readonly stage: Stage
  /** The failure of the request, refused or thrown; undefined for a success, and before the end. */
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

/** Runs an operation and publishes its events. Without subscribers it costs one check. */
export function traced(
  exchange: Exchange,
  names: OperationNames,
  run: (exchange: Exchange) => void | Promise<void>,
): void | Promise<void> {
  if (!isTraced()) return run(exchange)
  return channel.tracePromise(() => Promise.resolve(run(exchange)), new Trace(exchange, names))
}

/** Returns whether subscribers may look at the response of an operation. */
export function isTraced(): boolean {
  return channel.hasSubscribers
}
