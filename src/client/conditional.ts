import type { Middleware } from 'openapi-fetch'
import { strong, tagOf } from './if-match.js'
import { refuseUnknown } from './options.js'
import { fieldsOf, WRITES } from './request.js'
import { staleError } from './stale-error.js'

/** Options of `conditional()`: how much it keeps, and for whom. */
export interface ConditionalOptions {
  /**
   * The maximum number of representations, and of entity tags; the least recently used are dropped
   * first. Default: 500.
   */
  readonly maxEntries?: number
  /**
   * The maximum total size of kept bodies, in bytes. A body larger than a tenth of it is not kept,
   * but its entity tag is. Default: 5,000,000.
   */
  readonly maxBytes?: number
  /**
   * Identifies the user of the client if requests do not, because cookies do: what was kept for one
   * name is never used for another. Called for each request and response. Default: a single user.
   */
  readonly partition?: () => string
}

/** The middleware that `conditional()` returns. */
export interface Conditional {
  /** Called by openapi-fetch before a request is sent. */
  onRequest: NonNullable<Middleware['onRequest']>
  /** Called by openapi-fetch when a response has come. */
  onResponse: NonNullable<Middleware['onResponse']>
  /**
   * Forgets everything, for example when a user logs out. Responses still under way are not kept
   * either.
   */
  clear(): void
}

/**
 * Middleware of openapi-fetch for a server that sends entity tags. Responses to GET are kept, and
 * requested again with If-None-Match: a 304 becomes the kept response, with status 200. PUT, PATCH
 * and DELETE are sent with If-Match, the entity tag that was last seen for the URL and the same
 * credentials; a 412 is thrown as `StaleError`. A response after a redirect is of another URL, so
 * it is not kept, and the response kept under the first URL is forgotten. A condition that the
 * caller gives is left alone, and without a known tag none is sent. Use it after the middleware
 * that adds credentials, and before `idempotency()`. Throws a TypeError for an unknown option.
 */
export function conditional({
  maxEntries = 500,
  maxBytes = 5_000_000,
  partition = () => '',
  ...unknown
}: ConditionalOptions = {}): Conditional {
  refuseUnknown(unknown)
  const create = (): Store => [memory(maxEntries, maxBytes), memory(maxEntries), maxBytes / 10]
  let store = create()
  // openapi-fetch creates the options for each request, so nothing is left behind
  const asked = new WeakMap<object, Settle>()

  return {
    onRequest({ request, options }) {
      const then = store
      const user = partition()
      asked.set(
        options,
        ask(request, user, then, () => then === store && user === partition()),
      )
    },
    onResponse: given => asked.get(given.options)?.(given),
    clear() {
      store = create()
    },
  }
}

/**
 * The kept representations, the entity tags last seen, and the size of the largest body to keep.
 */
type Store = readonly [bodies: Memory<Kept>, tags: Memory<string>, limit: number]

interface Kept {
  readonly body: ArrayBuffer
  readonly headers: Headers
  readonly url: string
  /** The request that it was sent for, as it left. */
  readonly sent: string
}

/** Handles the response to a request. */
type Settle = (given: Parameters<Conditional['onResponse']>[0]) => Promise<Response>

