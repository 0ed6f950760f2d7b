import { once } from 'node:events'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import * as t from 'io-ts'
import {
  abort,
  apiKey,
  Blueprint,
  type Context,
  cache,
  etag,
  event,
  events,
  type Feature,
  idempotent,
  int,
  keyset,
  memoryStore,
  operation,
  Page,
  paginate,
  query,
  reply,
  secure,
  struct,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { listenHttp2, serveBlueprints } from '../../support/client.js'
import { APPS, receive, serveStream, until } from './serve.js'

const Job = struct({ id: int, title: t.string }, 'Job')
const JobRef = struct({ id: int }, 'JobRef')
const jobs = events({ job: Job, removed: JobRef }, { id: int })
type Named = { lastEventId?: number; signal: AbortSignal }

const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

describe.each(APPS)('events, on %s', (_, make) => {
  it('are sent with their names, ids and encoded data, and nothing undeclared', async () => {
    async function* method() {
      yield event('job', { id: 1, title: 'a\nb', secret: 'x' }, 7)
      yield event('removed', { id: 2 })
    }
    const { port, errors } = await serveStream([jobs], method, { app: make() })
    const received = await receive(port)
    expect(await received.end()).toBe(true)
    expect([received.status, received.text, errors]).toEqual([
      200,
      'id: 7\nevent: job\ndata: {"id":1,"title":"a\\nb"}\n\nevent: removed\ndata: {"id":2}\n\n',
      [],
    ])
    const { headers } = received.response
    expect([
      headers['content-type'],
      headers['cache-control'],
      headers['x-accel-buffering'],
    ]).toEqual(['text/event-stream', 'no-cache, no-transform', 'no'])
  })

  it('end with an event "error" if the method fails, which is logged once', async () => {
    async function* method() {
      yield event('removed', { id: 1 })
      await sleep(10)
      throw new Error('planned')
    }
    const { port, errors } = await serveStream([jobs], method, { app: make() })
    const received = await receive(port)
    expect(await received.end()).toBe(true)
    expect([received.text, errors.map(String)]).toEqual([
      'event: removed\ndata: {"id":1}\n\nevent: error\ndata: {"code":500,"status":"Internal Server Error"}\n\n',
      ['Error: planned'],
    ])
  })

  it('end with their client: the signal aborts, then the generator is returned', async () => {
    const seen: string[] = []
    async function* method(_ctx: Context, { signal }: Named) {
      signal.addEventListener('abort', () => seen.push('aborted'))
      try {
        yield event('removed', { id: 1 })
        await never(signal)
      } finally {
        seen.push('returned')
      }
    }
    const { port, errors } = await serveStream([jobs], method, { app: make() })
    const received = await receive(port)
    await received.until('removed')
    received.leave()
    await until(() => seen.length === 2)
    await sleep(20)
    expect([seen, errors]).toEqual([['aborted', 'returned'], []])
  })

  it('end as a complete response when the Api stops', async () => {
    async function* method(_ctx: Context, { signal }: Named) {
      yield event('removed', { id: 1 })
      await never(signal)
    }
    const { api, port, errors } = await serveStream([jobs], method, { app: make() })
    const received = await receive(port)
    await received.until('removed')
    api.stop()
    expect([await received.end(), received.text, errors]).toEqual([
      true,
      'event: removed\ndata: {"id":1}\n\n',
      [],
    ])
    const late = await receive(port)
    expect([late.status, late.response.headers['retry-after']]).toEqual([503, '1'])
  })
})

describe('the method of events', () => {
  const items = [event('removed', { id: 1 }), event('removed', { id: 2 })]
  const TEXT = 'event: removed\ndata: {"id":1}\n\nevent: removed\ndata: {"id":2}\n\n'

  it.each<[string, () => unknown]>([
    [
      'a generator',
      function* () {
        yield* items
      },
    ],
    [
      'an async generator',
      async function* () {
        yield* items
      },
    ],
    ['a list', () => items],
    ['a promise of a list', async () => items],
    ['a reply', () => reply(items)],
    ['a Readable', () => Readable.from(items)],
    ['a reply with a Readable', () => reply(Readable.from(items))],
    ['a ReadableStream', () => ReadableStream.from(items)],
  ])('returns %s', async (_, method) => {
    const { port } = await serveStream([jobs], method)
    const received = await receive(port)
    expect([await received.end(), received.text]).toEqual([true, TEXT])
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a string', 'abc'],
    ['an object', {}],
  ])('fails if it returns %s', async (_, value) => {
    const { port, errors } = await serveStream([jobs], () => value)
    expect((await receive(port)).status).toBe(500)
    expect(errors.map(String)).toEqual([
      expect.stringContaining('GET /x): the method must return the items of the stream'),
    ])
  })

  it.each(['a Readable', 'a ReadableStream'])(
    'has %s closed that waits when the client goes',
    async kind => {
      let isClosed = false
      const close = () => {
        isClosed = true
      }
      const source =
        kind === 'a Readable'
          ? new Readable({ objectMode: true, read() {} }).once('close', close)
          : new ReadableStream({ cancel: close })
      const { port } = await serveStream([events(Job, { heartbeat: 20 })], () => source)
      const received = await receive(port)
      received.leave()
      await until(() => isClosed)
      expect(isClosed).toBe(true)
    },
  )
})

describe('before the first event', () => {
  it.each<[string, () => unknown, number]>([
    ['abort', () => abort(409), 409],
    ['an error', () => Promise.reject(new Error('planned')), 500],
    ['an event that does not fit', () => event('removed', { id: 'x' }), 500],
    ['an event of another name', () => ({ event: 'x', data: 1 }), 500],
    ['no event', () => 7, 500],
    ['an id with a line break', () => ({ event: 'removed', data: { id: 1 }, id: 'a\nb' }), 500],
  ])('%s is an ordinary error response, and the generator is returned', async (_, next, status) => {
    let isReturned = false
    async function* method() {
      try {
        yield await next()
      } finally {
        isReturned = true
      }
    }
    const texts = events({ removed: JobRef }, { id: t.string })
    const { port, errors } = await serveStream([texts], method)
    const received = await receive(port)
    await received.end()
    expect([received.status, errors.length, isReturned]).toEqual([
      status,
      status < 500 ? 0 : 1,
      true,
    ])
    expect(received.response.headers['content-type']).toBe('application/json; charset=utf-8')
  })

  it('the end is a 204', async () => {
    const { port, errors } = await serveStream([jobs], async function* () {})
    const received = await receive(port)
    expect([received.status, await received.end(), received.text, errors]).toEqual([
      204,
      true,
      '',
      [],
    ])
  })

  it.each<[string, (signal: AbortSignal) => Promise<unknown>]>([
    ['a generator that ends', signal => once(signal, 'abort')],
    ['a generator that fails', never],
    ['a generator that does not listen', () => new Promise(() => undefined)],
  ])('the stop of the Api is a 503: %s', async (_, wait) => {
    let isBegun = false
    const { api, port, errors } = await serveStream(
      [jobs],
      async function* (_ctx: Context, { signal }: Named) {
        isBegun = true
        await wait(signal)
        yield* []
      },
    )
    const receiving = receive(port)
    await until(() => isBegun)
    api.stop()
    const { status, response } = await receiving
    expect([status, response.headers['retry-after'], errors]).toEqual([503, '1', []])
  })

  it('the head waits for a second at most', async () => {
    let go = (): void => undefined
    const { port } = await serveStream([events(JobRef, { retry: '5s' })], async function* () {
      await new Promise<void>(resolve => {
        go = resolve
      })
      yield { id: 1 }
    })
    const received = await receive(port)
    expect(received.status).toBe(200)
    await received.until('\n\n')
    go()
    await received.end()
    expect(received.text).toBe('retry: 5000\n\ndata: {"id":1}\n\n')
  })
})

describe('after the head', () => {
  it.each<[string, Record<string, unknown>]>([
    ['does not fit its codec', { event: 'removed', data: { id: 'x' } }],
    ['has an unsendable id', { event: 'removed', data: { id: 1 }, id: ' 7' }],
    ['is of no event', { event: 'x', data: 1 }],
  ])('an item that %s ends the stream with an event "error"', async (_, bad) => {
    let isReturned = false
    const { port, errors } = await serveStream(
      [events({ removed: JobRef }, { id: t.string })],
      async function* () {
        try {
          yield event('removed', { id: 1 }, '7')
          yield bad
        } finally {
          isReturned = true
        }
      },
    )
    const received = await receive(port)
    await received.end()
    expect([received.text, errors.length, isReturned]).toEqual([
      'id: 7\nevent: removed\ndata: {"id":1}\n\nevent: error\ndata: {"code":500,"status":"Internal Server Error"}\n\n',
      1,
      true,
    ])
  })

  it('a value that the generator returns is an error', async () => {
    const { port, errors } = await serveStream([events(JobRef)], function* () {
      yield { id: 1 }
      return { id: 2 }
    })
    const received = await receive(port)
    await received.end()
    expect([received.text, errors.map(String)]).toEqual([
      'data: {"id":1}\n\nevent: error\ndata: {"code":500,"status":"Internal Server Error"}\n\n',
      [expect.stringContaining('which nobody would see: yield it')],
    ])
  })

  it('the event "error" has the form of errors', async () => {
    const settings = { API_ERRORS: 'problem' } as const
    const { port } = await serveStream(
      [events(JobRef)],
      function* () {
        yield { id: 1 }
        abort(409)
      },
      { settings },
    )
    const received = await receive(port)
    await received.end()
    expect(received.text).toBe(
      'data: {"id":1}\n\nevent: error\ndata: {"type":"about:blank","title":"Internal Server Error","status":500}\n\n',
    )
  })

  it('comments are sent while nothing comes', async () => {
    const { port } = await serveStream(
      [events(JobRef, { heartbeat: 20 })],
      async function* (_ctx: Context, { signal }: Named) {
        yield { id: 1 }
        await never(signal)
      },
    )
    const received = await receive(port)
    await received.until(':\n\n:\n\n')
    received.leave()
    expect(received.text.startsWith('data: {"id":1}\n\n:\n\n')).toBe(true)
  })

  it('a client that takes nothing is disconnected after `stall`, unlogged', async () => {
    let isAborted = false
    const { port, errors } = await serveStream(
      [events(t.string, { stall: 50 })],
      async function* (_ctx: Context, { signal }: Named) {
        signal.addEventListener('abort', () => {
          isAborted = true
        })
        for (;;) yield 'x'.repeat(10_000)
      },
    )
    const received = await receive(port)
    received.response.pause()
    await until(() => isAborted)
    received.leave()
    await sleep(20)
    expect(errors).toEqual([])
  })
})

describe('Last-Event-ID', () => {
  const seen: unknown[] = []
  const watching = async (id: t.Mixed) =>
    serveStream([events(JobRef, { id: id as typeof int })], (_ctx: Context, named: Named) => {
      seen.push('lastEventId' in named ? named.lastEventId : 'none')
      return []
    })

  it.each<[string, t.Mixed, string | undefined, unknown]>([
    ['is decoded by the codec of ids', int, '7', 7],
    ['is decoded as UTF-8', t.string, Buffer.from('日本').toString('latin1'), '日本'],
    ['is absent if it was not sent', int, undefined, 'none'],
    ['is absent if it is empty', t.string, '', 'none'],
    ['is absent if it is foreign', int, 'abc', 'none'],
    ['is absent if it is not UTF-8', t.string, '\xff', 'none'],
  ])('%s', async (_, id, sent, expected) => {
    const { port } = await watching(id)
    const headers = sent === undefined ? {} : { 'Last-Event-ID': sent }
    expect((await receive(port, { headers })).status).toBe(204)
    expect(seen.at(-1)).toEqual(expected)
  })
})

describe('HEAD of events', () => {
  it('does not call the method, and checks access and arguments', async () => {
    let isCalled = false
    const key = apiKey('key', { in: 'header', name: 'X-Key', principal: () => 'ann' })
    const { port } = await serveStream(
      [secure(key), query(struct({ q: int })), events(JobRef)],
      () => {
        isCalled = true
        return []
      },
    )
    const url = `http://127.0.0.1:${port}/x`
    const head = (query: string, headers = {}) => fetch(url + query, { method: 'HEAD', headers })
    const allowed = await head('?q=1', { 'X-Key': 'sesame' })
    expect([allowed.status, allowed.headers.get('Content-Type'), isCalled]).toEqual([
      200,
      'text/event-stream',
      false,
    ])
    expect(allowed.headers.get('Cache-Control')?.split(', ').sort()).toEqual([
      'no-cache',
      'no-transform',
      'private',
    ])
    const statuses = [await head('?q=1'), await head('?q=x', { 'X-Key': 'sesame' })]
    expect(statuses.map(({ status }) => status)).toEqual([401, 422])
  })
})

describe('Cache-Control of events', () => {
  it('is combined with that of secure and of the method', async () => {
    const key = apiKey('key', { in: 'header', name: 'X-Key', principal: () => 'ann' })
    const { port } = await serveStream([secure(key), events(JobRef)], (ctx: Context) => {
      ctx.set('Cache-Control', 'no-store')
      return [{ id: 1 }]
    })
    const { response } = await receive(port, { headers: { 'X-Key': 'sesame' } })
    expect(response.headers['cache-control']?.split(', ').sort()).toEqual([
      'no-cache',
      'no-store',
      'no-transform',
      'private',
    ])
  })
})

describe('events at registration', () => {
  const faultsOf = (features: readonly Feature[], verb: 'get' | 'post' = 'get') =>
    serveStream(features, () => [], { verb }).then(
      () => [],
      error => error.faults.map((fault: string) => fault.replace(/^.*?\/x: /, '')),
    )

  it.each<[string, readonly Feature[], string]>([
    [
      '{}',
      [events({})],
      'events: it takes a codec, or codecs by the names of events, { changed: Pet }, not {}',
    ],
    [
      'an event "error"',
      [events({ error: Job })],
      'events: "error" is an event of EventSource itself: give it another name',
    ],
    [
      'an event "open"',
      [events({ open: Job })],
      'events: "open" is an event of EventSource itself: give it another name',
    ],
    [
      'a name with a line break',
      [events({ 'a\nb': Job })],
      'events: the name of an event must be one line, not "a\\nb"',
    ],
    ['no codec', [events({ a: 1 as never })], 'events: a must be a codec, such as t.string, not 1'],
    [
      'etag',
      [events(Job), etag()],
      'events: a stream has no entity tag, which would be known at its end: leave etag out',
    ],
    [
      'paginate',
      [events(Job), paginate(Page)],
      'events: a stream has no pages: leave paginate or keyset out',
    ],
    [
      'cache',
      [events(Job), cache({ maxAge: 1 })],
      'events: a stream of events is never the same again: leave cache out',
    ],
    [
      'an unknown option',
      [events(Job, { hartbeat: 1 } as never)],
      'events: there is no option "hartbeat", did you mean "heartbeat"?',
    ],
    [
      'a wrong period',
      [events(Job, { stall: '1y' as never })],
      'events: stall must be milliseconds or a string such as "24h" or "30m", not "1y"',
    ],
    [
      'an id that is not a codec',
      [events(Job, { id: 1 as never })],
      'events: id must be a codec, such as int, not 1',
    ],
  ])('refuse %s', async (_, features, fault) => {
    expect(await faultsOf(features)).toContain(fault)
  })

  it('refuse keyset, idempotent and other methods', async () => {
    expect(await faultsOf([events(Job), keyset({ unique: 'id' })])).toContain(
      'events: a stream has no pages: leave paginate or keyset out',
    )
    const faults = await faultsOf([events(Job), idempotent({ store: memoryStore() })], 'post')
    expect(faults).toContain('events: a stream cannot be kept and sent again: leave idempotent out')
    expect(faults).toContain('events: clients ask for events with GET, not with POST')
  })
})

describe('events over HTTP/2', () => {
  it('are sent, and end with their client', async () => {
    const seen: string[] = []
    const { app, errors } = await serveStream(
      [jobs],
      async function* (_ctx: Context, { signal }: Named) {
        signal.addEventListener('abort', () => seen.push('aborted'))
        try {
          yield event('removed', { id: 1 })
          await never(signal)
        } finally {
          seen.push('returned')
        }
      },
    )
    const session = await listenHttp2(app)
    const stream = session.request({ ':path': '/x' }).on('error', () => undefined)
    const [piece] = await once(stream.setEncoding('utf8'), 'data')
    expect(piece).toBe('event: removed\ndata: {"id":1}\n\n')
    stream.close()
    await until(() => seen.length === 2)
    await sleep(20)
    expect([seen, errors]).toEqual([['aborted', 'returned'], []])
  })
})

describe('the document of events', () => {
  const documentOf = async (OPENAPI_VERSION: string) => {
    const all = new Blueprint('all')
    all.get('/jobs', operation(jobs), () => [])
    all.get('/plain', operation(events(Job)), () => [])
    const { api } = await serveBlueprints(all, { OPENAPI_VERSION })
    // biome-ignore lint/suspicious/noExplicitAny: a document of any version
    return api.spec.toJSON() as any
  }
  const of = (event: string | undefined, name: string, prefix = '#/components/schemas/') => ({
    type: 'object',
    properties: {
      ...(event !== undefined && { event: { type: 'string', const: event } }),
      ...(event !== undefined && { id: { type: 'string' } }),
      data: {
        type: 'string',
        contentMediaType: 'application/json',
        contentSchema: { $ref: `${prefix}${name}` },
      },
    },
    required: event === undefined ? ['data'] : ['event', 'data'],
  })

  it('has the items in 3.2', async () => {
    const { paths, components } = await documentOf('3.2.0')
    const { get } = paths['/jobs']
    expect(get.responses['200'].content).toEqual({
      'text/event-stream': { itemSchema: { oneOf: [of('job', 'Job'), of('removed', 'JobRef')] } },
    })
    expect(paths['/plain'].get.responses['200'].content).toEqual({
      'text/event-stream': { itemSchema: of(undefined, 'Job') },
    })
    expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(['Job', 'JobRef']))
    expect(get.parameters.map(({ name }: { name: string }) => name)).toEqual(['Last-Event-ID'])
    expect(Object.keys(get.responses)).toEqual(['200', '204', '503', 'default'])
  })

  it('has a string and x-itemSchema in older versions, whose components stay', async () => {
    const { paths, components } = await documentOf('3.1.0')
    expect(paths['/jobs'].get.responses['200'].content).toEqual({
      'text/event-stream': {
        schema: { type: 'string' },
        'x-itemSchema': { oneOf: [of('job', 'Job'), of('removed', 'JobRef')] },
      },
    })
    expect(components.schemas).toHaveProperty('JobRef')
    const older = await documentOf('3.0.3')
    const items = older.paths['/jobs'].get.responses['200'].content['text/event-stream']
    expect(items.schema).toEqual({ type: 'string' })
    expect(items['x-itemSchema'].oneOf[0].properties.event).toEqual({
      type: 'string',
      enum: ['job'],
    })
    const oldest = (await documentOf('2.0')).paths['/jobs'].get.responses['200']
    expect(oldest.schema).toEqual({ type: 'string' })
    expect(oldest['x-itemSchema']).toBeDefined()
  })
})
