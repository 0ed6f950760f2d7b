// A response that no client understands is worse than an error: of an informational status it waits
// for the final one.
import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Application,
  Blueprint,
  CompleteResponse,
  type Context,
  type Failure,
  type Feature,
  HttpException,
  operation,
  Refusal,
  reply,
  response,
  type StepResult,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { listen, serve } from '../support/client.js'
import { serveEveryWay, WAYS, type Way } from '../support/every-way.js'

const Pet = t.strict({ name: t.string }, 'Pet')
const pet = { name: 'Rex' }
const IMPOSSIBLE = [100, 101, 103, 199, 600, 999]
const FAILED = { status: 500, body: { code: 500 } }

/** Fails with a message, where a request would otherwise wait for ever. */
const soon = () => ({ signal: AbortSignal.timeout(5000) })

/** What a method does with a status, by the path of its operation. */
const SETTING: Readonly<Record<string, (ctx: Context, status: number) => unknown>> = {
  value: (ctx, status) => {
    ctx.status = status
    return pet
  },
  later: async (ctx, status) => {
    await null
    ctx.status = status
    return pet
  },
  node: (ctx, status) => {
    ctx.res.statusCode = status
    return pet
  },
  reply: (ctx, status) => {
    ctx.status = status
    return reply(pet, { 'X-One': 'un' })
  },
  buffer: (ctx, status) => {
    ctx.status = status
    return Buffer.from('Rex')
  },
  stream: (ctx, status) => {
    ctx.status = status
    return Readable.from(['Rex'])
  },
  koa: (ctx, status) => {
    ctx.status = status
    ctx.body = 'Rex'
  },
  fetch: (_ctx, status) => Object.defineProperty(new Response('Rex'), 'status', { value: status }),
}

const statusOf = (ctx: Context) => Number(ctx.query.status)

const settingTo101 = (exchange: { status: number }): void => {
  exchange.status = 101
}

const settingStatuses = () =>
  Object.entries(SETTING).reduce(
    (blueprint, [path, set]) =>
      blueprint.get(`/${path}`, operation(response(Pet)), ((ctx: Context) =>
        set(ctx, statusOf(ctx))) as never),
    new Blueprint('statuses') as Blueprint,
  )

