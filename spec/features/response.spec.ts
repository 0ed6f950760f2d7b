import * as t from 'io-ts'
import Koa from 'koa'
import {
  type AnyBlueprint,
  Api,
  altResponse,
  Blueprint,
  type Feature,
  operation,
  type PathsOf,
  query,
  reply,
  response,
  struct,
  writeOnly,
} from 'koa-smorest'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'

const Pet = t.strict({ name: t.string }, 'Pet')
const Conflict = t.strict({ holder: t.string }, 'Conflict')
const secret = { name: 'Rex', secret: 'canary' }

/**
 * Serves views as in production, where responses are not compared with the document before they are
 * sent.
 */
async function served(
  views: AnyBlueprint,
  { undocumented = [] }: { readonly undocumented?: readonly string[] } = {},
) {
  const { request, api } = await serveBlueprints(
    views,
    { DEBUG: false, TESTING: false },
    { undocumented },
  )
  return {
    async get(path = '/') {
      const { status, text, headers } = await request('GET', path)
      return { status, text, type: headers.get('Content-Type'), location: headers.get('Location') }
    },
    api,
  }
}

describe('what a codec does not declare', () => {
  const Open = t.type({ pet: t.type({ name: t.string }) })
  const Both = t.intersection([Pet, t.partial({ age: t.number })])
  const Account = struct(
    { name: t.string, password: writeOnly(t.string), friends: t.array(t.type({ name: t.string })) },
    'Account',
  )
  const account = { name: 'Kim', password: 'canary', friends: [secret] }

  it.each<readonly [what: string, codec: t.Mixed, result: unknown, text: string]>([
    ['of an exact object', Pet, secret, '{"name":"Rex"}'],
    [
      'of an open object and those in it',
      Open,
      { pet: secret, secret: 'canary' },
      '{"pet":{"name":"Rex"}}',
    ],
    ['of an intersection', Both, { ...secret, age: 1 }, '{"name":"Rex","age":1}'],
    [
      'of a struct, and what is write-only',
      Account,
      account,
      '{"name":"Kim","friends":[{"name":"Rex"}]}',
    ],
  ])('is not sent: %s (T12)', async (_what, codec, result, text) => {
    const { get } = await served(
      new Blueprint('views').get('/', operation(response(codec)), () => result as never),
    )
    expect(await get()).toMatchObject({ status: 200, text })
  })

  it('is not sent with the status of an altResponse, which has a codec of its own', async () => {
    const view = operation(response(Pet), altResponse(409, Conflict))
    const { get } = await served(
      new Blueprint('views').get('/', view, () => reply({ holder: 'Kim', secret: 'canary' }, 409)),
    )
    expect(await get()).toMatchObject({ status: 409, text: '{"holder":"Kim"}' })
  })

  it('is not sent with an altResponse of the same status, whichever is listed first', async () => {
    const view = operation(altResponse(200, { contentType: 'text/plain' }), response(Pet))
    const { get } = await served(new Blueprint('views').get('/', view, () => secret))
    expect(await get()).toMatchObject({ status: 200, text: '{"name":"Rex"}' })
  })

  it('is not sent with a status that the descriptor does not list', async () => {
    const views = new Blueprint('views').get('/', operation(response(Pet)), () =>
      reply(secret, 203),
    )
    const { get } = await served(views, { undocumented: ['/'] })
    expect(await get()).toMatchObject({ status: 203, text: '{"name":"Rex"}' })
  })

  it.each([
    { DEBUG: true, TESTING: false },
    { DEBUG: false, TESTING: true },
  ])('is not sent with such a status if it is looked at: %o', async settings => {
    const views = new Blueprint('views').get('/', operation(response(Pet)), () =>
      reply(secret, 203),
    )
    const { request, errors } = await serveBlueprints(views, settings)
    expect((await request('GET', '/')).status).toBe(500)
    expect(String(errors)).toContain('the response 203')
  })
})

describe('a union', () => {
  it('is encoded by the member that its discriminator names, so that no field is lost (T14)', async () => {
    const Shape = t.union([
      t.strict({ kind: t.literal('dot'), at: t.number }),
      t.strict({ kind: t.literal('line'), at: t.number, to: t.number }),
    ])
    const views = new Blueprint('views').get('/', operation(response(t.array(Shape))), () => [
      { kind: 'line', at: 1, to: 2 } as const,
      { kind: 'dot', at: 3, to: 4 } as const,
    ])
    const { get } = await served(views)
    expect(await get()).toMatchObject({
      text: '[{"kind":"line","at":1,"to":2},{"kind":"dot","at":3}]',
    })
  })
})

describe('a response without a codec', () => {
  it.each([
    [{ b: 1, a: [null] }, '{"b":1,"a":[null]}'],
    [undefined, 'null'],
  ])('is the JSON of the result: %j', async (result, text) => {
    const { get } = await served(
      new Blueprint('views').get('/', operation(response()), () => result),
    )
    expect(await get()).toEqual({
      status: 200,
      text,
      type: 'application/json; charset=utf-8',
      location: null,
    })
  })
})

describe('the status of a response', () => {
  it('may be given as a text', async () => {
    const { get } = await served(
      new Blueprint('views').get('/', operation(response(Pet, { code: '202' })), () => secret),
    )
    expect(await get()).toMatchObject({ status: 202, text: '{"name":"Rex"}' })
  })

  it('of 204 has no body, whatever the method returns', async () => {
    const { get } = await served(
      new Blueprint('views').get('/', operation(response({ code: 204 })), () => ({
        ignored: true,
      })),
    )
    expect(await get()).toEqual({ status: 204, text: '', type: null, location: null })
  })

  it('of a redirect has no body', async () => {
    const view = operation(response({ code: 303 }))
    const { get } = await served(
      new Blueprint('views').get('/', view, () => reply(undefined, { Location: '/elsewhere' })),
    )
    expect(await get()).toEqual({ status: 303, text: '', type: null, location: '/elsewhere' })
  })
})

