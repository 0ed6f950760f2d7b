import createError from 'http-errors'
import Koa from 'koa'
import { Api, abort, apiKey, Blueprint, etag, operation, response, secure } from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serve } from '../support/client.js'

const foreign = (properties: object) =>
  Object.assign(new Error('from elsewhere'), { headers: { 'Set-Cookie': 'a=sesame' } }, properties)

/** Sends a request to an operation, behind middleware; one of them throws the error. */
async function thrownBy(where: string, error: unknown) {
  const fail = () => {
    throw error
  }
  const app = new Koa()
  const emitted: Error[] = []
  app.on('error', one => emitted.push(one))
  const all = new Blueprint('all')
  if (where === 'middleware of the app') app.use(fail)
  if (where === 'middleware of the Blueprint') all.use(fail)
  const key = apiKey('key', { in: 'header', name: 'X-Key', principal: fail as () => undefined })
  const user = apiKey('user', { in: 'header', name: 'X-Key', principal: () => 'ann' })
  const method = where === 'a method' ? fail : () => null
  const features = {
    'a principal': secure(key),
    allow: secure(user, { allow: fail }),
    'a loader': etag({ load: fail as () => object, tag: () => 1 }),
  }[where]
  all.get('/x', operation(...(features ? [features] : []), response()), method)
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING: false })
  api.registerBlueprint(all)
  const request = await serve(app)
  const { status, headers } = await request('GET', '/x', { headers: { 'X-Key': 'sesame' } })
  const fields = ['Retry-After', 'Set-Cookie'].flatMap(name => headers.get(name) ?? [])
  return { status, fields, emitted }
}

const OPERATION = ['a method', 'a loader', 'a principal', 'allow']
const MIDDLEWARE = ['middleware of the app', 'middleware of the Blueprint']

describe.each([...OPERATION, ...MIDDLEWARE])('an error thrown by %s', where => {
  it.each([
    ['http-errors below 500', createError(409, 'no', { headers: { 'Retry-After': '7' } }), 409, 0],
    ['http-errors of 503', createError(503, 'no', { headers: { 'Retry-After': '7' } }), 503, 1],
    ['`expose: true` alone', foreign({ status: 418, expose: true, headers: undefined }), 418, 0],
  ])('decides the status if it was made to: %s', async (_, error, status, emitted) => {
    const result = await thrownBy(where, error)
    expect([result.status, result.emitted.length]).toEqual([status, emitted])
    expect(result.fields).toEqual(error.headers ? ['7'] : [])
  })

  it.each([
    ['nothing but a status of 500 or more', { status: 503 }],
    ['a statusCode of its own server', { statusCode: 502 }],
    ['a status and another statusCode', { status: 503, statusCode: 502, expose: false }],
    ['`expose: true` and a status that is none', { status: 42, expose: true }],
  ])('is a 500, emitted on the app, with %s', async (_, properties) => {
    const error = foreign(properties)
    const { status, fields, emitted } = await thrownBy(where, error)
    expect([status, fields, emitted.length]).toEqual([500, [], 1])
    expect([emitted[0], emitted[0]?.cause]).toContain(error)
  })
})

const ELSEWHERE = [
  ['axios, openai', { status: 401 }],
  ['stripe, undici', { statusCode: 401 }],
  ['an http-error that was changed', { status: 401, statusCode: 404, expose: false }],
] as const

describe.each(OPERATION)('an error from a client of another service (%s)', where => {
  it.each(ELSEWHERE)('is a 500, emitted with what to do: %s', async (_, properties) => {
    const error = foreign(properties)
    const { status, fields, emitted } = await thrownBy(where, error)
    expect([status, fields]).toEqual([500, []])
    const own = 'statusCode' in properties ? properties.statusCode : 401
    expect(emitted.map(({ message, cause }) => [message, cause])).toEqual([
      [
        `Error: from elsewhere. It has the status ${own}, but was not made for the client of this API, who gets a 500: catch it, and call abort(${own}) if that is what the client should get`,
        error,
      ],
    ])
  })
})

describe.each(MIDDLEWARE)('an error of a body parser (%s)', where => {
  it.each(ELSEWHERE)(
    "has Koa's status, without its header fields, and is emitted: %s",
    async (_, properties) => {
      const error = foreign(properties)
      const { status, fields, emitted } = await thrownBy(where, error)
      const own = 'statusCode' in properties ? properties.statusCode : 401
      expect({ status, fields, emitted }).toEqual({ status: own, fields: [], emitted: [error] })
    },
  )
})

it('an error of an operation that passes through middleware is that of the operation', async () => {
  const app = new Koa()
  app.on('error', () => undefined)
  const all = new Blueprint('all').use(async (_ctx, next) => {
    await next()
  })
  all.get('/foreign', operation(), () => {
    throw foreign({ status: 404 })
  })
  all.get('/own', operation(), () => abort(404))
  new Api(app, { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING: false }).registerBlueprint(all)
  const request = await serve(app)
  expect((await request('GET', '/foreign')).status).toBe(500)
  expect((await request('GET', '/own')).status).toBe(404)
})
