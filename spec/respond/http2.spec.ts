// HTTP/2 in Node looks like HTTP/1.1, but takes header fields that cannot be sent, and warns of
// those that mean nothing there.
import { once } from 'node:events'
import {
  type ClientHttp2Session,
  connect,
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import * as t from 'io-ts'
import Koa from 'koa'
import { Api, abort, Blueprint, json, operation, rawBody, reply } from 'koa-smorest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const blueprint = new Blueprint('fields')
  .get('/reply', operation(), () => reply(null, 200, { 'X-Bad': 'a\r\nX-Other: b' }))
  .get('/name', operation(), () => reply(null, 200, { 'X Bad': 'a' }))
  .get('/abort', operation(), () => abort(409, { headers: { 'X-Bad': 'a\nb', 'X-Good': 'c' } }))
  .post('/twice', operation(), async ctx => `${await rawBody(ctx)}${await rawBody(ctx)}`)
  .post('/json', operation(json(t.type({ a: t.number }))), () => 'something')

describe('over HTTP/2', () => {
  const warnings: string[] = []
  const note = (warning: Error) => warnings.push(warning.message)
  const app = new Koa()
  app.silent = true
  new Api(app, { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING: false }).registerBlueprint(
    blueprint,
  )
  const server = createServer(app.callback())
  let session: ClientHttp2Session
  beforeAll(async () => {
    process.on('warning', note)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
  afterAll(() => {
    process.off('warning', note)
    session.destroy()
    server.close()
  })

  async function send(
    path: string,
    fields: OutgoingHttpHeaders = {},
    body?: Buffer,
  ): Promise<IncomingHttpHeaders> {
    const stream = session.request({ ':path': path, ...fields }, { endStream: body === undefined })
    // the server may have enough of a body before its end
    stream.on('error', () => undefined)
    stream.end(body)
    const [head] = await once(stream, 'response')
    stream.resume()
    return head
  }

  it.each(['/reply', '/name'])(
    'a header field that cannot be sent is an error, as it is over HTTP/1.1: %s',
    async path => {
      expect(await send(path)).toMatchObject({ ':status': 500 })
    },
  )

  it('an error leaves out such a field of its own', async () => {
    const { 'x-bad': bad, 'x-good': good, ':status': status } = await send('/abort')
    expect({ status, bad, good }).toEqual({ status: 409, bad: undefined, good: 'c' })
  })

  it('a declared length of 0 means no body, also if the stream ends later', async () => {
    const empty = { ':method': 'POST', 'content-length': '0' }
    expect(await send('/json', empty, Buffer.alloc(0))).toMatchObject({ ':status': 422 })
  })

  it('an empty body can be read twice, as that of a signed request is', async () => {
    const head = await send('/twice', { ':method': 'POST' }, Buffer.alloc(0))
    expect(head).toMatchObject({ ':status': 200 })
  })

  it('the response to a body that is not read to its end warns of nothing', async () => {
    const long = {
      ':method': 'POST',
      'content-length': '3000000',
      'content-type': 'application/json',
    }
    expect(await send('/json', long, Buffer.alloc(3_000_000))).toMatchObject({ ':status': 413 })
    await new Promise(setImmediate)
    expect(warnings).toEqual([])
  })
})
