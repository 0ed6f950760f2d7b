import * as t from 'io-ts'
import { altResponse, Blueprint, operation, reply, response, struct, writeOnly } from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'

const Pet = t.strict({ name: t.string }, 'Pet')
const Conflict = t.strict({ holder: t.string }, 'Conflict')
const Account = struct({ name: t.string, password: writeOnly(t.string), friends: t.array(t.type({ name: t.string })) }, 'Account')
const Shape = t.union([
  t.strict({ kind: t.literal('dot'), at: t.number }),
  t.strict({ kind: t.literal('line'), at: t.number, to: t.number }),
])
const secret = { name: 'Rex', secret: 'canary' }

const views = new Blueprint('views')
views.get('/stripped', operation(response(Pet)), () => secret)
views.get('/open', operation(response(t.type({ pet: t.type({ name: t.string }) }))), () => ({ pet: secret, secret: 'canary' }))
views.get('/both', operation(response(t.intersection([Pet, t.partial({ age: t.number })]))), () => ({ ...secret, age: 1 }))
views.get('/account', operation(response(Account)), () => ({ name: 'Kim', password: 'canary', friends: [secret] }) as never)
views.get('/union', operation(response(t.array(Shape))), () => [
  { kind: 'line', at: 1, to: 2 } as const,
  { kind: 'dot', at: 3, to: 4 } as const,
])
views.get('/reply', operation(response(Pet), altResponse(409, Conflict)), () => reply({ holder: 'Kim', secret: 'canary' }, 409))
views.get('/undeclared', operation(response(Pet)), () => reply(secret, 203))
views.get('/same', operation(altResponse(200, { contentType: 'text/plain' }), response(Pet)), () => secret)
views.get('/plain', operation(response()), () => ({ b: 1, a: [null] }))
views.get('/nothing', operation(response()), () => undefined)
views.get('/no-content', operation(response({ code: 204 })), () => ({ ignored: true }))
views.get('/text-code', operation(response(Pet, { code: '202' })), () => secret)
views.get('/see-other', operation(response({ code: 303 })), () => reply(undefined, { Location: '/plain' }))

const { request, api } = await serveBlueprints(views, { DEBUG: false, TESTING: false }, { undocumented: ['/undeclared'] })

describe('a response', () => {
  it.each([
    ['/stripped', { name: 'Rex' }],
    ['/open', { pet: { name: 'Rex' } }],
    ['/both', { name: 'Rex', age: 1 }],
    ['/account', { name: 'Kim', friends: [{ name: 'Rex' }] }],
    ['/reply', { holder: 'Kim' }],
    ['/undeclared', { name: 'Rex' }],
    ['/same', { name: 'Rex' }],
  ])('lets nothing out that its codec does not declare (%s, T12)', async (path, body) => {
    const answer = await request('GET', path)
    expect(answer.body).toEqual(body)
    expect(answer.text).not.toContain('canary')
  })

  it('of a union is the member that its tag names (T14)', async () => {
    expect((await request('GET', '/union')).body).toEqual([
      { kind: 'line', at: 1, to: 2 },
      { kind: 'dot', at: 3 },
    ])
  })

  it('without a codec is the value as JSON, and null where there is none', async () => {
    expect((await request('GET', '/plain')).text).toBe('{"b":1,"a":[null]}')
    expect((await request('GET', '/nothing')).text).toBe('null')
  })

  it('has no body where its status has none', async () => {
    const { status, text, headers } = await request('GET', '/no-content')
    expect([status, text, headers.get('Content-Type')]).toEqual([204, '', null])
    const redirect = await request('GET', '/see-other')
    expect([redirect.status, redirect.text, redirect.headers.get('Location')]).toEqual([303, '', '/plain'])
  })

  it('has its status in any form', async () => {
    expect((await request('GET', '/text-code')).status).toBe(202)
  })

  it('is in the document under each of its statuses', () => {
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const { paths } = api.spec.toJSON() as any
    expect(Object.keys(paths['/reply'].get.responses)).toEqual(['200', '409', 'default'])
    expect(paths['/reply'].get.responses[409].content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Conflict' })
    expect(Object.keys(paths['/same'].get.responses[200].content)).toEqual(['text/plain', 'application/json'])
    expect(paths['/no-content'].get.responses[204].content).toBeUndefined()
  })
})
