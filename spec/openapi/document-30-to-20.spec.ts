import { describe, expect, it } from 'vitest'
import { document30To20 } from '../../src/openapi/downgrade/document-30-to-20.js'
import { document31To30 } from '../../src/openapi/downgrade/document-31-to-30.js'
import { isObject } from '../../src/openapi/schema/json.js'
import { faultsOf, shop } from './shop.js'

const lowered = document30To20(document31To30(shop), { basePath: '/v1' })
const at = (...path: (string | number)[]) =>
  path.reduce<unknown>(
    (value, key) => (isObject(value) || Array.isArray(value) ? (value as never)[key] : undefined),
    lowered,
  )
const parameters = (path: string, method: string) =>
  at('paths', path, method, 'parameters') as { name: string; in: string }[]

describe('a document of 3.0 in 2.0', () => {
  it('is valid', async () => {
    expect(await faultsOf(lowered)).toEqual([])
  })

  it('says where it is based and that it speaks JSON', () => {
    expect(lowered).toMatchObject({
      swagger: '2.0',
      basePath: '/v1',
      consumes: ['application/json'],
      produces: ['application/json'],
    })
    expect(lowered).not.toHaveProperty('servers')
    expect(lowered).not.toHaveProperty('components')
  })

  it('keeps root attributes that only 2.0 knows, and lets them win', () => {
    const document = document30To20(
      { ...document31To30(shop), host: 'example.com', basePath: '/mine' } as never,
      { basePath: '/v1' },
    )
    expect(document).toMatchObject({ host: 'example.com', basePath: '/mine' })
  })

  it('writes the schema of a parameter into it', () => {
    const [kind, ids, csv, near, ifNoneMatch, ...others] = parameters('/pets/{petId}', 'get')
    expect(kind).toEqual({
      name: 'kind',
      in: 'query',
      required: false,
      type: 'string',
      enum: ['cat', 'dog'],
    })
    expect(ids).toEqual({
      name: 'ids',
      in: 'query',
      type: 'array',
      items: { type: 'integer' },
      collectionFormat: 'multi',
    })
    expect(csv).toMatchObject({ collectionFormat: 'csv' })
    expect(near).toEqual({ name: 'near', in: 'query', type: 'string' })
    expect(ifNoneMatch).toEqual({ $ref: '#/parameters/IfNoneMatch' })
    expect(others).toEqual([])
  })

  it('leaves out cookies, also among the components', () => {
    expect(at('parameters')).toEqual({
      IfNoneMatch: { name: 'If-None-Match', in: 'header', type: 'string' },
    })
  })

  it('makes the body a parameter, and says its media type if that is another', () => {
    const body = {
      name: 'body',
      in: 'body',
      required: true,
      description: 'The pet',
      schema: { $ref: '#/definitions/Pet' },
    }
    expect(parameters('/pets/{petId}', 'put')).toEqual([body])
    expect(at('paths', '/pets/{petId}', 'put', 'consumes')).toBeUndefined()
    expect(at('paths', '/pictures', 'patch', 'consumes')).toEqual(['application/merge-patch+json'])
  })

  it('makes the fields of a form parameters, uploads files', () => {
    const list = { type: 'array', items: { type: 'string' } }
    expect(parameters('/pictures', 'post')).toEqual([
      { name: 'picture', in: 'formData', required: true, type: 'file', description: 'PNG' },
      { name: 'tags', in: 'formData', required: false, ...list, collectionFormat: 'csv' },
      { name: 'labels', in: 'formData', required: false, ...list, collectionFormat: 'multi' },
    ])
    expect(at('paths', '/pictures', 'post', 'consumes')).toEqual(['multipart/form-data'])
    expect(at('paths', '/pictures', 'post', 'produces')).toEqual(['image/png'])
  })

  it('has one schema in a response, headers without one, and no ranges of statuses', () => {
    expect(at('paths', '/pets/{petId}', 'get', 'responses')).toEqual({
      200: {
        description: 'A pet',
        headers: {
          ETag: { description: 'The entity tag', type: 'string' },
          'X-Pagination': { type: 'string' },
        },
        schema: { $ref: '#/definitions/Pet' },
        examples: { 'application/json': { id: 1 } },
      },
      default: { $ref: '#/responses/DefaultError' },
    })
  })

  it('says of a schema what 2.0 has words for', () => {
    expect(at('definitions', 'Pet')).toEqual({
      type: 'object',
      properties: {
        id: { type: 'integer', readOnly: true },
        secret: { type: 'string' },
        nick: { type: 'string', 'x-nullable': true },
        price: { type: 'number', minimum: 0, exclusiveMinimum: true },
        kind: { description: 'What it is', allOf: [{ $ref: '#/definitions/Kind' }] },
        mother: { 'x-nullable': true, allOf: [{ $ref: '#/definitions/Pet' }] },
        place: {
          type: 'array',
          minItems: 2,
          maxItems: 2,
          items: { 'x-anyOf': [{ type: 'number' }, { type: 'string' }] },
        },
        status: { type: 'string', enum: ['sold'] },
        food: { 'x-oneOf': [{ $ref: '#/definitions/Meat' }, { $ref: '#/definitions/Hay' }] },
      },
      required: ['nick'],
      additionalProperties: false,
    })
  })

  it('keeps the extensions of a schema in the parameter that it becomes', () => {
    const schema = { type: 'integer', format: 'int64', 'x-order': 3 }
    const document = document30To20({
      openapi: '3.0.3',
      info: { title: 't', version: '1' },
      paths: {
        '/': {
          get: {
            parameters: [
              { name: 'q', in: 'query', schema },
              { name: 'all', in: 'query', schema: { type: 'array', items: schema } },
            ],
            responses: { 200: { description: 'OK' } },
          },
        },
      },
    } as never)
    expect((document as { paths: Record<string, unknown> }).paths['/']).toMatchObject({
      get: {
        parameters: [
          { name: 'q', in: 'query', ...schema },
          { name: 'all', in: 'query', type: 'array', items: schema, collectionFormat: 'multi' },
        ],
      },
    })
  })

  it('has a counterpart for each security scheme, so that no requirement names one that is not there', () => {
    expect(lowered.securityDefinitions).toEqual({
      basic: { type: 'basic' },
      bearer: { type: 'apiKey', in: 'header', name: 'Authorization' },
      session: { type: 'apiKey', in: 'header', name: 'Cookie' },
      oauth: {
        type: 'oauth2',
        flow: 'application',
        tokenUrl: 'https://example.com/token',
        scopes: { read: 'Read' },
      },
    })
  })
})

