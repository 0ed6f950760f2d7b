import { once } from 'node:events'
import { connect } from 'node:net'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  Blueprint,
  type Context,
  type Failure,
  json,
  operation,
  Refusal,
  response,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serve, serveBlueprints } from './support/client.js'

const INTERNAL = { code: 500, status: 'Internal Server Error' }

/** The first and only response of a view, and what the app has emitted. */
async function outcomeOf(view: (ctx: Context) => unknown, codec?: t.Mixed) {
  const views = new Blueprint('views').get(
    '/',
    operation(...(codec ? [response(codec)] : [])),
    view as () => never,
  )
  const { request, errors } = await serveBlueprints(views, { DEBUG: true })
  return { ...(await request('GET', '/')), emitted: errors }
}

describe('what a method throws', () => {
  const frozen = Object.freeze(Object.assign(new Error('frozen secret'), { status: 200 }))
  const trap = Object.defineProperty(new Error('trap secret'), 'status', {
    get() {
      throw new Error('getter secret')
    },
  })
  const thrown: readonly (readonly [what: string, value: unknown])[] = [
    ['an error', new Error('secret')],
    ['a text', 'secret'],
    ['null', null],
    ['undefined', undefined],
    ['a number', 404],
    ['a frozen error with the status 200', frozen],
    ['an error whose status throws', trap],
    [
      'an error that says it may be exposed',
      Object.assign(new Error('driver secret'), { expose: true, status: 500 }),
    ],
    ['an error with the status 999', Object.assign(new Error('secret'), { status: 999 })],
  ]

  it.each(thrown)(
    'is a bare 500 and is emitted once, thrown or rejected: %s (T49)',
    async (_what, value) => {
      const throwing = () => {
        throw value
      }
      for (const view of [throwing, () => Promise.reject(value)]) {
        const { status, body, headers, emitted } = await outcomeOf(view)
        expect({
          status,
          body,
          type: headers.get('Content-Type'),
          emitted: emitted.length,
        }).toEqual({
          status: 500,
          body: INTERNAL,
          type: 'application/json; charset=utf-8',
          emitted: 1,
        })
      }
    },
  )

  it('is sent with the status and header fields of an error of Koa, but without its message', async () => {
    const { status, body, headers } = await outcomeOf(ctx =>
      ctx.throw(403, 'secret', { headers: { 'X-Reason': 'yes' } }),
    )
    expect({ status, body, reason: headers.get('X-Reason') }).toEqual({
      status: 403,
      body: { code: 403, status: 'Forbidden' },
      reason: 'yes',
    })
  })
})

describe('a result that cannot be sent', () => {
  const cycle: { a?: unknown } = {}
  cycle.a = cycle

  it.each<[what: string, result: unknown, codec: t.Mixed | undefined]>([
    [
      'a Left of something else than an Error or a problem',
      { _tag: 'Left', left: 'secret' },
      undefined,
    ],
    ['a cycle', cycle, t.strict({ a: t.unknown })],
    ['a field of another type', { n: 'secret' }, t.strict({ n: t.number })],
    ['nothing, for a codec', undefined, t.strict({ n: t.number })],
  ])('is a bare 500: %s', async (_what, result, codec) => {
    const { status, body, emitted } = await outcomeOf(() => result, codec)
    expect({ status, body, emitted: emitted.length }).toEqual({
      status: 500,
      body: INTERNAL,
      emitted: 1,
    })
  })

  it('is emitted with its operation and field, and without its value', async () => {
    const { emitted } = await outcomeOf(() => ({ n: 'secret' }), t.strict({ n: t.number }))
    expect(String(emitted[0])).toMatch(/GET \/.*\bn\b/s)
    expect(String(emitted[0])).not.toContain('secret')
  })
})

describe('a TaskEither', () => {
  it('is run, and its Right is the result', async () => {
    const { status, body } = await outcomeOf(
      () => async () => ({ _tag: 'Right', right: { ok: true } }),
      t.strict({ ok: t.boolean }),
    )
    expect({ status, body }).toEqual({ status: 200, body: { ok: true } })
  })
})

describe('abort', () => {
  it('sends its code, message, errors and header fields, and not its cause', async () => {
    const { status, text, headers } = await outcomeOf(() =>
      abort(401, {
        message: 'Who are you?',
        errors: { field: ['wrong'] },
        headers: { 'WWW-Authenticate': 'Basic' },
        cause: new Error('secret'),
      }),
    )
    expect({ status, text, challenge: headers.get('WWW-Authenticate') }).toEqual({
      status: 401,
      text: '{"code":401,"status":"Unauthorized","message":"Who are you?","errors":{"field":["wrong"]}}',
      challenge: 'Basic',
    })
  })

  it.each([200, 304, 399, 400.5, 499, 600, 999, Number.NaN])(
    'is a bare 500 with %d, which is not the status of an error (T48)',
    async code => {
      const { body, emitted } = await outcomeOf(() => abort(code))
      expect({ body, emitted: emitted.map(({ message }) => message) }).toEqual({
        body: INTERNAL,
        emitted: [`abort() takes the status code of an error, 400 to 599, not ${code}`],
      })
    },
  )

  it.each([399, 400.5, 600])('is for a code of an error, as a Refusal is, not for %d', code => {
    expect(() => new Refusal(code)).toThrow(/^a Refusal .*400 to 599, not [\d.]+$/)
  })

  it('is a bare 500 with a header field that frames the response', async () => {
    const { body, emitted } = await outcomeOf(() =>
      abort(400, { headers: { 'Content-Length': '3' } }),
    )
    expect({ body, emitted: emitted.map(({ message }) => message) }).toEqual({
      body: INTERNAL,
      emitted: ['abort() cannot set Content-Length: the server frames the response'],
    })
  })

  it('never makes two header fields of one (T45)', async () => {
    const { status, headers } = await outcomeOf(() =>
      abort(400, { headers: { 'X-A': 'a\r\nX-Injected: 1' } }),
    )
    expect({ status, injected: headers.get('X-Injected') }).toEqual({ status: 400, injected: null })
  })
})

