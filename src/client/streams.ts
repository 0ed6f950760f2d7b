import type { Client, Middleware } from 'openapi-fetch'
import { waitOf } from './idempotency.js'
import type { Init } from './pages.js'
import type { StreamItem } from './stream-of.js'

/** Media types of lines. */
type LinesMedia = 'application/jsonl' | 'application/x-ndjson' | 'application/json-seq'

/** The content of a GET's 200, by media type. */
type Content<Paths, Path extends keyof Paths> = Paths[Path] extends {
  get: { responses: { 200: { content: infer Content } } }
}
  ? Content
  : never

type PathOf<Paths, Media> = {
  [Path in keyof Paths]: [keyof Content<Paths, Path> & Media] extends [never] ? never : Path
}[keyof Paths]

type ItemOf<Sent> = Sent extends StreamItem<infer Item> ? Item : unknown

/** The paths whose GET sends events: those that `events()` reads. */
export type EventsPath<Paths> = PathOf<Paths, 'text/event-stream'>

/** The paths whose GET sends lines of JSON: those that `lines()` reads. */
export type LinesPath<Paths> = PathOf<Paths, LinesMedia>

/**
 * An event at a path, as a client receives it: `{ event, data, id? }`. It is `unknown` if the
 * document describes the stream only as a string.
 */
export type ReceivedEvent<Paths, Path extends keyof Paths> = ItemOf<
  Content<Paths, Path>[keyof Content<Paths, Path> & 'text/event-stream']
>

/** An item of the lines at a path; `unknown` if the document describes them only as a string. */
export type Line<Paths, Path extends keyof Paths> = ItemOf<
  Content<Paths, Path>[keyof Content<Paths, Path> & LinesMedia]
>

/**
 * Thrown by `events()` and `lines()` if a response has an error status or another media type, if an
 * item is not JSON, and by `lines()` if the stream was broken off.
 */
export class StreamError extends Error {
  declare readonly name: 'StreamError'
  /** The response; its body has been read or is given up. */
  declare readonly response: Response
  /** The body of an error response as openapi-fetch returns it: parsed JSON, or a string. */
  declare readonly error: unknown

  constructor(message: string, response: Response, rest?: { error?: unknown; cause?: unknown }) {
    super(`${response.url} ${message}`)
    Object.assign(this, { name: 'StreamError', response, ...rest })
  }
}

/** The part of `init` that is used here. */
interface AnyInit {
  readonly signal?: AbortSignal | null
  readonly params?: unknown
  readonly middleware?: Middleware[]
}

type AnyGet = (
  path: unknown,
  init: unknown,
) => Promise<{ readonly error?: unknown; readonly response: Response }>

type AnyClient = { readonly GET: unknown }

/** How long to wait before a reconnection, in ms, until the server sets another time. */
const RETRY = 1000

/**
 * Iterates over the events of a stream: `for await (const { event, data, id } of events(client,
 * '/jobs/changes', { signal }))`. `data` is parsed JSON, `event` is `'message'` if the event has no
 * name, and `id` is the last id that the server has sent, a string.
 *
 * When the connection ends it connects again, with `Last-Event-ID`, after the time that the server
 * asks for with `retry` (1 second if it does not) and later after each failure, until the server
 * responds with 204. A lost connection, a status of 500 or more and an event named `error` are
 * failures. Each connection is a request of the client, with its middleware and `init`. Throws
 * `StreamError` at any other status than 200 and at another media type, and for data that are not
 * JSON; throws the reason of `init.signal` when that aborts. Leaving the loop ends it as well.
 */
export function events<
  Paths extends object,
  Media extends `${string}/${string}`,
  const Path extends EventsPath<Paths>,
