import * as t from 'io-ts'
import Koa from 'koa'
import { Api, Blueprint, int, operation, response, struct } from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { danglingReferences } from '../../src/openapi/document/dangling-references.js'
import { contract, fetchOf } from '../../src/testing/index.js'

const $ref = '#/components/schemas/Nothing'
const fault = (pointer: string, reference = $ref) =>
  `The reference ${reference} in ${pointer} leads to nothing: let an operation use it, or add it with api.spec.components`

describe('references of a document that lead to nothing', () => {
  it('are found where a reference can be, each once, in all versions', () => {
    const response = { $ref: '#/responses/Nothing' }
    expect(
      danglingReferences({
        paths: {
          '/a~b': { get: { parameters: [{ schema: { $ref } }], responses: { default: response } } },
        },
        components: { schemas: { Pet: { properties: { default: { allOf: [{ $ref }] } } } } },
        definitions: { Pet: { items: { $ref: '#/definitions/Toy' } } },
      }),
    ).toEqual([
      fault('/paths/~1a~0b/get/parameters/0/schema'),
      fault('/paths/~1a~0b/get/responses/default', '#/responses/Nothing'),
      fault('/definitions/Pet/items', '#/definitions/Toy'),
    ])
  })

  it.each([
    [
      'in a value of the API',
      { a: { example: { $ref } }, b: { examples: [{ $ref }], const: { $ref } } },
    ],
    ['in the value of an example', { examples: { one: { value: { $ref } } } }],
    ['as the name of a field', { properties: { $ref: { type: 'string' } } }],
    ['into another document', { schema: { $ref: 'pets.json#/Pet' } }],
    ['in a schema with an address of its own', { schema: { $id: 'http://x/', items: { $ref } } }],
    ['to the document itself', { schema: { $ref: '#' } }],
    ['with escapes', { 'a/b ~': {}, schema: { $ref: '#/a~1b%20~0' } }],
  ])('are none %s', (_where, document) => {
    expect(danglingReferences(document)).toEqual([])
  })

  it('are warned of once, when the document is served, and not before', async () => {
    const warnings: string[] = []
    class Watched extends Api {
      override warn(text: string) {
        warnings.push(text)
      }
    }
    const app = new Koa()
    const api = new Watched(app, {
      OPENAPI_VERSION: '3.1.0',
      OPENAPI_URL_PREFIX: '/docs',
      API_SPEC_OPTIONS: { webhooks: { born: { post: { requestBody: { $ref } } } } },
    })
    api.spec.toJSON()
    expect(warnings).toEqual([])
    const get = () => fetchOf(app)('http://x/docs/openapi.json')
    expect((await get()).status).toBe(200)
    api.spec.components.schema('Other', { type: 'string' })
    await get()
    expect(warnings).toEqual([fault('/webhooks/born/post/requestBody')])
    api.spec.components.schema('Nothing', { type: 'string' })
    expect(danglingReferences(api.spec.toJSON())).toEqual([])
  })

  it('are failures of contract, which sends nothing', async () => {
    const app = new Koa()
    const Pet = struct({ id: int }, 'Pet')
    const api = new Api(app, {
      OPENAPI_VERSION: '3.1.0',
      API_SPEC_OPTIONS: { webhooks: { born: { post: { requestBody: { $ref } } } } },
    }).registerBlueprint(
      new Blueprint('pets').get('/', operation(response(t.array(Pet))), () => []),
    )
    expect(await contract(app, api)).toEqual({
      failures: [
        {
          check: 'document',
          operation: 'openapi',
          message: fault('/webhooks/born/post/requestBody'),
          curl: '',
          status: 0,
          body: '',
          repeats: true,
        },
      ],
      coverage: { operations: 0, responses: 0, missing: [] },
      requests: 0,
    })
  })
})
