import { gzipSync } from 'node:zlib'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  body,
  bytes,
  type Context,
  type Feature,
  files,
  form,
  idempotent,
  int,
  json,
  memoryStore,
  type Operation,
  operation,
  type PathsOf,
  query,
  type RegistrationError,
  struct,
  text,
  Upload,
} from 'koa-smorest'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'

const Job = struct({ title: t.string })
const Flat = struct({ title: t.string, urgent: t.boolean })
/** A language of `name: value` lines. */
const parse = (source: string) => {
  if (source === 'secret') throw new Error('sesame')
  return Object.fromEntries(source.split('\n').map(line => line.split(': ')))
}

const seen = (_ctx: Context, value: unknown) =>
  value instanceof Uint8Array
    ? { isPlain: value.constructor === Uint8Array, bytes: [...value] }
    : { value }

const views = new Blueprint('bodies')
  .post(
    '/any',
    operation(body(json(Job), form(Flat), bytes({ contentType: 'image/*' }), text())),
    seen,
  )
  .post(
    '/ranges',
    operation(
      body(
        bytes({ contentType: '*/*' }),
        text({ contentType: 'text/*' }),
        json(Job, { contentType: 'text/job' }),
      ),
    ),
    seen,
  )
  .post('/bytes', operation(bytes({ maxSize: 4 })), seen)
  .post('/text', operation(text({ maxSize: 4 })), seen)
  .post(
    '/lines',
    // the compiler knows that it is a string
    operation(json(Job, { contentType: 'application/lines', parse: source => parse(source) })),
    seen,
  )
  .patch('/job', operation(json(Job)), seen)
  .patch('/merge', operation(json(Job, { contentType: 'application/merge-patch+json' })), seen)
  .post('/maybe', operation(json(t.union([t.array(int), t.undefined]), { required: false })), seen)
const { request, api } = await serveBlueprints(views)

async function send(path: string, type: string | undefined, sent: string | Uint8Array, more = {}) {
  const method = path === '/job' || path === '/merge' ? 'PATCH' : 'POST'
  const { status, body, headers } = await request(method, path, {
    headers: { ...(type !== undefined && { 'Content-Type': type }), ...more },
    body: typeof sent === 'string' ? Buffer.from(sent) : sent,
  } as never)
  const accept = headers.get('Accept')
  return { status, body, ...(accept !== null && { accept }) }
}
const accepted = (body: unknown) => ({ status: 200, body })
const refused = (status: number, errors: object) => ({
  status,
  body: { code: status, status: expect.any(String), errors },
})

function faultsOf(described: Operation<readonly Feature[]>): readonly string[] {
  try {
    const blueprint = new Blueprint('faults').post('/', described, () => undefined as never)
    new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)
    return []
  } catch (error) {
    return (error as RegistrationError).faults.map(fault => fault.replace(/^root, POST \/: /, ''))
  }
}