>(
  client: Client<Paths, Media>,
  path: Path,
  ...[init]: Init<Paths, Path>
): AsyncGenerator<ReceivedEvent<Paths, Path>, void, undefined>
export async function* events(
  client: AnyClient,
  path: unknown,
  init: AnyInit = {},
): AsyncGenerator<unknown, void, undefined> {
  const { signal } = init
  const parser = new EventParser()
  for (let failures = 0; ; ) {
    let wait = 0
    // an attempt has failed until something is received
    failures++
    try {
      const given = { cache: 'no-store', ...init }
      const { response, error } = await open(client, path, given, 'text/event-stream', parser.id)
      const { status } = response
      if (status === 204) return
      if (status >= 500) wait = waitOf(response) || 0
      else {
        if (status !== 200) throw new StreamError(`has status ${status}`, response, { error })
        requireType(response, /^text\/event-stream\s*(;|$)/i)
        parser.begin()
        read: for await (const text of textOf(response, signal)) {
          failures = 0
          for (const { event, data } of parser.push(text)) {
            if (event === 'error') {
              failures++
              break read
            }
            const { id } = parser
            yield { event, data: parsed(data, response), ...(id && { id }) }
            signal?.throwIfAborted()
          }
        }
      }
    } catch (error) {
      if (!(error instanceof Lost)) throw error
    }
    const pause = parser.retry + (failures && Math.min(30_000, 100 * 2 ** failures))
    // at random: the clients of a server that restarts must not all come at once
    await sleep(Math.max(wait, pause * (1 + Math.random() / 2)), signal)
  }
}

/**
 * Iterates over the items of a stream of JSON lines, whatever their number: `for await (const job
 * of lines(client, '/jobs/export', { signal }))`. Reads `application/jsonl`, `application/x-ndjson`
 * and `application/json-seq`, no faster than the loop takes them. Throws `StreamError` if the
 * stream was broken off, at an error status, at another media type and at a line that is not JSON;
 * throws the reason of `init.signal` when that aborts. Leaving the loop ends it as well.
 */
export function lines<
  Paths extends object,
  Media extends `${string}/${string}`,
  const Path extends LinesPath<Paths>,
>(
  client: Client<Paths, Media>,
  path: Path,
  ...[init]: Init<Paths, Path>
): AsyncGenerator<Line<Paths, Path>, void, undefined>
export async function* lines(
  client: AnyClient,
  path: unknown,
  init: AnyInit = {},
): AsyncGenerator<unknown, void, undefined> {
  const { signal } = init
  let response: Response | undefined
  try {
    const opened = await open(client, path, init, LINES)
    response = opened.response
    const { ok, status } = response
    if (!ok) throw new StreamError(`has status ${status}`, response, opened)
    if (status === 204) return
    requireType(response, /^application\/(jsonl|x-ndjson|json-seq)\s*(;|$)/i)
    let rest = ''
    for await (const text of textOf(response, signal)) {
      const all = (text as string).split('\n')
      all[0] = rest + all[0]
      rest = all.pop() as string
      for (const line of all) {
        const json = jsonIn(line)
        if (json) yield parsed(json, response)
        signal?.throwIfAborted()
      }
    }
    const json = jsonIn(rest)
    if (json) yield parsed(json, response)
  } catch (error) {
    if (!(error instanceof Lost)) throw error
    const { cause } = error
    throw response ? new StreamError('was broken off', response, { cause }) : cause
  }
}

const LINES = 'application/jsonl, application/x-ndjson, application/json-seq'

/** Returns the JSON in a line, without the record separator of `application/json-seq`. */
function jsonIn(line: string): string {
  return line.replaceAll('\u001e', '').trim()
}

/** A connection that was lost, or never made. */
class Lost extends Error {
  constructor(override readonly cause: unknown) {
    super()
  }
}

/** Sends the request of a stream. */
async function open(
  { GET }: AnyClient,
  path: unknown,
  init: AnyInit,
  accept: string,
  id?: string,
): Promise<{ readonly response: Response; readonly error?: unknown }> {
  const { signal, params, middleware = [] } = init
  signal?.throwIfAborted()
  const { header, ...others } = (params ?? {}) as { readonly header?: object }
  let thrown: unknown
  const watch: Middleware = {
    onError({ error }) {
      thrown = error
    },
  }
  // null removes the field that the caller has given
  const lastId = id === undefined ? {} : { 'Last-Event-ID': id ? utf8(id) : null }
  try {
    return await (GET as AnyGet)(path, {
      ...init,
      parseAs: 'stream',
      params: { ...others, header: { ...header, Accept: accept, ...lastId } },
      middleware: [...middleware, watch],
    })
  } catch (error) {
    signal?.throwIfAborted()
    throw isLost(thrown ?? error, thrown !== undefined) ? new Lost(error) : error
  }
}

