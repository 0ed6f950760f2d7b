import { once } from 'node:events'
import { get as httpGet } from 'node:http'
import { constants } from 'node:http2'
import { PassThrough, type Readable } from 'node:stream'
import fc from 'fast-check'
import Koa from 'koa'
import compress from 'koa-compress'
import {
  Api,
  Application,
  Blueprint,
  type Feature,
  operation,
  type ResultStream,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { listen, listenHttp2 } from '../support/client.js'

type Body = ResultStream['body']

/** Sends the async iterable that the method returns. */
const streamed = (options: Partial<ResultStream> = {}): Feature<Record<never, never>> => ({
  on: () => [
    {
      stage: 'encode',
      step(exchange) {
        const body = exchange.result as Body
        exchange.stream = { mediaType: 'text/plain; charset=utf-8', body, ...options }
      },
      docs: () => ({ responses: { 200: { description: 'OK', content: { 'text/plain': {} } } } }),
    },
  ],
})

interface Ran {
  readonly app: Koa
  readonly api: Api
  readonly errors: Error[]
  readonly ended: string[]
}

/** An application whose GET /x streams what `body` returns. */
function streaming(
  body: (signal: AbortSignal, ended: string[]) => Body,
  { app = new Koa(), options = {} as Partial<ResultStream>, status = 200 } = {},
): Ran {
  const errors: Error[] = []
  const ended: string[] = []
  app.on('error', error => errors.push(error))
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING: false })
  const all = new Blueprint('all')
  const watched: Feature<Record<never, never>> = {
    on: () => [
      { stage: 'begin', step: exchange => exchange.onEnd(() => ended.push('onEnd')) },
      { stage: 'tag', step: exchange => void Object.assign(exchange, { status }) },
    ],
  }
  all.get('/x', operation(watched, streamed(options)), (_ctx, { signal }) => {
    signal.addEventListener('abort', () => ended.push('aborted'))
    return body(signal, ended)
  })
  api.registerBlueprint(all)
  return { app, api, errors, ended }
}

const texts = (...all: (string | Uint8Array)[]) =>
  async function* () {
    yield* all
  }

/** A response as it arrives: its pieces, and whether it was complete. */
async function receive(port: number, headers: Record<string, string> = {}) {
  const request = httpGet({ port, host: '127.0.0.1', path: '/x', headers, agent: false })
  const [response] = await once(request, 'response')
  let text = ''
  response.on('data', (piece: Buffer) => {
    text += piece
  })
  response.on('error', () => undefined)
  await new Promise(resolve => response.once('close', resolve))
  return { status: response.statusCode, text, isComplete: response.complete as boolean }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 5))
}

const WAYS = [
  ['a Koa', () => new Koa()],
  ['an Application', () => new Application()],
  ['a Koa with middleware', () => new Koa().use((_ctx, next) => next())],
  ['a Koa with koa-compress', () => new Koa().use(compress({ threshold: 0 }))],
] as const

describe.each(WAYS)('a stream, on %s', (_, make) => {
  it('is sent as text and bytes', async () => {
    const { app, errors, ended } = streaming(texts('a', Buffer.from('b'), 'ç'), { app: make() })
    const port = await listen(app)
    expect(await receive(port)).toEqual({ status: 200, text: 'abç', isComplete: true })
    await until(() => ended.length > 0)
    expect({ errors, ended }).toEqual({ errors: [], ended: ['onEnd'] })
  })

  it('that fails is logged once, and its response is incomplete', async () => {
    const { app, errors, ended } = streaming(
      async function* () {
        yield 'begun'
        await new Promise(resolve => setTimeout(resolve, 20))
        throw new Error('planned')
      },
      { app: make() },
    )
    const port = await listen(app)
    expect(await receive(port)).toEqual({ status: 200, text: 'begun', isComplete: false })
    await until(() => ended.includes('onEnd'))
    expect(errors.map(String)).toEqual(['Error: planned'])
  })

  it('ends with its client: the signal aborts, then the iterator is returned, unlogged', async () => {
    const { app, errors, ended } = streaming(
      async function* (signal, ended) {
        try {
          yield 'begun'
          await new Promise((_, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason)),
          )
        } finally {
          ended.push('returned')
        }
      },
      { app: make() },
    )
    const port = await listen(app)
    const request = httpGet({ port, host: '127.0.0.1', path: '/x', agent: false })
    const [response] = await once(request, 'response')
    await once(
      response.on('error', () => undefined),
      'data',
    )
    request.destroy()
    await until(() => ended.includes('onEnd'))
    expect({ errors, ended }).toEqual({ errors: [], ended: ['aborted', 'returned', 'onEnd'] })
  })
})

