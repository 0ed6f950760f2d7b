import { Readable } from 'node:stream'
import * as t from 'io-ts'
import Koa, { type Middleware } from 'koa'
import {
  Api,
  Application,
  abort,
  Blueprint,
  CompleteResponse,
  type Exchange,
  type Feature,
  json,
  operation,
  Refusal,
  response,
  type Stage,
  struct,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serve } from '../support/client.js'

/** A feature whose step runs in one stage. */
const at = (
  stage: Exclude<Stage, 'method'>,
  step: (exchange: Exchange) => unknown,
): Feature<Record<never, never>> => ({
  on: () => [{ stage, raw: true, step: step as never }],
})
const marked = at('begin', exchange => exchange.setHeader('X-Every', 'yes'))

const respondByThemselves: Middleware = (ctx, next) => {
  if (ctx.query.by === 'middleware') ctx.body = 'from middleware'
  else if (ctx.query.by === 'throw') ctx.throw(401)
  else return next()
}

/** Every way in which a response of an operation can come about. */
const OUTCOMES: readonly (readonly [
  title: string,
  path: string,
  init: { method?: string; json?: unknown },
  status: number,
])[] = [
  ['a value', '/value', {}, 200],
  ['a status without content', '/none', {}, 204],
  ['a stream', '/stream', {}, 200],
  ['a Response', '/response', {}, 200],
  ['a body given to Koa', '/koa', {}, 200],
  ['an abort', '/abort', {}, 409],
  ['an error', '/error', {}, 500],
  ['a rejection', '/rejection', {}, 500],
  ['a refusal of arguments', '/refused', { method: 'POST', json: { n: 'x' } }, 422],
  ['a refusal in begin', '/early', {}, 410],
  ['a complete response', '/complete', {}, 203],
]

function blueprint() {
  const all = new Blueprint('all', { shared: operation(marked) })
  all.get('/value', operation(), () => ({ a: 1 }))
  all.get('/none', operation(response({ code: 204 })), () => undefined)
  all.get('/stream', operation(), () => Readable.from(['text']))
  all.get(
    '/response',
    operation(),
    () => new Response('text', { headers: { 'X-Every': 'of the Response' } }),
  )
  all.get('/koa', operation(), ctx => {
    ctx.body = 'text'
  })
  all.get('/abort', operation(), () => abort(409, { headers: { 'Retry-After': '1' } }))
  all.get('/error', operation(), () => {
    throw new Error('planned')
  })
  all.get('/rejection', operation(), async () => Promise.reject(new Error('planned')))
  all.post('/refused', operation(json(struct({ n: t.number }))), () => null)
  all.get('/early', operation(at('begin', () => new Refusal(410))), () => null)
  all.get(
    '/complete',
    operation(
      at('replay', () => new CompleteResponse(203, [['Content-Type', 'text/plain']], 'kept')),
    ),
    () => abort(500),
  )
  return all
}

const apps: Readonly<Record<string, (all: ReturnType<typeof blueprint>) => Koa>> = {
  'alone on Koa': () => new Koa(),
  'on Application': () => new Application(),
  'behind middleware of the app': () => new Koa().use((_ctx, next) => next()),
  'behind middleware of the Blueprint': all => {
    all.use(respondByThemselves)
    return new Koa()
  },
}

describe.each(Object.keys(apps))('a header field of every response, %s', name => {
  describe.each([true, false])('with TESTING %s', async TESTING => {
    const all = blueprint()
    const app = apps[name]?.(all) as Koa
    app.on('error', () => undefined)
    new Api(app, { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING }).registerBlueprint(all)
    const request = await serve(app)

    it.each(OUTCOMES)('leaves with %s', async (_title, path, { method = 'GET', json }, status) => {
      const response = await request(method, path, json === undefined ? {} : { json })
      // in tests a status that is not documented is a 500, which has the field as well
      expect([status, 500]).toContain(response.status)
      expect(response.headers.get('X-Every')).toBe('yes')
    })
  })
})

describe('a header field of every response', () => {
  it('leaves with what middleware of the Blueprint responds or throws', async () => {
    const app = new Koa()
    app.on('error', () => undefined)
    new Api(app, { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING: false }).registerBlueprint(
      blueprint().use(respondByThemselves),
    )
    const request = await serve(app)
    for (const [by, status] of [
      ['middleware', 200],
      ['throw', 401],
    ] as const) {
      const response = await request('GET', `/value?by=${by}`)
      expect({ by, status: response.status, field: response.headers.get('X-Every') }).toEqual({
        by,
        status,
        field: 'yes',
      })
    }
  })

  it('leaves with no 404, 405 or OPTIONS, which belong to no operation', async () => {
    const app = new Koa()
    new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint())
    const request = await serve(app)
    for (const [method, path] of [
      ['GET', '/nothing'],
      ['PUT', '/value'],
      ['OPTIONS', '/value'],
    ] as const)
      expect((await request(method, path)).headers.get('X-Every')).toBeNull()
  })

  it('is added to a list that is there, once, if it is appended', async () => {
    const app = new Koa().use((ctx, next) => {
      ctx.set('Vary', 'Origin')
      return next()
    })
    const vary = at('access', exchange => {
      exchange.appendHeader('Vary', 'Accept')
      exchange.appendHeader('Vary', 'origin')
    })
    const all = new Blueprint('all').get('/', operation(vary), () => null)
    new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
    const request = await serve(app)
    expect((await request('GET', '/')).headers.get('Vary')).toBe('Origin, Accept')
  })

  it.each([
    ['refuses', () => new Refusal(429), 429],
    ['refuses later', async () => new Refusal(429), 429],
    [
      'throws',
      () => {
        throw new Error('planned')
      },
      500,
    ],
    ['rejects', async () => Promise.reject(new Error('planned')), 500],
  ] as const)('is set in begin even if another feature %s there', async (_title, step, status) => {
    const app = new Koa()
    app.on('error', () => undefined)
    const late = at('begin', async exchange => exchange.setHeader('X-Late', 'yes'))
    const other = at('begin', () => new Refusal(410))
    const all = new Blueprint('all', { shared: operation(at('begin', step)) }).get(
      '/',
      operation(marked, late, other),
      () => null,
    )
    new Api(app, { OPENAPI_VERSION: '3.1.0', TESTING: false, DEBUG: false }).registerBlueprint(all)
    const request = await serve(app)
    const response = await request('GET', '/')
    expect({
      status: response.status,
      every: response.headers.get('X-Every'),
      late: response.headers.get('X-Late'),
    }).toEqual({
      status,
      every: 'yes',
      late: 'yes',
    })
  })

  it('that HTTP does not allow is an error of the step that sets it', async () => {
    const app = new Koa()
    const errors: Error[] = []
    app.on('error', error => errors.push(error))
    const all = new Blueprint('all').get(
      '/',
      operation(at('access', exchange => exchange.setHeader('X-Bad', 'a\r\nb'))),
      () => null,
    )
    new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
    const request = await serve(app)
    expect((await request('GET', '/')).status).toBe(500)
    expect(errors).toEqual([expect.objectContaining({ code: 'ERR_INVALID_CHAR' })])
  })
})