/** Messages of lost connections in Node and browsers, where a TypeError has many other causes. */
const LOST = /fetch failed|failed to fetch|load failed|network|connection|offline|terminated/i

/** Causes, in Node, that no repetition helps against. */
const FINAL = /INVALID_ARG|INVALID_URL|scheme|bad port|redirect/

/**
 * Returns whether an error is about the connection, and not about an argument or the program.
 * Middleware may use the network, too, so it need not come from `fetch` itself.
 */
function isLost(error: unknown, isOfFetch: boolean): boolean {
  const { name, message, cause } = Object(error)
  if (!/^(Type|Range|Reference|Syntax)Error$/.test(name)) return isOfFetch
  return LOST.test(message) && !FINAL.test(`${cause?.code} ${cause?.message}`)
}

/** Header fields have a character for each byte: the id is sent as UTF-8, as EventSource does. */
function utf8(id: string): string {
  return String.fromCharCode(...new TextEncoder().encode(id))
}

function requireType(response: Response, type: RegExp): void {
  const given = response.headers.get('Content-Type')
  if (type.test(`${given}`)) return
  response.body?.cancel().catch(() => undefined)
  throw new StreamError(`is not a stream that can be read here: its type is ${given}`, response)
}

function parsed(json: string, response: Response): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new StreamError('has sent an item that is not JSON', response, { cause })
  }
}

/** Reads a body as it arrives. Throws `Lost` if it is broken off. */
async function* textOf(
  { body }: Response,
  signal: AbortSignal | null | undefined,
): AsyncGenerator<string, void, undefined> {
  const reader = body?.getReader()
  if (!reader) return
  // a BOM is dropped, and what is not UTF-8 is replaced
  const decoder = new TextDecoder()
  // middleware may have sent another request, which has not the signal
  const stop = () => void reader.cancel().catch(() => undefined)
  signal?.addEventListener('abort', stop)
  try {
    for (let isDone = false; !isDone; ) {
      const { done, value } = await reader.read().catch(cause => {
        signal?.throwIfAborted()
        throw new Lost(cause)
      })
      signal?.throwIfAborted()
      isDone = done
      const text = decoder.decode(value, { stream: !done })
      if (text) yield text
    }
  } finally {
    signal?.removeEventListener('abort', stop)
    stop()
  }
}

/** Waits so many milliseconds; throws the reason of a signal that aborts. */
async function sleep(time: number, signal: AbortSignal | null | undefined): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>(resolve => {
    // a timer that is set any later fires at once
    const timer = setTimeout(wake, Math.min(time, 2 ** 31 - 1))
    function wake() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    signal?.addEventListener('abort', wake)
  })
  signal?.throwIfAborted()
}

/** Parses events as the HTML standard specifies (section 9.2.6). */
class EventParser {
  /** The last id received, for all connections; empty if the server has withdrawn it. */
  id: string | undefined
  /** How long to wait before a reconnection, in ms. */
  retry = RETRY
  #rest = ''
  #endedInCr = false
  #event = ''
  #data: string[] = []
  #id: string | undefined

  /** Begins a connection; what is left of the one before it was not complete. */
  begin(): void {
    this.#rest = ''
    this.#endedInCr = false
    this.#event = ''
    this.#data = []
    this.#id = this.id
  }

  /** Takes what has arrived, and returns the events that it completes. */
  *push(text: string): Generator<{ readonly event: string; readonly data: string }> {
    const all = (this.#endedInCr ? text.replace(/^\n/, '') : text).split(/\r\n?|\n/)
    this.#endedInCr = text.endsWith('\r')
    all[0] = this.#rest + all[0]
    this.#rest = all.pop() as string
    for (const line of all) {
      if (line) this.#field(line)
      else {
        this.id = this.#id
        const [event, data] = [this.#event || 'message', this.#data]
        this.#event = ''
        this.#data = []
        if (data[0] !== undefined) yield { event, data: data.join('\n') }
      }
    }
  }

  #field(line: string): void {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) as RegExpExecArray
    if (name === 'data') this.#data.push(value)
    else if (name === 'event') this.#event = value
    else if (name === 'id' && !value.includes('\0')) this.#id = value
    else if (name === 'retry' && /^\d+$/.test(value)) this.retry = Number(value)
  }
}
