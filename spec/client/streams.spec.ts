import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  type Context,
  event,
  int,
  operation,
  type PathsOf,
  events as sendEvents,
  lines as sendLines,
  struct,
} from 'koa-smorest'
import { events, lines, StreamError } from 'koa-smorest/client'
import createClient, { type Middleware } from 'openapi-fetch'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { listen } from '../support/client.js'

const PLAIN = { 'Content-Type': 'text/event-stream' }

/** Paths of streams that are documented as plain strings. */
interface PlainPaths {
  '/events': {
    get: {
      parameters: { header?: { 'Last-Event-ID'?: string } }
      responses: { 200: { content: { 'text/event-stream': string } } }
    }
  }
  '/lines': { get: { responses: { 200: { content: { 'application/jsonl': string } } } } }
}

type Attempt = Response | Error | string | readonly (string | Uint8Array | Error)[]

/** A response whose body arrives in these chunks, and breaks off at an error. */
function streamed(chunks: readonly (string | Uint8Array | Error)[], headers: object): Response {
  const left = chunks.values()
  const body = new ReadableStream({
    pull(controller) {
      const { done, value } = left.next()
      if (done) controller.close()
      else if (value instanceof Error) controller.error(value)
      else controller.enqueue(typeof value === 'string' ? new TextEncoder().encode(value) : value)
    },
  })
  return new Response(body, { headers: headers as Record<string, string> })
}

/**
 * A client whose server responds so to one request after the other, and at last with 204. A string
 * or a list is a stream.
 */
function scripted(attempts: readonly Attempt[], headers: object = PLAIN) {
  const requests: Request[] = []
  const left = attempts.values()
  const client = createClient<PlainPaths>({
    baseUrl: 'http://jobs.test',
    fetch: async request => {
      requests.push(request)
      const { done, value } = left.next()
      if (done) return new Response(null, { status: 204 })
      if (value instanceof Error) throw value
      return value instanceof Response ? value : streamed([value].flat(), headers)
    },
  })
  return { client, requests }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

/** What was received, and what it ended with. */
async function outcome(items: AsyncIterable<unknown>) {
  const received: unknown[] = []
  try {
    for await (const item of items) received.push(item)
    return { received }
  } catch (thrown) {
    return { received, thrown }
  }
}

/** The waits between attempts are over at once; they are recorded. */
function instantly() {
  const waits: number[] = []
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const { setTimeout: original } = globalThis
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, time: number) => {
    waits.push(time)
    return original(run, 0)
  }) as typeof setTimeout)
  return waits
}

afterEach(() => {
  vi.restoreAllMocks()
})

