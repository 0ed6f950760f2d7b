import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  Blueprint,
  type Documentation,
  doc,
  operation,
  reply,
  response,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { fetchOf } from '../src/testing/index.js'
import { serveBlueprints } from './support/client.js'

const Pong = t.strict({ pong: t.boolean }, 'Pong')
const pong = { pong: true }

const views = new Blueprint('views')
views.get('/right', operation(response(Pong)), () => pong)
views.get('/status', operation(response(Pong)), () => reply(pong, 202))
views.get('/alternative', operation(response(Pong), altResponse(202, Pong)), () => reply(pong, 202))
views.get('/type', operation(response(Pong)), () => new Response('plain'))
views.get(
  '/range',
  operation(response({ contentType: 'image/*' })),
  () => new Response('', { headers: { 'Content-Type': 'image/png' } }),
)
views.get(
  '/header',
  operation(
    response(Pong, { headers: { 'X-Needed': { required: true, schema: { type: 'string' } } } }),
  ),
  () => pong,
)
views.get(
  '/redirect',
  operation(response(Pong)),
  () => new Response(null, { status: 302, headers: { Location: '/' } }),
)
views.get('/koa-redirect', operation(response({ code: 302 })), ctx => ctx.redirect('/'))
views.get('/object-as-csv', operation(response({ contentType: 'text/csv' })), () => pong as never)
views.get(
  '/body-of-204',
  operation(response({ code: 204 }), doc({ responses: { 200: { description: 'Empty' } } })),
  ctx => {
    ctx.status = 200
    ctx.body = Buffer.from('x')
  },
)
views.get('/image', operation(response({ contentType: 'image/*' })), ctx => {
  ctx.type = 'text/plain'
  return Buffer.from('x')
})

describe('an error that is described by hand', () => {
  const described = (responses: NonNullable<Documentation['responses']>) =>
    operation(doc({ responses }), response(t.string))
  const gone = () => abort(410, { message: 'Gone for good.' })
  const errors = new Blueprint('errors')
    .get('/text', described({ 410: { description: 'Gone' } }), gone)
    .get('/range', described({ '4XX': { description: 'Gone' } }), gone)
    .get('/reference', described({ 410: { $ref: '#/components/responses/Own' } }), gone)
    .get('/nothing', described({ 410: { description: 'Gone', content: {} } }), gone)

  it('is sent with the error body, unless it says that there is none', async () => {
    const emitted: string[] = []
    const app = new Koa()
    app.on('error', (error: Error) => emitted.push(error.message))
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0', TESTING: true })
    api.spec.components.response('Own', { description: 'Own' })
    api.registerBlueprint(errors)
    const statusOf = async (path: string) => (await fetchOf(app)(`http://x${path}`)).status
    for (const path of ['/text', '/range', '/reference'])
      expect([path, await statusOf(path)]).toEqual([path, 410])
    expect(emitted).toEqual([])
    expect(await statusOf('/nothing')).toBe(500)
    expect(emitted).toEqual([
      'gone (GET /nothing): the response 410 is application/json, but no body is documented: declare it with altResponse(410), or with schemas.errorResponse(410) in a feature',
    ])
  })
})

describe.each([{ DEBUG: true }, { TESTING: true }])('with %j a response', settings => {
  it.each([
    [
      '/status',
      'response 202 is not documented: add altResponse(202) to the descriptor, or response(…, { code: 202 }), or return with the status that is',
    ],
    [
      '/type',
      "response 200 is text/plain, but application/json is documented: set ctx.type = 'application/json' in the method, or contentType: 'text/plain' in response(…)",
    ],
    [
      '/header',
      "lacks the header field X-Needed, which is documented as required: return reply(value, { 'X-Needed': … }), set it with ctx.set('X-Needed', …), or document it without `required`",
    ],
    [
      '/redirect',
      'response 302 is not documented: add altResponse(302) to the descriptor, or response(…, { code: 302 })',
    ],
    [
      '/koa-redirect',
      "response 302 is text/html, but no body is documented: return redirect('/…', 302), which sends no body, instead of ctx.redirect() or a body",
    ],
    [
      '/object-as-csv',
      'response 200 is application/json, but text/csv is documented: return a text, a Buffer or a stream for text/csv; any other value is sent as JSON',
    ],
    [
      '/body-of-204',
      'response 200 is application/octet-stream, but no body is documented: document it with response(codec), or return nothing',
    ],
    [
      '/image',
      "response 200 is text/plain, but image/* is documented: set ctx.type = '…' in the method, or contentType: 'text/plain' in response(…)",
    ],
  ])('that is not documented is an error that names the operation (%s)', async (path, text) => {
    const { request, errors } = await serveBlueprints(views, {
      DEBUG: false,
      TESTING: false,
      ...settings,
    })
    expect((await request('GET', path)).body).toEqual({
      code: 500,
      status: 'Internal Server Error',
    })
    expect(errors[0]).toMatchObject({
      name: 'UndocumentedAnswerError',
      message: expect.stringContaining(`GET ${path}`),
    })
    expect(errors[0]?.message).toContain(text)
  })

  it.each(['/right', '/alternative', '/range'])('that is documented passes (%s)', async path => {
    const { request } = await serveBlueprints(views, { DEBUG: false, TESTING: false, ...settings })
    expect((await request('GET', path)).status).toBeLessThan(300)
  })
})

it('is not looked at in production', async () => {
  const { request } = await serveBlueprints(
    views,
    { DEBUG: false, TESTING: false },
    { undocumented: ['/status', '/type'] },
  )
  expect((await request('GET', '/status')).status).toBe(202)
  expect((await request('GET', '/type')).text).toBe('plain')
})
