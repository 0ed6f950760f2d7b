import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  Blueprint,
  type ErrorForm,
  etag,
  int,
  json,
  operation,
  path,
  query,
  reply,
  response,
  struct,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serve, serveBlueprints } from '../support/client.js'
import { serveEveryWay, WAYS } from '../support/every-way.js'
import { problemFault } from '../support/problem-schema.js'

const Pet = struct({ name: t.string, tags: t.array(t.string) }, 'Pet')

const blueprint = () =>
  new Blueprint('pets')
    .post('/pets', operation(json(Pet), response(Pet)), (_ctx, pet) => pet)
    .get('/search', operation(query(struct({ page: int })), response(Pet)), () => ({
      name: 'Rex',
      tags: [],
    }))
    .get('/abort', operation(altResponse(409)), () =>
      abort(409, { message: 'Taken.', instance: '/pets/7', cause: 'secret', data: 'secret' }),
    )
    .get('/reply', operation(altResponse(409)), () =>
      reply({ code: 409, status: 'Conflict', message: 'Taken.' }, 409),
    )
    .get('/throw', operation(), () => Promise.reject(new Error('secret')))
    .get('/missing', operation(etag({ load: () => undefined, tag: () => 1 })), () => null)

const REQUESTS = [
  ['GET', '/nowhere', undefined, 404],
  ['DELETE', '/pets', undefined, 405],
  ['GET', '/%ff', undefined, 400],
  ['POST', '/pets', { name: 1, tags: ['a', 2] }, 422],
  ['GET', '/search?page=x', undefined, 422],
  ['GET', '/abort', undefined, 409],
  ['GET', '/reply', undefined, 409],
  ['GET', '/throw', undefined, 500],
  ['GET', '/missing', undefined, 404],
] as const

describe.each(WAYS)('errors, %s,', way => {
  it('are problem details if the settings say so', async () => {
    const { [way]: request } = await serveEveryWay({
      blueprint,
      settings: { API_ERRORS: 'problem' },
    })
    for (const [method, target, body, status] of REQUESTS) {
      const response = await request(method, target, body === undefined ? {} : { json: body })
      expect({
        target,
        status: response.status,
        type: response.headers.get('Content-Type'),
        vary: response.headers.get('Vary'),
      }).toEqual({
        target,
        status,
        type: 'application/problem+json',
        vary: null,
      })
      expect(problemFault(response.body)).toBeUndefined()
      expect(response.body).toMatchObject({ type: 'about:blank', status })
      expect(response.text).not.toContain('secret')
    }
    expect((await request('POST', '/pets', { json: { name: 1, tags: ['a', 2] } })).body).toEqual({
      type: 'about:blank',
      title: 'Unprocessable Entity',
      status: 422,
      errors: [
        { detail: 'Not a string.', in: 'body', pointer: '#/name' },
        { detail: 'Not a string.', in: 'body', pointer: '#/tags/1' },
      ],
    })
    expect((await request('GET', '/abort')).body).toMatchObject({
      title: 'Conflict',
      detail: 'Taken.',
      instance: '/pets/7',
    })
    expect((await request('GET', '/reply')).body).toEqual({
      type: 'about:blank',
      title: 'Conflict',
      status: 409,
      detail: 'Taken.',
    })
  })

  it('are what the client prefers if they are negotiated, and say that they vary', async () => {
    const { [way]: request } = await serveEveryWay({
      blueprint,
      settings: { API_ERRORS: 'negotiated' },
    })
    for (const [method, target, body, status] of REQUESTS) {
      for (const [accept, type] of [
        ['*/*', 'application/json; charset=utf-8'],
        ['application/problem+json', 'application/problem+json'],
      ] as const) {
        const response = await request(method, target, {
          headers: { Accept: accept },
          ...(body !== undefined && { json: body }),
        })
        const { headers } = response
        expect({
          target,
          status: response.status,
          type: headers.get('Content-Type'),
          vary: headers.get('Vary'),
        }).toEqual({
          target,
          status,
          type,
          vary: 'Accept',
        })
        expect(response.body).toMatchObject(
          type === 'application/problem+json' ? { status } : { code: status },
        )
      }
    }
  })

  it('add Accept to what they vary by already', async () => {
    const prepare = (app: Koa) =>
      app.use((ctx, next) => {
        ctx.vary('Origin')
        return next()
      })
    const { [way]: request } = await serveEveryWay({
      blueprint,
      prepare,
      settings: { API_ERRORS: 'negotiated' },
    })
    expect((await request('GET', '/abort')).headers.get('Vary')).toBe('Origin, Accept')
  })

  it('are in the form of the application, and a bare 500 would be sent if it threw', async () => {
    const own: ErrorForm = {
      mediaType: 'application/vnd.shop+json',
      schema: { type: 'object', properties: { error: { type: 'string' } }, required: ['error'] },
      text({ code, message = '' }) {
        if (code === 500) throw new Error('the form is broken')
        return JSON.stringify({ error: `${code} ${message}`.trim() })
      },
    }
    const emitted: string[] = []
    const onError = (error: Error) => emitted.push(error.message)
    const { [way]: request } = await serveEveryWay({
      blueprint,
      settings: { API_ERRORS: own },
      onError,
    })
    expect(await request('GET', '/abort')).toMatchObject({
      status: 409,
      text: '{"error":"409 Taken."}',
    })
    expect((await request('GET', '/nowhere')).headers.get('Content-Type')).toBe(
      'application/vnd.shop+json',
    )
    const broken = await request('GET', '/throw')
    expect({ text: broken.text, type: broken.headers.get('Content-Type'), emitted }).toEqual({
      text: '{"code":500,"status":"Internal Server Error"}',
      type: 'application/json; charset=utf-8',
      emitted: ['secret', 'the form is broken'],
    })
  })
})