/** Serves a function by hand. */
async function serveRaw(handle: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    client: createClient<PlainPaths>({ baseUrl }),
    baseUrl,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const Job = struct({ id: int, title: t.string }, 'Job')

describe('events of a server of ours', () => {
  const feed = new Blueprint('jobs')
    .get(
      '/changes',
      operation(sendEvents({ job: Job, removed: int }, { id: t.string, retry: '1ms' })),
      async function* (_: Context, { lastEventId }: { lastEventId?: string }) {
        if (lastEventId === 'zwei €') return
        if (lastEventId === undefined)
          yield event('job', { id: 1, title: 'Öl\n', secret: 'sesame' }, 'eins')
        yield event('removed', 2, 'zwei €')
      },
    )
    .get(
      '/counts',
      operation(sendEvents(int, { heartbeat: '5ms', retry: '1ms' })),
      async function* (_: Context, { signal }: { signal: AbortSignal }) {
        yield 1
        await sleep(30, undefined, { signal })
        yield 2
        await sleep(10_000, undefined, { signal })
      },
    )
    .get(
      '/fails',
      operation(sendEvents(int, { id: int, retry: '1ms' })),
      async function* (_: Context, { lastEventId = 0 }: { lastEventId?: number }) {
        if (lastEventId === 2) return
        yield { data: lastEventId, id: lastEventId + 1 }
        throw new Error('The method has failed')
      },
    )
    .get(
      '/export',
      operation(sendLines(t.union([Job, t.null]), { as: 'application/json-seq' })),
      () => [{ id: 1, title: 'Öl\n' }, null],
    )
    .get('/broken', operation(sendLines(int)), async function* () {
      yield 1
      await sleep(1)
      throw new Error('The method has failed')
    })
    .get('/nothing', operation(sendLines(int, { as: 'application/x-ndjson' })), () => [])

  async function open() {
    const app = new Koa()
    app.on('error', () => undefined)
    const api = new Api(app, { OPENAPI_VERSION: '3.2.0' }).registerBlueprint(feed)
    const client = createClient<PathsOf<typeof api>>({
      baseUrl: `http://127.0.0.1:${await listen(app)}`,
    })
    return client
  }

  it('have names, parsed data and ids, go on after the last one, and end at 204', async () => {
    expect(await all(events(await open(), '/changes'))).toEqual([
      { event: 'job', data: { id: 1, title: 'Öl\n' }, id: 'eins' },
      { event: 'removed', data: 2, id: 'zwei €' },
    ])
  })

  it('begin after an id of the caller', async () => {
    const params = { header: { 'Last-Event-ID': 'eins' } }
    expect(await all(events(await open(), '/changes', { params }))).toEqual([
      { event: 'removed', data: 2, id: 'zwei €' },
    ])
  })

  it('without a name are messages, heartbeats are none, and the signal ends them', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const received: unknown[] = []
    const reading = async () => {
      for await (const item of events(await open(), '/counts', { signal: controller.signal })) {
        received.push(item)
        if (item.data === 2) setTimeout(() => controller.abort(reason), 5)
      }
    }
    await expect(reading()).rejects.toBe(reason)
    expect(received).toEqual([
      { event: 'message', data: 1 },
      { event: 'message', data: 2 },
    ])
  })

  it('go on after an event of failure, which is not shown', async () => {
    expect(await all(events(await open(), '/fails'))).toEqual([
      { event: 'message', data: 0, id: '1' },
      { event: 'message', data: 1, id: '2' },
    ])
  })

  it('lines are items, nothing is nothing, and what is broken off is an error', async () => {
    const client = await open()
    expect(await all(lines(client, '/export'))).toEqual([{ id: 1, title: 'Öl\n' }, null])
    expect(await all(lines(client, '/nothing'))).toEqual([])
    const { received, thrown } = await outcome(lines(client, '/broken'))
    expect(received).toEqual([1])
    expect(thrown).toBeInstanceOf(StreamError)
    expect(thrown).toMatchObject({
      message: expect.stringMatching(/\/broken was broken off$/),
      response: { status: 200 },
      cause: expect.any(TypeError),
    })
  })
})

describe('events are parsed as the HTML standard says', () => {
  const parse = async (...chunks: readonly (string | Uint8Array)[]) =>
    (await outcome(events(scripted([chunks]).client, '/events'))).received

  it.each([
    ['LF, CR and CRLF end a line', 'data: 1\n\ndata: 2\r\rdata: 3\r\n\r\n', [1, 2, 3]],
    ['a BOM at the start is dropped', '\ufeffdata: 1\n\n', [1]],
    ['one space after the colon is dropped', 'data:1\n\ndata: 2\n\ndata:  3\n\n', [1, 2, 3]],
    ['several lines of data are one value', 'data: [1,\ndata: 2]\n\n', [[1, 2]]],
    ['comments and other fields are ignored', ':\n: x\nfoo: 1\ndata: 1\nx\n\n', [1]],
    ['an event without data is none', 'event: job\n\nid: 1\n\n: \n\n', []],
    ['an event that is not complete is none', 'data: 1\n\ndata: 2\n', [1]],
    ['a colon in a value stays', 'data: "a: b"\n\n', ['a: b']],
    ['names of fields are in lower case', 'Data: 1\n\nDATA: 2\n\n', []],
    ['separators of Unicode do not end a line', 'data: "a\u2028b\u0085"\n\n', ['a\u2028b\u0085']],
  ])('%s', async (_, text, data) => {
    instantly()
    expect(await parse(text)).toEqual(data.map(data => ({ event: 'message', data })))
  })

  it('wherever the chunks are cut', async () => {
    instantly()
    const text = '\ufeffid: ü€😀\r\nevent: job\rdata: ["ü€😀",\r\ndata:1]\r\r\ndata: 2\n\n:\n\r\n'
    const bytes = new TextEncoder().encode(text)
    const expected = [
      { event: 'job', data: ['ü€😀', 1], id: 'ü€😀' },
      { event: 'message', data: 2, id: 'ü€😀' },
    ]
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(bytes.length)), async places => {
        const cuts = [0, ...places.sort((left, right) => left - right), bytes.length]
        const chunks = cuts.slice(1).map((end, index) => bytes.slice(cuts[index], end))
        expect(await parse(...chunks)).toEqual(expected)
      }),
    )
  })

  it('an event is there as soon as its last line has ended, be it with a CR', async () => {
    const { client } = scripted([
      new Response(
        new ReadableStream({
          start: controller => controller.enqueue(new TextEncoder().encode('data: 1\r\r')),
        }),
        { headers: PLAIN },
      ),
    ])
    for await (const item of events(client, '/events')) {
      expect(item).toEqual({ event: 'message', data: 1 })
      break
    }
  })

  it('an id lasts until there is another, one with NUL is ignored, an empty one withdraws it', async () => {
    instantly()
    const { client, requests } = scripted([
      'id: 1\ndata: 1\n\ndata: 2\n\nid: a\0b\ndata: 3\n\n',
      'data: 4\n\nid\ndata: 5\n\n',
      'data: 6\n\nid: 7\n\nid: 8\ndata: cut off\n',
      'data: 7\n\n',
    ])
    const params = { header: { 'Last-Event-ID': '0' } }
    expect(await all(events(client, '/events', { params }))).toEqual([
      { event: 'message', data: 1, id: '1' },
      { event: 'message', data: 2, id: '1' },
      { event: 'message', data: 3, id: '1' },
      { event: 'message', data: 4, id: '1' },
      { event: 'message', data: 5 },
      { event: 'message', data: 6 },
      { event: 'message', data: 7, id: '7' },
    ])
    expect(requests.map(({ headers }) => headers.get('Last-Event-ID'))).toEqual([
      '0',
      '1',
      null,
      '7',
      '7',
    ])
  })

  it('the last id is sent as UTF-8', async () => {
    instantly()
    const { client, requests } = scripted(['id: ü€\ndata: 1\n\n'])
    await all(events(client, '/events'))
    const sent = requests[1]?.headers.get('Last-Event-ID') ?? ''
    expect(Buffer.from(sent, 'latin1').toString()).toBe('ü€')
  })
})

