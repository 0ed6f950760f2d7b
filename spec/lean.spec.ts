import EventEmitter, { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Application,
  abort,
  altResponse,
  Blueprint,
  type Context,
  etag,
  type Failure,
  int,
  json,
  MethodView,
  operation,
  Page,
  paginate,
  query,
  reply,
  response,
} from 'koa-smorest'
import { afterAll, describe, expect, it } from 'vitest'

const Pet = t.strict({ name: t.string }, 'Pet')
const pet = { name: 'Réx 🐶' }
const Shelf = t.strict({ names: t.array(t.string) }, 'Shelf')
const shelf = { names: Array<string>(300).fill('Rex') }

/** Emits `begun` when a request is held. */
const held = new EventEmitter()

class Shelves extends MethodView {
  static shared = operation(etag({ load: () => shelf, requireIfMatch: false }))

  static get = operation(response(Shelf))
  get() {
    return shelf
  }

  static put = operation(response(Shelf))
  put() {
    return shelf
  }
}

class Wrapped extends Blueprint {
  override prepareResponseContent(data: unknown) {
    return { data }
  }
}

function application(setUp: (app: Koa) => void, app: Koa = new Koa({ keys: ['key'] })): Koa {
  app.silent = true
  setUp(app)
  const views = new Blueprint('views')
  const of = response(Pet)
  views.get('/value', operation(of), () => pet)
  views.get('/later', operation(of), async () => pet)
  views.get('/null', operation(response()), () => null)
  views.get('/text', operation(response()), () => 'text')
  views.get('/list', operation(etag(), response(t.array(Pet)), paginate(Page)), () =>
    Array(30).fill(pet),
  )
  const many = (name: string) =>
    Array.from({ length: 300 }, (_, index) => ({ name: `${name} ${index}` }))
  const long = operation(etag(), response(t.array(Pet)), paginate(Page, { maxPageSize: 300 }))
  views.get('/long', long, () => many('Rex'))
  views.get('/long-text', long, () => many('Réx'))
  views.get('/long-untagged', operation(response(t.array(Pet))), () => many('Rex'))
  views.get('/long-set', operation(etag(), response(t.array(Pet))), ctx => {
    ctx.set('X-Own', 'Réx')
    return many('Rex')
  })
  views.route('/long-loaded', Shelves)
  views.get(
    '/tagged',
    operation(etag({ load: () => pet, tag: () => 1, lastModified: () => new Date(0) }), of),
    () => pet,
  )
  views.get('/missing', operation(etag({ load: () => undefined, tag: () => 1 }), of), () => pet)
  views.get(
    '/missing-set',
    operation(
      etag({
        load(ctx): undefined {
          ctx.set({ 'Content-Language': 'de', 'X-Own': 'yes' })
        },
        tag: () => 1,
      }),
      of,
    ),
    () => pet,
  )
  views.get(
    '/number',
    operation(query(t.type({ n: int }), { errorStatusCode: 499 }), of),
    () => pet,
  )
  views.get('/held', operation(of), async ctx => {
    held.emit('begun')
    await once(ctx.res, 'close')
    return pet
  })
  views.get('/no-content', operation(response({ code: 204 })), () => undefined)
  views.get('/reset', operation(response({ code: 205 })), () => undefined)
  views.get('/status/:code<int>', operation(of), (_ctx, { code }) => reply(pet, code))
  views.get('/headers', operation(of), () =>
    reply(pet, { 'X-One': 'un', 'Set-Cookie': ['a=1', 'b=2'], ETag: '"own"', Vary: 'Accept' }),
  )
  views.get('/pairs', operation(of), () =>
    reply(pet, [
      ['X-One', 'un'],
      ['X-One', 'deux'],
    ]),
  )
  views.get('/set', operation(of), ctx => {
    ctx.set('X-Set', 'yes')
    ctx.append('Vary', 'Origin')
    ctx.type = 'text/html'
    ctx.status = 202
    ctx.length = 3
    return pet
  })
  views.get('/set-then-304', operation(etag(), of), ctx => {
    ctx.set({
      'Content-Language': 'de',
      'Cache-Control': 'no-cache',
      'Last-Modified': 'Thu, 01 Jan 1970 00:00:00 GMT',
    })
    return pet
  })
  views.get('/message', operation(of), ctx => {
    ctx.message = 'My own'
    return pet
  })
  views.get('/cookies', operation(of), ctx => {
    ctx.cookies.set('plain', 'a')
    ctx.cookies.set('signed', 'b', { signed: true })
    return pet
  })
  views.get('/redirect', operation(response()), ctx => {
    ctx.redirect('/value')
  })
  views.get('/stream', operation(response({ contentType: 'text/plain' })), ctx => {
    ctx.type = 'text/plain'
    ctx.body = Readable.from(['a', 'b'], { objectMode: false })
  })
  views.get('/buffer', operation(response({ contentType: 'application/octet-stream' })), () =>
    Buffer.from('abc'),
  )
  views.get(
    '/response',
    operation(response()),
    () => new Response('plain', { status: 203, headers: { 'X-One': 'un' } }),
  )
  views.get('/taken', operation(response()), ctx => {
    ctx.respond = false
    ctx.res.end('taken')
    return pet
  })
  views.get('/begun', operation(of), ctx => {
    ctx.res.flushHeaders()
    return pet
  })
  views.get('/abort', operation(altResponse(409)), () =>
    abort(409, { message: 'no', headers: { 'X-Why': 'so' } }),
  )
  views.get('/throw', operation(), () => Promise.reject(new Error('secret')))
  views.get('/misfit', operation(of), () => ({ name: 1 }) as never)
  views.post('/json', operation(json(Pet), of), (_ctx, value) => value)
  const wrapped = new Wrapped('wrapped', { urlPrefix: '/wrapped' })
  wrapped.get('/', operation(etag(), of), () => pet)
  wrapped.get('/long', long, () => many('Rex'))
  const api = new Api(app, {
    OPENAPI_VERSION: '3.1.0',
    OPENAPI_URL_PREFIX: '/docs',
    DEBUG: false,
    TESTING: false,
  })
  api.registerBlueprint(views).registerBlueprint(wrapped)
  return app
}

