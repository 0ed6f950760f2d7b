import { once } from 'node:events'
import { connect } from 'node:net'
import * as t from 'io-ts'
import Koa from 'koa'
import { Api, abort, Blueprint, type Context, type Failure, json, operation, response } from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serve, serveBlueprints } from './support/client.js'

const frozen = Object.freeze(Object.assign(new Error('frozen secret'), { status: 200 }))
const trap = new Error('trap secret')
Object.defineProperty(trap, 'status', {
  get() {
    throw new Error('getter secret')
  },
})
const THROWN: Record<string, unknown> = {
  error: new Error('secret'),
  text: 'secret',
  null: null,
  undefined: undefined,
  number: 404,
  frozen,
  trap,
  exposed: Object.assign(new Error('driver secret'), { expose: true, status: 500 }),
  odd: Object.assign(new Error('secret'), { status: 999 }),
}

const errors = new Blueprint('errors')
errors.get('/thrown/:what', operation(), (_ctx, { what }) => {
  throw THROWN[what]
})
errors.get('/rejected/:what', operation(), (_ctx, { what }) => Promise.reject(THROWN[what]))
errors.get('/left', operation(), () => ({ _tag: 'Left', left: 'secret' }))
errors.get('/task', operation(response(t.strict({ ok: t.boolean }))), () => async () => ({ _tag: 'Right', right: { ok: true } }) as const)
errors.get('/abort/:code<int>', operation(), (_ctx, { code }) => abort(code))
errors.get('/details', operation(), () =>
  abort(401, {
    message: 'Who are you?',
    errors: { field: ['wrong'] },
    headers: { 'WWW-Authenticate': 'Basic' },
    cause: new Error('secret'),
  }),
)
errors.get('/foreign', operation(), ctx => ctx.throw(403, 'secret', { headers: { 'X-Reason': 'yes' } }))
errors.get('/framing', operation(), () => abort(400, { headers: { 'Content-Length': '3' } }))
errors.get('/split', operation(), () => abort(400, { headers: { 'X-A': 'a\r\nX-Injected: 1' } }))
errors.get('/cycle', operation(response(t.strict({ a: t.unknown }))), () => {
  const cycle: { a?: unknown } = {}
  cycle.a = cycle
  return cycle as { a: unknown }
})
errors.get('/misfit', operation(response(t.strict({ n: t.number }))), () => ({ n: 'secret' }) as never)
errors.get('/nothing', operation(response(t.strict({ n: t.number }))), () => undefined as never)
errors.post('/body', operation(json(t.strict({ n: t.number }))), () => null)

const served = await serveBlueprints(errors, { DEBUG: true })
const { request } = served
const INTERNAL = { code: 500, status: 'Internal Server Error' }

describe('whatever is thrown', () => {
  it.each(Object.keys(THROWN).flatMap(what => [`/thrown/${what}`, `/rejected/${what}`]))(
    '%s is a bare 500, and is emitted (T49)',
    async path => {
      const before = served.errors.length
      const { status, body, headers } = await request('GET', path)
      expect([status, body, headers.get('Content-Type')]).toEqual([500, INTERNAL, 'application/json; charset=utf-8'])
      expect(served.errors.length).toBe(before + 1)
    },
  )

  it.each(['/left', '/cycle', '/misfit', '/nothing', '/framing'])('so is a fault of the application (%s)', async path => {
    expect((await request('GET', path)).body).toEqual(INTERNAL)
  })

  it('names operation and field of a result that does not fit, to the developer only', async () => {
    await request('GET', '/misfit')
    expect(String(served.errors.at(-1))).toMatch(/\bn\b/)
    expect(String(served.errors.at(-1))).not.toContain('secret')
  })

  it('gives the status of a foreign error, not its message', async () => {
    const { body, headers } = await request('GET', '/foreign')
    expect([body, headers.get('X-Reason')]).toEqual([{ code: 403, status: 'Forbidden' }, 'yes'])
  })
})

describe('abort', () => {
  it('sends its code, message, errors and header fields, not its cause', async () => {
    const { body, headers, text } = await request('GET', '/details')
    expect(body).toEqual({ code: 401, status: 'Unauthorized', message: 'Who are you?', errors: { field: ['wrong'] } })
    expect(headers.get('WWW-Authenticate')).toBe('Basic')
    expect(text).not.toContain('secret')
  })

  it.each([200, 304, 399, 600, 999])('is a fault with %i, no status of an error (T48)', async code => {
    expect((await request('GET', `/abort/${code}`)).body).toEqual(INTERNAL)
  })

  it('never makes two header fields of one (T45)', async () => {
    const { status, headers } = await request('GET', '/split')
    expect([status, headers.has('X-Injected')]).toEqual([400, false])
  })
})