describe('body', () => {
  it('is what the Content-Type says', async () => {
    const multipart =
      '--X\r\nContent-Disposition: form-data; name="title"\r\n\r\na\r\n--X\r\nContent-Disposition: form-data; name="urgent"\r\n\r\ntrue\r\n--X--'
    const sent = [
      ['application/json', '{"title":"a"}'],
      ['application/vnd.job+json', '{"title":"a"}'],
      ['application/x-www-form-urlencoded', 'title=a&urgent=true'],
      ['multipart/form-data; boundary=X', multipart],
      ['image/png; charset=latin1', 'ab'],
      ['text/plain; charset=UTF-8', '\ufeffä'],
    ]
    const results = []
    for (const [type, bytes] of sent) results.push(await send('/any', type, bytes as string))
    expect(results).toEqual([
      accepted({ value: { title: 'a' } }),
      accepted({ value: { title: 'a' } }),
      accepted({ value: { title: 'a', urgent: true } }),
      accepted({ value: { title: 'a', urgent: true } }),
      accepted({ isPlain: true, bytes: [97, 98] }),
      accepted({ value: 'ä' }),
    ])
  })

  it('prefers an exact media type to a range, and a narrow range to a wide one', async () => {
    const results = []
    for (const type of ['text/job', 'text/csv', 'a/b'])
      results.push(await send('/ranges', type, '{"title":"a"}'))
    const sent = '{"title":"a"}'
    expect(results).toEqual([
      accepted({ value: { title: 'a' } }),
      accepted({ value: sent }),
      accepted({ isPlain: true, bytes: [...Buffer.from(sent)] }),
    ])
  })

  it('of another media type, of none, or of text in another charset is a 415 that lists all', async () => {
    const all =
      'application/json, application/x-www-form-urlencoded, multipart/form-data, image/*, text/plain'
    const list = all.replace(/, (text.plain)/, ' or $1')
    const not = (what: string, charset = '') => ({
      status: 415,
      body: {
        code: 415,
        status: 'Unsupported Media Type',
        message: `The body must be ${list}${charset}, ${what}.`,
      },
      accept: all,
    })
    expect(await send('/any', 'video/mp4', 'x')).toEqual(not('not video/mp4'))
    expect(await send('/any', undefined, 'x')).toEqual(not('there is no Content-Type'))
    expect(await send('/any', 'text/plain; charset=latin1', 'x')).toEqual(
      not('not text/plain; charset=latin1', ' in UTF-8'),
    )
    expect(await send('/any', 'application/json; charset=latin1', '{}')).toEqual(
      not('not application/json; charset=latin1', ' in UTF-8'),
    )
  })

  it('has its errors under the location of the body that came', async () => {
    const required = ['Missing data for required field.']
    expect(await send('/any', 'application/json', '{}')).toEqual(
      refused(422, { json: { title: required } }),
    )
    expect(await send('/any', 'application/x-www-form-urlencoded', 'title=a')).toEqual(
      refused(422, { form: { urgent: required } }),
    )
    expect(await send('/any', 'text/plain', Uint8Array.of(0xff))).toEqual(
      refused(400, { text: ['Not valid UTF-8.'] }),
    )
    expect(await send('/any', 'image/png', 'x', { 'Content-Encoding': 'gzip' })).toEqual(
      refused(400, { bytes: ['The body is not valid gzip.'] }),
    )
  })

  it('that is absent is read as its media type says, without one as the first', async () => {
    const post = async (headers: Record<string, string>) =>
      (await request('POST', '/any', { headers })).body
    expect(await post({})).toMatchObject({ errors: { json: { title: expect.any(Array) } } })
    expect(await post({ 'Content-Type': 'image/png' })).toEqual({ isPlain: true, bytes: [] })
    expect(await post({ 'Content-Type': 'text/plain' })).toEqual({ value: '' })
    expect(await post({ 'Content-Type': 'video/mp4' })).toMatchObject({
      errors: { json: { title: expect.any(Array) } },
    })
  })

  it('has content of its own for each media type, in all versions', () => {
    const content = (api.spec.toJSON() as never as Document).paths['/any']?.post
    expect(Object.keys(content?.responses ?? {})).toEqual([
      '200',
      '400',
      '413',
      '415',
      '422',
      'default',
    ])
    expect(content?.requestBody).toEqual({
      required: true,
      content: {
        'application/json': { schema: expect.objectContaining({ required: ['title'] }) },
        'application/x-www-form-urlencoded': {
          schema: expect.objectContaining({ required: ['title', 'urgent'] }),
        },
        'image/*': { schema: { type: 'string', format: 'binary' } },
        'text/plain': { schema: { type: 'string' } },
      },
    })
    const old = new Api(new Koa(), { OPENAPI_VERSION: '2.0' }).registerBlueprint(
      new Blueprint('old')
        .post('/file', operation(body(json(Job), bytes({ contentType: 'image/png' }))), seen)
        .post('/text', operation(text()), seen),
    )
    const { paths } = old.spec.toJSON() as never as Document
    expect(paths['/file']?.post).toMatchObject({
      consumes: ['application/json', 'image/png'],
      parameters: [{ name: 'body', in: 'body', required: true, schema: { type: 'object' } }],
    })
    expect(paths['/text']?.post).toMatchObject({
      consumes: ['text/plain'],
      parameters: [{ name: 'body', in: 'body', required: false, schema: { type: 'string' } }],
    })
  })

  it.each([
    [
      body(json(Job), files(struct({ f: Upload }))),
      'body: it chooses among json, form, bytes and text, and cannot hold files(…)',
    ],
    [
      body(json(Job), query(Job)),
      'body: it chooses among json, form, bytes and text, and cannot hold query(…)',
    ],
    [
      body(json(Job), idempotent({ store: memoryStore() }) as Feature),
      'body: it chooses among json, form, bytes and text, and cannot hold another feature',
    ],
    [
      body(json(Job, { asKwargs: true }), text()),
      'body: it is one positional argument, so json cannot have asKwargs',
    ],
    [
      body(json(Job), json(Flat)),
      'body: two of its arguments read application/json: one media type can have one codec only',
    ],
    [
      body(form(Job), text({ contentType: 'multipart/form-data' })),
      'body: two of its arguments read multipart/form-data: one media type can have one codec only',
    ],
    [
      text({ contentType: 'text' }),
      'text: contentType must be a media type or a range such as image/*, not "text"',
    ],
    [
      bytes({ contentType: 1 as never }),
      'bytes: contentType must be a media type or a range such as image/*, not 1',
    ],
    [
      bytes({ maxSize: -1 }),
      'bytes: maxSize must be a whole number of at least 0, or Infinity, not -1',
    ],
    [
      bytes({ maxsize: 1 } as never),
      'bytes: there is no option "maxsize", did you mean "maxSize"?',
    ],
    [json(Job, { parse: 1 as never }), 'json: parse must be a function, not 1'],
    [form(Job, { parse }), 'form: parse belongs to json(…)'],
    [
      json(t.array(int), { required: false }),
      'json: a body that is not required is absent in some requests: its codec must allow undefined, as t.union([Array<int>, t.undefined]) does',
    ],
    [
      form(Job, { required: false }),
      'form: a body that is not required is absent in some requests: none of its fields may be required',
    ],
  ])('that cannot be chosen is a fault: %#', (feature, fault) => {
    expect(faultsOf(operation(feature as Feature))).toEqual([fault])
  })

  it('may be an optional form beside required files, which are in every request', () => {
    const both = operation(form(Job, { required: false }), files(struct({ file: Upload })))
    expect(faultsOf(both)).toEqual([])
  })

  it('is the only argument that reads the body', () => {
    expect(faultsOf(operation(json(Job), text()))).toEqual([
      'the operation has two arguments that read the body: give it one body(…)',
    ])
    expect(faultsOf(operation(body(json(Job)), bytes()))).toEqual([
      'the operation has two arguments that read the body: give it one body(…)',
    ])
  })

  it('without a Content-Type is a 400 under QUERY', async () => {
    const { request } = await serveBlueprints(
      new Blueprint('query').query('/', operation(text()), seen),
    )
    expect(await request('QUERY', '/', { body: Buffer.from('x') })).toMatchObject({
      status: 400,
      body: { message: 'QUERY needs a Content-Type, such as text/plain.' },
    })
  })

  it('is a part of what an idempotency key stands for', async () => {
    const { request } = await serveBlueprints(
      new Blueprint('keys').post(
        '/',
        operation(idempotent({ store: memoryStore() }), body(bytes(), text())),
        seen as never,
      ),
    )
    const post = async (type: string, sent: string) =>
      (
        await request('POST', '/', {
          headers: { 'Content-Type': type, 'Idempotency-Key': 'k' },
          body: Buffer.from(sent),
        })
      ).status
    expect([
      await post('application/octet-stream', 'a'),
      await post('application/octet-stream', 'a'),
      await post('application/octet-stream', 'b'),
      await post('text/plain', 'a'),
    ]).toEqual([200, 200, 422, 422])
  })

  it('gives the method the union of its types, and clients the content of each media type', () => {
    const api = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(
      new Blueprint('typed').post(
        '/typed',
        operation(body(json(Job), form(Flat), bytes({ contentType: 'image/*' }), text())),
        (_ctx, value) => {
          expectTypeOf(value).toEqualTypeOf<
            t.TypeOf<typeof Job> | t.TypeOf<typeof Flat> | Uint8Array | string
          >()
          return 1
        },
      ),
    )
    type Operation = PathsOf<typeof api>['/typed']['post']
    expectTypeOf<Operation['requestBody']['content']>().toEqualTypeOf<{
      'application/json': { title: string }
      'application/x-www-form-urlencoded': { title: string; urgent: boolean }
      'image/*': Blob | Uint8Array
      'text/plain': string
    }>()
    expectTypeOf<400 | 413 | 415 | 422>().toExtend<keyof Operation['responses']>()
  })
})

