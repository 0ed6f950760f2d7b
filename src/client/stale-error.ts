import { fieldsOf } from './request.js'

/**
 * Thrown by a write under `conditional()` if its condition is false (412): somebody else has
 * changed or removed the resource, and nothing was written. Until it is read again, further writes
 * are stale as well; to overwrite the current state, pass `headers:
 * ifMatch(error.currentResponse)`.
 */
export class StaleError extends Error {
  declare readonly name: 'StaleError'
  /** The response with status 412. */
  declare readonly response: Response
  /**
   * The current representation, parsed from JSON; undefined if it is not JSON, or could not be
   * read, for example because it was removed.
   */
  declare readonly current: unknown
  /**
   * The response that contains `current`, its body unread, whatever its status; undefined if the
   * server could not be reached.
   */
  declare readonly currentResponse: Response | undefined

  constructor(response: Response, current: unknown, currentResponse: Response | undefined) {
    super(`${response.url} has changed since it was read`)
    Object.assign(this, { name: 'StaleError', response, current, currentResponse })
  }
}

/**
 * Reads the current state after a refused write: one GET with the same credentials, without the
 * middleware.
 */
export async function staleError(
  request: Request,
  response: Response,
  fetch: (request: Request) => Promise<Response>,
): Promise<StaleError> {
  const { url, credentials, signal } = request
  const headers = fieldsOf(request.headers, /^(?!content-|if-|idempotency-)/)
  let current: unknown
  let currentResponse: Response | undefined
  try {
    // no-cache: what a browser has kept may be what the write was stale by; a constant, since
    // Node's types do not know it
    const init = { headers, credentials, signal, cache: 'no-cache' }
    currentResponse = await fetch(new Request(url, init as RequestInit))
    if (currentResponse.ok) current = await currentResponse.clone().json()
  } catch {
    // then `current` stays undefined
  }
  return new StaleError(response, current, currentResponse)
}