describe('events after the connection has ended', () => {
  it('are asked for again after a second at least, and later after each failure', async () => {
    const waits = instantly()
    const failed = () => new Response('{}', { status: 500 })
    const lost = new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })
    const { client, requests } = scripted([
      'data: 1\n\n',
      failed(),
      lost,
      [new Error('reset')],
      '',
      ['data: 2\n\n', 'event: error\ndata: {}\n\ndata: 9\n\n'],
      ['data: 3\n\n', new TypeError('terminated')],
    ])
    expect(await all(events(client, '/events'))).toEqual([
      { event: 'message', data: 1 },
      { event: 'message', data: 2 },
      { event: 'message', data: 3 },
    ])
    expect(waits).toEqual([1000, 1200, 1400, 1800, 2600, 1200, 1000])
    expect(requests).toHaveLength(8)
  })

  it('never wait longer than half a minute more, however often it has failed', async () => {
    const waits = instantly()
    await all(events(scripted(Array.from({ length: 40 }, () => '')).client, '/events'))
    expect(Math.max(...waits)).toBe(31_000)
  })

  it('are not asked for by all clients at the same moment', async () => {
    const waits = instantly()
    vi.mocked(Math.random).mockReturnValue(1)
    await all(events(scripted(['data: 1\n\n']).client, '/events'))
    expect(waits).toEqual([1500])
  })

  it('wait as long as retry and Retry-After say', async () => {
    const waits = instantly()
    const unavailable = (after: string) =>
      new Response(null, { status: 503, headers: { 'Retry-After': after } })
    const { client } = scripted([
      'retry: 20\ndata: 1\n\nretry: soon\nretry: -1\nretry\n\n',
      'retry: 99999999999\n\n',
      'retry: 10\n\n',
      unavailable('30'),
      unavailable('0'),
    ])
    await all(events(client, '/events'))
    expect(waits).toEqual([20, 2 ** 31 - 1, 10, 30_000, 410])
  })

  it('are requests of the client, with fresh tokens, init and Accept', async () => {
    instantly()
    const { client, requests } = scripted(['data: 1\n\n'])
    let token = 0
    const authorize: Middleware = {
      onRequest({ request }) {
        request.headers.set('Authorization', `Bearer sesame-${++token}`)
      },
    }
    client.use(authorize)
    const found: (string | null)[] = []
    const middleware: Middleware[] = [{ onRequest: ({ request }) => void found.push(request.url) }]
    const headers = { 'X-A': 'a', Accept: '*/*' }
    await all(events(client, '/events', { headers, middleware }))
    expect(
      requests.map(({ headers, cache }) => [
        headers.get('Authorization'),
        headers.get('X-A'),
        headers.get('Accept'),
        cache,
      ]),
    ).toEqual([
      ['Bearer sesame-1', 'a', 'text/event-stream', 'no-store'],
      ['Bearer sesame-2', 'a', 'text/event-stream', 'no-store'],
    ])
    expect(found).toEqual(['http://jobs.test/events', 'http://jobs.test/events'])
  })

  it('go on when middleware could not reach the network', async () => {
    instantly()
    const { client } = scripted(['data: 1\n\n'])
    let count = 0
    client.use({
      onRequest() {
        if (++count === 2) throw new TypeError('Failed to fetch')
      },
    })
    expect(await all(events(client, '/events'))).toEqual([{ event: 'message', data: 1 }])
    expect(count).toBe(3)
  })
})

