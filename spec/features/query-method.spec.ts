import * as t from 'io-ts'
import {
  altResponse,
  Blueprint,
  type Context,
  etag,
  json,
  MethodView,
  operation,
  Page,
  paginate,
  response,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'

const Pet = t.strict({ id: t.number, name: t.string }, 'Pet')
const Search = t.strict({ name: t.string }, 'Search')

const pets = [
  { id: 1, name: 'Rex' },
  { id: 2, name: 'Tom' },
]

class Pets extends MethodView {
  static shared = operation(etag())
  static get = operation(response(t.array(Pet)))
  get() {
    return pets
  }
  static query = operation('Search', json(Search), paginate(Page), response(t.array(Pet)))
  query(_ctx: Context, { name }: { name: string }) {
    return pets.filter(pet => pet.name === name)
  }
}

class OnePet extends MethodView {
  static shared = operation(etag({ load: () => pets[0], tag: pet => pet.id }), altResponse(404))
  static get = operation(response(Pet))
  get(_ctx: Context, { current }: { current: { id: number; name: string } }) {
    return current
  }
  static query = operation(json(Search), response(t.array(t.string)))
  query(
    _ctx: Context,
    { name }: { name: string },
    { current }: { current: { id: number; name: string } },
  ) {
    return [current.name, name]
  }
}

const blueprint = new Blueprint('pets')
blueprint.route('/pets/', Pets)
blueprint.route('/pets/one', OnePet)
blueprint.query('/search', operation(json(Search), response(Search)), (_ctx, search) => search)

const { request } = await serveBlueprints(blueprint, { TESTING: true, OPENAPI_VERSION: '3.1.0' })
const query = (path: string, name: string, headers: Record<string, string> = {}) =>
  request('QUERY', path, { json: { name }, headers })

describe('QUERY', () => {
  it('reads its question from the body, in a view and in a function view', async () => {
    expect((await query('/pets/', 'Rex')).body).toEqual([pets[0]])
    expect((await query('/search', 'Rex')).body).toEqual({ name: 'Rex' })
  })

  it('refuses a body without Content-Type (400) or of another media type (415)', async () => {
    const body = new TextEncoder().encode('{"name":"Rex"}')
    const untyped = await request('QUERY', '/pets/', { body })
    expect(untyped).toMatchObject({
      status: 400,
      body: { message: 'QUERY needs a Content-Type, such as application/json.' },
    })
    expect(await request('QUERY', '/pets/')).toMatchObject({ status: 400 })
    expect(
      await request('QUERY', '/pets/', { body, headers: { 'Content-Type': 'text/plain' } }),
    ).toMatchObject({ status: 415 })
  })

  it('needs no If-Match, and responds 304 to who has the result', async () => {
    const first = await query('/pets/', 'Rex')
    const etag = first.headers.get('ETag') ?? ''
    expect(first).toMatchObject({ status: 200 })
    expect(await query('/pets/', 'Rex', { 'If-None-Match': etag })).toMatchObject({
      status: 304,
      text: '',
    })
    expect(await query('/pets/', 'Tom', { 'If-None-Match': etag })).toMatchObject({ status: 200 })
    expect(await query('/pets/', 'Rex', { 'If-Match': '"other"' })).toMatchObject({ status: 412 })
  })

  it('is tagged by its result, not by what a loader loads for the URL', async () => {
    const [one, other] = [await query('/pets/one', 'a'), await query('/pets/one', 'b')]
    expect(one.body).toEqual(['Rex', 'a'])
    expect(one.headers.get('ETag')).not.toBe(other.headers.get('ETag'))
    expect(await query('/pets/one', 'a', { 'If-Match': '"1"' })).toMatchObject({ status: 412 })
    expect(
      await query('/pets/one', 'a', { 'If-None-Match': one.headers.get('ETag') ?? '' }),
    ).toMatchObject({ status: 304 })
  })

  it('stands last among the allowed methods', async () => {
    expect((await request('OPTIONS', '/pets/')).headers.get('Allow')).toBe(
      'OPTIONS, HEAD, GET, QUERY',
    )
    expect(Blueprint.HTTP_METHODS.at(-1)).toBe('QUERY')
  })
})
