import { Validator } from '@seriousme/openapi-schema-validator'
import type { OpenAPIObject } from 'openapi3-ts/oas31'

/** A document of OpenAPI 3.1 that uses what the older versions spell otherwise or do not know. */
export const shop: OpenAPIObject = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1', license: { name: 'MIT', identifier: 'MIT' } },
  servers: [{ url: 'https://example.com' }],
  tags: [{ name: 'pets' }],
  paths: {
    '/pets/{petId}': {
      parameters: [{ name: 'petId', in: 'path', required: true, schema: { type: 'integer' } }],
      get: {
        operationId: 'get',
        parameters: [
          {
            name: 'kind',
            in: 'query',
            required: false,
            schema: { $ref: '#/components/schemas/Kind' },
          },
          { name: 'ids', in: 'query', schema: { type: 'array', items: { type: 'integer' } } },
          {
            name: 'csv',
            in: 'query',
            style: 'form',
            explode: false,
            schema: { type: 'array', items: { type: 'integer' } },
          },
          {
            name: 'near',
            in: 'query',
            schema: { type: 'object', properties: { x: { type: 'number' } } },
          },
          { name: 'session', in: 'cookie', schema: { type: 'string' } },
          { $ref: '#/components/parameters/IfNoneMatch' },
        ],
        responses: {
          200: {
            description: 'A pet',
            headers: {
              ETag: { $ref: '#/components/headers/ETag' },
              'X-Pagination': { content: { 'application/json': { schema: { type: 'object' } } } },
            },
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/Pet' },
                example: { id: 1 },
              },
            },
          },
          '5XX': { description: 'Away' },
          default: { $ref: '#/components/responses/DefaultError' },
        },
      },
      put: {
        operationId: 'put',
        requestBody: {
          required: true,
          description: 'The pet',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
        },
        responses: { 204: { description: 'No Content' } },
      },
    },
    '/pictures': {
      post: {
        operationId: 'upload',
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: { $ref: '#/components/schemas/Files' },
              encoding: { tags: { style: 'form', explode: false } },
            },
          },
        },
        responses: {
          200: {
            description: 'A picture',
            content: { 'image/png': { schema: { type: 'string', format: 'binary' } } },
          },
        },
      },
      patch: {
        operationId: 'patch',
        requestBody: {
          content: { 'application/merge-patch+json': { schema: { type: 'object' } } },
        },
        responses: { 200: { description: 'OK' } },
      },
    },
  },
  webhooks: {},
  components: {
    schemas: {
      Kind: { type: 'string', enum: ['cat', 'dog'] },
      Pet: {
        type: 'object',
        properties: {
          id: { type: 'integer', readOnly: true },
          secret: { type: 'string', writeOnly: true },
          nick: { type: ['string', 'null'] },
          price: { type: 'number', exclusiveMinimum: 0 },
          kind: { $ref: '#/components/schemas/Kind', description: 'What it is' },
          mother: { anyOf: [{ $ref: '#/components/schemas/Pet' }, { type: 'null' }] },
          place: {
            type: 'array',
            prefixItems: [{ type: 'number' }, { type: 'string' }],
            minItems: 2,
            maxItems: 2,
          },
          status: { type: 'string', const: 'sold' },
          food: {
            oneOf: [{ $ref: '#/components/schemas/Meat' }, { $ref: '#/components/schemas/Hay' }],
            discriminator: {
              propertyName: 'type',
              mapping: { meat: '#/components/schemas/Meat', hay: '#/components/schemas/Hay' },
            },
          },
        },
        required: ['id', 'nick'],
        additionalProperties: false,
      },
      Meat: {
        type: 'object',
        properties: { type: { type: 'string', const: 'meat' } },
        required: ['type'],
      },
      Hay: {
        type: 'object',
        properties: { type: { type: 'string', const: 'hay' } },
        required: ['type'],
      },
      Files: {
        type: 'object',
        properties: {
          picture: { type: 'string', format: 'binary', description: 'PNG' },
          tags: { type: 'array', items: { type: 'string' } },
          labels: { type: 'array', items: { type: 'string' } },
          size: { type: 'integer', readOnly: true },
        },
        required: ['picture'],
      },
      Error: { type: 'object', properties: { code: { type: 'integer' } } },
    },
    responses: {
      DefaultError: {
        description: 'Error',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
    parameters: {
      IfNoneMatch: { name: 'If-None-Match', in: 'header', schema: { type: 'string' } },
      Session: { name: 'session', in: 'cookie', schema: { type: 'string' } },
    },
    headers: { ETag: { description: 'The entity tag', schema: { type: 'string' } } },
    securitySchemes: {
      basic: { type: 'http', scheme: 'Basic' },
      bearer: { type: 'http', scheme: 'bearer' },
      session: { type: 'apiKey', in: 'cookie', name: 'session' },
      oauth: {
        type: 'oauth2',
        flows: {
          clientCredentials: { tokenUrl: 'https://example.com/token', scopes: { read: 'Read' } },
        },
      },
    },
  },
}

/** What the official schema of its version says against a document. */
export async function faultsOf(document: object): Promise<unknown[]> {
  const { valid, errors } = await new Validator().validate(
    structuredClone(document) as Record<string, unknown>,
  )
  return valid ? [] : [errors]
}
