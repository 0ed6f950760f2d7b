import * as t from 'io-ts'
import type { OperationObject, ParameterObject } from 'openapi3-ts/oas32'
import { describe, expect, it } from 'vitest'
import { int } from '../../src/codec/define/scalar/scalars.js'
import { readOnly, writeOnly } from '../../src/codec/shape/object-shape.js'
import { type DocumentInput, document } from '../../src/openapi/document/document.js'
import {
  type Fragment,
  merge,
  type OperationDescription,
} from '../../src/openapi/document/fragment.js'
import { document30To20 } from '../../src/openapi/downgrade/document-30-to-20.js'
import { document31To30 } from '../../src/openapi/downgrade/document-31-to-30.js'
import { document32To31 } from '../../src/openapi/downgrade/document-32-to-31.js'
import { Schemas } from '../../src/openapi/schema/schemas.js'
import { faultsOf } from './shop.js'

function operation(
  place: string,
  fragment: Fragment = {},
  more: Partial<OperationDescription> = {},
): OperationDescription {
  const [method = '', path = ''] = place.split(' ')
  return {
    method,
    path,
    pathParameters: [],
    fragment,
    defaultTag: 'pets',
    defaultOperationId: place,
    ...more,
  }
}

function made(operations: readonly OperationDescription[], input: Partial<DocumentInput> = {}) {
  return document({
    title: 'Shop',
    version: '1',
    operations,
    tags: [{ name: 'pets' }],
    schemas: new Schemas(),
    ...input,
  })
}

function described(fragment: Fragment, input: Partial<DocumentInput> = {}): OperationObject {
  return made([operation('GET /', fragment)], input).paths?.['/']?.get ?? {}
}

