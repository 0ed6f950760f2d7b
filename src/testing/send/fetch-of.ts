import type { RequestListener } from 'node:http'
import type { Readable } from 'node:stream'
import type { DispatchFunc, Response as Injected, InjectOptions } from 'light-my-request'
import { shown } from '../../names.js'
import { missingPeer } from '../../peers.js'

/** Anything that handles Node's requests: a Koa application. */
export interface Served {
  callback(): RequestListener
}

/** Statuses whose responses have no body: `Response` refuses to be made with one. */
const WITHOUT_BODY = new Set([101, 103, 204, 205, 304])

/**
 * `fetch` against an application in memory, without a port: hand it to any client, `createClient({
 * baseUrl: 'http://shop', fetch: fetchOf(app) })`. The path and query of the URL count, its host
 * becomes the Host field; a path alone is taken as well. Bodies stream, redirects are not followed,
 * and an aborted `signal` is seen by the server as a closed connection. https is not seen as
 * secure. Needs the optional peer light-my-request.
 */
export function fetchOf(
  app: Served,
): (input: Request | URL | string, init?: RequestInit) => Promise<Response> {
  if (typeof Object(app).callback !== 'function')
    throw new TypeError(`fetchOf() takes the application, a Koa, not ${shown(app)}`)
  let listener: RequestListener | undefined
  return async (input, init) => {
    const { default: inject } = await import('light-my-request').catch(
      missingPeer('fetchOf()', 'npm install --save-dev light-my-request'),
    )
    const request = new Request(
      typeof input === 'string' && input.startsWith('/') ? `http://localhost${input}` : input,
      init,
    )
    // a signal that is aborted already would break the injection
    request.signal.throwIfAborted()
    listener ??= app.callback()
    const payload = request.body === null ? undefined : Buffer.from(await request.arrayBuffer())
    const { pathname, search, host } = new URL(request.url)
    // a reader that goes away is a client that goes away
    const left = new AbortController()
    request.signal.throwIfAborted()
    // a signal that is aborted while the injection begins would break it as well
    request.signal.addEventListener('abort', () => setImmediate(() => left.abort()), { once: true })
    const injected = await inject(listener as DispatchFunc, {
      method: request.method as NonNullable<InjectOptions['method']>,
      url: pathname + search,
      headers: { host, ...fieldsOf(request.headers) },
      ...(payload && { payload }),
      signal: left.signal,
      payloadAsStream: true,
    })
    return responseOf(request, injected, () => left.abort())
  }
}

function fieldsOf(headers: Headers): Record<string, string> {
  return Object.fromEntries(headers)
}

function responseOf({ url, method }: Request, injected: Injected, leave: () => void): Response {
  const { statusCode, statusMessage, headers: fields } = injected
  const headers = new Headers()
  for (const [name, value] of Object.entries(fields))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) headers.append(name, String(one))
  const body = injected.stream()
  const isEmpty = method === 'HEAD' || WITHOUT_BODY.has(statusCode)
  // a body without a reader would keep the server's side open
  if (isEmpty) body.resume()
  const response = new Response(isEmpty ? null : streamOf(body, leave), {
    status: statusCode,
    statusText: statusMessage,
    headers,
  })
  return Object.defineProperty(response, 'url', { value: url })
}

/**
 * The body as fetch gives it. `Readable.toWeb` of Node 20 throws an error that nobody can catch
 * when its reader goes away.
 */
function streamOf(body: Readable, leave: () => void): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel() {
      body.on('error', () => undefined)
      leave()
    },
  })
}
