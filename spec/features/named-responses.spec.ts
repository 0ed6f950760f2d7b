import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  Blueprint,
  etag,
  operation,
  type PathsOf,
  reply,
  response,
  struct,
} from 'koa-smorest'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'

const Pet = struct({ name: t.string }, 'Pet')
const VERSIONS = ['3.2.0', '3.1.0', '3.0.3', '2.0']
const OURS = { description: 'Ours' }

const pets = () =>
  new Blueprint('pets')
    .get('/pet', operation(response(Pet), altResponse(404, 'NotFound')), () => abort(404))
    .get('/any', operation(response(Pet), altResponse('default', 'Failed')), () => abort(418))
    .get('/kept', operation(response(Pet), altResponse('default', OURS)), () => abort(418))
    .get('/wrong', operation(response(Pet), altResponse(404, 'NotFound')), () =>
      reply({ name: 'Rex' }, 404),
    )

/** The responses of the operations, and the components that they refer to. */
function documented(api: Api, version: string) {
  // biome-ignore lint/suspicious/noExplicitAny: a document is walked
  const document = api.spec.toJSON(version) as any
  const { responses } = version === '2.0' ? document : document.components
  const of = (path: string) => document.paths[path].get.responses
  return { pet: of('/pet')[404], any: of('/any').default, kept: of('/kept').default, responses }
}

function apiWith(
  options: Readonly<Record<string, unknown>> = {},
  kwargs: Readonly<Record<string, unknown>> = {},
) {
  const settings = { OPENAPI_VERSION: '3.1.0', API_SPEC_OPTIONS: options }
  return new Api(new Koa(), settings, kwargs)
}

it.each(['Not Found', '', 'The pet is gone.'])('is a fault if the name is %j', name => {
  const blueprint = new Blueprint('pets').get(
    '/pet',
    operation(response(Pet), altResponse(404, name)),
    () => abort(404),
  )
  expect(() => apiWith().registerBlueprint(blueprint)).toThrow(
    `altResponse: the name of a response must be of letters, digits, ".", "_" and "-", not ${JSON.stringify(name)}. A description is an option: { description: '…' }`,
  )
})

it.each(VERSIONS)('documents a header field without a schema as a string, in %s', version => {
  const headers = {
    Location: { description: 'The pet' },
    'X-Count': { schema: { type: 'integer' } },
  } as const
  const blueprint = new Blueprint('pets').get(
    '/pet',
    operation(response(Pet, { headers }), altResponse(202, { content: false, headers })),
    () => ({ name: 'Rex' }),
  )
  // biome-ignore lint/suspicious/noExplicitAny: a document is walked
  const document = apiWith().registerBlueprint(blueprint).spec.toJSON(version) as any
  const { 200: main, 202: other } = document.paths['/pet'].get.responses
  const typed = (type: string) => (version === '2.0' ? { type } : { schema: { type } })
  for (const described of [main, other])
    expect(described.headers).toEqual({
      Location: { description: 'The pet', ...typed('string') },
      'X-Count': typed('integer'),
    })
})

describe.each(VERSIONS)('a response by its name, in %s,', version => {
  const place = version === '2.0' ? '#/responses/' : '#/components/responses/'

  it('is the error response of the library, unless the application defines one', () => {
    const { pet, any, responses } = documented(apiWith().registerBlueprint(pets()), version)
    expect({ pet, any, description: responses.NotFound.description }).toEqual({
      pet: { $ref: `${place}NotFound` },
      any: { $ref: `${place}Failed` },
      description: 'Not Found',
    })
    expect(JSON.stringify(responses.NotFound)).toContain('/Error"')
  })

  it('is that of the application, wherever it defines it, and nothing of another one', () => {
    const components = { responses: { NotFound: OURS, Failed: OURS } }
    const last = apiWith().registerBlueprint(pets())
    last.spec.components.response('NotFound', OURS).response('Failed', OURS)
    const first = apiWith()
    first.spec.components.response('NotFound', OURS).response('Failed', OURS)
    const apis = [
      apiWith({ components }).registerBlueprint(pets()),
      apiWith({}, { components }).registerBlueprint(pets()),
      last,
      first.registerBlueprint(pets()),
    ]
    for (const api of apis) {
      const { pet, any, responses } = documented(api, version)
      expect({ pet, any, responses }).toMatchObject({
        pet: { $ref: `${place}NotFound` },
        any: { $ref: `${place}Failed` },
      })
      expect([responses.NotFound, responses.Failed]).toEqual([OURS, OURS])
    }
  })
})

describe('a response by its name', () => {
  it('is that of the application beside features that refer to the same name', () => {
    const Loaded = etag({ load: () => ({ name: 'Rex' }) })
    const both = new Blueprint('both').get(
      '/pet',
      operation(Loaded, response(Pet), altResponse(404, 'NotFound')),
      () => ({ name: 'Rex' }),
    )
    const components = { responses: { NotFound: OURS } }
    const last = apiWith().registerBlueprint(both)
    last.spec.components.response('NotFound', OURS)
    const first = apiWith()
    first.spec.components.response('NotFound', OURS)
    const apis = [
      apiWith({ components }).registerBlueprint(both),
      last,
      first.registerBlueprint(both),
    ]
    for (const api of apis)
      expect(JSON.parse(JSON.stringify(api.spec)).components.responses.NotFound).toEqual(OURS)
  })

  it('changes nothing of what is sent', async () => {
    const { request, errors } = await serveBlueprints(
      pets(),
      {
        DEBUG: false,
        TESTING: false,
        API_SPEC_OPTIONS: { components: { responses: { Failed: OURS } } },
      },
      { undocumented: ['GET /any'] },
    )
    const { status, body } = await request('GET', '/pet')
    expect({ status, body }).toEqual({ status: 404, body: { code: 404, status: 'Not Found' } })
    expect((await request('GET', '/wrong')).status).toBe(500)
    expect(errors).toHaveLength(1)
  })
})

describe('the response `default`', () => {
  it('keeps its description, and has the body of errors', () => {
    const { kept } = documented(apiWith().registerBlueprint(pets()), '3.1.0')
    expect(kept).toEqual({
      description: 'Ours',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    })
  })

  it('takes neither a codec nor a media type nor `content: false`', () => {
    const register = (feature: ReturnType<typeof altResponse>) => () =>
      apiWith().registerBlueprint(
        new Blueprint('b').get('/', operation(response(Pet), feature), () => ({ name: 'Rex' })),
      )
    const fault = 'altResponse: `default` has the body of errors'
    expect(register(altResponse('default', Pet) as never)).toThrow(fault)
    expect(register(altResponse('default', { contentType: 'text/csv' }) as never)).toThrow(fault)
    expect(register(altResponse('default', { content: false }) as never)).toThrow(
      '`content: false` is for a status from 200 to 299, not default',
    )
  })
})

it('clients know the body of errors under a name and under `default`', () => {
  const one = new Blueprint('one').get(
    '/',
    operation(response(Pet), altResponse(404, 'NotFound'), altResponse('default', 'Failed')),
    () => ({ name: 'Rex' }),
  )
  const api = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(one)
  type Responses = PathsOf<typeof api>['/']['get']['responses']
  type Body<Status extends keyof Responses> = Responses[Status] extends { content: infer C }
    ? C
    : never
  expectTypeOf<keyof Responses>().toEqualTypeOf<200 | 404 | 'default'>()
  expectTypeOf<Body<404>['application/json']>().toHaveProperty('code')
  expectTypeOf<Body<'default'>['application/json']>().toHaveProperty('code')
})