describe('what no operation responds to', () => {
  it.each(['/nowhere', '/abort', '/__proto__', '/constructor', '//'])('is 404 (%s)', async path => {
    expect((await request('GET', path)).body).toEqual({ code: 404, status: 'Not Found' })
  })

  it('is 405 with Allow where the path has other methods', async () => {
    const { status, body, headers } = await request('DELETE', '/left')
    expect([status, body, headers.get('Allow')]).toEqual([405, { code: 405, status: 'Method Not Allowed' }, 'OPTIONS, HEAD, GET'])
  })

  it('is 200 with Allow for OPTIONS', async () => {
    const { status, text, headers } = await request('OPTIONS', '/body')
    expect([status, text, headers.get('Allow')]).toEqual([200, '', 'OPTIONS, POST'])
  })

  it.each(['/%ff', '/%zz', '/abort/%'])('is 400 where the path is malformed (%s, T28)', async path => {
    expect((await request('GET', path)).status).toBe(400)
  })
})

describe('the guard', () => {
  it('responds to what other middleware throws, and keeps the header fields that it has set', async () => {
    const app = new Koa()
    app.silent = true
    app.use((ctx, next) => {
      ctx.set('Access-Control-Allow-Origin', '*')
      ctx.set('Vary', 'Origin')
      return next()
    })
    app.use((ctx, next) => (ctx.path === '/middleware' ? Promise.reject(new Error('secret')) : next()))
    new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(errors)
    const request = await serve(app)
    for (const path of ['/middleware', '/thrown/error', '/nowhere']) {
      const { headers, body } = await request('GET', path)
      expect([path, headers.get('Access-Control-Allow-Origin'), headers.get('Vary'), typeof body.code]).toEqual([
        path,
        '*',
        'Origin',
        'number',
      ])
    }
  })

  it('leaves alone what later middleware responds to', async () => {
    const app = new Koa()
    new Api(app, { OPENAPI_VERSION: '3.1.0' })
    app.use(ctx => {
      ctx.body = 'mine'
    })
    expect((await (await serve(app))('GET', '/mine')).text).toBe('mine')
  })

  it('joins the methods of all Apis of an app in one Allow', async () => {
    const app = new Koa()
    new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(new Blueprint('a').get('/x', operation(), () => 1))
    new Api(app, { OPENAPI_VERSION: '3.0.3' }).registerBlueprint(new Blueprint('b').put('/x', operation(), () => 1))
    const { status, headers } = await (await serve(app))('DELETE', '/x')
    expect([status, headers.get('Allow')]).toEqual([405, 'OPTIONS, HEAD, GET, PUT'])
    expect((await (await serve(app))('PUT', '/x')).body).toBe(1)
  })

  it('hands every failure to the Api that it is of, which may respond in its own way', async () => {
    const seen: Failure[] = []
    class Own extends Api {
      override handleHttpException(failure: Failure, ctx: Context) {
        seen.push(failure)
        super.handleHttpException({ ...failure, message: 'own' }, ctx)
      }
    }
    const app = new Koa()
    app.silent = true
    new Own(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(errors)
    const request = await serve(app)
    const bodies = await Promise.all([request('GET', '/thrown/error'), request('POST', '/body'), request('GET', '/nowhere')])
    expect(bodies.map(({ body }) => [body.code, body.message])).toEqual([
      [500, 'own'],
      [422, 'own'],
      [404, 'own'],
    ])
    expect(seen.find(({ code }) => code === 500)?.cause).toBe(THROWN.error)
  })

  it('closes the connection where the response has begun', async () => {
    const app = new Koa()
    app.silent = true
    new Api(app, { OPENAPI_VERSION: '3.1.0' })
    app.use(ctx => {
      ctx.res.write('begun')
      throw new Error('late')
    })
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as { port: number }).port, '127.0.0.1')
    socket.resume().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'close')
    server.close()
  })
})

it('unwraps a TaskEither', async () => {
  expect((await request('GET', '/task')).body).toEqual({ ok: true })
})
