// What a method may do, in all the ways that Koa and this library leave to it. Drawn by
// application.ts.
import { Readable } from 'node:stream'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { redirect, reply, setEtag } from 'koa-smorest'
import { type Behaviour, FAILING, named, OWN } from './endings.js'

/** Ends by returning a value, whatever its codec says of it. */
const returning = (value: unknown): [string, Behaviour][] => [
  [`return ${typeof value} ${JSON.stringify(value)?.slice(0, 40)}`, () => value],
]

const VALUES: readonly unknown[] = [
  undefined,
  null,
  '',
  'ü',
  '\ud800',
  0,
  Number.NaN,
  true,
  [],
  [1, 2, 3],
  {},
  { name: 'Rex' },
  { name: 'Rex', secret: 'x' },
  { __proto__: null, name: 'ü' },
  [{ id: 1, name: 'a' }],
  'x'.repeat(70_000),
  'ü'.repeat(40_000),
  { name: 'ü'.repeat(30_000) },
]

async function* failing(): AsyncGenerator<string> {
  yield 'some'
  throw new Error('the stream has failed')
}

const bytes = Buffer.from('GIF89a\xff', 'latin1')

const RAW = named({
  buffer: () => bytes,
  'uint8array of a part': () => new Uint8Array(Buffer.from('abcdef').buffer, 0, 0),
  'empty buffer': () => Buffer.alloc(0),
  blob: () => new Blob(['blob'], { type: 'text/csv' }),
  'empty blob': () => new Blob([]),
  'web stream': () => new Blob(['stream']).stream(),
  stream: () => Readable.from(['str', 'eam'], { objectMode: false }),
  'empty stream': () => Readable.from([], { objectMode: false }),
  'stream that fails': () => Readable.from(failing(), { objectMode: false }),
  'stream that fails at once': () =>
    new Readable({
      read() {
        this.destroy(new Error('the stream has failed'))
      },
    }),
  'stream that was destroyed': () => {
    const stream = Readable.from(['a'])
    stream.destroy()
    return stream
  },
  Response: () =>
    new Response('fetched', {
      status: 203,
      headers: { 'X-One': 'un', 'Content-Type': 'text/csv' },
    }),
  'Response without a body': () => new Response(null, { status: 202, headers: { 'X-One': 'un' } }),
  'Response 204': () => new Response(null, { status: 204 }),
  'Response 304': () => new Response(null, { status: 304, headers: { ETag: '"a"' } }),
  'Response 404': () => new Response('missing', { status: 404 }),
  'Response 500': () => Response.json({ a: 1 }, { status: 500 }),
  'Response with cookies': () =>
    new Response('a', {
      headers: [
        ['Set-Cookie', 'a=1'],
        ['Set-Cookie', 'b=2'],
      ],
    }),
  'Response of framing': () =>
    new Response('abc', {
      headers: { 'Content-Length': '1', Connection: 'X-One', 'X-One': '1', Trailer: 'X-Two' },
    }),
  'Response that was read': async () => {
    const response = new Response('abc')
    await response.text()
    return response
  },
})