describe('bytes and text', () => {
  it('take as many bytes as they may have, inflated', async () => {
    const gzip = { 'Content-Encoding': 'gzip' }
    const type = 'application/octet-stream'
    expect(await send('/bytes', type, 'abcd')).toMatchObject({ status: 200 })
    expect(await send('/bytes', type, 'abcde')).toMatchObject({
      status: 413,
      body: { message: 'The body may have at most 4 bytes.' },
    })
    expect(await send('/bytes', type, gzipSync('abcd'), gzip)).toMatchObject({ status: 413 })
    expect(await send('/text', 'text/plain', 'äö')).toEqual(accepted({ value: 'äö' }))
    expect(await send('/text', 'text/plain', 'äöü')).toMatchObject({ status: 413 })
  })
})

describe('json with parse', () => {
  it('reads another language, and no JSON', async () => {
    expect(await send('/lines', 'application/lines', 'title: a')).toEqual(
      accepted({ value: { title: 'a' } }),
    )
    expect(await send('/lines', 'application/lines', '')).toMatchObject({ status: 422 })
    expect(await send('/lines', 'application/json', '{"title":"a"}')).toMatchObject({
      status: 415,
      accept: 'application/lines',
    })
    expect(await send('/lines', 'application/lines', 'title: a\nx: y')).toMatchObject({
      status: 422,
      body: { errors: { json: { x: expect.any(Array) } } },
    })
  })

  it('refuses what cannot be parsed without the message of the error', async () => {
    expect(await send('/lines', 'application/lines', 'secret')).toEqual(
      refused(400, { json: ['The body is not valid application/lines.'] }),
    )
    expect(await send('/lines', 'application/lines', Uint8Array.of(0xff))).toEqual(
      refused(400, { json: ['Not valid UTF-8.'] }),
    )
    expect(await send('/lines', 'application/lines', '__proto__: a')).toEqual(
      refused(400, { json: ['The name "__proto__" is not allowed.'] }),
    )
  })
})

