import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import * as t from 'io-ts'
import Koa from 'koa'
import { Api, abort, altResponse, Blueprint, etag, json, operation, Page, paginate, reply, response } from 'koa-smorest'
import { afterAll, describe, expect, it } from 'vitest'

const Pet = t.strict({ name: t.string }, 'Pet')
const pet = { name: 'Réx 🐶' }

class Wrapped extends Blueprint {
  override prepareResponseContent(data: unknown) {
    return { data }
  }
}

function application(setUp: (app: Koa) => void): Koa {
  const app = new Koa({ keys: ['key'] })
  app.silent = true
  setUp(app)
  const views = new Blueprint('views')
  const of = response(Pet)
  views.get('/value', operation(of), () => pet)
  views.get('/later', operation(of), async () => pet)
  views.get('/null', operation(response()), () => null)
  views.get('/text', operation(response()), () => 'text')
  views.get('/list', operation(etag(), response(t.array(Pet)), paginate(Page)), () => Array(30).fill(pet))
  views.get('/tagged', operation(etag({ load: () => pet, tag: () => 1, lastModified: () => new Date(0) }), of), () => pet)
  views.get('/no-content', operation(response({ code: 204 })), () => undefined)
  views.get('/reset', operation(response({ code: 205 })), () => undefined)
  views.get('/status/:code<int>', operation(of), (_ctx, { code }) => reply(pet, code))
  views.get('/headers', operation(of), () => reply(pet, { 'X-One': 'un', 'Set-Cookie': ['a=1', 'b=2'], ETag: '"own"', Vary: 'Accept' }))
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
    ctx.set({ 'Content-Language': 'de', 'Cache-Control': 'no-cache', 'Last-Modified': 'Thu, 01 Jan 1970 00:00:00 GMT' })
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
  views.get('/buffer', operation(response({ contentType: 'application/octet-stream' })), () => Buffer.from('abc'))
  views.get('/response', operation(response()), () => new Response('plain', { status: 203, headers: { 'X-One': 'un' } }))
  views.get('/taken', operation(response()), ctx => {
    ctx.respond = false
    ctx.res.end('taken')
    return pet
  })
  views.get('/begun', operation(of), ctx => {
    ctx.res.flushHeaders()
    return pet
  })
  views.get('/abort', operation(altResponse(409)), () => abort(409, { message: 'no', headers: { 'X-Why': 'so' } }))
  views.get('/throw', operation(), () => Promise.reject(new Error('secret')))
  views.get('/misfit', operation(of), () => ({ name: 1 }) as never)
  views.post('/json', operation(json(Pet), of), (_ctx, value) => value)
  const wrapped = new Wrapped('wrapped', { urlPrefix: '/wrapped' })
  wrapped.get('/', operation(etag(), of), () => pet)
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs', DEBUG: false, TESTING: false })
  api.registerBlueprint(views).registerBlueprint(wrapped)
  return app
}

async function listen(app: Koa): Promise<number> {
  const server = app.listen(0, '127.0.0.1')
  afterAll(() => server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** The answer as it comes over the wire, its header fields in order of their names; the date is not compared. */
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

const emitted = { alone: [] as string[], watched: [] as string[] }
const alone = await listen(application(app => app.on('error', error => emitted.alone.push(error.message))))
const watched = await listen(
  application(app => {
    app.on('error', error => emitted.watched.push(error.message))
    app.use((_ctx, next) => next())
  }),
)

const PATHS = `value later null text list list?page=9 tagged no-content reset headers pairs set set-then-304 message cookies redirect stream
  buffer response taken begun abort throw misfit wrapped/ nowhere value/ status/201 status/206 status/299 status/400 status/404 status/500
  docs/openapi.json %ff`.split(/\s+/)
const FIELDS = [
  '',
  'If-None-Match: *\r\n',
  'If-None-Match: "1"\r\n',
  'If-Match: "x"\r\n',
  'If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT\r\n',
]

describe('an Api that is alone on its app answers as one behind other middleware', () => {
  it.each(PATHS)('/%s', async path => {
    for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS']) {
      for (const field of method === 'GET' || method === 'HEAD' ? FIELDS : ['']) {
        const request = `${method} /${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${field}\r\n`
        expect(await answerOf(alone, request), request).toEqual(await answerOf(watched, request))
      }
    }
  })

  it.each(['{"name":"Rex"}', '{"name":1}', '{', ''])('POST of %j', async body => {
    const request = `POST /json HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    expect(await answerOf(alone, request)).toEqual(await answerOf(watched, request))
  })

  it('to HTTP/1.0', async () => {
    const request = 'GET /value HTTP/1.0\r\n\r\n'
    expect(await answerOf(alone, request)).toEqual(await answerOf(watched, request))
  })

  it('emits the same errors', () => {
    expect(emitted.alone.length).toBeGreaterThan(0)
    expect(emitted.alone).toEqual(emitted.watched)
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

  it('is not alone behind the middleware of a Blueprint', async () => {
    const app = new Koa()
    const seen: unknown[] = []
    const views = new Blueprint('views').use(async (ctx, next) => {
      await next()
      seen.push(ctx.body)
    })
    views.get('/', operation(response(Pet)), () => pet)
    new Api(app, { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING: false }).registerBlueprint(views)
    await answerOf(await listen(app), 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(seen).toEqual([JSON.stringify(pet)])
  })
})