describe('events end with an error', () => {
  const failure = async (attempt: Attempt, headers?: object) =>
    (await outcome(events(scripted(['data: 1\n\n', attempt], headers).client, '/events'))).thrown

  it('at a 4xx, whose body and response it has', async () => {
    instantly()
    const thrown = await failure(Response.json({ code: 401 }, { status: 401 }))
    expect(thrown).toBeInstanceOf(StreamError)
    expect(thrown).toMatchObject({
      name: 'StreamError',
      message: expect.stringMatching(/ has status 401$/),
      response: { status: 401 },
      error: { code: 401 },
    })
  })

  it.each([
    ['another success', new Response('', { status: 206, headers: PLAIN }), / has status 206$/],
    ['a redirect that fetch has not followed', new Response(null, { status: 304 }), / 304$/],
    ['another media type', Response.json([]), /its type is application\/json$/],
    ['no media type', new Response(new Uint8Array(1)), /its type is null$/],
    ['neither body nor media type', new Response(null), /its type is null$/],
    [
      'a media type that only begins so',
      streamed([], { 'Content-Type': 'text/event-streams' }),
      /streams$/,
    ],
    ['data that are not JSON', 'data: Hello\n\n', /has sent an item that is not JSON$/],
    ['empty data', 'data\n\n', /has sent an item that is not JSON$/],
  ] as const)('at %s', async (_, attempt, message) => {
    instantly()
    const thrown = await failure(attempt)
    expect(thrown).toBeInstanceOf(StreamError)
    expect(thrown).toMatchObject({ message: expect.stringMatching(message) })
  })

  it('at another media type, whose body is cancelled, even if that fails', async () => {
    instantly()
    const cancel = vi.fn(() => Promise.reject(new Error('gone')))
    const body = new ReadableStream({ cancel })
    const thrown = await failure(new Response(body, { headers: { 'Content-Type': 'text/plain' } }))
    expect(thrown).toMatchObject({ message: expect.stringMatching(/ text\/plain$/) })
    expect(cancel).toHaveBeenCalledOnce()
  })

  it.each(['text/event-stream;charset=utf-8', 'Text/Event-Stream ; a=b'])(
    'but not at %s',
    async type => {
      instantly()
      const { client } = scripted(['data: 1\n\n'], { 'Content-Type': type })
      expect(await all(events(client, '/events'))).toEqual([{ event: 'message', data: 1 }])
    },
  )

  it.each([
    ['of an argument', new TypeError('Failed to parse URL from /events')],
    ['of the program', new ReferenceError('token is not defined')],
    ['of a URL', new TypeError('fetch failed', { cause: new Error('unknown scheme') })],
    [
      'of a header field',
      new TypeError('fetch failed', {
        cause: Object.assign(new Error('invalid'), { code: 'UND_ERR_INVALID_ARG' }),
      }),
    ],
  ])('of fetch that is about the connection only in name: %s', async (_, error) => {
    instantly()
    expect(await failure(error)).toBe(error)
  })

  it.each([
    ['in Node', new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } })],
    ['in Chromium', new TypeError('Failed to fetch')],
    ['in Firefox', new TypeError('NetworkError when attempting to fetch resource.')],
    ['in Safari', new TypeError('Load failed')],
    ['in a fetch of the application', new Error('no answer')],
  ])('but not when the connection is lost %s', async (_, error) => {
    instantly()
    expect(await failure(error)).toBe(undefined)
  })

  it('of a bad argument, before anything is sent, and of middleware', async () => {
    const client = createClient<PlainPaths>({ baseUrl: '' })
    const { thrown } = await outcome(events(client, '/events'))
    expect(thrown).toBeInstanceOf(TypeError)
    const refused = new Error('nobody is logged in')
    const { client: other, requests } = scripted([])
    other.use({
      onRequest() {
        throw refused
      },
    })
    expect((await outcome(events(other, '/events'))).thrown).toBe(refused)
    expect(requests).toEqual([])
  })
})