describe('a request that no operation matches', () => {
  const views = new Blueprint('views')
    .get('/pets/:id<int>', operation(), () => null)
    .post('/body', operation(), () => null)

  it.each(['/nowhere', '/pets', '/pets/x', '/__proto__', '/constructor', '//'])(
    'is a 404: %s',
    async path => {
      const { request } = await serveBlueprints(views)
      const { status, body } = await request('GET', path)
      expect({ status, body }).toEqual({ status: 404, body: { code: 404, status: 'Not Found' } })
    },
  )

  it('is a 405 with Allow if the path has other methods', async () => {
    const { request } = await serveBlueprints(views)
    const { status, body, headers } = await request('DELETE', '/pets/7')
    expect({ status, body, allow: headers.get('Allow') }).toEqual({
      status: 405,
      body: { code: 405, status: 'Method Not Allowed' },
      allow: 'OPTIONS, HEAD, GET',
    })
  })

  it('is an empty 200 with Allow if the method is OPTIONS', async () => {
    const { request } = await serveBlueprints(views)
    const { status, text, headers } = await request('OPTIONS', '/body')
    expect({ status, text, allow: headers.get('Allow') }).toEqual({
      status: 200,
      text: '',
      allow: 'OPTIONS, POST',
    })
  })

  it.each(['/%ff', '/%zz', '/pets/%'])(
    'is a 400 if the path is malformed: %s (T28)',
    async path => {
      const { request } = await serveBlueprints(views)
      expect((await request('GET', path)).status).toBe(400)
    },
  )

  it('is a 405 whose Allow has the methods of all Apis of the app', async () => {
    const app = new Koa()
    new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(
      new Blueprint('a').get('/x', operation(), () => 1),
    )
    new Api(app, { OPENAPI_VERSION: '3.0.3' }).registerBlueprint(
      new Blueprint('b').put('/x', operation(), () => 1),
    )
    const request = await serve(app)
    const { status, headers } = await request('DELETE', '/x')
    expect({ status, allow: headers.get('Allow') }).toEqual({
      status: 405,
      allow: 'OPTIONS, HEAD, GET, PUT',
    })
    expect((await request('PUT', '/x')).body).toBe(1)
  })
})

describe('the error boundary', () => {
  it('responds to what any middleware throws, and keeps the header fields that are set by then', async () => {
    const app = new Koa()
    app.silent = true
    app.use((ctx, next) => {
      ctx.set('Access-Control-Allow-Origin', '*')
      ctx.set('Vary', 'Origin')
      return next()
    })
    app.use((ctx, next) =>
      ctx.path === '/middleware' ? Promise.reject(new Error('secret')) : next(),
    )
    const views = new Blueprint('views').get('/method', operation(), () =>
      Promise.reject(new Error('secret')),
    )
    new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(views)
    const request = await serve(app)
    for (const [path, code] of Object.entries({
      '/middleware': 500,
      '/method': 500,
      '/nowhere': 404,
    })) {
      const { headers, body } = await request('GET', path)
      const fields = {
        origin: headers.get('Access-Control-Allow-Origin'),
        vary: headers.get('Vary'),
      }
      expect({ path, code: body.code, ...fields }).toEqual({
        path,
        code,
        origin: '*',
        vary: 'Origin',
      })
    }
  })

  it('leaves alone what middleware after the Api responds to', async () => {
    const app = new Koa()
    new Api(app, { OPENAPI_VERSION: '3.1.0' })
    app.use(ctx => {
      ctx.body = 'mine'
    })
    const { status, text } = await (await serve(app))('GET', '/mine')
    expect({ status, text }).toEqual({ status: 200, text: 'mine' })
  })

  it('passes thrown, refused and unmatched requests to handleHttpException, each with its cause', async () => {
    const seen: Failure[] = []
    class Own extends Api {
      override handleHttpException(failure: Failure, ctx: Context) {
        seen.push(failure)
        super.handleHttpException({ ...failure, message: 'own' }, ctx)
      }
    }
    const app = new Koa()
    app.silent = true
    const error = new Error('secret')
    const views = new Blueprint('views')
      .get('/thrown', operation(), () => Promise.reject(error))
      .post('/refused', operation(json(t.strict({ n: t.number }))), () => null)
    new Own(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(views)
    const request = await serve(app)
    const said = async (method: string, path: string) => {
      const { body } = await request(method, path)
      return { code: body.code, message: body.message }
    }
    expect(await said('GET', '/thrown')).toEqual({ code: 500, message: 'own' })
    expect(await said('POST', '/refused')).toEqual({ code: 422, message: 'own' })
    expect(await said('GET', '/nowhere')).toEqual({ code: 404, message: 'own' })
    expect(seen.map(({ code, cause }) => ({ code, cause }))).toEqual([
      { code: 500, cause: error },
      { code: 422, cause: undefined },
      { code: 404, cause: undefined },
    ])
  })

  it('closes the connection if the response has begun when something is thrown', async () => {
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
    let text = ''
    socket.on('data', chunk => {
      text += chunk
    })
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'close')
    server.close()
    // the last chunk, which says that a response is whole, is missing
    expect(text).toMatch(/begun\r\n$/)
  })
})
