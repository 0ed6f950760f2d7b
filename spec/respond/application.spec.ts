import { once } from 'node:events'
import { connect as connectHttp2, constants, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as t from 'io-ts'
import Koa from 'koa'
import compose from 'koa-compose'
import {
  type AnyBlueprint,
  Api,
  Application,
  Blueprint,
  type Context,
  type Feature,
  json,
  operation,
  response,
} from 'koa-smorest'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { serve } from '../support/client.js'

const Pet = t.strict({ name: t.string }, 'Pet')
const PRODUCTION = { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING: false } as const

function withApi<App extends Koa>(
  app: App,
  blueprint: AnyBlueprint = new Blueprint('pets').get('/pet', operation(response(Pet)), () => ({
    name: 'Rex',
  })),
): App {
  app.silent = true
  new Api(app, PRODUCTION).registerBlueprint(blueprint)
  return app
}

async function portOf(app: Koa): Promise<number> {
  const server = app.listen(0, '127.0.0.1')
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

/** The bytes of a response, without the date. */
async function bytesOf(app: Koa, method: string): Promise<string> {
  app.silent = true
  const socket = connect(await portOf(app), '127.0.0.1')
  socket.end(request('/').replace('GET', method))
  let bytes = ''
  for await (const piece of socket) bytes += String(piece)
  return bytes.replace(/^Date: .*\r\n/m, '')
}

describe('an Application with middleware', () => {
  it.each<[string, object, ((ctx: Koa.Context) => unknown)?]>([
    ['a string', { body: 'Rex \u{1F415}' }],
    ['an empty string', { body: '' }],
    ['bytes', { body: Buffer.from('Rex') }],
    ['an object', { body: { name: 'Rex' } }],
    ['null', { body: null }],
    ['nothing', {}],
    ['a status', { status: 202 }],
    ['304 after a string', { body: 'Rex', status: 304 }],
    ['a string after 204', { status: 204, body: 'Rex' }],
    ['a string after 205', { status: 205, body: 'Rex' }],
    ['a response that has ended', { body: 'Rex' }, ({ res }) => res.end('own '.repeat(1e6))],
    ['a head that is sent', { body: 'Rex' }, ({ res }) => res.flushHeaders()],
    ['a string without its length', { body: 'Rex' }, ctx => ctx.remove('Content-Length')],
    ['a string with a Trailer', { body: 'Rex' }, ctx => ctx.set('Trailer', 'X-Late')],
    ['204 with a Trailer', { status: 204 }, ctx => ctx.set('Trailer', 'X-Late')],
    ['an error', {}, ctx => ctx.throw(418, 'short')],
  ])('sends the bytes of Koa for %s', async (_, properties, change) => {
    const middleware: Koa.Middleware = ctx => {
      Object.assign(ctx, properties)
      change?.(ctx)
    }
    for (const method of ['GET', 'HEAD', 'POST'])
      expect(await bytesOf(new Application().use(middleware), method), method).toBe(
        await bytesOf(new Koa().use(middleware), method),
      )
  })
})

describe.each([
  ['a Koa', () => new Koa()],
  ['an Application', () => new Application()],
])('%s', (_name, make) => {
  it('gives an error of one HTTP/2 stream to that stream only', async () => {
    const blueprint = new Blueprint('streams')
      .get('/slow', operation(response(Pet)), async () => {
        await sleep(100)
        return { name: 'Rex' }
      })
      .get('/broken', operation(response({ contentType: 'text/plain' })), ctx => {
        ctx.res.write('begun')
        throw new Error('broken')
      })
      .post('/pet', operation(json(Pet), response(Pet)), (_ctx, pet) => pet)
    const emitted: string[] = []
    const app = withApi(make(), blueprint).on('error', (error, ctx) =>
      emitted.push(`${ctx.path}: ${error.message}`),
    )
    const server = createHttp2Server(app.callback() as never).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const send = async (headers: object, body?: string) => {
      const stream = session.request({ ...headers })
      let text = ''
      let status: unknown
      stream.setEncoding('utf8').on('data', chunk => {
        text += chunk
      })
      stream.on('response', head => {
        status = head[':status']
      })
      stream.on('error', () => undefined)
      stream.end(body)
      await once(stream, 'close').catch(() => undefined)
      return { status, text }
    }
    const reset = session.request({ ':path': '/slow?reset' }).on('error', () => undefined)
    setTimeout(() => reset.close(constants.NGHTTP2_INTERNAL_ERROR), 50)
    const [slow, broken, posted] = await Promise.all([
      send({ ':path': '/slow' }),
      send({ ':path': '/broken' }),
      send(
        { ':path': '/pet', ':method': 'POST', 'content-type': 'application/json' },
        '{"name":"Ann"}',
      ),
    ])
    session.close()
    server.close()
    // which of the two comes first is up to the network
    expect({ slow, posted, emitted: emitted.sort() }).toEqual({
      slow: { status: 200, text: '{"name":"Rex"}' },
      posted: { status: 200, text: '{"name":"Ann"}' },
      emitted: ['/broken: broken', '/slow: Stream closed with error code NGHTTP2_INTERNAL_ERROR'],
    })
    expect(broken.text).toBe('begun')
  })

  it('makes contexts of prototypes that were replaced, by whichever of the two names', async () => {
    const app = withApi(make())
    const seen: unknown[] = []
    app.middleware.push((ctx: Context) => {
      seen.push([
        ctx.own,
        (ctx.request as { own?: string }).own,
        (ctx.response as { own?: string }).own,
      ])
      ctx.body = ''
    })
    const send = await serve(app)
    await send('GET', '/before')
    app.context = Object.assign(Object.create(app.context), { own: 'context' })
    app.request = Object.assign(Object.create(app.request), { own: 'request' })
    app.response = Object.assign(Object.create(app.response), { own: 'response' })
    await send('GET', '/after')
    expect(seen).toEqual([
      [undefined, undefined, undefined],
      ['context', 'request', 'response'],
    ])
  })

  it('keeps nothing of a request while its connection is idle', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    let kept: WeakRef<Context> | undefined
    const blueprint = new Blueprint('kept').get('/', operation(response(Pet)), ctx => {
      kept = new WeakRef(ctx)
      return { name: 'Rex' }
    })
    const socket = connect(await portOf(withApi(make(), blueprint)), '127.0.0.1')
    socket.write(request('/'))
    await once(socket, 'data')
    for (let round = 0; round < 50 && kept?.deref() !== undefined; round++) {
      await sleep(10)
      collect()
    }
    expect(kept?.deref()).toBeUndefined()
    socket.destroy()
  })

  it('tells an error of a connection to the request whose response it breaks, of several that came at once', async () => {
    let [arrived, release] = [0, () => {}]
    const released = new Promise<void>(resolve => (release = resolve))
    const held = new Blueprint('held').get('/:n', operation(response(Pet)), async () => {
      arrived++
      await released
      return { name: 'Rex' }
    })
    const app = withApi(make(), held)
    const emitted: string[] = []
    app.on('error', (error, ctx) => emitted.push(`${ctx?.path} ${error.code}`))
    const socket = connect(await portOf(app), '127.0.0.1')
    socket.write(request('/1') + request('/2') + request('/3'))
    await vi.waitFor(() => expect(arrived).toBe(3))
    socket.resetAndDestroy()
    await vi.waitFor(() => expect(emitted).not.toEqual([]))
    release()
    await sleep(20)
    expect(emitted).toEqual(['/1 ECONNRESET'])
  })

  it('responds through Koa if compose, handleRequest or respond is not its own', async () => {
    const bodies: unknown[] = []
    const compose =
      (middleware: ((ctx: Context, next: () => Promise<unknown>) => unknown)[]) =>
      async (ctx: Context) => {
        const run = async (index: number): Promise<unknown> =>
          middleware[index]?.(ctx, () => run(index + 1))
        await run(0)
        bodies.push(ctx.body)
      }
    const composed = make()
    Object.assign(composed, { compose })
    const handled = make() as Koa & {
      handleRequest(ctx: Context, handle: (ctx: Context) => Promise<void>): Promise<void>
    }
    const { handleRequest } = handled
    handled.handleRequest = (ctx, handle) =>
      handleRequest.call(handled, ctx, async ctx => {
        await handle(ctx)
        bodies.push(ctx.body)
      })
    for (const app of [composed, handled])
      expect((await (await serve(withApi(app)))('GET', '/pet')).body).toEqual({ name: 'Rex' })
    expect(bodies).toEqual(['{"name":"Rex"}', '{"name":"Rex"}'])
  })

  it('runs middleware that is wrapped, or composed by a callback of its own', async () => {
    const seen: string[] = []
    const see = (name: string) => async (_ctx: unknown, next: () => Promise<unknown>) => {
      seen.push(name)
      await next()
    }
    const wrapped = withApi(make())
    const [, dispatcher] = wrapped.middleware as [unknown, Koa.Middleware]
    wrapped.middleware[1] = (ctx, next) => see('wrapped')(ctx, async () => dispatcher(ctx, next))
    const composed = withApi(make())
    const handler = composed as unknown as {
      handleRequest(ctx: Context, handle: unknown): Promise<void>
    }
    const handle = compose([see('composed'), ...composed.middleware])
    composed.callback = () => (req, res) =>
      handler.handleRequest(composed.createContext(req as never, res as never), handle)
    for (const send of [await serve(wrapped), await serve(composed)])
      expect((await send('GET', '/pet')).body).toEqual({ name: 'Rex' })
    expect(seen).toEqual(['wrapped', 'composed'])
  })

  it('leaves a response alone that the method has taken over, even before it begins', async () => {
    const taken = new Blueprint('taken').get('/', operation(response()), ctx => {
      ctx.respond = false
      setTimeout(() => ctx.res.writeHead(202, { 'X-Own': 'yes' }).end('mine'), 30)
    })
    const { status, text, headers } = await (await serve(withApi(make(), taken)))('GET', '/')
    expect({ status, text, own: headers.get('X-Own') }).toEqual({
      status: 202,
      text: 'mine',
      own: 'yes',
    })
  })

  it('responds with 500 if a header field cannot be written, instead of never', async () => {
    const broken: Feature<Record<never, never>> = {
      on: () => [
        { stage: 'encode', step: ({ headers }) => void headers.push(['X-Broken', 'a\r\nb']) },
      ],
    }
    const blueprint = new Blueprint('broken')
      .get('/feature', operation(broken, response(Pet)), () => ({ name: 'Rex' }))
      .get('/trailer', operation(response(Pet)), ctx => {
        ctx.set({ Trailer: 'X-Late', 'Transfer-Encoding': 'chunked' })
        return { name: 'Rex' }
      })
    const send = await serve(withApi(make(), blueprint))
    expect(await send('GET', '/feature')).toMatchObject({ status: 500, body: { code: 500 } })
    expect(await send('GET', '/trailer')).toMatchObject({ status: 200, text: '{"name":"Rex"}' })
  })
})
