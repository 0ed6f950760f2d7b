import { fieldsOf } from './request.js'

/**
 * Thrown by a write under `conditional()` whose condition did not hold (412): somebody else has changed or removed the resource. Nothing was
 * written. Until it is read again, further writes are stale as well; to write over what is there now, pass
 * `headers: ifMatch(error.currentResponse)`.
 */
export class StaleError extends Error {
  declare readonly name: 'StaleError'
  /** The response with status 412. */
  declare readonly response: Response
  /** The representation as it is now, parsed from JSON; undefined where it is not JSON, or could not be read, as when it was removed. */
  declare readonly current: unknown
  /** The response that `current` came with, its body not yet read, whatever its status; undefined where the server was out of reach. */
  declare readonly currentResponse: Response | undefined

  constructor(response: Response, current: unknown, currentResponse: Response | undefined) {
    super(`${response.url} has changed since it was read`)
    Object.assign(this, { name: 'StaleError', response, current, currentResponse })
  }
}

/** What became of the resource of a write that was refused: one GET of it with the same credentials, past the middleware. */
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
    // no-cache: what a browser has kept may be what the write was stale by; a constant, since Node's types do not know it
    const init = { headers, credentials, signal, cache: 'no-cache' }
    currentResponse = await fetch(new Request(url, init as RequestInit))
    if (currentResponse.ok) current = await currentResponse.clone().json()
  } catch {
    // then `current` stays undefined
  }
  return new StaleError(response, current, currentResponse)
}