describe('a document', () => {
  it('keeps the order of paths, methods and tags', () => {
    const operations = ['GET /b', 'POST /a', 'DELETE /b', 'GET /a'].map(place => operation(place))
    const tagged = operation('PUT /a', { tags: ['a', 'z'] })
    const { paths = {}, tags } = made([...operations, tagged], {
      tags: [{ name: 'z' }, { name: 'a' }],
    })
    expect(Object.entries(paths).map(([path, item]) => [path, Object.keys(item)])).toEqual([
      ['/b', ['get', 'delete']],
      ['/a', ['post', 'get', 'put']],
    ])
    expect(tags).toEqual([{ name: 'z' }, { name: 'a' }])
  })

  it('joins the parameters of a path, which stand beside its operations', () => {
    const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } } as const
    const operations = [
      operation('GET /{id}', {}, { pathParameters: [id] }),
      operation('PUT /{id}', {}, { pathParameters: [id] }),
    ]
    expect(made(operations).paths?.['/{id}']?.parameters).toEqual([id])
  })

  it('leaves hidden operations out, and paths that have no others', () => {
    const operations = [
      operation('GET /a', { hidden: true }),
      operation('GET /b', { hidden: true }),
      operation('PUT /b'),
    ]
    expect(Object.keys(made(operations).paths ?? {})).toEqual(['/b'])
  })

  it('merges root attributes in at every depth', () => {
    const { info, security, tags } = made([], {
      attributes: {
        info: { description: 'second' },
        security: [{ a: [] }],
        tags: [{ name: 'pets', description: 'Pets' }, { name: 'more' }],
      },
    })
    expect(info).toEqual({ title: 'Shop', version: '1', description: 'second' })
    expect(security).toEqual([{ a: [] }])
    expect(tags).toEqual([{ name: 'pets', description: 'Pets' }, { name: 'more' }])
  })

  it('leaves the tags of Blueprints out that no operation has, unless the application describes them', () => {
    const named = ['used', 'hidden', 'above', 'told', 'hook'].map(name => ({ name }))
    const operations = [
      operation('GET /', { tags: ['used'] }),
      operation('PUT /', { tags: ['hidden'], hidden: true }),
    ]
    const webhooks = { changed: { post: { tags: ['hook'], responses: {} } } }
    const { tags } = made(operations, {
      tags: named,
      attributes: {
        webhooks,
        tags: [
          { name: 'below', parent: 'above' },
          { name: 'told', summary: 'Told' },
        ],
      },
    })
    expect(tags).toEqual([
      { name: 'used' },
      { name: 'above' },
      { name: 'told', summary: 'Told' },
      { name: 'hook' },
      { name: 'below', parent: 'above' },
    ])
  })

  it('lays what is said of a path parameter by hand over that of the rule, and keeps it required', () => {
    const id = {
      name: 'id',
      in: 'path',
      required: true,
      schema: { type: 'integer', minimum: 1 },
    } as const
    const fragment = (parameter: object): Fragment => ({
      parameters: [{ name: 'q', in: 'query', schema: { type: 'string' } }],
      manual: { parameters: [{ name: 'id', in: 'path', ...parameter }] as ParameterObject[] },
    })
    const parametersOf = (given: Fragment) =>
      made([operation('GET /{id}', given, { pathParameters: [id] })]).paths?.['/{id}']?.get
        ?.parameters
    const [q] = parametersOf({ parameters: fragment({}).parameters ?? [] }) ?? []
    expect(parametersOf(fragment({ description: 'Which', required: false }))).toEqual([
      { ...id, description: 'Which' },
      q,
    ])
    expect(parametersOf(fragment({ schema: { type: 'string' } }))).toEqual([
      { ...id, schema: { type: 'string' } },
      q,
    ])
    expect(parametersOf(fragment({ schema: { type: 'integer', format: 'int64' } }))).toEqual([
      { ...id, schema: { ...id.schema, format: 'int64' } },
      q,
    ])
    expect(parametersOf(fragment({ schema: { $ref: '#/components/schemas/Id' } }))).toEqual([
      { ...id, schema: { $ref: '#/components/schemas/Id' } },
      q,
    ])
    const byCodec = { name: 'id', in: 'path', required: true, description: 'By codec' } as const
    expect(parametersOf({ ...fragment({ deprecated: true }), parameters: [byCodec] })).toEqual([
      { ...id, ...byCodec, deprecated: true },
    ])
    expect(parametersOf({ parameters: [byCodec] })).toEqual([byCodec])
  })

  it('has the error body in errors that are listed without a content', () => {
    const $ref = '#/components/responses/Gone'
    const schemas = new Schemas()
    const body = { content: schemas.errorContent() }
    const fragment = merge([
      { responses: { 401: { description: 'Who?' } } },
      {
        manual: {
          responses: {
            301: { description: 'Moved' },
            404: { description: 'No such pet.' },
            '5XX': { description: 'Ours' },
            409: { description: 'No body', content: {} },
            410: { $ref },
            default: { description: 'Whatever' },
          },
        },
      },
    ])
    expect(described(fragment, { schemas }).responses).toEqual({
      301: { description: 'Moved' },
      401: { description: 'Who?', ...body },
      404: { description: 'No such pet.', ...body },
      409: { description: 'No body', content: {} },
      410: { $ref },
      '5XX': { description: 'Ours', ...body },
      default: { description: 'Whatever', ...body },
    })
  })

  it('shares nothing with what it was made of', () => {
    const tags = [{ name: 'pets' }]
    const example = { at: new Date(0) }
    const first = made([operation('GET /', { manual: { 'x-example': example } })], { tags })
    expect(first.tags).not.toBe(tags)
    expect(first.paths?.['/']?.get?.['x-example']).toEqual({ at: '1970-01-01T00:00:00.000Z' })
  })

  it('is valid in each version', async () => {
    const schemas = new Schemas()
    const Pet = t.type(
      { id: readOnly(int), name: t.union([t.string, t.null]), secret: writeOnly(t.string) },
      'Pet',
    )
    const where = 'here'
    const get: Fragment = {
      parameters: schemas.parameters(
        t.partial({ name: t.string, ids: t.array(int) }),
        'query',
        where,
      ),
      responses: {
        200: {
          description: 'OK',
          content: {
            'application/json': {
              schema: schemas.of(t.array(Pet), { direction: 'output', where }),
            },
          },
        },
        422: schemas.errorResponse(422),
      },
      success: { headers: { ETag: { schema: { type: 'string' } } } },
    }
    const post: Fragment = {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemas.of(Pet, { direction: 'input', where }) } },
      },
      responses: {
        201: {
          description: 'Created',
          content: {
            'application/json': { schema: schemas.of(Pet, { direction: 'output', where }) },
          },
        },
      },
    }
    const whole = made([operation('GET /pets/', get), operation('POST /pets/', post)], { schemas })
    const [in31, in30] = [document32To31(whole), document31To30(document32To31(whole))]
    for (const version of [whole, in31, in30, document30To20(in30)])
      expect(await faultsOf(version)).toEqual([])
    expect(JSON.stringify(whole)).toContain('"$ref":"#/components/schemas/PetInput"')
    expect(JSON.stringify(whole)).not.toContain(':input')
  })
})