describe('a status that no response can have', () => {
  it.each(Object.keys(SETTING))(
    'is a 500 that names the method and the status, however the method sets it: %s',
    async path => {
      const messages: string[] = []
      const clients = await serveEveryWay({
        blueprint: settingStatuses,
        onError: ({ message }) => messages.push(message),
      })
      for (const way of WAYS)
        for (const status of IMPOSSIBLE)
          expect({
            way,
            status,
            response: await clients[way]('GET', `/${path}?status=${status}`, soon()),
          }).toMatchObject({
            response: FAILED,
          })
      expect(messages).toEqual(
        WAYS.flatMap(() =>
          IMPOSSIBLE.map(status =>
            expect.stringMatching(
              `^${path} \\(GET /${path}\\): the method .* status ${status}\\b.*200`,
            ),
          ),
        ),
      )
    },
  )

  it('is a 500 if the method gives it to Node, which does not look at it', async () => {
    const blueprint = () =>
      ['0', 'NaN', "'200'"].reduce(
        (blueprint, status, index) =>
          blueprint.get(`/${index}`, operation(response(Pet)), ctx => {
            ctx.res.statusCode = [0, Number.NaN, '200'][index] as number
            return { name: status }
          }),
        new Blueprint('node') as Blueprint,
      )
    const clients = await serveEveryWay({ blueprint })
    for (const way of WAYS)
      for (const index of [0, 1, 2])
        expect({ way, index, ...(await clients[way]('GET', `/${index}`, soon())) }).toMatchObject(
          FAILED,
        )
  })

  it('is a 500 if middleware sets it, of the Blueprint or of the application', async () => {
    const set = async (ctx: Context, next: () => Promise<unknown>) => {
      await next()
      if (ctx.query.status) ctx.status = statusOf(ctx)
    }
    const inner = await serveEveryWay({
      blueprint: () => new Blueprint('pets').use(set).get('/', operation(response(Pet)), () => pet),
    })
    const outer = await serveEveryWay({
      blueprint: () => new Blueprint('pets').get('/', operation(response(Pet)), () => pet),
      prepare: app => app.use(set),
    })
    for (const clients of [inner, outer])
      for (const way of WAYS) {
        expect(await clients[way]('GET', '/?status=103', soon())).toMatchObject(FAILED)
        expect(await clients[way]('GET', '/')).toMatchObject({ status: 200, body: pet })
      }
  })

  it('is a 500 if a feature sets it, or makes a response or a refusal of it', async () => {
    const doing = (
      stage: 'access' | 'encode',
      step: (ctx: { status: number }) => StepResult,
    ): Feature<Record<never, never>> => ({
      on: () => [{ stage, step }],
    })
    const messages = new Map<Way, string[]>()
    const clients = await serveEveryWay({
      blueprint: () =>
        new Blueprint('features')
          .get('/status', operation(doing('encode', settingTo101), response(Pet)), () => pet)
          .get(
            '/complete',
            operation(
              doing('access', () => new CompleteResponse(100, [], 'Rex')),
              response(Pet),
            ),
            () => pet,
          )
          .get(
            '/refusal',
            operation(
              doing('access', () => new Refusal(101)),
              response(Pet),
            ),
            () => pet,
          )
          .get('/thrown', operation(response(Pet)), () => {
            throw new HttpException({ code: 100 })
          }),
      onError: ({ message }, way) => messages.set(way, [...(messages.get(way) ?? []), message]),
    })
    for (const way of WAYS) {
      for (const path of ['/status', '/complete', '/refusal', '/thrown'])
        expect({ way, path, ...(await clients[way]('GET', path, soon())) }).toMatchObject(FAILED)
      expect(messages.get(way)).toEqual([
        'status (GET /status): a feature set the status 101, a response has one from 200 to 599',
        'a CompleteResponse must have a status from 200 to 599, not 100',
        'a Refusal must have the status code of an error, 400 to 599, not 101',
        'a HttpException must have the status code of an error, 400 to 599, not 100',
      ])
    }
  })

  it.each([
    ['a Koa', () => new Koa()],
    ['an Application', () => new Application()],
  ])('is a bare 500 if an error handler of the application sets it, on %s', async (_name, make) => {
    class Own extends Api {
      override handleHttpException(failure: Failure, ctx: Context) {
        super.handleHttpException(failure, ctx)
        ctx.status = 100
      }
    }
    const app = make()
    const messages: string[] = []
    app.on('error', error => messages.push(error.message))
    new Own(app, { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING: false })
    expect(await (await serve(app))('GET', '/nowhere', soon())).toMatchObject({
      ...FAILED,
      text: '{"code":500,"status":"Internal Server Error"}',
    })
    expect(messages).toEqual(
      Array.from(
        { length: 2 },
        () =>
          'the response to GET /nowhere has the status 100, which no response can have: set ctx.status to one from 200 to 599',
      ),
    )
  })

  it('is told from an unusual one, which is sent', async () => {
    const clients = await serveEveryWay({ blueprint: settingStatuses })
    for (const way of WAYS)
      for (const status of [299, 599])
        expect((await clients[way]('GET', `/value?status=${status}`)).status).toBe(status)
  })

  it('says what to do about Response.error()', async () => {
    const messages: string[] = []
    const { [WAYS[0]]: request } = await serveEveryWay({
      blueprint: () =>
        new Blueprint('upstream').get('/', operation(response()), () => Response.error()),
      onError: ({ message }) => messages.push(message),
    })
    expect(await request('GET', '/', soon())).toMatchObject(FAILED)
    expect(new Set(messages)).toEqual(
      new Set([
        'root (GET /): the method returned a Response of status 0, as Response.error() does: return a new Response with one from 200 to 599, or call abort(502)',
      ]),
    )
  })
})

describe('a head that the method writes itself', () => {
  const blueprint = () =>
    new Blueprint('heads')
      .get('/begun', operation(response(Pet)), ctx => {
        ctx.res.writeHead(103)
        return pet
      })
      .get('/hints', operation(response(Pet)), ctx => {
        ctx.res.writeEarlyHints({ link: '</style.css>; rel=preload' })
        return pet
      })
      .get('/switched', operation(response()), ctx => {
        ctx.respond = false
        ctx.res.writeHead(101, { Connection: 'Upgrade', Upgrade: 'own' }).end()
        ctx.req.socket.end('own')
      })

  it('with an informational status is logged, and the connection closed', async () => {
    const messages: string[] = []
    const clients = await serveEveryWay({
      blueprint,
      onError: ({ message }) => messages.push(message),
    })
    for (const way of WAYS)
      await expect(clients[way]('GET', '/begun', soon())).rejects.toThrow('fetch failed')
    expect(messages).toEqual(
      WAYS.map(() => expect.stringContaining('the method set the status 103')),
    )
  })

  it('is left alone if it sends early hints, or switches protocols', async () => {
    const clients = await serveEveryWay({ blueprint })
    for (const way of WAYS)
      expect(await clients[way]('GET', '/hints')).toMatchObject({ status: 200, body: pet })
    const app = new Koa()
    const errors: Error[] = []
    app.on('error', error => errors.push(error))
    new Api(app, { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING: false }).registerBlueprint(
      blueprint(),
    )
    const socket = connect(await listen(app), '127.0.0.1').setEncoding('latin1')
    let received = ''
    socket.on('data', chunk => {
      received += chunk
    })
    socket.write('GET /switched HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'close')
    expect({ received, errors }).toEqual({
      received: expect.stringMatching(/^HTTP\/1\.1 101 [\s\S]*own$/),
      errors: [],
    })
  })
})
