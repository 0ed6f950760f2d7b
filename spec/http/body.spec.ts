import { connect } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Multipart } from '../../src/http/body/multipart.js'
import { type BodyContext, DEFAULT_LIMITS } from '../../src/http/body/request-body.js'
import { Refusal } from '../../src/http/failure.js'
import { cpuTime } from '../support/cpu-time.js'
import { readForm, readJson, readMultipart } from './reading.js'
import { exchange, post, serverReading } from './server.js'

const JSON_TYPE = 'application/json'
const MULTIPART = 'multipart/form-data; boundary=x'
const FORM_TYPE = 'application/x-www-form-urlencoded'
const json = await serverReading(async ctx =>
  readJson(ctx, { limit: 1000, mediaType: 'application/merge+thing' }),
)
const big = await serverReading(async ctx => readJson(ctx))
const form = await serverReading(ctx =>
  readForm(ctx, { limits: { ...DEFAULT_LIMITS, form: 1000, fields: 5 }, mediaType: 'text/x-form' }),
)

describe('a JSON body', () => {
  it('is its value', async () => {
    expect(await post(json.url, JSON_TYPE, '{"a":[1,"ü"]}')).toEqual({
      status: 200,
      value: { a: [1, 'ü'] },
    })
    expect(await post(json.url, JSON_TYPE, 'null')).toEqual({ status: 200, value: null })
  })

  it('that is absent or empty is no value, whatever its media type', async () => {
    expect(await post(json.url, undefined, undefined)).toEqual({ status: 200 })
    expect(await post(json.url, JSON_TYPE, '')).toEqual({ status: 200 })
    const chunked = new ReadableStream({ start: controller => controller.close() })
    expect(await post(json.url, JSON_TYPE, chunked)).toEqual({ status: 200 })
  })

  it.each([
    ['not JSON', '{"a":', 'Invalid JSON body.'],
    ['two byte order marks', '\ufeff\ufeff1', 'Invalid JSON body.'],
    ['not UTF-8', Buffer.from('"\xe9"', 'latin1'), 'Not valid UTF-8.'],
    ['T01: __proto__', '[{"__proto__":{"isAdmin":true}}]', 'The name "__proto__" is not allowed.'],
    [
      'T02: __proto__, escaped',
      '{"a":{"\\u005f_proto__":1}}',
      'The name "__proto__" is not allowed.',
    ],
    ['T17: 65 levels', `${'['.repeat(65)}${']'.repeat(65)}`, 'Nested deeper than 64 levels.'],
  ])('%s: 400', async (_what, body, text) => {
    expect(await post(json.url, JSON_TYPE, body)).toEqual({
      status: 400,
      code: 400,
      errors: { json: [text] },
    })
  })

  it.each([
    ['one byte order mark', '\ufeff1', 1],
    ['"__proto__" as a value', '["__proto__"]', ['__proto__']],
    [
      '64 levels',
      `${'['.repeat(64)}${']'.repeat(64)}`,
      JSON.parse(`${'['.repeat(64)}${']'.repeat(64)}`),
    ],
    [
      'T07: names of methods as plain data',
      '[{"toString":1,"toJSON":2}]',
      [{ toString: 1, toJSON: 2 }],
    ],
    ['brackets in a text', JSON.stringify('['.repeat(100)), '['.repeat(100)],
  ])('%s is accepted', async (_what, body, value) => {
    expect(await post(json.url, JSON_TYPE, body)).toEqual({ status: 200, value })
  })

  it('T16: 50,000 levels are refused quickly', async () => {
    await post(big.url, JSON_TYPE, '1')
    const start = cpuTime()
    for (const open of ['[', '{"a":', '[{"__proto__":']) {
      const close = open
        .replace(/[^[{]/g, '')
        .replaceAll('[', ']')
        .replaceAll('{', '}')
        .split('')
        .reverse()
        .join('')
      expect(
        await post(big.url, JSON_TYPE, `${open.repeat(50_000)}1${close.repeat(50_000)}`),
      ).toMatchObject({ status: 400 })
    }
    expect(cpuTime() - start).toBeLessThan(500)
  })

  it.each([
    'text/plain',
    'application/jsonx',
    'x/json',
    'application/json\ta',
    'application/json;charset="',
    'multipart/form-data; boundary=x',
    'application/json,text/plain',
    '/',
  ])('T67: of the type %j is 415, which says what was sent and what is accepted', async type => {
    expect(await post(json.url, type, '{}')).toEqual({
      status: 415,
      code: 415,
      message: `The body must be application/merge+thing, not ${type}.`,
      headers: { Accept: 'application/merge+thing' },
    })
  })

  it.each(['utf-16', 'iso-8859-1'])(
    'T67: of the charset %s is 415, which says that it must be UTF-8',
    async charset => {
      expect(await post(json.url, `application/json; charset=${charset}`, '{}')).toMatchObject({
        status: 415,
        message: `The body must be application/merge+thing in UTF-8, not application/json; charset=${charset}.`,
      })
    },
  )

  it('of a long type is 415 with the beginning of that', async () => {
    const { message } = await post(json.url, `x/${'y'.repeat(5000)}`, '{}')
    expect(message).toBe(`The body must be application/merge+thing, not x/${'y'.repeat(78)}….`)
  })

  it.each([
    'APPLICATION/json; Charset="UTF-8"',
    'application/problem+json',
    'application/json;',
    'application/merge+thing; v=1',
  ])('of the type %j is read', async type => {
    expect(await post(json.url, type, '{}')).toEqual({ status: 200, value: {} })
  })

  it('T67: without a type, or with two, is 415', async () => {
    const lines = (types: string) =>
      `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${types}Content-Length: 2\r\n\r\n{}`
    expect(await exchange(json.port, lines(''))).toMatch(
      /^HTTP\/1.1 415 [\s\S]*, there is no Content-Type\./,
    )
    expect(
      await exchange(
        json.port,
        lines('Content-Type: application/json\r\ncontent-type: text/plain\r\n'),
      ),
    ).toMatch(/^HTTP\/1.1 415 [\s\S]*, there are several Content-Types\./)
    // names of the same length
    const others = 'X-Request-Id: 1\r\nX-Request-Id: 2\r\n'
    expect(await exchange(json.port, lines(`Content-Type: application/json\r\n${others}`))).toMatch(
      /^HTTP\/1.1 200 /,
    )
  })

  it('T18: at the limit is read, one byte more is 413, by length and in chunks', async () => {
    const text = (size: number) => `"${'a'.repeat(size - 2)}"`
    const chunked = (size: number) => new Blob([text(size)]).stream()
    for (const body of [text, chunked]) {
      expect((await post(json.url, JSON_TYPE, body(1000))).status).toBe(200)
      expect(await post(json.url, JSON_TYPE, body(1001))).toMatchObject({
        status: 413,
        message: 'The body may have at most 1000 bytes.',
      })
    }
  })

  it('T19: is 413 at once if it says that it is too large', async () => {
    for (const length of ['99999999999', '4294967297']) {
      const start = cpuTime()
      const socket = connect(json.port, '127.0.0.1')
      socket.write(
        `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{}`,
      )
      const [first] = (await new Promise<Buffer>(resolve => socket.once('data', resolve)))
        .toString()
        .split('\r\n')
      socket.destroy()
      expect(first).toBe('HTTP/1.1 413 Payload Too Large')
      expect(cpuTime() - start).toBeLessThan(500)
    }
  })

  it('T69: that is refused leaves the connection to the next request', async () => {
    const large = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n${'a'.repeat(2000)}\r\n0\r\n\r\n`
    const good =
      'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n7'
    const received = await exchange(json.port, large, good)
    expect(received.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
    expect(received).toContain('{"value":7}')
  })

  it('that ends too early gives a refusal, which nobody needs to read', async () => {
    for (const coding of ['identity', 'gzip']) {
      const results: Promise<unknown>[] = []
      const { port } = await serverReading(
        async ctx => results[results.push(Promise.resolve(readJson(ctx))) - 1],
      )
      const socket = connect(port, '127.0.0.1')
      socket.write(
        `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Encoding: ${coding}\r\nContent-Length: 99\r\n\r\n`,
      )
      socket.write(gzipSync('{"a":1}').subarray(0, 12))
      await expect.poll(() => results.length).toBe(1)
      socket.destroy()
      expect(await results[0]).toMatchObject({
        code: 400,
        errors: { json: ['The request ended before its body.'] },
      })
    }
  })
})

describe('a compressed body', () => {
  const codings = {
    gzip: gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    GZIP: gzipSync,
    'x-gzip': gzipSync,
  }

  it.each(Object.entries(codings))('is read: %s', async (coding, compress) => {
    expect(
      await post(json.url, JSON_TYPE, compress('{"a":"ü"}'), { 'Content-Encoding': coding }),
    ).toEqual({
      status: 200,
      value: { a: 'ü' },
    })
    expect(
      await post(form.url, FORM_TYPE, compress('a=%C3%BC'), { 'Content-Encoding': coding }),
    ).toEqual({
      status: 200,
      value: { a: 'ü' },
    })
  })

  it.each(Object.entries(codings))(
    'T21: is 400 if it is broken or truncated: %s',
    async (coding, compress) => {
      const bytes = compress(JSON.stringify([...Array(100).keys()]))
      const message = `The body is not valid ${coding.toLowerCase().replace('x-', '')}.`
      for (const body of [Buffer.from('not compressed'), bytes.subarray(0, -12)]) {
        expect(await post(json.url, JSON_TYPE, body, { 'Content-Encoding': coding })).toMatchObject(
          {
            status: 400,
            errors: { json: [message] },
          },
        )
      }
    },
  )

  it('T18: has its limit on the inflated bytes', async () => {
    const text = (size: number) => gzipSync(`"${'a'.repeat(size - 2)}"`)
    expect(
      (await post(json.url, JSON_TYPE, text(1000), { 'Content-Encoding': 'gzip' })).status,
    ).toBe(200)
    expect(
      (await post(json.url, JSON_TYPE, text(1001), { 'Content-Encoding': 'gzip' })).status,
    ).toBe(413)
  })

  it('T20: that would be huge is 413, without being inflated', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    const start = cpuTime()
    expect((await post(big.url, JSON_TYPE, bomb, { 'Content-Encoding': 'gzip' })).status).toBe(413)
    expect(cpuTime() - start).toBeLessThan(1000)
    expect(await post(big.url, JSON_TYPE, '1')).toEqual({ status: 200, value: 1 })
  })

  it('T21: in a coding that is not known is 415, with the codings that are', async () => {
    for (const coding of ['zstd', 'gzip, gzip', 'identity, gzip']) {
      expect(await post(json.url, JSON_TYPE, '{}', { 'Content-Encoding': coding })).toMatchObject({
        status: 415,
        message: `The content coding of the body must be gzip, deflate or br, not ${coding}.`,
        headers: { 'Accept-Encoding': 'gzip, deflate, br' },
      })
    }
  })

  it.each(['identity', 'Identity', ''])(
    'is read as it is with Content-Encoding: %j',
    async coding => {
      expect(await post(json.url, JSON_TYPE, '{}', { 'Content-Encoding': coding })).toEqual({
        status: 200,
        value: {},
      })
    },
  )
})

describe('a urlencoded form', () => {
  it('is its fields, with plain names', async () => {
    const body = 'a.b=1&a[b]=+%2B&x=1&x=2&'
    expect(await post(form.url, FORM_TYPE, body)).toEqual({
      status: 200,
      value: { 'a.b': '1', 'a[b]': ' +', x: ['1', '2'] },
    })
    expect(await post(form.url, FORM_TYPE, '')).toEqual({ status: 200, value: {} })
    expect(await post(form.url, `${FORM_TYPE};charset=utf-8`, 'ü=ü')).toEqual({
      status: 200,
      value: { ü: 'ü' },
    })
  })

  it.each([
    ['%zz=1', 'Not valid percent-encoded UTF-8.'],
    ['a=%ff', 'Not valid percent-encoded UTF-8.'],
    [Buffer.from('a=\xff', 'latin1'), 'Not valid UTF-8.'],
  ])('that is not UTF-8 is 400', async (body, text) => {
    expect(await post(form.url, FORM_TYPE, body)).toEqual({
      status: 400,
      code: 400,
      errors: { form: [text] },
    })
  })

  it('has limits', async () => {
    expect((await post(form.url, FORM_TYPE, 'a&b&c&d&e')).status).toBe(200)
    expect(await post(form.url, FORM_TYPE, 'a&b&c&d&e&f')).toMatchObject({
      status: 413,
      message: 'The body may have at most 5 fields.',
    })
    expect((await post(form.url, FORM_TYPE, `a=${'b'.repeat(999)}`)).status).toBe(413)
    expect((await post(form.url, JSON_TYPE, '{}')).status).toBe(415)
  })
})

describe('a body that middleware of the application has read', () => {
  const consumed = (request: object, type = JSON_TYPE) =>
    ({
      req: {
        headers: { 'content-type': type, 'content-length': '1' },
        rawHeaders: [],
        readableDidRead: true,
        readableEnded: true,
      },
      request,
    }) as unknown as BodyContext

  it('is taken as it was left, with the same checks', async () => {
    expect(await readJson(consumed({ body: { a: 1 } }))).toEqual({ a: 1 })
    expect(await readJson(consumed({ body: '{"a":1}' }))).toEqual({ a: 1 })
    expect(await readJson(consumed({ body: {}, rawBody: '' }))).toBeUndefined()
    expect(await readJson(consumed({ body: JSON.parse('{"__proto__":1}') }))).toBeInstanceOf(
      Refusal,
    )
    expect(await readForm(consumed({ body: { a: '1' } }, FORM_TYPE))).toEqual({ a: '1' })
    expect(
      await readForm(consumed({ body: { a: { b: '1' } }, rawBody: 'a.b=1' }, FORM_TYPE)),
    ).toEqual({ 'a.b': '1' })
  })

  it('is taken with its files, if koa-body has left them', async () => {
    const files = {
      f: { originalFilename: 'a.txt', mimetype: 'text/plain', size: 3, filepath: '/tmp/x' },
      g: [],
    }
    const { fields, files: taken } = (await readMultipart(
      consumed({ body: { a: '1' }, files }, MULTIPART),
    )) as Multipart
    expect({ fields, taken }).toEqual({
      fields: { a: '1' },
      taken: { f: { filename: 'a.txt', mediaType: 'text/plain', size: 3, path: '/tmp/x' } },
    })
  })

  it.each([
    [
      'single() and none() of @koa/multer',
      { body: { a: '1' }, file: { fieldname: 'f', originalname: 'a.txt', path: '/tmp/x' } },
    ],
    [
      'any() of @koa/multer',
      { body: {}, files: [{ fieldname: 'f', originalname: 'a.txt', path: '/tmp/x' }] },
    ],
    [
      'fields() of @koa/multer',
      { body: {}, files: { f: [{ fieldname: 'f', originalname: 'a.txt', path: '/tmp/x' }] } },
    ],
  ])(
    'is a fault that says so, if another parser has read the files: %s',
    async (_parser, request) => {
      const multipart = (await readMultipart(consumed(request, MULTIPART))) as Multipart
      expect(() => multipart.files).toThrow(
        'has read the request body and left no ctx.request.files as koa-body leaves it',
      )
      expect(await readForm(consumed(request, MULTIPART))).toEqual(request.body)
    },
  )

  it('is a fault that says so, if nothing was left', async () => {
    expect(() => readJson(consumed({}))).toThrow(
      'has read the request body and left no ctx.request.body',
    )
  })
})
