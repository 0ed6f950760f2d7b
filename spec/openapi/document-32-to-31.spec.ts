import type { OpenAPIObject } from 'openapi3-ts/oas32'
import { describe, expect, it } from 'vitest'
import { document30To20 } from '../../src/openapi/downgrade/document-30-to-20.js'
import { document31To30 } from '../../src/openapi/downgrade/document-31-to-30.js'
import { document32To31 } from '../../src/openapi/downgrade/document-32-to-31.js'
import { faultsOf } from './shop.js'

const ok = { 200: { description: 'OK' } }

/** A document that uses what OpenAPI 3.2 has added. */
const modern: OpenAPIObject = {
  openapi: '3.2.0',
  $self: 'https://example.com/openapi.json',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'https://example.com', name: 'production' }],
  tags: [
    { name: 'pets', summary: 'Pets', kind: 'nav' },
    { name: 'cats', parent: 'pets' },
  ],
  paths: {
    '/pets': {
      parameters: [{ name: 'session', in: 'cookie', style: 'cookie', schema: { type: 'string' } }],
      get: {
        parameters: [
          { name: 'whole', in: 'querystring', content: { 'application/json': { schema: {} } } },
        ],
        responses: {
          200: {
            summary: 'Pets, one a line',
            content: { 'application/jsonl': { itemSchema: { $ref: '#/components/schemas/Pet' } } },
          },
          404: {
            summary: 'None',
            content: { 'application/json': { $ref: '#/components/mediaTypes/Json' } },
          },
        },
      },
      query: {
        operationId: 'search',
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Search' } } },
        },
        responses: ok,
      },
      additionalOperations: { PURGE: { responses: ok } },
    },
    '/files/{path}': {
      parameters: [
        {
          name: 'path',
          in: 'path',
          required: true,
          allowReserved: true,
          schema: { type: 'string' },
        },
      ],
      get: { responses: ok },
    },
  },
  components: {
    schemas: {
      Pet: {
        type: 'object',
        properties: {
          kind: { type: 'string' },
          id: { type: 'integer' },
        },
        discriminator: { propertyName: 'kind' },
      },
      Search: { type: 'object', properties: { words: { type: ['string', 'null'] } } },
    },
    examples: { Pet: { dataValue: { kind: 'cat' }, serializedValue: '{"kind":"cat"}' } },
    mediaTypes: { Json: { schema: { const: 1 }, description: 'One' } },
    securitySchemes: {
      login: {
        type: 'oauth2',
        deprecated: true,
        oauth2MetadataUrl: 'https://example.com/.well-known/oauth-authorization-server',
        flows: {
          deviceAuthorization: {
            deviceAuthorizationUrl: 'https://example.com/device',
            tokenUrl: 'https://example.com/token',
            scopes: {},
          },
          clientCredentials: { tokenUrl: 'https://example.com/token', scopes: {} },
        },
      },
    },
  },
}

/** The document, and what was lost with it. */
function lowered() {
  const lost: string[] = []
  const document = document32To31(modern, (what, at) => lost.push(`${what} @ ${at}`))
  return { document, lost }
}

describe('a document of 3.2 in 3.1', () => {
  it('is valid, as it was before, and so is what is made of it', async () => {
    const { document } = lowered()
    const in30 = document31To30(document)
    for (const version of [modern, document, in30, document30To20(in30)])
      expect(await faultsOf(version)).toEqual([])
  })

  it('leaves the original as it is', () => {
    const before = structuredClone(modern)
    lowered()
    expect(modern).toEqual(before)
  })

  it('has an operation of QUERY under x-query, which is lowered like any other', () => {
    const { document } = lowered()
    expect(document.paths?.['/pets']).toHaveProperty('x-query.operationId', 'search')
    const in30 = document31To30(document)
    expect(in30.components?.schemas?.Search).toMatchObject({
      properties: { words: { type: 'string', nullable: true } },
    })
    expect(document30To20(in30).paths['/pets']).toHaveProperty('x-query.parameters', [
      { name: 'body', in: 'body', schema: { $ref: '#/definitions/Search' } },
    ])
    expect(document30To20(in30).definitions).toHaveProperty('Search')
  })

  it('says what it can in its own words', () => {
    const { document } = lowered()
    expect(document.paths?.['/pets']?.parameters).toEqual([
      { name: 'session', in: 'cookie', schema: { type: 'string' } },
    ])
    expect(document.paths?.['/files/{path}']?.parameters).toEqual([
      { name: 'path', in: 'path', required: true, schema: { type: 'string' } },
    ])
    expect(document.paths?.['/pets']?.get).toEqual({
      parameters: [],
      responses: {
        200: {
          description: 'Pets, one a line',
          content: {
            'application/jsonl': {
              schema: { type: 'string' },
              'x-itemSchema': { $ref: '#/components/schemas/Pet' },
            },
          },
        },
        404: { description: 'None', content: { 'application/json': { schema: { const: 1 } } } },
      },
    })
    expect(document.components).toEqual({
      schemas: {
        Pet: {
          type: 'object',
          properties: {
            kind: { type: 'string' },
            id: { type: 'integer' },
          },
          discriminator: { propertyName: 'kind' },
        },
        Search: { type: 'object', properties: { words: { type: ['string', 'null'] } } },
      },
      examples: { Pet: { value: { kind: 'cat' } } },
      securitySchemes: {
        login: {
          type: 'oauth2',
          flows: { clientCredentials: { tokenUrl: 'https://example.com/token', scopes: {} } },
        },
      },
    })
  })

  it('tells what is left out, and where', () => {
    expect(lowered().lost).toEqual([
      '"$self" of OpenAPI Objects @ ',
      '"name" of Server Objects @ servers.0',
      '"summary" of Tag Objects @ tags.0',
      '"kind" of Tag Objects @ tags.0',
      '"parent" of Tag Objects @ tags.1',
      'a parameter that is the whole query string @ paths./pets.get.parameters.0',
      '"description" of Media Type Objects @ paths./pets.get.responses.404.content.application/json',
      '"additionalOperations" of Path Item Objects @ paths./pets',
      '"deprecated" of Security Scheme Objects @ components.securitySchemes.login',
      '"oauth2MetadataUrl" of Security Scheme Objects @ components.securitySchemes.login',
      '"deviceAuthorization" of OAuth Flows Objects @ components.securitySchemes.login.flows',
    ])
  })

  it('keeps extensions wherever they stand', () => {
    const document = document32To31({
      ...modern,
      'x-own': 1,
      tags: [{ name: 'a', 'x-own': { parent: 2 } }],
    } as OpenAPIObject)
    expect(document).toMatchObject({ 'x-own': 1, tags: [{ name: 'a', 'x-own': { parent: 2 } }] })
  })
})