describe('the document', () => {
  it.each(['problem', 'negotiated'] as const)(
    'says of which media types and schemas errors are: %s',
    async form => {
      const { request, api } = await serveBlueprints(blueprint(), { API_ERRORS: form })
      // each response is checked against the document
      for (const [method, target, body] of REQUESTS.slice(3)) {
        for (const Accept of ['*/*', 'application/problem+json'])
          await request(method, target, {
            headers: { Accept },
            ...(body !== undefined && { json: body }),
          })
      }
      const document = api.spec.latest as {
        components: { responses: Record<string, { content: object }> }
        paths: Record<string, never>
      }
      const types = ['application/json', 'application/problem+json'].slice(
        form === 'problem' ? 1 : 0,
      )
      for (const { content } of Object.values(document.components.responses))
        expect(Object.keys(content)).toEqual(types)
      const { paths } = document as {
        paths: Record<string, { get: { responses: Record<number, { content: object }> } }>
      }
      expect(Object.keys(paths['/abort']?.get.responses[409]?.content ?? {})).toEqual(types)
      for (const version of ['3.2.0', '3.1.0', '3.0.3'])
        expect(JSON.stringify(api.spec.toJSON(version))).toContain('ProblemDetails')
      const in20 = api.spec.toJSON('2.0') as {
        paths: Record<string, { get: { produces: string[] } }>
      }
      expect(in20.paths['/search']?.get.produces).toEqual([
        'application/json',
        'application/problem+json',
      ])
    },
  )
})

describe('of several Apis of an app', () => {
  it('the one whose rule matched gives errors their form, the first one all others', async () => {
    const app = new Koa()
    app.silent = true
    const first = new Blueprint('first').get('/first', operation(), () => abort(409))
    const second = new Blueprint('second').get(
      '/second/:id',
      operation(path(t.type({ id: t.string }))),
      () => abort(409),
    )
    new Api(app, { OPENAPI_VERSION: '3.1.0', API_ERRORS: 'problem' }).registerBlueprint(first)
    new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(second)
    const request = await serve(app)
    const typeOf = async (method: string, target: string) =>
      (await request(method, target)).headers.get('Content-Type')
    const [problem, plain] = ['application/problem+json', 'application/json; charset=utf-8']
    expect({
      abort: [await typeOf('GET', '/first'), await typeOf('GET', '/second/1')],
      405: [await typeOf('PUT', '/first'), await typeOf('PUT', '/second/1')],
      404: await typeOf('GET', '/third'),
      malformed: [await typeOf('GET', '/%ff'), await typeOf('GET', '/second/%ff')],
    }).toEqual({
      abort: [problem, plain],
      405: [problem, plain],
      404: problem,
      malformed: [problem, problem],
    })
  })
})