describe('a signal', () => {
  const reason = new Error('enough')

  it('that has aborted ends both before the first request', async () => {
    const { client, requests } = scripted([])
    const init = { signal: AbortSignal.abort(reason) }
    expect((await outcome(events(client, '/events', init))).thrown).toBe(reason)
    expect((await outcome(lines(client, '/lines', init))).thrown).toBe(reason)
    expect(requests).toEqual([])
  })

  it('ends both between two items that have arrived together', async () => {
    const text = 'data: 1\n\ndata: 2\n\n'
    const controller = new AbortController()
    const { client } = scripted([text])
    const received: unknown[] = []
    const reading = async () => {
      for await (const item of events(client, '/events', controller)) {
        received.push(item)
        controller.abort(reason)
      }
    }
    await expect(reading()).rejects.toBe(reason)
    expect(received).toHaveLength(1)
    const second = new AbortController()
    const rows = lines(
      scripted(['1\n2\n'], { 'Content-Type': 'application/jsonl' }).client,
      '/lines',
      second,
    )
    await rows.next()
    second.abort(reason)
    await expect(rows.next()).rejects.toBe(reason)
  })

  it('ends a wait for the next attempt, and leaves no timer and no listener', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const [add, remove] = [
      vi.spyOn(signal, 'addEventListener'),
      vi.spyOn(signal, 'removeEventListener'),
    ]
    const clear = vi.spyOn(globalThis, 'clearTimeout')
    const { client, requests } = scripted(['retry: 100000\ndata: 1\n\n'])
    const reading = outcome(events(client, '/events', { signal }))
    await vi.waitFor(() => expect(add.mock.calls.length).toBeGreaterThan(remove.mock.calls.length))
    setTimeout(() => controller.abort(reason), 20)
    expect((await reading).thrown).toBe(reason)
    expect(requests).toHaveLength(1)
    expect(clear).toHaveBeenCalled()
    const ours = (calls: readonly (readonly unknown[])[]) => calls.filter(([, run]) => run).length
    expect(ours(remove.mock.calls)).toBeGreaterThanOrEqual(2)
  })

  it('that never aborts keeps no listener of an attempt that has ended', async () => {
    instantly()
    const { signal } = new AbortController()
    const add = vi.spyOn(signal, 'addEventListener')
    const remove = vi.spyOn(signal, 'removeEventListener')
    await all(events(scripted(['', '', '']).client, '/events', { signal }))
    // those of Request have options
    const ours = add.mock.calls.filter(([, , options]) => options === undefined)
    expect(ours.length).toBeGreaterThan(3)
    expect(remove.mock.calls).toEqual(expect.arrayContaining(ours))
  })

  it('ends a stream whose request middleware has replaced', async () => {
    const { client } = scripted([
      new Response(new ReadableStream({ pull: () => new Promise(() => undefined) }), {
        headers: PLAIN,
      }),
    ])
    const reading = outcome(events(client, '/events', { signal: AbortSignal.timeout(20) }))
    expect((await reading).thrown).toMatchObject({ name: 'TimeoutError' })
  })
})

describe('a loop that is left', () => {
  it.each(['events', 'lines'] as const)('gives the connection of %s back', async word => {
    let isClosed = false
    const server = await serveRaw((_, response) => {
      response.on('close', () => {
        isClosed = true
      })
      const type = word === 'events' ? 'text/event-stream' : 'application/jsonl'
      response.writeHead(200, { 'Content-Type': type })
      response.write(word === 'events' ? 'data: 1\n\n' : '1\n')
    })
    const items =
      word === 'events' ? events(server.client, '/events') : lines(server.client, '/lines')
    for await (const _ of items) break
    await vi.waitFor(() => expect(isClosed).toBe(true))
    server.close()
  })
})

