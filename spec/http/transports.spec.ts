import { once } from 'node:events'
import { createServer as createHttp1, request as requestHttp1 } from 'node:http'
import { connect, createServer as createHttp2 } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Application,
  Blueprint,
  files,
  form,
  json,
  operation,
  optional,
  struct,
  Upload,
} from 'koa-smorest'
import { inject } from 'light-my-request'
import { afterAll, describe, expect, it } from 'vitest'
import { body, field, file, TYPE, uploadFolder } from './uploads.js'

uploadFolder()

interface Sent {
  readonly path: string
  readonly type: string
  readonly bytes: string | Buffer
  readonly headers?: Record<string, string>
}

interface Received {
  readonly status: number
  readonly body: unknown
}

/** Sends a POST; where it is framed, a header field has the length of the body. */
type Send = (sent: Sent, isFramed: boolean) => Promise<Received>
type Listener = ReturnType<Koa['callback']>

const things = new Blueprint('things')
  .post('/json', operation(json(t.strict({ a: t.number }))), (_ctx, value) => value)
  .post('/form', operation(form(t.strict({ a: t.string }))), (_ctx, value) => value)
  .post(
    '/files',
    operation(files(struct({ f: Upload })), form(struct({ a: optional(t.string) }))),
    async (_ctx, { f }, { a }) => ({
      a,
      f: await f.text(),
    }),
  )
  .post('/nothing', operation(), () => 'nothing')

function listenerOf(app: Koa): Listener {
  app.silent = true
  new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(things)
  return app.callback()
}

const lengthOf = (bytes: string | Buffer, isFramed: boolean) =>
  isFramed ? { 'content-length': String(Buffer.byteLength(bytes)) } : {}

async function overHttp1(listener: Listener): Promise<Send> {
  const server = createHttp1(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => server.close())
  const { port } = server.address() as AddressInfo
  return ({ path, type, bytes, headers }, isFramed) =>
    new Promise((resolve, reject) => {
      const fields = { 'content-type': type, ...headers, ...lengthOf(bytes, isFramed) }
      const request = requestHttp1({
        port,
        host: '127.0.0.1',
        method: 'POST',
        path,
        headers: fields,
        agent: false,
      })
      request.on('error', reject).on('response', async response => {
        const text = (await response.setEncoding('utf8').toArray()).join('')
        resolve({ status: response.statusCode as number, body: JSON.parse(text) })
      })
      if (!isFramed) request.write('')
      request.end(bytes)
    })
}

async function overHttp2(listener: Listener): Promise<Send> {
  const server = createHttp2(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  afterAll(() => {
    session.destroy()
    server.close()
  })
  return async ({ path, type, bytes, headers }, isFramed) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': type,
      ...headers,
      ...lengthOf(bytes, isFramed),
    })
    stream.end(bytes)
    const [fields] = await once(stream, 'response')
    const text = (await stream.setEncoding('utf8').toArray()).join('')
    return { status: fields[':status'], body: JSON.parse(text) }
  }
}

function inMemory(listener: Listener): Send {
  return async ({ path, type, bytes, headers }, isFramed) => {
    const framing = isFramed ? {} : { 'transfer-encoding': 'chunked' }
    const payload = isFramed ? bytes : Readable.from([bytes])
    const { statusCode, body: text } = await inject(listener, {
      method: 'POST',
      url: path,
      headers: { 'content-type': type, ...headers, ...framing },
      payload,
    })
    return { status: statusCode, body: JSON.parse(text) }
  }
}

const TRANSPORTS: readonly (readonly [string, Send])[] = [
  ['Koa over HTTP/1', await overHttp1(listenerOf(new Koa()))],
  ['Application over HTTP/1', await overHttp1(listenerOf(new Application()))],
  ['Koa over HTTP/2', await overHttp2(listenerOf(new Koa()))],
  ['Application over HTTP/2', await overHttp2(listenerOf(new Application()))],
  ['Koa in memory', inMemory(listenerOf(new Koa()))],
  ['Application in memory', inMemory(listenerOf(new Application()))],
]

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

describe.each(TRANSPORTS)('%s, a body', (_transport, send) => {
  it.each([
    ['JSON', { path: '/json', type: JSON_TYPE, bytes: '{"a":1}' }, { a: 1 }],
    [
      'JSON, compressed',
      {
        path: '/json',
        type: JSON_TYPE,
        bytes: gzipSync('{"a":1}'),
        headers: { 'content-encoding': 'gzip' },
      },
      { a: 1 },
    ],
    ['a form', { path: '/form', type: FORM_TYPE, bytes: 'a=%C3%BC' }, { a: 'ü' }],
    ['a form with parts', { path: '/form', type: TYPE, bytes: body(field('a', 'ü')) }, { a: 'ü' }],
    [
      'a file',
      {
        path: '/files',
        type: TYPE,
        bytes: body(file('f', 'x', 'ü'.repeat(50_000)), field('a', '1')),
      },
      { a: '1', f: 'ü'.repeat(50_000) },
    ],
  ] as const)(
    'is read with a declared length and without: %s',
    async (_what, sent: Sent, value) => {
      for (const isFramed of [true, false])
        expect(await send(sent, isFramed)).toEqual({ status: 200, body: value })
    },
  )

  it.each([
    [
      'of another media type',
      { path: '/json', type: 'text/plain', bytes: 'x'.repeat(100_000) },
      415,
    ],
    [
      'that is too large',
      { path: '/form', type: FORM_TYPE, bytes: `a=${'x'.repeat(100_000)}` },
      413,
    ],
    ['that is malformed', { path: '/json', type: JSON_TYPE, bytes: '{"a":' }, 400],
    ['of the wrong type', { path: '/json', type: JSON_TYPE, bytes: '{"a":"x"}' }, 422],
    [
      'with a malformed part',
      {
        path: '/files',
        type: TYPE,
        bytes: body(file('f', 'x', 'a'.repeat(100_000)), 'garbage\r\n\r\n'),
      },
      400,
    ],
    [
      'with too many files',
      { path: '/files', type: TYPE, bytes: body(...Array<string>(11).fill(file('f', 'x', 'a'))) },
      413,
    ],
    ['to no operation', { path: '/nowhere', type: JSON_TYPE, bytes: 'x'.repeat(100_000) }, 404],
  ] as const)('is refused: %s', async (_what, sent: Sent, status) => {
    for (const isFramed of [true, false]) {
      expect(await send(sent, isFramed)).toMatchObject({ status, body: { code: status } })
    }
  })

  it('that nobody declared is not read', async () => {
    expect(
      await send({ path: '/nothing', type: JSON_TYPE, bytes: 'x'.repeat(100_000) }, false),
    ).toEqual({ status: 200, body: 'nothing' })
  })
})
