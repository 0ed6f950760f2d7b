import { once } from 'node:events'
import { constants } from 'node:http2'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import * as t from 'io-ts'
import {
  abort,
  altResponse,
  type Context,
  cache,
  download,
  etag,
  type Feature,
  idempotent,
  int,
  keyset,
  lines,
  memoryStore,
  Page,
  paginate,
  reply,
  struct,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { listenHttp2 } from '../../support/client.js'
import { APPS, receive, serveStream, until } from './serve.js'

const Job = struct({ id: int }, 'Job')
type Named = { signal: AbortSignal }

const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

describe.each(APPS)('lines, on %s', (_, make) => {
  it('are sent as JSON, with nothing undeclared', async () => {
    async function* method() {
      yield { id: 1, secret: 'x' }
      await sleep(10)
      yield { id: 2 }
    }
    const { port, errors } = await serveStream([lines(Job)], method, { app: make() })
    const received = await receive(port)
    expect(await received.end()).toBe(true)
    expect([received.status, received.text, errors]).toEqual([200, '{"id":1}\n{"id":2}\n', []])
    expect(received.response.headers['content-type']).toBe('application/jsonl')
  })

  it('are broken off if the method fails, which is logged once', async () => {
    async function* method() {
      yield { id: 1 }
      await sleep(10)
      throw new Error('planned')
    }
    const { port, errors } = await serveStream([lines(Job)], method, { app: make() })
    const received = await receive(port)
    expect(await received.end()).toBe(false)
    expect([received.text, errors.map(String)]).toEqual(['{"id":1}\n', ['Error: planned']])
  })

  it('are broken off when the Api stops, unlogged', async () => {
    async function* method(_ctx: Context, { signal }: Named) {
      yield { id: 1 }
      await never(signal)
    }
    const { api, port, errors } = await serveStream([lines(Job)], method, { app: make() })
    const received = await receive(port)
    await received.until('1')
    api.stop()
    expect([await received.end(), received.text, errors]).toEqual([false, '{"id":1}\n', []])
    expect((await receive(port)).status).toBe(503)
  })
})

describe('lines', () => {
  it.each<[string, () => unknown]>([
    ['a list', () => [{ id: 1 }]],
    ['a Readable', () => Readable.from([{ id: 1 }])],
    ['a reply with a ReadableStream', () => reply(ReadableStream.from([{ id: 1 }]))],
  ])('are sent of %s', async (_, method) => {
    const { port } = await serveStream([lines(Job)], method)
    const received = await receive(port)
    expect([await received.end(), received.text]).toEqual([true, '{"id":1}\n'])
  })

  it('that have ended are forgotten, and not aborted when the Api stops', async () => {
    const ended: { signal: AbortSignal; closed: Promise<unknown> }[] = []
    async function* method({ res }: Context, { signal }: Named) {
      ended.push({ signal, closed: once(res, 'close') })
      yield { id: 1 }
    }
    const { api, port } = await serveStream([lines(Job)], method)
    expect(await (await receive(port)).end()).toBe(true)
    await ended[0]?.closed
    await sleep(10)
    api.stop()
    expect(ended.map(({ signal }) => signal.aborted)).toEqual([false])
  })

  it.each([
    ['application/x-ndjson', '{"id":1}\n'],
    ['application/json-seq', '\u001e{"id":1}\n'],
  ] as const)('have the media type %s', async (as, text) => {
    const { port } = await serveStream([lines(Job, { as })], () => [{ id: 1 }])
    const received = await receive(port)
    await received.end()
    expect([received.response.headers['content-type'], received.text]).toEqual([as, text])
  })

  it('of nothing are an empty 200', async () => {
    const { port } = await serveStream([lines(Job)], () => [])
    const received = await receive(port)
    expect([received.status, await received.end(), received.text]).toEqual([200, true, ''])
  })

  it.each<[string, () => unknown, number]>([
    ['abort', () => abort(409), 409],
    ['an item that does not fit', () => ({ id: 'x' }), 500],
  ])('whose first item is %s are an ordinary error response', async (_, next, status) => {
    const { port } = await serveStream([lines(Job)], async function* () {
      yield await next()
    })
    const received = await receive(port)
    expect([received.status, await received.end()]).toEqual([status, true])
  })

  it('wait for the first item as long as it takes', async () => {
    const { port } = await serveStream([lines(Job)], async function* () {
      await sleep(1100)
      yield* [] as { id: number }[]
      abort(409)
    })
    expect((await receive(port)).status).toBe(409)
  })

  it.each<[string, () => Generator]>([
    [
      'an item that does not fit',
      function* () {
        yield { id: 1 }
        yield { id: 'x' }
      },
    ],
    [
      'an item that is returned',
      function* () {
        yield { id: 1 }
        return { id: 2 }
      },
    ],
  ])('with %s are broken off after the items before it', async (_, method) => {
    const { port, errors } = await serveStream([lines(Job)], method)
    const received = await receive(port)
    expect([received.status, await received.end(), received.text]).toEqual([
      200,
      false,
      '{"id":1}\n',
    ])
    expect(errors).toHaveLength(1)
  })

  it.each<[string, () => unknown, RegExp]>([
    ['bytes', () => Buffer.from('x'), /, lines: The result does not fit its codec/],
    ['a Blob', () => new Blob(['x']), /: the method must return the items of the stream/],
    ['a download', () => download(Buffer.from('x')), /: the method must return the items/],
  ])('cannot be %s', async (_, method, message) => {
    const { port, errors } = await serveStream([lines(Job)], method)
    expect((await receive(port)).status).toBe(500)
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringMatching(message) })])
  })

  it('disconnect a client that takes nothing for `stall`', async () => {
    let isAborted = false
    const { port, errors } = await serveStream(
      [lines(t.string, { stall: '50ms' })],
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
    expect(errors).toEqual([])
  })

  it('may be cached, and sent for POST', async () => {
    const { port } = await serveStream([lines(Job), cache({ maxAge: 60 })], () => [{ id: 1 }])
    expect((await receive(port)).response.headers['cache-control']).toBe('max-age=60')
    const posted = await serveStream([lines(Job)], () => [{ id: 1 }], { verb: 'post' })
    const response = await fetch(`http://127.0.0.1:${posted.port}/x`, { method: 'POST' })
    expect(await response.text()).toBe('{"id":1}\n')
  })

  it('for HEAD are the head alone, and the method is not called', async () => {
    let isCalled = false
    const { port } = await serveStream([lines(Job), cache({ maxAge: 60 })], () => {
      isCalled = true
      return []
    })
    const { status, headers } = await fetch(`http://127.0.0.1:${port}/x`, { method: 'HEAD' })
    expect([status, headers.get('Content-Type'), headers.get('Cache-Control'), isCalled]).toEqual([
      200,
      'application/jsonl',
      'max-age=60',
      false,
    ])
  })

  it('leave other declared responses alone', async () => {
    const features = [lines(Job), altResponse(404)]
    const { port } = await serveStream(features, () =>
      reply({ code: 404, status: 'Not Found', message: 'No.' } as never, 404),
    )
    const received = await receive(port)
    await received.end()
    expect([received.status, received.text]).toEqual([
      404,
      '{"code":404,"status":"Not Found","message":"No."}',
    ])
  })

  it.each<[string, readonly Feature[], string]>([
    [
      'etag',
      [etag()],
      'lines: a stream has no entity tag, which would be known at its end: leave etag out',
    ],
    ['paginate', [paginate(Page)], 'lines: a stream has no pages: leave paginate or keyset out'],
    [
      'keyset',
      [keyset({ unique: 'id' })],
      'lines: a stream has no pages: leave paginate or keyset out',
    ],
    [
      'idempotent',
      [idempotent({ store: memoryStore() })],
      'lines: a stream cannot be kept and sent again: leave idempotent out',
    ],
    [
      'another media type',
      [lines(Job, { as: 'text/csv' as never })],
      'lines: as must be "application/jsonl", "application/x-ndjson" or "application/json-seq", not "text/csv"',
    ],
  ])('refuse %s at registration', async (_, features, fault) => {
    const error = await serveStream([lines(Job), ...features], () => [], { verb: 'post' }).catch(
      error => error,
    )
    expect(error.faults.join('\n')).toContain(fault)
  })

  it('are broken off over HTTP/2 with INTERNAL_ERROR', async () => {
    const { app, errors } = await serveStream([lines(Job)], async function* () {
      yield { id: 1 }
      throw new Error('planned')
    })
    const session = await listenHttp2(app)
    const stream = session.request({ ':path': '/x' }).on('error', () => undefined)
    let text = ''
    stream.setEncoding('utf8').on('data', piece => {
      text += piece
    })
    await once(stream, 'close').catch(() => undefined)
    expect([stream.rstCode, text, errors.map(String)]).toEqual([
      constants.NGHTTP2_INTERNAL_ERROR,
      '{"id":1}\n',
      ['Error: planned'],
    ])
  })

  it('are items in the document', async () => {
    const { api } = await serveStream([lines(Job)], () => [])
    // biome-ignore lint/suspicious/noExplicitAny: what is expected says the type
    const { paths } = api.spec.toJSON() as any
    expect(paths['/x'].get.responses['200']).toEqual({
      description: 'OK',
      content: { 'application/jsonl': { itemSchema: { $ref: '#/components/schemas/Job' } } },
    })
  })
})
