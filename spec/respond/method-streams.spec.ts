import { once } from 'node:events'
import { get as httpGet } from 'node:http'
import { Readable } from 'node:stream'
import * as t from 'io-ts'
import Koa from 'koa'
import compress from 'koa-compress'
import { Api, Blueprint, etag, operation, Page, paginate, reply, response } from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { listen, serveBlueprints } from '../support/client.js'

const TEXT = { headers: { 'Content-Type': 'text/plain' } }

async function* failing() {
  yield 'begun'.repeat(1000)
  await new Promise(resolve => setTimeout(resolve, 20))
  throw new Error('planned')
}

describe('a stream of a method', () => {
  it.each([
    ['a Node stream', () => Readable.from(failing())],
    ['a ReadableStream', () => ReadableStream.from(failing())],
    ['a Response', () => new Response(ReadableStream.from(failing()) as never, TEXT)],
  ])('that fails behind koa-compress ends the response, and is logged: %s', async (_, body) => {
    const app = new Koa().use(compress({ threshold: 0 }))
    const errors: Error[] = []
    app.on('error', error => errors.push(error))
    const all = new Blueprint('all')
    all.get('/x', operation(response({ contentType: 'text/plain' })), body as never)
    new Api(app, { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING: false }).registerBlueprint(all)
    const port = await listen(app)
    const headers = { 'Accept-Encoding': 'gzip' }
    const request = httpGet({ port, host: '127.0.0.1', path: '/x', headers, agent: false })
    request.on('error', () => undefined)
    const [received] = await once(request, 'response').catch(error => [error])
    if ('complete' in received) {
      received.on('error', () => undefined).resume()
      await new Promise(resolve => received.once('close', resolve))
    }
    expect([received.complete ?? false, errors.map(String)]).toEqual([false, ['Error: planned']])
  })

  it.each([
    ['a Node stream', () => new Readable({ read() {} })],
    ['a ReadableStream', undefined],
    ['a Response', undefined],
  ])('is let go if its reply is refused: %s', async (kind, make) => {
    let isCancelled = false
    const source = new ReadableStream({
      cancel() {
        isCancelled = true
      },
    })
    const stream = make?.()
    const value = stream ?? (kind === 'a Response' ? new Response(source) : source)
    expect(() => reply(value, { 'X-Name': '日本' })).toThrow(TypeError)
    expect(stream?.destroyed ?? isCancelled).toBe(true)
  })

  it('is let go if its status is refused', () => {
    const stream = new Readable({ read() {} })
    expect(() => reply(stream, 99)).toThrow(TypeError)
    expect(stream.destroyed).toBe(true)
  })
})

describe('an iterable that nothing streams', () => {
  async function* rows() {
    yield 1
  }
  function* syncRows() {
    yield 1
  }

  it.each([
    ['without a response', operation(), rows],
    ['under response()', operation(response()), rows],
    ['under a codec', operation(response(t.array(t.number))), rows],
    ['under another media type', operation(response({ contentType: 'text/csv' })), rows],
    ['under etag()', operation(etag(), response()), rows],
    ['which is a generator', operation(response()), syncRows],
  ])('is an error that names lines and events: %s', async (_, descriptor, method) => {
    const all = new Blueprint('all')
    all.get('/x', descriptor as never, method as never)
    const { request, errors } = await serveBlueprints(all, { DEBUG: false, TESTING: false })
    const { status, text } = await request('GET', '/x')
    expect([status, text]).toEqual([500, '{"code":500,"status":"Internal Server Error"}'])
    expect(errors.map(({ message }) => message)).toEqual([
      `${method.name} (GET /x): the method returned an iterable, which no feature of the operation streams: declare lines(codec) or events(codec), or return a list`,
    ])
  })

  it('may be a collection that a pager pages', async () => {
    class Cursor extends Page<AsyncIterable<number>> {
      override get itemCount() {
        return 1
      }
      override get items() {
        return Promise.resolve([1])
      }
    }
    const all = new Blueprint('all')
    all.get('/x', operation(paginate(Cursor), response(t.array(t.number))), () => rows())
    const { request } = await serveBlueprints(all)
    expect((await request('GET', '/x')).body).toEqual([1])
  })
})

it('Retry-After of a reply takes the place of the one that the method has set', async () => {
  const all = new Blueprint('all')
  all.get('/x', operation(response()), ctx => {
    ctx.set('Retry-After', '1')
    return reply(null, { 'Retry-After': '2' })
  })
  const { request } = await serveBlueprints(all)
  expect((await request('GET', '/x')).headers.get('Retry-After')).toBe('2')
})