describe('a stream', () => {
  it('writes together what is ready together, at the end of the turn', async () => {
    const { app } = streaming(async function* () {
      yield* ['a', 'b', 'c']
      await new Promise(resolve => setTimeout(resolve, 30))
      yield* ['d', 'e']
    })
    const written: string[] = []
    app.middleware.unshift((ctx, next) => {
      const write = ctx.res.write.bind(ctx.res) as (...given: unknown[]) => boolean
      ctx.res.write = ((piece: Buffer, ...more: unknown[]) => {
        written.push(String(piece))
        return write(piece, ...more)
      }) as never
      return next()
    })
    await receive(await listen(app))
    expect(written).toEqual(['abc', 'de'])
  })

  it('writes at most 16 KiB of strings together', async () => {
    const row = 'x'.repeat(1000)
    const { app } = streaming(texts(...new Array(40).fill(row)))
    const sizes: number[] = []
    app.middleware.unshift((ctx, next) => {
      const write = ctx.res.write.bind(ctx.res) as (...given: unknown[]) => boolean
      ctx.res.write = ((piece: Buffer, ...more: unknown[]) => {
        sizes.push(piece.length)
        return write(piece, ...more)
      }) as never
      return next()
    })
    await receive(await listen(app))
    expect(sizes).toEqual([16_000, 16_000, 8_000])
  })

  it('is read no faster than the client reads', async () => {
    let read = 0
    const { app, ended } = streaming(async function* () {
      for (; read < 100_000; read++) yield 'x'.repeat(1000)
    })
    const port = await listen(app)
    const request = httpGet({ port, host: '127.0.0.1', path: '/x', agent: false })
    const [response] = await once(request, 'response')
    response.pause()
    let before = -1
    while (before !== read) {
      before = read
      await new Promise(resolve => setTimeout(resolve, 50))
    }
    expect(read).toBeLessThan(50_000)
    request.destroy()
    await until(() => ended.includes('onEnd'))
  })

  it('disconnects a client that takes nothing for the time of `stall`, unlogged', async () => {
    const { app, errors, ended } = streaming(
      async function* () {
        for (;;) yield 'x'.repeat(10_000)
      },
      { options: { stall: 50 } },
    )
    const port = await listen(app)
    const request = httpGet({ port, host: '127.0.0.1', path: '/x', agent: false })
    const [response] = await once(request, 'response')
    response.on('error', () => undefined).pause()
    await until(() => ended.includes('onEnd'))
    request.destroy()
    expect({ errors, ended }).toEqual({ errors: [], ended: ['aborted', 'onEnd'] })
  })

  it('reaches middleware that reads its body beside Koa', async () => {
    const pieces: string[] = []
    const app = new Koa().use(async (ctx, next) => {
      await next()
      const body = ctx.body as Readable
      body.on('data', piece => pieces.push(String(piece)))
    })
    const { errors } = streaming(texts('a', Buffer.from('b'), 'c'), { app })
    expect((await receive(await listen(app))).text).toBe('abc')
    expect([pieces.join(''), errors]).toEqual(['abc', []])
  })

  it('may be piped to two places by middleware', async () => {
    const copy = new PassThrough()
    const app = new Koa().use(async (ctx, next) => {
      await next()
      const body = ctx.body as Readable
      ctx.body = body.pipe(new PassThrough())
      body.pipe(copy)
    })
    streaming(texts('a', Buffer.from('b'), 'c'), { app })
    expect((await receive(await listen(app))).text).toBe('abc')
    expect(String(Buffer.concat(await copy.toArray()))).toBe('abc')
  })

  it.each([
    ['and ends the response', undefined, 'abc'],
    ['and leaves the end to it', { end: false }, 'abc, by hand'],
  ])('may be piped into the response by middleware, %s', async (_, options, text) => {
    const app = new Koa().use(async (ctx, next) => {
      await next()
      ctx.respond = false
      const body = ctx.body as Readable
      ctx.status = 200
      body.pipe(ctx.res, options)
      if (options) body.once('end', () => ctx.res.end(', by hand'))
    })
    const { ended } = streaming(texts('a', Buffer.from('b'), 'c'), { app })
    expect(await receive(await listen(app))).toEqual({ status: 200, text, isComplete: true })
    await until(() => ended.length > 0)
    expect(ended).toEqual(['onEnd'])
  })

  it('is not read again after its end', async () => {
    let calls = 0
    const body: Body = {
      [Symbol.asyncIterator]: () => ({
        next: async () =>
          calls++ < 20
            ? { done: false, value: Buffer.alloc(100_000) }
            : { done: true, value: undefined },
      }),
    }
    const { app } = streaming(() => body)
    expect((await receive(await listen(app))).isComplete).toBe(true)
    expect(calls).toBe(21)
  })

  it('of any pieces arrives whole, however it is sent and read', async () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.uint8Array({ maxLength: 20 }),
      fc.nat(70_000).map(length => 'ü'.repeat(length)),
      fc.nat(70_000).map(length => new Uint8Array(length).fill(1)),
    )
    const pause = fc.constantFrom('none', 'microtask', 'turn')
    let pieces: readonly (readonly [string | Uint8Array, string])[] = []
    const ports = await Promise.all(
      WAYS.map(([, make]) => {
        const { app } = streaming(
          async function* () {
            for (const [piece, pause] of pieces) {
              if (pause === 'microtask') await undefined
              if (pause === 'turn') await new Promise(setImmediate)
              yield piece
            }
          },
          { app: make() },
        )
        return listen(app)
      }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(piece, pause), { maxLength: 12 }),
        fc.constantFrom(...ports),
        async (given, port) => {
          pieces = given
          const response = await fetch(`http://127.0.0.1:${port}/x`)
          const whole = Buffer.concat(given.map(([piece]) => Buffer.from(piece as string)))
          expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), whole)).toBe(0)
        },
      ),
      { numRuns: 150 },
    )
  })

  it.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ])('is returned unsent for %s with %i', async (method, status) => {
    let isReturned = false
    const body: Body = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: 'x' }),
        return: async () => {
          isReturned = true
          return { done: true, value: undefined }
        },
      }),
    }
    const { app, errors, ended } = streaming(() => body, { status })
    const response = await fetch(`http://127.0.0.1:${await listen(app)}/x`, { method })
    await until(() => ended.includes('onEnd'))
    expect([response.status, await response.text(), isReturned, errors]).toEqual([
      status,
      '',
      true,
      [],
    ])
  })

  it('arrives whole over HTTP/2, at a client that pauses', async () => {
    const pieces = Array.from({ length: 40 }, (_, index) =>
      index % 3 === 0 ? new Uint8Array(50_000).fill(index) : 'ü'.repeat(index * 500),
    )
    const { app, errors } = streaming(texts(...pieces))
    const session = await listenHttp2(app)
    const stream = session.request({ ':path': '/x' })
    const received: Buffer[] = []
    for await (const piece of stream) {
      received.push(piece as Buffer)
      await new Promise(resolve => setTimeout(resolve, 1))
    }
    const whole = Buffer.concat(pieces.map(piece => Buffer.from(piece as string)))
    expect([Buffer.compare(Buffer.concat(received), whole), errors]).toEqual([0, []])
  })

  it('is broken off over HTTP/2 with INTERNAL_ERROR if it fails, and is logged once', async () => {
    const { app, errors, ended } = streaming(async function* () {
      yield 'begun'
      await new Promise(resolve => setTimeout(resolve, 20))
      throw new Error('planned')
    })
    const session = await listenHttp2(app)
    const stream = session.request({ ':path': '/x' }).on('error', () => undefined)
    let text = ''
    stream.setEncoding('utf8').on('data', piece => {
      text += piece
    })
    await once(stream, 'close').catch(() => undefined)
    await until(() => ended.includes('onEnd'))
    expect({ text, code: stream.rstCode, errors: errors.map(String) }).toEqual({
      text: 'begun',
      code: constants.NGHTTP2_INTERNAL_ERROR,
      errors: ['Error: planned'],
    })
  })
})