const KOA = named({
  'ctx.body = text': ctx => {
    ctx.body = 'koa ü'
  },
  'ctx.body = object': ctx => {
    ctx.body = { koa: true }
  },
  'ctx.body = null': ctx => {
    ctx.body = null
  },
  'ctx.body = buffer, ctx.type': ctx => {
    ctx.type = 'image/gif'
    ctx.body = bytes
  },
  'ctx.body = stream': ctx => {
    ctx.body = Readable.from(['koa'], { objectMode: false })
  },
  'ctx.body = Response': ctx => {
    ctx.body = new Response('koa', { status: 201 })
  },
  'ctx.body = failing stream': ctx => {
    ctx.body = Readable.from(failing(), { objectMode: false })
  },
  'ctx.body, then another value': ctx => {
    ctx.body = 'koa'
    return { name: 'Rex' }
  },
  'ctx.body = stream, then another value': ctx => {
    ctx.body = Readable.from(['koa'], { objectMode: false })
    return { name: 'Rex' }
  },
  'ctx.status': ctx => {
    ctx.status = 202
    return { name: 'Rex' }
  },
  'ctx.status = 204 with a value': ctx => {
    ctx.status = 204
    return { name: 'Rex' }
  },
  'ctx.status = 304': ctx => {
    ctx.status = 304
  },
  'ctx.status = 404': ctx => {
    ctx.status = 404
  },
  'ctx.status = 500 with a body': ctx => {
    ctx.status = 500
    ctx.body = 'broken'
  },
  'ctx.message': ctx => {
    ctx.status = 200
    ctx.message = 'Fine'
    return { name: 'Rex' }
  },
  'ctx.redirect': ctx => {
    ctx.redirect('/elsewhere?ü')
  },
  'ctx.redirect back, 301': ctx => {
    ctx.status = 301
    ctx.back()
  },
  'ctx.set': ctx => {
    ctx.set({ 'X-One': 'un', Vary: 'Accept', 'Cache-Control': 'public, max-age=5' })
    ctx.append('Link', '</a>; rel="a"')
    ctx.append('Link', '</b>; rel="b"')
    return { name: 'Rex' }
  },
  'ctx.set of framing': ctx => {
    ctx.set('Content-Length', '3')
    ctx.set('Content-Encoding', 'identity')
    return { name: 'Rex' }
  },
  'Transfer-Encoding': ctx => {
    ctx.set('Transfer-Encoding', 'chunked')
    return { name: 'Rex' }
  },
  'a field of Latin-1': ctx => {
    ctx.set('X-One', 'é')
    return { name: 'ü' }
  },
  'ctx.cookies': ctx => {
    ctx.cookies.set('a', '1')
    ctx.cookies.set('b', '2')
    return { name: 'Rex' }
  },
  'ctx.type': ctx => {
    ctx.type = 'text/csv'
    return 'a,b'
  },
  'ctx.etag': ctx => {
    ctx.etag = 'own'
    ctx.lastModified = new Date(0)
    return { name: 'Rex' }
  },
  'ctx.length': ctx => {
    ctx.length = 5
    ctx.body = 'abcde'
  },
  'ctx.throw': ctx => ctx.throw(418, 'hidden', { headers: { 'X-Error': 'tea' } }),
  'ctx.throw 500': ctx => ctx.throw(500, 'hidden', { expose: true }),
  'ctx.assert': ctx => ctx.assert(false, 401, 'hidden'),
  'ctx.state and ctx.path': (ctx, given) => ({ path: ctx.path, name: String(given.length) }),
  'changed method': ctx => {
    ctx.method = 'DELETE'
    return { name: 'Rex' }
  },
  setEtag: ctx => {
    setEtag(ctx, { name: 'Rex' })
    return { name: 'Rex' }
  },
})

const REPLIES = named({
  reply: () => reply({ name: 'Rex' }, 202, { 'X-One': 'un', Link: ['</a>', '</b>'] }),
  'reply of nothing': () => reply(undefined, 204),
  'reply of nothing, 200': () => reply(undefined, 200, { 'X-One': 'un' }),
  'reply 205': () => reply({ name: 'Rex' }, 205),
  'reply 304': () => reply({ name: 'Rex' }, 304, { 'Content-Language': 'de', ETag: '"x"' }),
  'reply 404': () => reply({ code: 404, status: 'Not Found', message: 'Gone.' } as never, 404),
  'reply 500 of a value': () => reply({ name: 'Rex' }, 500),
  'reply of a stream': () =>
    reply(Readable.from(['a'], { objectMode: false }) as never, 203, { 'Content-Length': 1 }),
  'reply of a buffer': () =>
    reply(bytes as never, 200, {
      'Content-Type': 'image/gif',
      'Content-Disposition': 'attachment',
    }),
  'reply of a Response': () =>
    reply(new Response('x', { status: 201 }) as never, 202, { 'X-One': 'un' }),
  'reply of a media type': () =>
    reply({ name: 'Rex' }, { 'Content-Type': 'application/vnd.a+json' }),
  'reply of an Either': () => reply(E.right(1) as never, 200),
  'reply of a promise': () =>
    reply(Promise.resolve({ name: 'Rex' }) as never, 201, { Location: '/a' }),
  'reply with a field that Node refuses': () => reply({ name: 'Rex' }, 200, { 'X-Bad': 'a\nb' }),
  redirect: () => redirect('/elsewhere?ü=%', 303),
  'redirect 308': () => redirect(new URL('http://example.com/a'), 308),
})

/** A behaviour and what it is called. */
export interface Drawn {
  readonly name: string
  readonly run: Behaviour
}

const EVERY = [...VALUES.flatMap(returning), ...RAW, ...KOA, ...OWN, ...FAILING, ...REPLIES]

function later(run: Behaviour): Behaviour {
  return async (ctx, given) => {
    await new Promise(setImmediate)
    return run(ctx, given)
  }
}

/** The behaviours, at once or after a turn. */
export const behaviours: fc.Arbitrary<Drawn> = fc
  .tuple(fc.constantFrom(...EVERY), fc.constantFrom('', 'after a turn, '))
  .map(([[name, run], when]) => ({
    name: `${when}${name}`,
    run: when === '' ? run : later(run),
  }))
