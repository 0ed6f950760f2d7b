import Koa from 'koa'
import { Api, Blueprint, MethodView, operation } from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serve } from './support/client.js'

class PetById extends MethodView {
  static get = operation()
  get(_ctx: unknown, named: object) {
    return named
  }
}
const api = () => new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' })

describe('api.url()', () => {
  it('returns the path of a view by the name of its class or function, or by its endpoint', () => {
    const pets = new Blueprint('pets', { urlPrefix: '/pets' }).route('/:petId<int>', PetById)
    pets
      .get('/', operation(), function list() {})
      .post('/', operation(), () => 1, { endpoint: 'add' })
    const one = api().registerBlueprint(pets)
    expect(one.url('PetById', { petId: 7 })).toBe('/pets/7')
    for (const name of ['list', 'add']) expect(one.url(name)).toBe('/pets/')
  })

  it('puts values beside text, which a request gets back and the document shows', async () => {
    const app = new Koa()
    const one = new Api(app, { OPENAPI_VERSION: '3.1.0' })
    const shas = new Blueprint('shas')
      .route('/compare/:base<string>...:head<string>', PetById)
      .get('/jobs:search', operation(), () => 'search')
    one.registerBlueprint(shas)
    const values = { base: 'a/b', head: 'c...d' }
    const path = one.url('PetById', values)
    expect(path).toBe('/compare/a%2Fb...c...d')
    const request = await serve(app)
    expect((await request('GET', path)).body).toEqual(values)
    expect((await request('GET', '/compare/a%2E%2E%2Eb')).status).toBe(404)
    expect((await request('GET', '/jobs:search')).body).toBe('search')
    expect(() => one.url('PetById', { base: 'a...b', head: 'c' })).toThrow(
      'Rule "/compare/:base<string>...:head<string>" cannot have base: a...b, head: c: its path would be read back differently',
    )
    expect(Object.keys(one.spec.toJSON().paths ?? {})).toEqual([
      '/compare/{base}...{head}',
      '/jobs:search',
    ])
  })

  it('formats values by their converters, so that a request to the path gets them back', async () => {
    const app = new Koa()
    const one = new Api(app, { OPENAPI_VERSION: '3.1.0' })
    const parse = (text: string) =>
      /^[0-9a-f]+$/.test(text) ? Number.parseInt(text, 16) : undefined
    one.registerConverter('hex', { parse, format: value => (value as number).toString(16) })
    one.registerBlueprint(
      new Blueprint('b', { urlPrefix: '/café' }).route(
        '/:n<hex>/:weight<float>/:name/:rest<path>',
        PetById,
      ),
    )
    const values = { n: 255, weight: 4, name: 'a/b ü', rest: 'x/y z' }
    const path = one.url('PetById', values)
    expect(path).toBe('/caf%C3%A9/ff/4.0/a%2Fb%20%C3%BC/x/y%20z')
    const request = await serve(app)
    expect((await request('GET', path)).body).toEqual(values)
  })

  it('tells views of one name apart by their Blueprints', () => {
    const one = api()
    for (const name of ['pets', 'toys'])
      one.registerBlueprint(new Blueprint(name, { urlPrefix: `/${name}` }).route('/:id', PetById))
    expect(one.url('PetById', { id: 1 })).toBe('/pets/1')
    expect(one.url('toys_PetById', { id: 1 })).toBe('/toys/1')
    expect(one.router.url('toys_PetById', { id: 1 })).toBe('/toys/1')
  })

  it.each([
    ['PetByID', {}, /There is no view "PetByID", did you mean "PetById"\?/],
    ['PetById', {}, /Rule "\/:petId<int>" cannot have petId: undefined/],
    ['PetById', { petId: -1 }, /cannot have petId: -1/],
    ['PetById', { petId: '..' }, /cannot have petId: \.\./],
  ])(
    'throws for a name or value that no request could have: %s %j',
    (name, parameters, message) => {
      const one = api().registerBlueprint(new Blueprint('pets').route('/:petId<int>', PetById))
      expect(() => one.url(name, parameters)).toThrow(message)
    },
  )

  it('has the names of ctx.router, which is the router of the Api in every method', async () => {
    const app = new Koa()
    const one = new Api(app, { OPENAPI_VERSION: '3.1.0' })
    one.registerBlueprint(
      new Blueprint('b').get('/:id', operation(), ctx => String(ctx.router === one.router), {
        endpoint: 'e',
      }),
    )
    expect((await (await serve(app))('GET', '/1')).body).toBe('true')
  })
})
