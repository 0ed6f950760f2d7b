import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  etag,
  headers,
  MethodView,
  operation,
  query,
  response,
  struct,
} from 'koa-smorest'
import type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas31'
import { describe, expect, it } from 'vitest'
import { serve, serveBlueprints } from './support/client.js'

const Ok = t.strict({ ok: t.boolean }, 'Ok')

describe('a nested Blueprint', () => {
  it('has the parameters, features and middleware of those around it', async () => {
    const order: string[] = []
    const noting = (what: string) => (_ctx: unknown, next: () => Promise<void>) => {
      order.push(what)
      return next()
    }
    const shops = new Blueprint('shops', {
      urlPrefix: '/shops/:shop<int>',
      shared: operation(query(t.partial({ verbose: t.string }))),
    })
    shops.use(noting('shops'))
    const pets = shops.blueprint('pets', { urlPrefix: '/pets' }).use(noting('pets'))
    pets.get('/:pet', operation(), (_ctx, { verbose }, named) => ({ verbose, ...named }))
    const { request } = await serveBlueprints(shops)
    expect((await request('GET', '/shops/7/pets/rex?verbose=yes')).body).toEqual({
      verbose: 'yes',
      shop: 7,
      pet: 'rex',
    })
    expect(order).toEqual(['shops', 'pets'])
    expect((await request('GET', '/shops/x/pets/rex')).status).toBe(404)
  })

  it('has an OpenAPI tag of its own', () => {
    const shops = new Blueprint('shops', { urlPrefix: '/shops' })
    shops
      .blueprint('pets', { urlPrefix: '/pets', description: 'Pets of a shop' })
      .get('/', operation(), () => null)
    const { spec } = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(shops)
    expect(spec.toJSON()).toMatchObject({
      tags: [{ name: 'pets', description: 'Pets of a shop' }],
      paths: { '/shops/pets/': { get: { tags: ['pets'] } } },
    })
  })

  it('has the class, and so the class attributes, of its parent', () => {
    class Own extends Blueprint {
      static override PAGINATION_HEADER_FIELD_NAME = 'X-Pages'
    }
    expect(new Own('own').blueprint('child')).toBeInstanceOf(Own)
  })
})

describe('a Blueprint from another module', () => {
  const petsOf = (name: string) =>
    new Blueprint(name, { urlPrefix: '/pets' }).get('/:pet', operation(), (_ctx, named) => named)

  it('is nested by registerBlueprint under several prefixes, with features and middleware of the parent', async () => {
    const order: string[] = []
    const pets = petsOf('pets').use((ctx, next) => {
      order.push(`pets of ${ctx.params.shop}`)
      return next()
    })
    const shops = new Blueprint('shops', {
      urlPrefix: '/shops/:shop<int>',
      shared: operation(query(t.partial({ verbose: t.string }))),
    })
    shops.use((_ctx, next) => {
      order.push('shops')
      return next()
    })
    shops
      .registerBlueprint(pets)
      .registerBlueprint(pets, { urlPrefix: '/animals', name: 'animals', description: 'The same' })
    const { request, api } = await serveBlueprints(shops)
    expect((await request('GET', '/shops/7/pets/rex')).body).toEqual({})
    expect((await request('GET', '/shops/7/animals/rex')).status).toBe(200)
    expect(order).toEqual(['shops', 'pets of 7', 'shops', 'pets of 7'])
    expect(api.spec.toJSON().tags).toEqual([
      { name: 'pets' },
      { name: 'animals', description: 'The same' },
    ])
    expect((await request('GET', '/shops/7/pets/rex?verbose=1&verbose=2')).status).toBe(422)
  })

  it('may get a prefix with parameters at registration, which its methods get and the document describes', async () => {
    const app = new Koa()
    const parameters = [{ name: 'owner', in: 'path', description: 'Whose pets' }] as const
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(petsOf('pets'), {
      urlPrefix: '/:owner<int>/pets',
      parameters,
    })
    const request = await serve(app)
    expect((await request('GET', '/7/pets/rex')).body).toEqual({ owner: 7, pet: 'rex' })
    expect(api.spec.toJSON().paths).toMatchObject({
      '/{owner}/pets/{pet}': {
        parameters: [
          {
            name: 'owner',
            in: 'path',
            required: true,
            schema: { type: 'integer' },
            description: 'Whose pets',
          },
          { name: 'pet', in: 'path', required: true },
        ],
      },
    })
  })

  it('passes documentation of parameters on to nested Blueprints, where that of a route wins', () => {
    const inner = new Blueprint('inner').get('/:x', operation(), () => 1, {
      parameters: [{ name: 'lang', in: 'query', description: 'Own' }],
    })
    const outer = new Blueprint('outer').registerBlueprint(inner, {
      urlPrefix: '/:y',
      parameters: [
        { name: 'x', in: 'path', description: 'X' },
        { name: 'lang', in: 'query', description: 'Outer' },
      ],
    })
    const parameters = [{ name: 'y', in: 'path', description: 'Y' }] as const
    const api = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(outer, {
      parameters,
    })
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const documented = (api.spec.toJSON() as any).paths['/{y}/{x}'].parameters
    expect(documented).toMatchObject([
      { name: 'y', description: 'Y' },
      { name: 'x', description: 'X' },
      { name: 'lang', description: 'Own' },
    ])
    expect(documented).toHaveLength(3)
  })
})