/** Adds its condition to a request. */
function ask(
  request: Request,
  user: string,
  [bodies, tags, limit]: Store,
  isSameUser: () => boolean,
): Settle {
  const { method, headers } = request
  const isGet = method === 'GET'
  const isWrite = WRITES.test(method)
  const isOpen = !fieldsOf(headers, /^if-/)[0]
  const place = keyOf(user, request, OTHERS)
  const kept = isOpen && isGet && bodies.get(place)
  if (kept) headers.set('If-None-Match', tagOf(kept) as string)
  const tagPlace = keyOf(user, request, CREDENTIALS)
  // a POST to a list is not about the list that was read
  const tag = isOpen && isWrite && method !== 'POST' && tags.get(tagPlace)
  if (tag) headers.set('If-Match', strong(tag))

  return async ({ request, response, options: { fetch, parseAs } }) => {
    // fetch on its own: in browsers it refuses to be a method of anything but the window
    if (response.status === 412 && isWrite) throw await staleError(request, response, fetch)
    const sent = keyOf(user, request, OTHERS)
    let final = response
    let body: ArrayBuffer | undefined
    if (kept && response.status === 304 && request.headers.get('If-None-Match') === tagOf(kept)) {
      if (isSameUser() && kept.sent === sent && !response.redirected && confirms(response, kept)) {
        body = kept.body
        final = responseOf(kept, response)
      } else
        final = await fetch(new Request(request, { headers: fieldsOf(request.headers, OTHERS) }))
    }

    const { ok, status, url } = final
    // after a redirect it is the tag and the body of another resource
    const isElsewhere = response.redirected || final.redirected
    const tag = isElsewhere ? null : tagOf(final)
    const isSmall = !(Number(final.headers.get('Content-Length')) > limit)
    const isKept =
      isGet &&
      status === 200 &&
      tag &&
      isSmall &&
      parseAs !== 'stream' &&
      !FORBIDS.test(sent + JSON.stringify([...final.headers]))
    // if the body breaks off, the caller who reads the response learns of it
    if (isKept)
      body ??= await final
        .clone()
        .arrayBuffer()
        .catch(() => undefined)

    // one user's responses are not kept for another
    if (isSameUser()) {
      if (tag && ok && /GET|PUT|PATCH/.test(method)) tags.set(tagPlace, tag)
      else if (isElsewhere || ((ok || status === 404 || status === 410) && (isGet || isWrite)))
        tags.delete(tagPlace)
      if (isGet) bodies.delete(place)
      if (isKept && body && body.byteLength <= limit)
        bodies.set(place, { body, headers: final.headers, url, sent }, body.byteLength)
    }
    return final
  }
}

/**
 * Header fields that carry credentials, recognized by their names: a field that differs between a
 * GET and a PUT for another reason, such as a trace, must not separate them.
 */
const CREDENTIALS =
  /^(?!.*(srf|idempotency|agent)).*(auth|cookie|key|token|secret|session|user|tenant)/

/** All fields except conditions: a representation may depend on them. */
const OTHERS = /^(?!if-)/

/** All fields except those about the transfer, or about one exchange only. */
const LASTING = /^(?!content-(encoding|length)|set-cookie)/

/** Matches the header fields that forbid keeping, in the JSON of request and response. */
const FORBIDS = /e-control","([^"]|\\")*no-store|"vary","[^"]*\*/i

/**
 * Returns a key that only requests of this user, to the same URL and with the same of these fields,
 * have.
 */
function keyOf(user: string, { url, headers }: Request, names: RegExp): string {
  return JSON.stringify([user, url, fieldsOf(headers, names)])
}

/**
 * Returns whether a 304 is about the kept representation: it has no other strong tag (RFC 9111,
 * section 4.3.4). Compressing proxies weaken tags.
 */
function confirms(response: Response, kept: Kept): boolean {
  const tag = tagOf(response)
  return !tag || /^W\//.test(tag) || tag === strong(tagOf(kept) as string)
}

/**
 * Creates a response from a representation, with the fields of a 304 over its own (RFC 9111,
 * section 3.2).
 */
function responseOf({ body, headers, url }: Kept, { headers: newer }: Response): Response {
  // of two fields of one name a Map has the later
  const fields = new Map(fieldsOf([...headers, ...newer], LASTING))
  return Object.defineProperty(new Response(body, { headers: [...fields] }), 'url', { value: url })
}

/** A bounded map. */
interface Memory<Value> {
  get(key: string): Value | undefined
  /** `bytes` is the size of the value. Default: 0. */
  set(key: string, value: Value, bytes?: number): void
  delete(key: string): void
}

/** Creates a map bounded in entries and bytes; the least recently used entry is dropped first. */
function memory<Value>(maxEntries: number, maxBytes = 0): Memory<Value> {
  // a Map keeps the order of insertion: what is used is inserted again
  const entries = new Map<string, readonly [value: Value, bytes: number]>()
  let total = 0
  const remove = (key: string) => {
    total -= entries.get(key)?.[1] ?? 0
    entries.delete(key)
  }
  const memory: Memory<Value> = {
    get(key) {
      const entry = entries.get(key)
      if (entry) memory.set(key, ...entry)
      return entry?.[0]
    },
    set(key, value, bytes = 0) {
      remove(key)
      entries.set(key, [value, bytes])
      total += bytes
      for (const oldest of entries.keys())
        if (!(entries.size <= maxEntries && total <= maxBytes)) remove(oldest)
    },
    delete: remove,
  }
  return memory
}
