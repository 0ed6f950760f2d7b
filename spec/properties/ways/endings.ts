// How a method may end without returning a value: by failing, or by a response of its own.
import { Readable } from 'node:stream'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import { abort, type Context, HttpException, problem } from 'koa-smorest'

/** What a method does; it is given what it was called with. */
export type Behaviour = (ctx: Context, given: readonly unknown[]) => unknown

export const Taken = problem('taken', {
  status: 409,
  title: 'Taken',
  data: t.strict({ by: t.string }),
})

export const named = (behaviours: Record<string, Behaviour>): [string, Behaviour][] =>
  Object.entries(behaviours)

export const OWN = named({
  'ctx.respond = false, end': ctx => {
    ctx.respond = false
    ctx.res.statusCode = 203
    ctx.res.setHeader('X-One', 'un')
    ctx.res.setHeader('Content-Length', 3)
    ctx.res.end('own')
  },
  'res.end': ctx => {
    ctx.res.statusCode = 203
    ctx.res.setHeader('Content-Length', 3)
    ctx.res.end('own')
  },
  'res.writeHead, end later': ctx => {
    ctx.respond = false
    ctx.res.writeHead(202, { 'Content-Type': 'text/plain' })
    setTimeout(() => ctx.res.end('later'), 2)
  },
  'res.write, then throw': ctx => {
    ctx.res.write('some')
    throw new Error('after the head')
  },
  'ctx.respond = false, then throw': ctx => {
    ctx.respond = false
    throw new Error('before the head')
  },
  'ctx.respond = false, then abort': ctx => {
    ctx.respond = false
    abort(410)
  },
  'res.end, then a value': ctx => {
    ctx.res.setHeader('Content-Length', 3)
    ctx.res.end('own')
    return { name: 'Rex' }
  },
  'destroy the response': ctx => {
    ctx.res.destroy()
    return { name: 'Rex' }
  },
  'destroy the request': ctx => {
    const { stream = ctx.req } = ctx.req as { stream?: { destroy(): void } }
    stream.destroy()
    return { name: 'Rex' }
  },
  'destroy the response, then throw': ctx => {
    ctx.res.destroy()
    throw new Error('after the end')
  },
})

export const FAILING = named({
  abort: () =>
    abort(409, {
      message: 'Name täken.',
      errors: { name: ['taken'] },
      headers: { 'X-Error': 'un' },
    }),
  'abort 404': () => abort(404),
  'abort 500': () => abort(500, { message: 'hidden' }),
  'abort 503 with several fields': () =>
    abort(503, { headers: { 'Retry-After': '5', Link: ['</a>', '</b>'] } }),
  'abort 401': () => abort(401, { headers: { 'WWW-Authenticate': ['A', 'B'] } }),
  'abort with a field that Node refuses': () => abort(409, { headers: { 'X-Bad': 'a\r\nb' } }),
  'abort with a problem': () => abort(Taken, { by: 'me' }),
  'return a problem': () => Taken({ by: 'me' }),
  'throw a problem': () => {
    throw Taken({ by: 'me' })
  },
  'Left of a problem': () => E.left(Taken({ by: 'me' })),
  'Left of an Error': () => E.left(new Error('left')),
  'Left of a text': () => E.left('left'),
  'TaskEither left': () => TE.left(Taken({ by: 'me' })),
  'TaskEither right': () => TE.right({ name: 'Rex' }),
  'Right of undefined': () => E.right(undefined),
  'a Task of a Task': () => async () => () => ({ name: 'Rex' }),
  throw: () => {
    throw new Error('hidden')
  },
  'throw a text': () => {
    throw 'hidden'
  },
  'throw undefined': () => {
    throw undefined
  },
  'throw a frozen exception twice': () => {
    throw FROZEN
  },
  'throw an error with a strange status': () => {
    throw Object.assign(new Error('hidden'), { status: 200, headers: 7 })
  },
  'throw an error with a wrong field': () => {
    throw Object.assign(new Error('hidden'), {
      status: 400,
      expose: true,
      headers: { 'Bad Name': 'x', Trailer: 'X-A' },
    })
  },
  'set fields, then abort': ctx => {
    ctx.set({
      ETag: '"a"',
      'Last-Modified': new Date(0).toUTCString(),
      'Cache-Control': 'public',
      'X-One': 'un',
      'Content-Type': 'text/csv',
    })
    ctx.set('Content-Length', '3')
    abort(409)
  },
  'ctx.body, then abort': ctx => {
    ctx.body = Readable.from(['koa'], { objectMode: false })
    abort(409)
  },
  'ctx.body, then throw': ctx => {
    ctx.body = 'koa'
    ctx.type = 'html'
    throw new Error('hidden')
  },
})

const FROZEN = Object.freeze(new HttpException({ code: 418, message: 'Again.' }))