describe('a Blueprint', () => {
  it('has one slash between its prefix and a rule, whether the prefix ends in one or not', async () => {
    for (const urlPrefix of ['/pets', '/pets/']) {
      const pets = new Blueprint('pets', { urlPrefix })
        .get('/', operation(), () => 'all')
        .registerBlueprint(
          new Blueprint('toys', { urlPrefix: '/' }).get('/toys', operation(), () => 'toys'),
        )
      const { request, api } = await serveBlueprints(pets)
      expect((await request('GET', '/pets')).body).toBe('all')
      expect((await request('GET', '/pets/toys')).body).toBe('toys')
      expect(Object.keys(api.spec.toJSON().paths as object)).toEqual(['/pets/', '/pets/toys'])
    }
  })

  it('keeps its own prefix if that of the registration is undefined', async () => {
    const { spec } = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(
      new Blueprint('pets', { urlPrefix: '/pets' }).get('/', operation(), () => 1),
      { urlPrefix: undefined as never },
    )
    expect(Object.keys(spec.toJSON().paths as object)).toEqual(['/pets/'])
  })

  it('is registered under the options of the registration, which win over its own', async () => {
    const pings = new Blueprint('pings', { urlPrefix: '/ping', description: 'Old' }).get(
      '/',
      operation(response(Ok)),
      () => ({ ok: true }),
    )
    const app = new Koa()
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(pings, {
      urlPrefix: '/pong',
      name: 'pongs',
      description: 'New',
    })
    const request = await serve(app)
    expect((await request('GET', '/pong')).status).toBe(200)
    expect((await request('GET', '/ping')).status).toBe(404)
    expect(api.spec.toJSON().tags).toEqual([{ name: 'pongs', description: 'New' }])
  })

  it('creates a view for each request, so that requests share nothing on it', async () => {
    class Counter extends MethodView {
      count = 0
      static get = operation()
      get() {
        return ++this.count
      }
    }
    const { request } = await serveBlueprints(new Blueprint('counter').route('/', Counter))
    for (let count = 0; count < 2; count++) expect((await request('GET', '/')).body).toBe(1)
  })

  it('creates a view with `create` if its constructor takes something', async () => {
    class Named extends MethodView {
      constructor(readonly name: string) {
        super()
      }
      static get = operation()
      get() {
        return this.name
      }
    }
    const { request } = await serveBlueprints(
      new Blueprint('named').route('/', Named, { create: ctx => new Named(ctx.path) }),
    )
    expect((await request('GET', '/')).body).toBe('/')
  })

  it('serves several methods with one function', async () => {
    const { request } = await serveBlueprints(
      new Blueprint('echo').route('/', operation(), ctx => ctx.method, {
        methods: ['POST', 'PUT'],
      }),
    )
    for (const method of ['POST', 'PUT']) expect((await request(method, '/')).body).toBe(method)
    expect((await request('GET', '/')).status).toBe(405)
  })

  it('lets middleware see what a method throws as an exception, and a refused request as a response', async () => {
    const seen: unknown[] = []
    const views = new Blueprint('views')
    views.use(async (ctx, next) => {
      try {
        await next()
        seen.push(ctx.status)
      } catch (error) {
        seen.push(error)
        throw error
      }
    })
    const error = new Error('rolled back')
    views.get('/thrown', operation(), () => Promise.reject(error))
    views.get('/refused', operation(headers(struct({ need: t.string }))), () => null)
    const { request } = await serveBlueprints(views)
    await request('GET', '/thrown')
    await request('GET', '/refused')
    expect(seen).toEqual([error, 422])
  })

  it('wraps what it sends, and its entity tags are those of the data before', async () => {
    class Wrapped extends Blueprint {
      override prepareResponseContent(data: unknown) {
        return { data }
      }
      override prepareResponseSchema(data: SchemaObject | ReferenceObject) {
        return { type: 'object' as const, properties: { data }, required: ['data'] }
      }
    }
    const bare = new Blueprint('bare', { urlPrefix: '/bare' }).get(
      '/',
      operation(etag(), response(Ok)),
      () => ({ ok: true }),
    )
    const wrapped = new Wrapped('wrapped', { urlPrefix: '/wrapped' }).get(
      '/',
      operation(etag(), response(Ok)),
      () => ({ ok: true }),
    )
    const { request, api } = await serveBlueprints(wrapped)
    const other = await serveBlueprints(bare)
    const { body, headers: fields } = await request('GET', '/wrapped/')
    expect(body).toEqual({ data: { ok: true } })
    expect(fields.get('ETag')).toBe((await other.request('GET', '/bare/')).headers.get('ETag'))
    expect(JSON.stringify(api.spec.toJSON().paths)).toContain(
      '"properties":{"data":{"$ref":"#/components/schemas/Ok"}}',
    )
  })

  it('has the methods of a path in the document in the order of HTTP_METHODS, the others last', () => {
    class Ordered extends Blueprint {
      static override HTTP_METHODS = ['DELETE', 'GET']
    }
    class View extends MethodView {
      static get = operation()
      get() {}
      static post = operation()
      post() {}
      static delete = operation()
      delete() {}
    }
    const { spec } = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(
      new Ordered('ordered').route('/', View),
    )
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    expect(Object.keys((spec.toJSON() as any).paths['/'])).toEqual(['delete', 'get', 'post'])
  })
})
