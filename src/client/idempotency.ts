import type { Middleware } from 'openapi-fetch'
import { refuseUnknown } from './options.js'
import { WRITES } from './request.js'

/** Options of `idempotency()`. */
export interface IdempotencyOptions {
  /**
   * The maximum number of repetitions. Default: 4. With 0, keys are sent but nothing is repeated.
   */
  readonly retries?: number
  /**
   * How long to wait before the first repetition, in ms, and twice as long before each further one;
   * shortened at random by up to half. Default: 250.
   */
  readonly delay?: number
  /**
   * The longest wait, in ms. If Retry-After asks for more, the response is returned instead.
   * Default: 10,000.
   */
  readonly maxDelay?: number
  /**
   * Selects the operations that take a key, if not all writes do: `({ method, path }) => path ===
   * '/orders/'`. `path` is the path template of the document. Default: all operations with unsafe
   * methods.
   */
  readonly only?: (operation: { readonly method: string; readonly path: string }) => boolean
}

/** The middleware that `idempotency()` returns. */
export interface Idempotency {
  /** Called by openapi-fetch before a request is sent. */
  onRequest: NonNullable<Middleware['onRequest']>
  /** Called by openapi-fetch when a response has come. */
  onResponse: NonNullable<Middleware['onResponse']>
  /** Called by openapi-fetch when none has come. */
  onError: NonNullable<Middleware['onError']>
}

/** The parameters of openapi-fetch for its middleware, before a request is sent and after. */
type Given = Pick<Parameters<Idempotency['onRequest']>[0], 'request' | 'options'> & {
  readonly response?: Response
}

const FIELD = 'Idempotency-Key'

/**
 * Middleware of openapi-fetch for operations that are `idempotent`: each write is sent with an
 * Idempotency-Key of its own, unless the caller gives one, and is sent again with the same key when
 * the network fails, and at 409 and 503 with Retry-After. The server carries it out once. A server
 * that ignores the key would carry it out twice: name the operations that take one in `only`. Not
 * repeated are requests that were aborted, and those that middleware after this one has replaced.
 * Use it last. Throws a TypeError for an unknown option.
 */
export function idempotency({
  retries = 4,
  delay = 250,
  maxDelay = 10_000,
  only = () => true,
  ...unknown
}: IdempotencyOptions = {}): Idempotency {
  refuseUnknown(unknown)
  // of each request a copy, whose body is not used up by sending it; a request that was replaced
  // has a body that is not known here
  const copies = new WeakMap<Request, Request>()

  async function repeat({
    request,
    options: { fetch },
    response,
  }: Given): Promise<Response | undefined> {
    const { signal, headers } = request
    const copy = copies.get(request)
    // once: openapi-fetch also shows what is returned here for an error
    copies.delete(request)
    let last = response
    let failure: unknown
    for (let count = 0; copy && count < retries && !signal.aborted; count++) {
      const pause = Math.max(delay * 2 ** count * (1 - Math.random() / 2), last ? waitOf(last) : 0)
      // NaN, for a response that must not be retried, fails the comparison as well
      if (!(pause <= maxDelay)) break
      await last?.body?.cancel()
      await new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, pause)
        // the signal is the request's own, so nobody else has a handler here
        signal.onabort = () => {
          clearTimeout(timer)
          reject(signal.reason)
        }
      })
      try {
        last = await fetch(new Request(copy.clone(), { headers }))
      } catch (error) {
        last = undefined
        failure = error
      }
    }
    if (failure && !last) throw failure
    return last
  }

  return {
    onRequest({ request, schemaPath }) {
      const { method, headers } = request
      if (!WRITES.test(method) || !only({ method, path: schemaPath })) return
      // 128 random bits; `crypto.randomUUID` is there in secure contexts only, and pages in
      // development are not always one
      if (!headers.has(FIELD))
        headers.set(FIELD, crypto.getRandomValues(new Uint32Array(4)).join('-'))
      if (retries) copies.set(request, request.clone())
    },
    onResponse: repeat,
    onError: repeat,
  }
}

/**
 * The time to wait according to Retry-After (RFC 9110, section 10.2.3), in ms; NaN if the request
 * must not be sent again.
 */
export function waitOf({ status, headers }: Response): number {
  const text = ((status === 409 || status === 503) && headers.get('Retry-After')) || ''
  return Number(text) * 1000 || Date.parse(text) - Date.now()
}
