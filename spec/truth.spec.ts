import * as t from 'io-ts'
import { altResponse, Blueprint, operation, reply, response } from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from './support/client.js'

const Pong = t.strict({ pong: t.boolean }, 'Pong')
const pong = { pong: true }

const views = new Blueprint('views')
views.get('/right', operation(response(Pong)), () => pong)
views.get('/status', operation(response(Pong)), () => reply(pong, 202))
views.get('/alternative', operation(response(Pong), altResponse(202, Pong)), () => reply(pong, 202))
views.get('/type', operation(response(Pong)), () => new Response('plain'))
views.get('/range', operation(response({ contentType: 'image/*' })), () => new Response('', { headers: { 'Content-Type': 'image/png' } }))
views.get('/header', operation(response(Pong, { headers: { 'X-Needed': { required: true, schema: { type: 'string' } } } })), () => pong)
views.get('/redirect', operation(response(Pong)), () => new Response(null, { status: 302, headers: { Location: '/' } }))

describe.each([{ DEBUG: true }, { TESTING: true }])('with %j an answer', settings => {
  it.each([
    ['/status', 'the answer 202 is not documented: add altResponse(202'],
    ['/type', 'the answer 200 is text/plain, but application/json is documented'],
    ['/header', 'lacks the header field X-Needed'],
    ['/redirect', 'the answer 302 is not documented'],
  ])('that is not documented is an error that names the operation (%s)', async (path, text) => {
    const { request, errors } = await serveBlueprints(views, { DEBUG: false, TESTING: false, ...settings })
    expect((await request('GET', path)).body).toEqual({ code: 500, status: 'Internal Server Error' })
    expect(errors[0]).toMatchObject({ name: 'UndocumentedAnswerError', message: expect.stringContaining(`GET ${path}`) })
    expect(errors[0]?.message).toContain(text)
  })

  it.each(['/right', '/alternative', '/range'])('that is documented passes (%s)', async path => {
    const { request } = await serveBlueprints(views, { DEBUG: false, TESTING: false, ...settings })
    expect((await request('GET', path)).status).toBeLessThan(300)
  })
})

it('is not looked at in production', async () => {
  const { request } = await serveBlueprints(views, { DEBUG: false, TESTING: false }, { undocumented: ['/status', '/type'] })
  expect((await request('GET', '/status')).status).toBe(202)
  expect((await request('GET', '/type')).text).toBe('plain')
})
