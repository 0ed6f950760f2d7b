import * as t from 'io-ts'
import { Blueprint, operation, reply, response } from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from './client.js'

const Pong = t.strict({ pong: t.boolean }, 'Pong')
const needed = { 'X-Needed': { required: true, schema: { type: 'string' as const } } }
const small = {
  'X-Small': {
    content: { 'application/json': { schema: { type: 'integer' as const, maximum: 3 } } },
  },
}
const json = (value: unknown) =>
  new Response(JSON.stringify(value), { headers: { 'Content-Type': 'application/json' } })

const views = new Blueprint('views')
  .get('/right', operation(response(Pong)), () => ({ pong: true }))
  .get('/status', operation(response(Pong)), () => reply({ pong: true }, 202))
  .get('/type', operation(response(Pong)), () => new Response('plain'))
  .get('/body', operation(response(Pong)), () => json({ pong: 1 }))
  .get('/more', operation(response(Pong)), () => json({ pong: true, more: 1 }))
  .get('/header', operation(response(Pong, { headers: needed })), () => ({ pong: true }))
  .get('/header/value', operation(response(Pong, { headers: small })), () =>
    reply({ pong: true }, { 'X-Small': '4' }),
  )
const { request } = await serveBlueprints(views, { DEBUG: false, TESTING: false })

describe('the check of responses against the document (P2)', () => {
  it.each([
    ['/status', 'the status is not there'],
    ['/type', 'the media type "text/plain" is not there'],
    ['/body', 'must be boolean'],
    ['/more', 'must NOT have additional properties'],
    ['/header', 'header field X-Needed: is missing'],
    ['/header/value', 'header field X-Small: data must be <= 3'],
  ])('finds what is not as documented: %s', async (path, text) => {
    await expect(request('GET', path)).rejects.toThrow(text)
  })

  it('passes what is', async () => {
    expect((await request('GET', '/right')).status).toBe(200)
    expect((await request('HEAD', '/right')).status).toBe(200)
    expect((await request('GET', '/nowhere')).status).toBe(404)
  })
})
