import type { Refusal } from '../http/failure.js'
import { isFinalStatus } from '../http/framing.js'
import { shown } from '../names.js'
import type { Exchange } from './exchange.js'

/** A step of an operation. It returns nothing to continue; only promises are awaited. */
export type Step = (exchange: Exchange) => StepResult | Promise<StepResult>

/**
 * Nothing, to continue; a `Refusal` to respond with an error; or, before the method, a
 * `CompleteResponse` to send instead.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a step that only does something is the common case
export type StepResult = void | Refusal | CompleteResponse

/**
 * A complete response that a step returns instead of continuing: status, header fields and body are
 * sent unchanged, without encoding or entity tag. A step of `replay` uses it to send an earlier
 * response again.
 */
export class CompleteResponse {
  constructor(
    readonly status: number,
    readonly headers: readonly (readonly [name: string, value: string])[],
    readonly body: string | Uint8Array | null,
  ) {
    if (!isFinalStatus(status))
      throw new TypeError(`a CompleteResponse has a status from 200 to 599, not ${shown(status)}`)
  }
}

/**
 * Thrown to leave the method before it returns. The operation goes on as after a method that
 * responded by Koa's own means: steps for raw responses decide on status and header fields, and
 * nothing is encoded. Only a method may throw it.
 */
export class EarlyReturn extends Error {
  override readonly name = 'EarlyReturn'
}