describe('json', () => {
  it('under PATCH does not take a patch for the thing, unless its media type is declared', async () => {
    const results = []
    for (const path of ['/job', '/merge'])
      for (const type of ['json', 'vnd.job+json', 'merge-patch+json', 'json-patch+json'])
        results.push((await send(path, `application/${type}`, '{"title":"a"}')).status)
    expect(results).toEqual([200, 200, 415, 415, 200, 200, 200, 415])
  })

  it('of bytes or text need not be sent, nor one that they begin, and is documented so', async () => {
    const optional = new Blueprint('optional')
      .post('/bytes', operation(bytes()), seen)
      .post('/text', operation(text()), seen)
      .post('/first', operation(body(bytes(), json(Job))), seen)
      .post('/second', operation(body(json(Job), bytes())), seen)
    const { request, api } = await serveBlueprints(optional)
    const { paths } = api.spec.toJSON() as never as Document
    const results = Object.entries(paths).map(async ([path, { post } = {} as never]) => {
      const { required } = (post as { requestBody: { required: boolean } }).requestBody
      return [path, required, (await request('POST', path)).status]
    })
    expect(await Promise.all(results)).toEqual([
      ['/bytes', false, 200],
      ['/text', false, 200],
      ['/first', false, 200],
      ['/second', true, 422],
    ])
  })

  it('that is not required is undefined if the body is absent or empty', async () => {
    expect((await request('POST', '/maybe')).body).toEqual({})
    expect(await send('/maybe', 'application/json', '')).toEqual(accepted({}))
    expect(await send('/maybe', 'application/json', '[1]')).toEqual(accepted({ value: [1] }))
  })
})

interface Document {
  readonly paths: Record<string, { post?: { requestBody?: object; responses: object } }>
}
