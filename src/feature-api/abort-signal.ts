// The AbortSignal of a request. It is created when it is first read: a signal for each request
// would cost 3 microseconds.
import type { ServerResponse } from 'node:http'

const CONTROLLER = Symbol('koa-smorest.signal')

/** The part of Koa's context that a signal needs. */
interface Aborting {
  readonly res: ServerResponse
  [CONTROLLER]?: AbortController
}

/**
 * Returns the signal of a request. It aborts when the client has gone before it had the complete
 * response, and when the library ends the response itself (`abortRequest`).
 */
export function signalOf(ctx: object): AbortSignal {
  return controllerOf(ctx as Aborting).signal
}

/** Aborts the signal of a request, for a reason that the library gives. */
export function abortRequest(ctx: object, reason?: unknown): void {
  controllerOf(ctx as Aborting).abort(reason)
}

/**
 * Returns whether something was thrown because the signal of the request has aborted: its reason,
 * or an AbortError. Nobody waits for a response then, and nothing has failed.
 */
export function isAbort(ctx: object, thrown: unknown): boolean {
  const signal = (ctx as Aborting)[CONTROLLER]?.signal
  if (signal?.aborted !== true) return false
  return thrown === signal.reason || (thrown as Error | null | undefined)?.name === 'AbortError'
}

function controllerOf(ctx: Aborting): AbortController {
  const known = ctx[CONTROLLER]
  if (known) return known
  const controller = new AbortController()
  ctx[CONTROLLER] = controller
  const { res } = ctx
  const abort = () => {
    if (!res.writableEnded) controller.abort()
  }
  // over HTTP/2 a response knows only through its stream that it is over
  if (isClosed(res)) abort()
  else res.once('close', abort)
  return controller
}

/** Returns whether the connection or the HTTP/2 stream of a response is closed. */
export function isClosed(res: ServerResponse): boolean {
  const { stream } = res as { stream?: { readonly destroyed: boolean } }
  return stream === undefined ? res.destroyed === true : stream.destroyed
}