describe('api.stop', () => {
  const endless = async function* (signal: AbortSignal, ended: string[]) {
    yield 'begun'
    try {
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      )
    } finally {
      ended.push('returned')
    }
  }

  it.each([
    ['completes an endless stream', true],
    ['breaks off a stream that is not done', false],
  ])('%s, unlogged', async (_, isEndless) => {
    const { app, api, errors, ended } = streaming(endless, { options: { isEndless } })
    const port = await listen(app)
    const received = receive(port)
    await until(() => ended.length === 0)
    await new Promise(resolve => setTimeout(resolve, 50))
    api.stop()
    expect(await received).toEqual({ status: 200, text: 'begun', isComplete: isEndless })
    await until(() => ended.includes('onEnd'))
    expect({ errors, ended }).toEqual({ errors: [], ended: ['aborted', 'returned', 'onEnd'] })
    const late = await fetch(`http://127.0.0.1:${port}/x`)
    expect([late.status, late.headers.get('Retry-After')]).toEqual([503, '1'])
  })

  it('leaves ordinary requests alone', async () => {
    const app = new Koa()
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' })
    const all = new Blueprint('all')
    let isAborted: boolean | undefined
    all.get('/x', operation(), async (_ctx, { signal }) => {
      api.stop()
      await new Promise(resolve => setTimeout(resolve, 20))
      isAborted = signal.aborted
      return { done: true }
    })
    api.registerBlueprint(all)
    const port = await listen(app)
    const first = await fetch(`http://127.0.0.1:${port}/x`)
    const second = await fetch(`http://127.0.0.1:${port}/x`)
    expect([first.status, second.status, isAborted]).toEqual([200, 200, false])
  })
})