async function listen(app: Koa): Promise<number> {
  const server = app.listen(0, '127.0.0.1')
  afterAll(() => server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/**
 * The answer as it comes over the wire, its header fields in order of their names; the date is not
 * compared.
 */
async function answerOf(port: number, request: string): Promise<readonly string[]> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  let text = ''
  socket.on('data', chunk => {
    text += chunk
  })
  socket.write(request)
  await once(socket, 'close')
  const [head = '', ...body] = text.split('\r\n\r\n')
  const [status = '', ...fields] = head.split('\r\n')
  return [
    status,
    ...fields
      .filter(field => !field.startsWith('Date:'))
      .map(lowerName)
      .sort(),
    body.join('\r\n\r\n'),
  ]
}
const lowerName = (field: string): string => field.replace(/^[^:]+/, name => name.toLowerCase())

const emitted = new Map<string, string[]>()
const listenAs = (name: string, app: Koa, isWatched: boolean): Promise<number> => {
  const errors: string[] = []
  emitted.set(name, errors)
  const setUp = (app: Koa) => {
    app.on('error', error => errors.push(error.message))
    if (isWatched) app.use((_ctx, next) => next())
  }
  return listen(application(setUp, app))
}

const options = { keys: ['key'] }
const stock = await listenAs('stock', new Koa(options), true)
const LEAN: Record<string, number> = {
  'alone on a Koa': await listenAs('alone on a Koa', new Koa(options), false),
  'alone on an Application': await listenAs(
    'alone on an Application',
    new Application(options),
    false,
  ),
  'behind middleware on an Application': await listenAs(
    'behind middleware on an Application',
    new Application(options),
    true,
  ),
}

const PATHS =
  `value later null text list long?page_size=300 long-text?page_size=300 long-untagged long-set long-loaded wrapped/long?page_size=300 list?page=9 tagged no-content reset headers pairs set set-then-304 message cookies redirect stream
  buffer response taken begun abort throw misfit wrapped/ nowhere value/ status/201 status/206 status/299 status/400 status/404 status/500
  missing missing-set number number?n=x&n=%22 docs/openapi.json %ff`.split(/\s+/)
const FIELDS = [
  '',
  'If-None-Match: *\r\n',
  'If-None-Match: "1"\r\n',
  'If-Match: "x"\r\n',
  'If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT\r\n',
]

describe.each(Object.keys(LEAN))('an Api %s responds as one behind middleware on a Koa', name => {
  const lean = LEAN[name] as number

  it.each(PATHS)('/%s', async path => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
      for (const field of method === 'GET' || method === 'HEAD' ? FIELDS : ['']) {
        const request = `${method} /${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${field}\r\n`
        expect(await answerOf(lean, request), request).toEqual(await answerOf(stock, request))
      }
    }
  })

  it.each(['{"name":"Rex"}', '{"name":1}', '{', ''])('POST of %j', async body => {
    const request = `POST /json HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    expect(await answerOf(lean, request)).toEqual(await answerOf(stock, request))
  })

  it.each(['text/plain', 'application/json; charset=latin1'])(
    'POST of %s, whose body is not read',
    async type => {
      const request = `POST /json HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: 3\r\n\r\nabc`
      expect(await answerOf(lean, request)).toEqual(await answerOf(stock, request))
    },
  )

  it('to HTTP/1.0, and on a connection that is kept', async () => {
    for (const request of [
      'GET /value HTTP/1.0\r\n\r\n',
      'GET /value HTTP/1.1\r\nHost: x\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    ]) {
      expect(undated(await answerOf(lean, request))).toEqual(
        undated(await answerOf(stock, request)),
      )
    }
  })

  it('emits the same errors, those of a connection that breaks included', async () => {
    for (const port of [lean, stock]) await breakConnection(port)
    const errors = emitted.get(name) as string[]
    expect(errors.length).toBeGreaterThan(0)
    // each lean one was compared with the stock one, which has seen them all
    expect(new Set(errors)).toEqual(new Set(emitted.get('stock')))
    expect(errors.filter(message => message.includes('ECONNRESET')).length).toBe(1)
  })
})

const undated = (answer: readonly string[]): string =>
  answer.join('\n').replaceAll(/Date: [^\r\n]+/g, '')

/** Goes away with a reset in the middle of a request that is being answered. */
async function breakConnection(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  const begun = once(held, 'begun')
  socket.write('GET /held HTTP/1.1\r\nHost: x\r\n\r\n')
  await begun
  socket.resetAndDestroy()
  await sleep(150)
}

describe('an Application', () => {
  it('makes contexts as Koa makes them', async () => {
    const app = new Application()
    const koa = new Koa()
    app.context.own = koa.context.own = 'yes'
    for (const one of [app, koa] as const) {
      one.use(ctx => {
        const names = (object: object) => Object.keys(object).sort()
        const isOf = (object: object, prototype: object) =>
          Object.getPrototypeOf(object) === prototype
        ctx.body = [
          names(ctx),
          names(ctx.request),
          names(ctx.response),
          isOf(ctx, one.context),
          isOf(ctx.request, one.request),
          isOf(ctx.response, one.response),
          ctx.own,
        ]
      })
    }
    const request = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    expect(await answerOf(await listen(app), request)).toEqual(
      await answerOf(await listen(koa), request),
    )
    expect(app).toBeInstanceOf(Koa)
  })
})

describe('an Api', () => {
  it('is no longer alone when middleware joins', async () => {
    const app = application(() => undefined)
    const port = await listen(app)
    const bodies: unknown[] = []
    const request = 'GET /value HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    const before = await answerOf(port, request)
    app.middleware.unshift(async (ctx, next) => {
      await next()
      bodies.push(ctx.body)
    })
    const joined = await listen(app)
    expect(await answerOf(joined, request)).toEqual(before)
    expect(bodies).toEqual([JSON.stringify(pet)])
  })

  it('leaves a refused request to an override of its own, which may change the response', async () => {
    class Own extends Api {
      override handleHttpException(failure: Failure, ctx: Context) {
        super.handleHttpException(failure, ctx)
        ctx.set('X-Own', String(failure.code))
        ctx.body = `${ctx.body} `
      }
    }
    const app = new Koa()
    const views = new Blueprint('views')
    views.get('/', operation(query(t.type({ n: int })), response(Pet)), () => pet)
    new Own(app, { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING: false }).registerBlueprint(
      views,
    )
    const answer = await answerOf(
      await listen(app),
      'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    )
    expect(answer).toContain('x-own: 422')
    expect(answer.at(-1)).toMatch(/\} $/)
  })

  it('is not alone behind the middleware of a Blueprint', async () => {
    const app = new Koa()
    const seen: unknown[] = []
    const views = new Blueprint('views').use(async (ctx, next) => {
      await next()
      seen.push(ctx.body)
    })
    views.get('/', operation(response(Pet)), () => pet)
    new Api(app, { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING: false }).registerBlueprint(
      views,
    )
    await answerOf(await listen(app), 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(seen).toEqual([JSON.stringify(pet)])
  })
})
