import { AsyncLocalStorage } from 'node:async_hooks'
import { channel, tracingChannel } from 'node:diagnostics_channel'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  Blueprint,
  json,
  type OperationTrace,
  operation,
  Refusal,
  response,
} from 'koa-smorest'
import { afterEach, describe, expect, it } from 'vitest'
import { serve } from '../support/client.js'

const operations = tracingChannel<unknown, OperationTrace>('koa-smorest.operation')
const undo: (() => void)[] = []
afterEach(() => {
  for (const one of undo.splice(0)) one()
})

/** All events of requests, each with what it says at that moment. */
function watch(): Record<string, unknown>[] {
  const events: Record<string, unknown>[] = []
  const on = (event: string) => (message: OperationTrace & { error?: unknown }) => {
    const { operationId, route, method, stage, refusal, ctx, error } = message
    events.push({
      event,
      operationId,
      route,
      method,
      path: ctx.path,
      stage,
      ...(refusal && { code: refusal.code }),
      ...(error ? { error } : {}),
    })
  }
  const handlers = Object.fromEntries(
    ['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map(event => [event, on(event)]),
  )
  operations.subscribe(handlers as never)
  undo.push(() => operations.unsubscribe(handlers as never))
  return events
}

const boom = new Error('boom')
const pets = new Blueprint('pets', { urlPrefix: '/pets' })
  .get('/:petId<int>', operation(response(t.number)), (_ctx, { petId }) => petId, {
    endpoint: 'Pet',
  })
  .post(
    '/',
    operation(json(t.strict({ name: t.string }))),
    (_ctx, { name }) => abort(name === 'taken' ? 409 : 402),
    { endpoint: 'Pets' },
  )
  .get('/boom', operation(), () => Promise.reject(boom), { endpoint: 'Boom' })
const guarded = new Blueprint('guarded', {
  urlPrefix: '/guarded',
  shared: operation({ on: () => [{ stage: 'access' as const, step: () => new Refusal(401) }] }),
})
  .use((ctx, next) => (ctx.query.early ? ctx.throw(418) : next()))
  .get('/', operation(), () => 1, { endpoint: 'Guarded' })

async function client() {
  const app = new Koa()
  app.silent = true
  new Api(app, { OPENAPI_VERSION: '3.1.0', TESTING: false })
    .registerBlueprint(pets)
    .registerBlueprint(guarded)
  return serve(app)
}

describe("tracingChannel('koa-smorest.operation')", () => {
  it('tells of each request of an operation: who, where, and how far it came', async () => {
    const request = await client()
    const events = watch()
    expect((await request('GET', '/pets/7')).body).toBe(7)
    const pet = { operationId: 'Pet_get', route: '/pets/:petId', method: 'GET', path: '/pets/7' }
    expect(events).toEqual([
      { event: 'start', ...pet, stage: 'begin' },
      { event: 'end', ...pet, stage: 'keep' },
      { event: 'asyncStart', ...pet, stage: 'keep' },
      { event: 'asyncEnd', ...pet, stage: 'keep' },
    ])
  })

  it.each([
    ['GET', '/guarded/', undefined, { stage: 'access', code: 401 }],
    ['GET', '/guarded/?early=1', undefined, { stage: 'begin', code: 418 }],
    ['POST', '/pets/', { name: 7 }, { stage: 'arguments', code: 422 }],
    ['POST', '/pets/', { name: 'taken' }, { stage: 'method', code: 409 }],
    ['GET', '/pets/boom', undefined, { stage: 'method', code: 500 }],
  ])('says who refused, and with what: %s %s %j', async (method, path, body, expected) => {
    const request = await client()
    const events = watch()
    const { status } = await request(method, path, body && { json: body })
    expect(status).toBe(expected.code)
    expect(events.at(-1)).toMatchObject({ event: 'asyncEnd', ...expected })
  })

  it('publishes what was thrown as an error, once', async () => {
    const request = await client()
    const events = watch()
    await request('GET', '/pets/boom')
    expect(events.filter(({ event }) => event === 'error')).toMatchObject([
      { error: boom, operationId: 'Boom_get' },
    ])
  })

  it('says nothing if no operation matches', async () => {
    const request = await client()
    const events = watch()
    await request('GET', '/none')
    await request('DELETE', '/pets/7')
    expect(events).toEqual([])
  })

  it('binds a store of the subscriber to the request', async () => {
    const app = new Koa()
    const span = new AsyncLocalStorage<string>()
    const views = new Blueprint('views').get('/:x', operation(), async () => {
      await new Promise(setImmediate)
      return span.getStore()
    })
    new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(views)
    const request = await serve(app)
    const start = channel('tracing:koa-smorest.operation:start')
    start.bindStore(span, message => `span of ${(message as OperationTrace).ctx.path}`)
    undo.push(() => start.unbindStore(span))
    expect(
      await Promise.all(['/a', '/b'].map(async path => (await request('GET', path)).body)),
    ).toEqual(['span of /a', 'span of /b'])
  })

  it('changes no response', async () => {
    const request = await client()
    const both = async (method: string, path: string, body?: object) => {
      const { status, text, headers } = await request(method, path, body && { json: body })
      return { status, text, headers: [...headers].filter(([name]) => name !== 'date') }
    }
    const all = () =>
      Promise.all([
        both('GET', '/pets/7'),
        both('GET', '/guarded/'),
        both('POST', '/pets/', { name: 7 }),
        both('GET', '/pets/boom'),
      ])
    const before = await all()
    watch()
    expect(await all()).toEqual(before)
  })
})
