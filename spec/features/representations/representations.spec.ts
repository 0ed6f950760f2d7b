import { once } from 'node:events'
import * as t from 'io-ts'
import Koa from 'koa'
import compress from 'koa-compress'
import {
  Api,
  Application,
  Blueprint,
  etag,
  int,
  isoDate,
  operation,
  type Representation,
  response,
  struct,
} from 'koa-smorest'
import { csv } from 'koa-smorest/csv'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Client, listenHttp2, serve } from '../../support/client.js'

const Job = struct({ id: int, title: t.string, due: isoDate.asDate }, 'Job')
const due = new Date('2027-01-02')
const jobs = [
  { id: 1, title: 'Paint', due, secret: 'kept back' },
  { id: 2, title: 'Sand, then paint', due, secret: 'kept back' },
]

const written: unknown[] = []
/** Counts what it writes. */
const lines: Representation<readonly { readonly title: string }[], 'text/plain'> = {
  mediaType: 'text/plain',
  tag: 'text',
  write(value) {
    written.push(value)
    return value.map(({ title }) => `${title}\n`).join('')
  },
}
const bytes: Representation<unknown, 'application/x-bytes'> = {
  mediaType: 'application/x-bytes',
  write: () => Uint8Array.of(0, 255, 195),
}
const pieces: Representation<readonly object[], 'application/x-pieces'> = {
  mediaType: 'application/x-pieces',
  async *write(value) {
    written.push(value)
    for (const row of value) yield `${JSON.stringify(row)};`
    yield Uint8Array.of(33)
  },
}
const also = [csv(), lines, bytes, pieces] as const

const views = () =>
  new Blueprint('views')
    .get('/jobs', operation(etag(), response(t.array(Job), { also })), () => jobs)
    .get('/plain', operation(response(t.array(Job), { also })), () => jobs)
const CSV = 'id,title,due\r\n1,Paint,2027-01-02\r\n2,"Sand, then paint",2027-01-02\r\n'
const JSON_TEXT =
  '[{"id":1,"title":"Paint","due":"2027-01-02"},{"id":2,"title":"Sand, then paint","due":"2027-01-02"}]'

beforeEach(() => {
  written.length = 0
})

const APPS = [
  ['a Koa', () => new Koa()],
  ['an Application', () => new Application()],
  [
    'a Koa with middleware',
    () =>
      new Koa()
        .use(async (ctx, next) => {
          await next()
          ctx.set('X-Seen', `${ctx.status} ${ctx.type}`)
        })
        .use(compress({ threshold: 0 })),
  ],
] as const

const served = (app: Koa) => {
  new Api(app, { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING: false }).registerBlueprint(
    views(),
  )
  return serve(app)
}

