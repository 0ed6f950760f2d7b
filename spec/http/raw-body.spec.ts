import { createHmac } from 'node:crypto'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import * as t from 'io-ts'
import Koa from 'koa'
import { koaBody } from 'koa-body'
import {
  Api,
  Blueprint,
  files,
  form,
  int,
  json,
  operation,
  rawBody,
  response,
  type Scheme,
  safeEqual,
  secure,
  struct,
  text,
  Upload,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serve } from '../support/client.js'

const signatureOf = (bytes: string) =>
  createHmac('sha256', 'a shared secret').update(bytes).digest('hex')

/** Knows a sender by the HMAC of what was sent. */
const sender: Scheme<'sender'> = {
  name: 'sender',
  document: { type: 'apiKey', in: 'header', name: 'X-Signature' },
  readsAuthorization: false,
  async authenticate(ctx) {
    const given = ctx.get('X-Signature')
    if (given === '') return { state: 'absent' }
    const limit = ctx.path === '/files' ? 500 : 100
    const signature = signatureOf((await rawBody(ctx, { limit })).toString())
    return safeEqual(given, signature)
      ? { state: 'valid', principal: 'sender' }
      : { state: 'invalid' }
  },
  challenge: () => 'Signature',
}

async function hooks(before?: Koa.Middleware) {
  const app = new Koa()
  const errors: unknown[] = []
  app.on('error', error => errors.push(error))
  if (before) app.use(before)
  const Scan = struct({ file: int }, 'Scan')
  const hooks = new Blueprint('hooks', { shared: operation(secure(sender)) })
    .post('/json', operation(json(Scan), response(Scan)), (_ctx, scan) => scan)
    .post('/form', operation(form(Scan), response(Scan)), (_ctx, scan) => scan)
    .post(
      '/files',
      operation(
        form(struct({ title: t.string })),
        files(struct({ picture: Upload })),
        response(t.string),
      ),
      async (_ctx, { title }, { picture }) => `${title}: ${await picture.text()}`,
    )
    .post('/none', operation(response(t.number)), async ctx => (await rawBody(ctx)).length)
  new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(hooks)
  const request = await serve(app)
  const post = async (
    path: string,
    bytes: string,
    headers: Record<string, string> = {},
    sent: string | Buffer = bytes,
  ) => {
    const type = path === '/form' ? 'application/x-www-form-urlencoded' : 'application/json'
    const all = { 'Content-Type': type, 'X-Signature': signatureOf(bytes), ...headers }
    const { status, body } = await request('POST', path, { body: sent, headers: all })
    return { status, body }
  }
  return { post, errors }
}

describe('the bytes of a body', () => {
  it('of a multipart form can be verified before its parts are read', async () => {
    const { post } = await hooks()
    const part = (fields: string, content: string) =>
      `--b\r\nContent-Disposition: form-data; ${fields}\r\n\r\n${content}\r\n`
    const text = `${part('name="a"', '1')}--b--`
    const whole = `${part('name="title"', 'Rex')}${part('name="picture"; filename="a"', 'ää')}--b--`
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b' }
    expect([
      await post('/files', whole, headers),
      (await post('/files', text, headers)).status,
      (await post('/files', whole.slice(0, -4), headers)).status,
      (await post('/files', whole, { ...headers, 'X-Signature': signatureOf(text) })).status,
    ]).toEqual([{ status: 200, body: 'Rex: ää' }, 422, 400, 401])
  })

  it('can be verified before they are decoded', async () => {
    const { post } = await hooks()
    expect({
      json: await post('/json', '{ "file" : 7 }'),
      form: await post('/form', 'file=7'),
      none: await post('/none', ''),
      twice: await post('/none', 'four'),
    }).toEqual({
      json: { status: 200, body: { file: 7 } },
      form: { status: 200, body: { file: 7 } },
      none: { status: 200, body: 0 },
      twice: { status: 200, body: 4 },
    })
  })

  it('are checked as always, once they are verified', async () => {
    const { post } = await hooks()
    const statusOf = async (...given: Parameters<typeof post>) => (await post(...given)).status
    expect({
      wrong: await statusOf('/json', '{"file":7}', { 'X-Signature': signatureOf('{"file":8}') }),
      wrongAndMalformed: await statusOf('/json', '{', { 'X-Signature': 'none' }),
      malformed: await statusOf('/json', '{'),
      invalid: await statusOf('/json', '{"file":"7"}'),
      type: await statusOf('/json', '{"file":7}', { 'Content-Type': 'text/plain' }),
      long: await statusOf('/json', `{"file":7}${' '.repeat(100)}`),
    }).toEqual({
      wrong: 401,
      wrongAndMalformed: 401,
      malformed: 400,
      invalid: 422,
      type: 415,
      long: 413,
    })
  })

  it('are those before compression', async () => {
    const { post } = await hooks()
    const bytes = '{"file":7}'
    expect(await post('/json', bytes, { 'Content-Encoding': 'gzip' }, gzipSync(bytes))).toEqual({
      status: 200,
      body: { file: 7 },
    })
  })

  it('are gone if middleware has kept only what it parsed, which is an error that says so', async () => {
    const { post, errors } = await hooks(async (ctx, next) => {
      for await (const _chunk of ctx.req);
      Object.assign(ctx.request, { body: { file: 7 } })
      await next()
    })
    expect((await post('/json', '{"file":7}')).status).toBe(500)
    expect(String(errors[0])).toContain('left no ctx.request.rawBody')
  })
})

it('a text body is the string that koa-body has left of it, within its own limit', async () => {
  const app = new Koa().use(koaBody())
  const show = (_ctx: unknown, value: string) => value
  const views = new Blueprint('views')
    .post('/text', operation(text(), response(t.string)), show)
    .post('/short', operation(text({ maxSize: 2 }), response(t.string)), show)
  new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(views)
  const request = await serve(app)
  const sent = { headers: { 'Content-Type': 'text/plain' }, body: 'wörd' }
  expect((await request('POST', '/text', sent)).body).toBe('wörd')
  expect((await request('POST', '/short', sent)).status).toBe(413)
})

it('rawBody takes the limit 0, which no body keeps but an absent one', async () => {
  const read = (body: string) => {
    const req = Object.assign(Readable.from([Buffer.from(body)]), {
      headers: { 'content-length': String(body.length) },
    })
    return rawBody({ req, request: {} } as never, { limit: 0 })
  }
  expect(await read('')).toEqual(Buffer.alloc(0))
  await expect(read('x')).rejects.toMatchObject({ status: 413 })
})

it.each([Number.NaN, -1, '10', null])(
  'rawBody refuses the limit %s, beyond which no body would be',
  async limit => {
    const ctx = { req: { headers: {} }, request: {} }
    await expect(rawBody(ctx as never, { limit } as never)).rejects.toThrow(
      'rawBody(): limit must be a number of bytes, not ',
    )
  },
)