describe('the document of an operation', () => {
  /** The responses of one operation. */
  async function documented(...features: readonly Feature[]) {
    const { api } = await served(
      new Blueprint('views').get('/', operation(...features), () => null as never),
    )
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    return (api.spec.toJSON() as any).paths['/'].get.responses
  }

  it('has each of its statuses, with the codec of that status', async () => {
    const responses = await documented(response(Pet), altResponse(409, Conflict))
    expect(Object.keys(responses)).toEqual(['200', '409', 'default'])
    expect(responses[409].content).toEqual({
      'application/json': { schema: { $ref: '#/components/schemas/Conflict' } },
    })
  })

  it('has all media types of one status', async () => {
    const responses = await documented(
      altResponse(200, { contentType: 'text/plain' }),
      response(Pet),
    )
    expect(Object.keys(responses[200].content)).toEqual(['text/plain', 'application/json'])
  })

  it.each<readonly [contentType: string, schema: object | undefined]>([
    ['application/octet-stream', { type: 'string', format: 'binary' }],
    ['application/xml', { type: 'string', format: 'binary' }],
    ['text/csv', { type: 'string' }],
    ['Text/*', { type: 'string' }],
    ['application/geo+json', undefined],
    ['application/json; profile=x', undefined],
  ])('has a body of %s without a codec as %j', async (contentType, schema) => {
    const responses = await documented(
      response({ contentType }),
      altResponse(202, { contentType }),
      altResponse(409, { contentType }),
    )
    for (const status of [200, 202, 409])
      expect(responses[status].content[contentType]).toEqual(schema ? { schema } : {})
  })

  it('has the content that clients are typed with', () => {
    const geo = { contentType: 'application/geo+json' } as const
    const views = new Blueprint('views')
      .get(
        '/json',
        operation(response(geo), altResponse(202, geo), altResponse(409, geo)),
        () => ({}),
      )
      .get('/charset', operation(response({ contentType: 'application/json; a=b' })), () => ({}))
      .get('/plus', operation(response({ contentType: 'application/a+json; a=b' })), () => ({}))
      .get('/text', operation(response({ contentType: 'text/csv' })), () => '')
      .get('/seq', operation(response({ contentType: 'application/json-seq' })), () => '')
    const api = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(views)
    type Paths = PathsOf<typeof api>
    type Json = Paths['/json']['get']['responses']
    expectTypeOf<Json[200]['content']>().toEqualTypeOf<{ 'application/geo+json': unknown }>()
    expectTypeOf<Json[202]['content']>().toEqualTypeOf<{ 'application/geo+json': unknown }>()
    expectTypeOf<Json[409]['content']>().toEqualTypeOf<{ 'application/geo+json': unknown }>()
    expectTypeOf<Paths['/charset']['get']['responses'][200]['content']>().toEqualTypeOf<{
      'application/json; a=b': unknown
    }>()
    expectTypeOf<Paths['/plus']['get']['responses'][200]['content']>().toEqualTypeOf<{
      'application/a+json; a=b': unknown
    }>()
    expectTypeOf<Paths['/text']['get']['responses'][200]['content']>().toEqualTypeOf<{
      'text/csv': string
    }>()
    expectTypeOf<Paths['/seq']['get']['responses'][200]['content']>().toEqualTypeOf<{
      'application/json-seq': string
    }>()
  })

  it('has a codec of its own beside the errors that other features send with its status', async () => {
    const own = { $ref: '#/components/schemas/Conflict' }
    const general = { $ref: '#/components/schemas/Error' }
    const reads = query(t.type({ name: t.string }))
    const refused = altResponse(422, Conflict, { description: 'Held' })
    for (const features of [
      [reads, refused],
      [refused, reads],
    ]) {
      const responses = await documented(response(Pet), ...features)
      expect(responses[422]).toEqual({
        description: 'Held',
        content: { 'application/json': { schema: { anyOf: [general, own] } } },
      })
    }
    const described = await documented(reads, response(Pet), altResponse(422, { description: 'x' }))
    expect(described[422]).toEqual({
      description: 'x',
      content: { 'application/json': { schema: general } },
    })
    const asText = await documented(
      reads,
      response(Pet),
      altResponse(422, { contentType: 'text/plain' }),
    )
    expect(Object.keys(asText[422].content)).toEqual(['application/json', 'text/plain'])
  })

  it('has both of them in the types of clients', () => {
    const views = new Blueprint('views')
      .get(
        '/both',
        operation(query(t.type({ name: t.string })), response(Pet), altResponse(422, Conflict)),
        (_ctx, pet) => pet,
      )
      .get('/own', operation(response(Pet), altResponse(422, Conflict)), () => secret)
    const api = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(views)
    type Paths = PathsOf<typeof api>
    type Both = Paths['/both']['get']['responses']
    type General = Both[400]['content']['application/json']
    expectTypeOf<General['code']>().toEqualTypeOf<number>()
    expectTypeOf<Both[422]['content']['application/json']>().toEqualTypeOf<
      General | { holder: string }
    >()
    expectTypeOf<Paths['/own']['get']['responses'][422]['content']>().toEqualTypeOf<{
      'application/json': { holder: string }
    }>()
  })

  it('has no content for a status without a body', async () => {
    expect((await documented(response({ code: 204 })))[204]).not.toHaveProperty('content')
  })
})