describe.each(APPS)('a value with several representations, on %s,', (_name, make) => {
  let request: Client
  const ask = async (accept: string | undefined, path = '/jobs', headers = {}, method = 'GET') => {
    request ??= await served(make())
    return request(method, path, {
      headers: { ...(accept !== undefined && { Accept: accept }), ...headers },
    })
  }
  const seen = async (...given: Parameters<typeof ask>) => {
    const { status, headers, text } = await ask(...given)
    return [
      status,
      headers.get('Content-Type'),
      headers.get('Vary')?.replace(/Accept-Encoding, |, Accept-Encoding/, ''),
      text,
    ]
  }

  it.each<[accept: string | undefined, mediaType: string]>([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['text/csv', 'text/csv'],
    ['TEXT/CSV; header=absent', 'text/csv'],
    ['application/json; charset=utf-8', 'application/json'],
    ['text/*', 'text/csv'],
    ['text/*;q=0.5, */*;q=0.4', 'text/csv'],
    ['*/*, text/csv', 'text/csv'],
    ['text/*, text/plain', 'text/plain'],
    ['application/json;q=0.5, text/csv;q=0.6', 'text/csv'],
    ['text/csv;q=0.5, application/json', 'application/json'],
    ['text/csv, application/json', 'application/json'],
    ['text/html, text/csv;q=0.1', 'text/csv'],
    ['text/csv;profile="a,b;q=0"', 'text/csv'],
    ['text/csv, , text/plain;q=0.5', 'text/csv'],
    [', ;q=1, text/csv;q=0.5,', 'text/csv'],
    [' , text/csv', 'text/csv'],
    ['text/csv;profile="\\";q=0"; q=0.1, text/html', 'text/csv'],
    ['text/csv;q=0, text/*', 'text/plain'],
    ['application/json;q=0, */*', 'text/csv'],
    ['text/html, *; q=.2, */*; q=.2', 'application/json'],
  ])('sends for Accept %j the type %s', async (accept, mediaType) => {
    const charset = /json|text/.test(mediaType) ? '; charset=utf-8' : ''
    const text =
      mediaType === 'text/csv'
        ? CSV
        : mediaType === 'text/plain'
          ? 'Paint\nSand, then paint\n'
          : JSON_TEXT
    expect(await seen(accept)).toEqual([200, `${mediaType}${charset}`, 'Accept', text])
  })

  it.each([
    'text/html',
    'text/html, application/xml;q=0.5',
    'text/csv;q=0',
    'nonsense',
    '*/*;q=0',
    'text/html, ,',
    ',',
    ';',
  ])('refuses Accept %j, and lists the media types', async accept => {
    const { status, body, headers } = await ask(accept)
    expect({ status, body, vary: headers.get('Vary') }).toEqual({
      status: 406,
      body: {
        code: 406,
        status: 'Not Acceptable',
        message:
          'The media types are application/json, text/csv, text/plain, application/x-bytes, application/x-pieces.',
      },
      vary: expect.stringMatching(/(^|, )Accept(,|$)/),
    })
  })

  it('writes strings, bytes and what flows', async () => {
    request ??= await served(make())
    expect(await seen('application/x-pieces')).toEqual([
      200,
      'application/x-pieces',
      'Accept',
      '{"id":1,"title":"Paint","due":"2027-01-02"};{"id":2,"title":"Sand, then paint","due":"2027-01-02"};!',
    ])
    expect((await ask('application/x-bytes')).text).toBe('\0\ufffd\ufffd')
  })

  it('responds to HEAD as to GET', async () => {
    const get = await ask('text/csv')
    const head = await ask('text/csv', '/jobs', { 'Accept-Encoding': 'identity' }, 'HEAD')
    const names = ['Content-Type', 'ETag', 'Vary']
    expect([head.status, ...names.map(name => head.headers.get(name)), head.text]).toEqual([
      200,
      ...names.map(name => get.headers.get(name)),
      '',
    ])
    const streamed = await ask('application/x-pieces', '/jobs', {}, 'HEAD')
    expect([streamed.status, streamed.headers.get('Content-Type'), streamed.text]).toEqual([
      200,
      'application/x-pieces',
      '',
    ])
  })

  it('tags each representation with the tag of JSON and a suffix, and a 304 writes nothing', async () => {
    const tag = (await ask('application/json')).headers.get('ETag') as string
    const withSuffix = (suffix: string) => `${tag.slice(0, -1)};${suffix}"`
    for (const [mediaType, suffix] of [
      ['text/csv', 'csv'],
      ['text/plain', 'text'],
      ['application/x-bytes', 'x-bytes'],
      ['application/x-pieces', 'x-pieces'],
    ] as const) {
      expect((await ask(mediaType)).headers.get('ETag')).toBe(withSuffix(suffix))
      written.length = 0
      const conditional = { 'If-None-Match': withSuffix(suffix) }
      const { status, headers, text } = await ask(mediaType, '/jobs', conditional)
      expect([status, headers.get('ETag'), headers.get('Vary'), text, written]).toEqual([
        304,
        withSuffix(suffix),
        expect.stringMatching(/(^|, )Accept(,|$)/),
        '',
        [],
      ])
      expect((await ask(mediaType, '/jobs', { 'If-None-Match': tag })).status).toBe(200)
      expect((await ask('*/*', '/jobs', conditional)).status).toBe(200)
    }
  })
})

it('several representations are sent over HTTP/2', async () => {
  const app = new Koa()
  new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(views())
  const session = await listenHttp2(app)
  const ask = async (accept: string, method = 'GET') => {
    const stream = session.request({ ':path': '/jobs', ':method': method, accept })
    const [headers] = await once(stream, 'response')
    let text = ''
    for await (const piece of stream.setEncoding('utf8')) text += piece
    return [headers[':status'], headers['content-type'], headers.vary, text]
  }
  expect(await ask('text/csv')).toEqual([200, 'text/csv; charset=utf-8', 'Accept', CSV])
  expect(await ask('application/x-pieces')).toEqual([
    200,
    'application/x-pieces',
    'Accept',
    expect.stringMatching(/;!$/),
  ])
  expect(await ask('application/x-pieces', 'HEAD')).toEqual([
    200,
    'application/x-pieces',
    'Accept',
    '',
  ])
  expect((await ask('text/html'))[0]).toBe(406)
})
