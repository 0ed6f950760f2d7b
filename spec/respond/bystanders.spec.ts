import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Application,
  Blueprint,
  etag,
  operation,
  query,
  redirect,
  response,
} from 'koa-smorest'
import mocks from 'node-mocks-http'
import { pinoHttp } from 'pino-http'
import serverless from 'serverless-http'
import { afterAll, describe, expect, it, vi } from 'vitest'

type Around = (req: IncomingMessage, res: ServerResponse, next: () => void) => void
const morgan = createRequire(import.meta.url)('morgan') as (
  format: string,
  options: { stream: { write(line: string): void } },
) => Around

const Pet = t.strict({ name: t.string }, 'Pet')

/** An app whose responses are written past Koa, as in production, if nobody looks on. */
function appOf(make: () => Koa): Koa {
  const app = make()
  app.silent = true
  const pets = new Blueprint('pets')
    .get('/pet', operation(etag(), response(Pet)), () => ({ name: 'Rex' }))
    .get('/search', operation(query(t.type({ n: t.string })), response(Pet)), () => ({
      name: 'Rex',
    }))
    .get('/moved', operation(response({ code: 303 })), () => redirect('/pet', 303))
    .get('/gone', operation(response({ code: 204 })), () => undefined)
  new Api(app, { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING: false }).registerBlueprint(pets)
  return app
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Serves the app behind a function of the kind that Connect calls middleware. */
function behind(around: Around, app: Koa): Promise<string> {
  const callback = app.callback()
  return listen((req, res) => around(req, res, () => void callback(req, res)))
}

type Message = { readonly response: ServerResponse; readonly ctx: Koa.Context }

function subscribe(name: string, read: (message: Message) => void): { stop: () => void } {
  const listener = (message: unknown) => read(message as Message)
  channel(name).subscribe(listener)
  return { stop: () => void channel(name).unsubscribe(listener) }
}

function listening(event: string, read: (res: ServerResponse) => void): Around {
  return (_req, res, next) => {
    res.once(event, () => read(res))
    next()
  }
}

const TAG = '"O3_bwLI2GVtr9FYRtNPVLb"'
const STATUSES = {
  '/pet': 200,
  '/search': 422,
  '/moved': 303,
  '/gone': 204,
  '/nowhere': 404,
} as const

it('an Application passes header fields to writeHead at once if nobody can read them later', async () => {
  const kept: unknown[] = []
  const callback = appOf(() => new Application()).callback()
  const url = await listen(async (req, res) => {
    await callback(req, res)
    kept.push(res.headersSent, res.getHeaderNames())
  })
  const response = await fetch(`${url}/pet`)
  expect(response.headers.get('ETag')).toBe(TAG)
  await (await fetch(`${url}/search`)).text()
  expect(kept).toEqual([true, [], true, []])
})

describe.each([
  ['a Koa', () => new Koa()],
  ['an Application', () => new Application()],
])('around %s', (_name, make) => {
  it('morgan sees status, header fields and the end of every response', async () => {
    const lines: string[] = []
    const url = await behind(
      morgan(':url :status :res[content-length] :res[etag]', {
        stream: { write: line => lines.push(line) },
      }),
      appOf(make),
    )
    for (const [path, status] of Object.entries(STATUSES)) {
      const response = await fetch(url + path, { redirect: 'manual' })
      expect({ path, status: response.status }).toEqual({ path, status })
      await response.text()
    }
    // to morgan a length of 0 is none
    expect(lines).toEqual([
      `/pet 200 14 ${TAG}\n`,
      '/search 422 106 -\n',
      '/moved 303 - -\n',
      '/gone 204 - -\n',
      '/nowhere 404 33 -\n',
    ])
  })

  it('a logger that reads the header fields of a finished response finds all of them', async () => {
    const logged: { res: { statusCode: number; headers: object } }[] = []
    const stream = new Writable({
      write(line, _encoding, done) {
        logged.push(JSON.parse(String(line)))
        done()
      },
    })
    const url = await behind(pinoHttp({}, stream) as Around, appOf(make))
    for (const headers of [{}, { 'If-None-Match': TAG }])
      await (await fetch(`${url}/pet`, { headers })).text()
    await (await fetch(`${url}/search`)).text()
    const json = { 'content-type': 'application/json; charset=utf-8' }
    expect(logged.map(({ res }) => res)).toEqual([
      { statusCode: 200, headers: { etag: TAG, ...json, 'content-length': 14 } },
      { statusCode: 304, headers: { etag: TAG } },
      { statusCode: 422, headers: { ...json, 'content-length': 106 } },
    ])
  })

  it.each<
    [string, (read: (res: ServerResponse) => void) => { around?: Around; stop?: () => void }]
  >([
    ['the close of the response', read => ({ around: listening('close', read) })],
    ['the end of the response', read => ({ around: listening('finish', read) })],
    [
      'the channel of node:http for finished responses',
      read => subscribe('http.server.response.finish', ({ response }) => read(response)),
    ],
    [
      'the channel of operations',
      read => subscribe('tracing:koa-smorest.operation:asyncEnd', ({ ctx }) => read(ctx.res)),
    ],
  ])('%s shows the header fields', async (_place, observe) => {
    const tags: unknown[] = []
    const { around = (_req, _res, next) => next(), stop } = observe(res =>
      tags.push(res.getHeader('ETag')),
    )
    try {
      const url = await behind(around, appOf(make))
      await (await fetch(`${url}/pet`, { headers: { Connection: 'close' } })).text()
      await vi.waitFor(() => expect(tags).toEqual([TAG]))
    } finally {
      stop?.()
    }
  })

  it('a wrapper of writeHead adds a header field, and one of end changes the body', async () => {
    const seen: unknown[] = []
    const around: Around = (_req, res, next) => {
      const { writeHead, end } = res
      res.writeHead = ((...given: Parameters<typeof writeHead>) => {
        seen.push(given)
        res.setHeader('X-Wrapped', 'yes')
        return Reflect.apply(writeHead, res, given)
      }) as typeof writeHead
      res.end = ((body: string) => {
        res.removeHeader('Content-Length')
        return Reflect.apply(end, res, [body.toUpperCase()])
      }) as typeof end
      next()
    }
    const response = await fetch(`${await behind(around, appOf(make))}/pet`)
    expect({
      wrapped: response.headers.get('X-Wrapped'),
      etag: response.headers.get('ETag'),
      text: await response.text(),
      seen,
    }).toEqual({
      wrapped: 'yes',
      etag: TAG,
      text: '{"NAME":"REX"}',
      seen: [[200]],
    })
  })

  it('serverless-http gives the same header fields as a server', async () => {
    const handler = serverless(appOf(make)) as (
      event: object,
      context: object,
    ) => Promise<{ statusCode: number; headers: object; body: string }>
    const event = { httpMethod: 'GET', headers: {}, body: '', requestContext: {} }
    const json = { 'content-type': 'application/json; charset=utf-8' }
    expect(await handler({ ...event, path: '/pet' }, {})).toMatchObject({
      statusCode: 200,
      headers: { etag: TAG, ...json, 'content-length': '14' },
      body: '{"name":"Rex"}',
    })
    const { headers } = await handler({ ...event, path: '/search' }, {})
    expect(Object.keys(headers).sort()).toEqual(['content-length', 'content-type'])
  })

  it('node-mocks-http has the response in its mock, though its request has no socket', async () => {
    for (const [path, status] of Object.entries(STATUSES)) {
      const req = mocks.createRequest({ method: 'GET', url: path })
      const res = mocks.createResponse({ req })
      await appOf(make).callback()(req, res)
      expect({ path, status: res.statusCode, ended: res.writableEnded }).toEqual({
        path,
        status,
        ended: true,
      })
      expect(Object.keys(res.getHeaders()).filter(name => /\d/.test(name))).toEqual([])
      if (path === '/pet')
        expect({ etag: res.getHeader('ETag'), body: res._getJSONData() }).toEqual({
          etag: TAG,
          body: { name: 'Rex' },
        })
    }
  })
})
