import type { OpenAPIObject } from 'openapi3-ts/oas31'
import { describe, expect, it } from 'vitest'
import { document31To30, schema31To30 } from '../../src/openapi/downgrade/document-31-to-30.js'
import { faultsOf, shop } from './shop.js'

describe('a schema of 3.1 in 3.0', () => {
  it.each([
    [
      'null among the types is nullable',
      { type: ['string', 'null'] },
      { type: 'string', nullable: true },
    ],
    [
      'null alone is the only value',
      { type: 'null' },
      { type: 'string', enum: [null], nullable: true },
    ],
    [
      'several types are a choice',
      { type: ['string', 'integer'] },
      { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    ],
    [
      'an enum with null keeps it',
      { type: ['string', 'null'], enum: ['a', null] },
      { type: 'string', nullable: true, enum: ['a', null] },
    ],
    ['const is an enum of one', { type: 'string', const: 'a' }, { type: 'string', enum: ['a'] }],
    [
      'exclusive bounds are flags',
      { exclusiveMinimum: 1, exclusiveMaximum: 9 },
      { minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true },
    ],
    ['the first example is the example', { examples: [1, 2] }, { example: 1 }],
    [
      'what stands beside a reference goes around it',
      { $ref: '#/components/schemas/A', description: 'x' },
      { description: 'x', allOf: [{ $ref: '#/components/schemas/A' }] },
    ],
    [
      'a reference alone stays',
      { $ref: '#/components/schemas/A' },
      { $ref: '#/components/schemas/A' },
    ],
    [
      'a tuple is an array of what its items may be',
      {
        type: 'array',
        prefixItems: [{ type: 'string' }, { type: ['number', 'null'] }],
        minItems: 2,
        maxItems: 2,
      },
      {
        type: 'array',
        items: { anyOf: [{ type: 'string' }, { type: 'number', nullable: true }] },
        minItems: 2,
        maxItems: 2,
      },
    ],
    ['an array says what its items are', { type: 'array' }, { type: 'array', items: {} }],
    [
      'true and false are schemas',
      { properties: { a: true, b: false } },
      { properties: { a: {}, b: { not: {} } } },
    ],
    [
      'encoded content is bytes',
      { type: 'string', contentEncoding: 'base64' },
      { type: 'string', format: 'byte' },
    ],
    [
      'content is bytes',
      { type: 'string', contentMediaType: 'image/png' },
      { type: 'string', format: 'binary' },
    ],
    [
      'content with a schema is text, as the data of events are',
      { type: 'string', contentMediaType: 'application/json', contentSchema: { type: 'object' } },
      { type: 'string' },
    ],
    [
      'other words are left out, extensions stay',
      { $comment: 'x', propertyNames: {}, if: {}, 'x-a': 1 },
      { 'x-a': 1 },
    ],
    [
      'a property may be called as a keyword is',
      { properties: { const: { const: 1 } } },
      { properties: { const: { enum: [1] } } },
    ],
  ])('%s', (_rule, schema, expected) => {
    expect(schema31To30(schema)).toEqual(expected)
  })
})

describe('a document of 3.1 in 3.0', () => {
  it('is valid, as it was before', async () => {
    expect(await faultsOf(shop)).toEqual([])
    expect(await faultsOf(document31To30(shop))).toEqual([])
  })

  it('leaves the original as it is', () => {
    const before = structuredClone(shop)
    document31To30(shop)
    expect(shop).toEqual(before)
  })

  it('has converted schemas wherever they stand', () => {
    const document = document31To30({
      openapi: '3.1.0',
      info: { title: 't', version: '1' },
      paths: {
        '/a': {
          parameters: [{ name: 'p', in: 'query', schema: { const: 1 } }],
          post: {
            requestBody: { content: { 'application/json': { schema: { const: 1 } } } },
            responses: {
              200: {
                description: '',
                headers: { H: { schema: { const: 1 } } },
                content: { 'a/b': { schema: { const: 1 } } },
              },
            },
            callbacks: {
              done: {
                '{$url}': {
                  post: {
                    responses: {
                      200: { description: '', content: { 'a/b': { schema: { const: 1 } } } },
                    },
                  },
                },
              },
            },
          },
        },
      },
      components: {
        schemas: { A: { const: 1 } },
        headers: { H: { content: { 'a/b': { schema: { const: 1 } } } } },
      },
    })
    const text = JSON.stringify(document)
    expect(text).not.toContain('const')
    expect(text.match(/"enum":\[1\]/g)).toHaveLength(7)
  })

  it('keeps examples and extensions as they are written', () => {
    const example = { const: 1, type: ['a', 'null'], schema: { const: 1 } }
    const document = document31To30({
      ...shop,
      'x-own': example,
      paths: {
        '/a': {
          get: {
            responses: { 200: { description: '', content: { 'application/json': { example } } } },
          },
        },
      },
    })
    expect(document['x-own']).toEqual(example)
    expect(document.paths['/a']?.get?.responses[200].content['application/json'].example).toEqual(
      example,
    )
  })
})

describe('what 3.0 cannot say', () => {
  /** The document with these parts in 3.0, and what was lost. */
  function lowered(parts: object) {
    const lost: string[] = []
    const whole = {
      openapi: '3.1.0',
      info: { title: 't', version: '1' },
      paths: {},
      ...parts,
    } as OpenAPIObject
    return { document: document31To30(whole, (what, at) => lost.push(`${what} @ ${at}`)), lost }
  }

  it('is told: summaries, license identifiers; webhooks are under x-webhooks', () => {
    const content = { 'application/json': { schema: { type: ['string', 'null'] } } }
    const responses = { 200: { description: '' } }
    const { document, lost } = lowered({
      info: { title: 't', version: '1', summary: 's', license: { name: 'MIT', identifier: 'MIT' } },
      webhooks: { created: { summary: 'New', post: { requestBody: { content }, responses } } },
      'x-webhooks': { deleted: { post: { responses } } },
    })
    expect(document).toEqual({
      openapi: '3.0.3',
      info: { title: 't', version: '1', license: { name: 'MIT' } },
      paths: {},
      'x-webhooks': {
        created: {
          summary: 'New',
          post: {
            requestBody: {
              content: { 'application/json': { schema: { type: 'string', nullable: true } } },
            },
            responses,
          },
        },
        deleted: { post: { responses } },
      },
    })
    expect(lost).toEqual([
      '"summary" of Info Objects @ info',
      '"identifier" of License Objects @ info.license',
    ])
  })

  it('includes mutual TLS, of which no requirement is left, while others stay; roles are left out', async () => {
    const { document, lost } = lowered({
      security: [{ mtls: [] }],
      paths: {
        '/a': {
          get: {
            security: [{ mtls: [], key: ['admin'] }, { mtls: [] }, {}],
            responses: { 200: { description: '' } },
          },
          post: { security: [], responses: { 200: { description: '' } } },
        },
      },
      components: {
        securitySchemes: {
          mtls: { type: 'mutualTLS' },
          key: { type: 'apiKey', in: 'header', name: 'X-Key' },
        },
      },
    })
    expect(document).not.toHaveProperty('security')
    expect(document.paths['/a']).toMatchObject({
      get: { security: [{ key: [] }, {}] },
      post: { security: [] },
    })
    expect(document.components?.securitySchemes).toEqual({
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
    })
    expect(lost).toEqual(['mutual TLS @ components.securitySchemes.mtls'])
    expect(await faultsOf(document)).toEqual([])
  })

  it('includes path items among the components, which are written where they are referred to', () => {
    const get = { responses: { 200: { description: '' } } }
    const { document, lost } = lowered({
      paths: {
        '/a': { $ref: '#/components/pathItems/A' },
        '/b': { $ref: 'https://example.com/b.json' },
      },
      components: {
        pathItems: {
          A: {
            get: {
              ...get,
              callbacks: { again: { '{$url}': { $ref: '#/components/pathItems/A' } } },
            },
          },
        },
      },
    })
    expect(document.paths).toEqual({
      '/a': { get: { ...get, callbacks: { again: {} } } },
      '/b': { $ref: 'https://example.com/b.json' },
    })
    expect(document.components).toEqual({})
    expect(lost).toEqual([
      'Path Item Objects inside themselves @ paths./a.get.callbacks.again.{$url}',
    ])
  })

  it.each(['^\\p{L}+$', '^\\P{Cc}+$', '\\u{1f600}', '\\\\\\p{L}'])(
    'includes the pattern %s, which needs the flag u',
    pattern => {
      const { document, lost } = lowered({
        components: { schemas: { A: { items: { type: 'string', pattern } } } },
      })
      expect(document.components?.schemas?.A).toEqual({ items: { type: 'string' } })
      expect(lost).toEqual([
        `the pattern ${pattern}, whose escapes need the flag u @ components.schemas.A`,
      ])
    },
  )

  it.each(['^\\\\p{3}$', '^[a-z]+$', '\\u00e9'])('does not include the pattern %s', pattern => {
    const { document, lost } = lowered({
      components: { schemas: { A: { type: 'string', pattern } } },
    })
    expect(document.components?.schemas?.A).toEqual({ type: 'string', pattern })
    expect(lost).toEqual([])
  })
})
