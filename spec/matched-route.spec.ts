import Koa, { type Middleware } from 'koa'
import { Api, Blueprint, type Context, type Failure, operation } from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serve } from './support/client.js'

const settings = { OPENAPI_VERSION: '3.1.0' }
const echo = (ctx: Context) => ctx.params

/** An app with middleware in front of its Apis, which notes the route before and after them. */
async function watched(mount: (app: Koa) => void, ...middleware: Middleware[]) {
  const app = new Koa()
  const seen: unknown[] = []
  app.use(async (ctx, next) => {
    seen.push(ctx._matchedRoute)
    await next()
    seen.push(ctx._matchedRoute)
  })
  for (const one of middleware) app.use(one)
  mount(app)
  const request = await serve(app)
  return async (method: string, path: string) => {
    seen.length = 0
    const { status } = await request(method, path)
    return { status, before: seen[0], after: seen[1] }
  }
}

describe('the matched route', () => {
  const pets = () =>
    new Blueprint('pets')
      .get('/pets/:petId<int>', operation(), echo)
      .get('/gone', operation(), ctx => ctx.throw(410))

  it('is known to middleware in front of the Api, and stays', async () => {
    const routeOf = await watched(app => new Api(app, settings).registerBlueprint(pets()))
    const route = '/pets/:petId'
    expect(await routeOf('GET', '/pets/7')).toEqual({ status: 200, before: route, after: route })
    expect(await routeOf('HEAD', '/pets/7/')).toEqual({ status: 200, before: route, after: route })
  })

  it('is that of the first Api with a match, although others know the path with another method', async () => {
    const routeOf = await watched(app => {
      new Api(app, settings).registerBlueprint(
        new Blueprint('writes').post('/pets/:id', operation(), echo),
      )
      new Api(app, settings).registerBlueprint(pets())
      new Api(app, settings).registerBlueprint(
        new Blueprint('late').get('/:any<path>', operation(), echo),
      )
    })
    expect(await routeOf('GET', '/pets/7')).toEqual({
      status: 200,
      before: '/pets/:petId',
      after: '/pets/:petId',
    })
    expect(await routeOf('POST', '/pets/7')).toEqual({
      status: 200,
      before: '/pets/:id',
      after: '/pets/:id',
    })
  })

  it('is none if no rule has the path, or none the method', async () => {
    const routeOf = await watched(app => new Api(app, settings).registerBlueprint(pets()))
    for (const [method, path, status] of [
      ['GET', '/pets/rex', 404],
      ['PUT', '/pets/7', 405],
      ['OPTIONS', '/pets/7', 200],
      ['GET', '/%', 400],
    ] as const)
      expect(await routeOf(method, path)).toEqual({ status, before: undefined, after: undefined })
  })

  it('is matched again if middleware has changed path or method', async () => {
    const rewrite: Middleware = (ctx, next) => {
      ctx.path = ctx.path.replace('/v1', '').replace('/old', '/none')
      if (ctx.method === 'POST') ctx.method = 'GET'
      return next()
    }
    const routeOf = await watched(app => {
      const old = new Blueprint('old').get('/old/:x', operation(), echo, { endpoint: 'old' })
      new Api(app, settings).registerBlueprint(pets()).registerBlueprint(old)
    }, rewrite)
    expect(await routeOf('GET', '/v1/pets/7')).toEqual({
      status: 200,
      before: undefined,
      after: '/pets/:petId',
    })
    expect(await routeOf('POST', '/pets/7')).toEqual({
      status: 200,
      before: undefined,
      after: '/pets/:petId',
    })
    expect(await routeOf('GET', '/old/7')).toEqual({
      status: 404,
      before: '/old/:x',
      after: undefined,
    })
  })

  it('is that of an app that is mounted in another, and the other goes on to match its own', async () => {
    const inner = new Koa()
    new Api(inner, settings).registerBlueprint(pets())
    const mounted: Middleware = async (ctx, next) => {
      if (!ctx.path.startsWith('/inner')) return next()
      const { path } = ctx
      ctx.path = path.slice('/inner'.length)
      // as koa-mount does it
      await inner.middleware.reduceRight<() => Promise<unknown>>(
        (rest, middleware) => async () => middleware(ctx as never, rest),
        async () => {
          ctx.path = path
          await next()
        },
      )()
      ctx.path = path
    }
    const routeOf = await watched(app => {
      new Api(app, settings).registerBlueprint(
        new Blueprint('outer').get('/inner/own/:x', operation(), echo),
      )
    }, mounted)
    expect(await routeOf('GET', '/inner/pets/7')).toEqual({
      status: 200,
      before: undefined,
      after: '/pets/:petId',
    })
    expect(await routeOf('GET', '/inner/own/7')).toEqual({
      status: 200,
      before: '/inner/own/:x',
      after: '/inner/own/:x',
    })
  })

  it('is looked for once, whatever the number of readers', async () => {
    let parsed = 0
    const app = new Koa()
    const api = new Api(app, settings)
    api.registerConverter('counted', {
      parse(text) {
        parsed++
        return text
      },
    })
    api.registerBlueprint(new Blueprint('counted').get('/:x<counted>', operation(), echo))
    const request = await serve(app)
    await request('GET', '/a')
    await request('PUT', '/a')
    expect(parsed).toBe(2)
  })
})

it('a 405 comes from the Api whose rule has the path, a 404 from the first', async () => {
  class Own extends Api {
    constructor(
      app: Koa,
      readonly name: string,
    ) {
      super(app, settings)
    }
    override handleHttpException(failure: Failure, ctx: Context) {
      super.handleHttpException(failure, ctx)
      ctx.set('X-Api', this.name)
    }
  }
  const app = new Koa()
  new Own(app, 'first')
  new Own(app, 'second').registerBlueprint(new Blueprint('pets').get('/pets', operation(), echo))
  const request = await serve(app)
  const apiOf = async (method: string, path: string) =>
    (await request(method, path)).headers.get('X-Api')
  expect(await apiOf('PUT', '/pets')).toBe('second')
  expect(await apiOf('GET', '/none')).toBe('first')
})