describe('what 2.0 cannot say', () => {
  /** The document with these parts in 2.0, and what was lost. */
  function lowered20(parts: object) {
    const lost: string[] = []
    const whole = { openapi: '3.0.3', info: { title: 't', version: '1' }, paths: {}, ...parts }
    return {
      document: document30To20(whole as never, {}, (what, at) => lost.push(`${what} @ ${at}`)),
      lost,
    }
  }
  const responses = { 200: { description: 'OK' } }

  it('is told', async () => {
    const { document, lost } = lowered20({
      servers: [{ url: 'https://example.com' }],
      paths: {
        '/a': {
          trace: { responses },
          get: {
            parameters: [{ name: 'sid', in: 'cookie', schema: { type: 'string' } }],
            responses: { '2XX': { description: 'Fine' } },
          },
          post: { callbacks: {}, responses: { 200: { description: 'OK', links: {} } } },
        },
      },
    })
    expect(lost).toEqual([
      'servers (give host and schemes) @ ',
      'the method TRACE @ /a',
      'the cookie sid @ /a',
      'ranges of statuses @ /a',
      'callbacks @ /a',
      'links @ /a',
    ])
    expect(document.paths).toEqual({
      '/a': { get: { responses: { default: { description: 'Fine' } } }, post: { responses } },
    })
    expect(await faultsOf(document)).toEqual([])
  })

  it.each<[what: string, content: Record<string, string>, lost: string[]]>([
    [
      'JSON and a form',
      { 'application/json': 'A', 'multipart/form-data': 'A' },
      ['a body of several schemas @ /a'],
    ],
    [
      'two schemas',
      { 'application/json': 'A', 'application/yaml': 'B' },
      ['a body of several schemas @ /a'],
    ],
    ['one schema in two languages', { 'application/json': 'A', 'application/yaml': 'A' }, []],
    [
      'one form in two encodings',
      { 'application/x-www-form-urlencoded': 'A', 'multipart/form-data': 'A' },
      [],
    ],
  ])('includes a choice of bodies: %s', (_, content, expected) => {
    const media = Object.entries(content).map(([type, name]) => [
      type,
      { schema: { $ref: `#/components/schemas/${name}` } },
    ])
    const schemas = { A: { type: 'object' }, B: { type: 'object' } }
    const { lost } = lowered20({
      paths: { '/a': { post: { requestBody: { content: Object.fromEntries(media) }, responses } } },
      components: { schemas },
    })
    expect(lost).toEqual(expected)
  })

  it('includes null, as a default and among the values of a type', () => {
    const nick = { type: 'string', nullable: true, default: null, enum: ['a', null] }
    const { document } = lowered20({
      paths: {
        '/a': { get: { parameters: [{ name: 'nick', in: 'query', schema: nick }], responses } },
      },
      components: {
        schemas: { Nick: nick, Null: { type: 'string', enum: [null], nullable: true } },
      },
    })
    const converted = { type: 'string', enum: ['a'], 'x-nullable': true }
    expect(document.paths['/a']).toMatchObject({
      get: { parameters: [{ name: 'nick', in: 'query', ...converted }] },
    })
    expect(document.definitions).toEqual({
      Nick: converted,
      Null: { type: 'string', enum: [null], 'x-nullable': true },
    })
  })

  it('leaves no definition of which nothing is said any more, and keeps those that never were referred to', () => {
    const body = (name: string) => ({
      requestBody: {
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
      },
    })
    const form = {
      content: { 'multipart/form-data': { schema: { $ref: '#/components/schemas/Form' } } },
    }
    const { document } = lowered20({
      paths: {
        '/a': {
          get: {
            parameters: [
              { name: 'kind', in: 'query', schema: { $ref: '#/components/schemas/Kind' } },
            ],
            responses,
          },
          post: { requestBody: form, responses },
          put: { ...body('Tree'), responses },
          'x-query': { ...body('Search'), responses },
        },
      },
      components: {
        schemas: {
          Kind: { type: 'string', enum: ['cat'] },
          Form: { type: 'object', properties: { part: { $ref: '#/components/schemas/Part' } } },
          Part: { type: 'string' },
          Tree: { type: 'object', properties: { leaf: { $ref: '#/components/schemas/Leaf' } } },
          Leaf: { type: 'string' },
          Search: { type: 'string' },
          ByHand: { type: 'object', properties: { kept: { $ref: '#/components/schemas/Kept' } } },
          Kept: { type: 'string' },
        },
      },
    })
    expect(Object.keys(document.definitions ?? {})).toEqual([
      'Tree',
      'Leaf',
      'Search',
      'ByHand',
      'Kept',
    ])
  })

  it('includes scopes of what is not OAuth there, and flows that it does not know', async () => {
    const { document } = lowered20({
      security: [{ oidc: ['read'], oauth: ['read'], device: ['read'] }],
      components: {
        securitySchemes: {
          oidc: { type: 'openIdConnect', openIdConnectUrl: 'https://example.com' },
          oauth: {
            type: 'oauth2',
            flows: {
              password: { tokenUrl: 'https://example.com/token', scopes: { read: 'Read' } },
            },
          },
          device: { type: 'oauth2', flows: {} },
        },
      },
    })
    expect(document).toMatchObject({
      security: [{ oidc: [], oauth: ['read'], device: [] }],
      securityDefinitions: {
        oidc: { type: 'apiKey' },
        oauth: { flow: 'password' },
        device: { type: 'apiKey' },
      },
    })
    expect(await faultsOf(document)).toEqual([])
  })
})