describe('a server by hand', () => {
  it('that breaks off, redirects and restarts loses no event', async () => {
    const seen: (string | undefined)[] = []
    const server = await serveRaw((request, response) => {
      const id = request.headers['last-event-id'] as string | undefined
      if (request.url === '/events') return response.writeHead(307, { Location: '/moved' }).end()
      seen.push(id)
      if (seen.length === 2) return request.socket.destroy()
      if (seen.length === 3) return request.socket.end('garbage')
      if (id === '3') return response.writeHead(204).end()
      response.writeHead(200, PLAIN)
      response.write(`retry: 1\nid: ${Number(id ?? 0) + 1}\ndata: ${Number(id ?? 0) + 1}\n\n`)
      setTimeout(() => response.destroy(), 5)
    })
    const received = await all(events(server.client, '/events'))
    expect(received.map(item => (item as { data: unknown }).data)).toEqual([1, 2, 3])
    expect(seen).toEqual([undefined, '1', '1', '1', '2', '3'])
    server.close()
  })
})

describe('lines', () => {
  const open = (attempt: Attempt, type = 'application/jsonl') =>
    scripted([attempt], { 'Content-Type': type })

  it.each([
    ['application/jsonl', '1\n{"a":"\\n"}\r\n\n \nnull\n"x"'],
    ['application/x-ndjson; charset=utf-8', '\ufeff1\n{"a":"\\n"}\nnull\n"x"\n'],
    ['application/json-seq', '\u001e1\n\u001e\u001e{"a":"\\n"}\n\u001enull\n\u001e"x"\n'],
  ])('are items in %s, wherever the chunks are cut', async (type, text) => {
    const bytes = new TextEncoder().encode(text)
    for (let size = 1; size <= bytes.length; size++) {
      const chunks = []
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.slice(at, at + size))
      expect(await all(lines(open(chunks, type).client, '/lines'))).toEqual([
        1,
        { a: '\n' },
        null,
        'x',
      ])
    }
  })

  it('are asked for once, under all their media types', async () => {
    const { client, requests } = open('1\n')
    await all(lines(client, '/lines', { headers: { 'X-A': 'a' } }))
    expect(requests.map(({ headers }) => [headers.get('Accept'), headers.get('X-A')])).toEqual([
      ['application/jsonl, application/x-ndjson, application/json-seq', 'a'],
    ])
  })

  it('are none after a 204', async () => {
    expect(await all(lines(open(new Response(null, { status: 204 })).client, '/lines'))).toEqual([])
  })

  it.each([
    ['an error status', Response.json({ code: 503 }, { status: 503 }), [], / has status 503$/],
    ['another media type', Response.json([]), [], /its type is application\/json$/],
    ['a line that is not JSON', '1\n{"a":\n2\n', [1], /an item that is not JSON$/],
    ['a last line that is cut off', '1\n{"a":', [1], /an item that is not JSON$/],
    ['a stream that is broken off', ['1\n2', new Error('reset')], [1], / was broken off$/],
  ] as const)('end with an error at %s', async (_, attempt, items, message) => {
    const { received, thrown } = await outcome(lines(open(attempt).client, '/lines'))
    expect(received).toEqual(items)
    expect(thrown).toBeInstanceOf(StreamError)
    expect(thrown).toMatchObject({
      message: expect.stringMatching(message),
      response: expect.any(Response),
    })
  })

  it('have the body of the error response', async () => {
    const { thrown } = await outcome(
      lines(open(Response.json({ code: 404 }, { status: 404 })).client, '/lines'),
    )
    expect(thrown).toMatchObject({ error: { code: 404 } })
  })

  it('end with the error of fetch if there is no response', async () => {
    const lost = new TypeError('fetch failed')
    const { client, requests } = open(lost)
    expect((await outcome(lines(client, '/lines'))).thrown).toBe(lost)
    expect(requests).toHaveLength(1)
  })

  it('are read no faster than they are taken', async () => {
    let pulled = 0
    const body = new ReadableStream({
      pull(controller) {
        pulled++
        controller.enqueue(new TextEncoder().encode('1\n'))
      },
    })
    const response = new Response(body, { headers: { 'Content-Type': 'application/jsonl' } })
    const rows = lines(open(response).client, '/lines')
    for (let count = 0; count < 3; count++) await rows.next()
    await sleep(5)
    expect(pulled).toBeLessThan(6)
    await rows.return()
  })
})