describe('an operation', () => {
  it('has its tag and operationId, unless a fragment says others', () => {
    expect(described({})).toMatchObject({ tags: ['pets'], operationId: 'GET /' })
    expect(described({ tags: ['other'], operationId: 'mine' })).toMatchObject({
      tags: ['other'],
      operationId: 'mine',
    })
  })

  it('documents any other status with the error body', () => {
    expect(described({}).responses).toEqual({
      default: { $ref: '#/components/responses/DefaultError' },
    })
  })

  it('describes each response, by its status if nobody did', () => {
    const responses = { 200: {} as never, 201: { description: 'Made' }, '4XX': {} as never }
    expect(described({ responses }).responses).toMatchObject({
      200: { description: 'OK' },
      201: { description: 'Made' },
      '4XX': { description: 'Status 4XX' },
    })
  })

  it('has the headers of success in each 2xx response, those of the response itself winning', () => {
    const { responses } = described({
      responses: {
        200: { description: 'OK', headers: { A: { description: 'own' } } },
        206: { description: 'Part' },
        304: { description: 'Same' },
      },
      success: { headers: { A: { description: 'general' }, B: {} } },
    })
    expect(responses).toMatchObject({
      200: { headers: { A: { description: 'own' }, B: {} } },
      206: { headers: { B: {} } },
    })
    expect(responses?.['304']).toEqual({ description: 'Same' })
  })

  it('has the header fields of every response in each of them, and those of a success that it repeats in a 304', () => {
    const schemas = new Schemas()
    const Sunset = { schema: { type: 'string' } } as const
    const body = {
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    }
    const fragment = merge([
      {
        responses: {
          200: { description: 'OK' },
          304: { description: 'Same' },
          422: schemas.errorResponse(422),
        },
        success: { headers: { ETag: {}, 'X-Pagination': {} } },
      },
      { every: { headers: { Sunset } } },
      {
        manual: {
          responses: {
            409: { description: 'By hand', headers: { sunset: { description: 'own' } } },
          },
        },
      },
    ])
    expect(described(fragment, { schemas }).responses).toEqual({
      200: { description: 'OK', headers: { ETag: {}, 'X-Pagination': {}, Sunset } },
      304: { description: 'Same', headers: { ETag: {}, Sunset } },
      409: { description: 'By hand', headers: { sunset: { description: 'own' } }, ...body },
      422: { description: 'Unprocessable Entity', headers: { Sunset }, ...body },
      default: { description: 'Default error', headers: { Sunset }, ...body },
    })
    expect(schemas.components.responses?.UnprocessableEntity).not.toHaveProperty('headers')
  })

  it('requires the header fields of every response only if no response of another origin has the same status', () => {
    const responses = Object.fromEntries(
      [200, 400, 404, 410].map(status => [status, { description: String(status) }]),
    )
    const fragment = merge([
      { responses },
      { every: { headers: { Sunset: { required: true, schema: { type: 'string' } } } } },
    ])
    const documented = Object.entries(described(fragment).responses ?? {}) as [
      string,
      { headers: { Sunset: { required?: true } } },
    ][]
    // a path that no rule takes after all is 404, and one with bad percent-encoding 400, before
    // there is an operation
    expect(
      Object.fromEntries(
        documented.map(([status, { headers }]) => [status, headers.Sunset.required ?? false]),
      ),
    ).toEqual({
      200: true,
      400: false,
      404: false,
      410: true,
      default: false,
    })
  })

  it('is what doc says if doc says something, field by field', () => {
    const json = { 'application/json': { schema: { type: 'string' } } } as const
    const manual = {
      summary: 'Manual',
      deprecated: true,
      parameters: [
        { name: 'q', in: 'query', description: 'By hand' },
        { name: 'lang', in: 'query' },
      ],
      responses: { 200: { description: 'Manual 200' }, '404': { description: 'Manual 404' } },
    }
    const fragment: Fragment = {
      summary: 'Automatic',
      description: 'Kept',
      parameters: [{ name: 'q', in: 'query', schema: { type: 'string' } }],
      responses: { 200: { description: 'OK', content: json } },
      manual: manual as Partial<OperationObject>,
    }
    expect(described(fragment)).toMatchObject({
      summary: 'Manual',
      description: 'Kept',
      deprecated: true,
      parameters: [
        { name: 'q', in: 'query', schema: { type: 'string' }, description: 'By hand' },
        { name: 'lang' },
      ],
      responses: {
        200: { description: 'Manual 200', content: json },
        404: { description: 'Manual 404' },
        default: {},
      },
    })
  })

  it('writes a general response out if doc adds to it', () => {
    const schemas = new Schemas()
    const responses = { 404: schemas.errorResponse(404) }
    expect(
      described(
        { responses, manual: { responses: { 404: { description: 'No such pet' } } } },
        { schemas },
      ).responses?.['404'],
    ).toEqual({
      description: 'No such pet',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    })
  })
})
