import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  Blueprint,
  type Context,
  etag,
  type Failure,
  operation,
  response,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serve } from '../support/client.js'
import { serveEveryWay, WAYS } from '../support/every-way.js'

const PUBLIC = {
  'Cache-Control': 'public, max-age=60',
  Expires: new Date(Date.now() + 60_000).toUTCString(),
  Vary: 'Origin',
}

describe('an error', () => {
  const attachment = (ctx: Context) => {
    ctx.set({
      'Content-Disposition': 'attachment',
      'Content-Language': 'de',
      ETag: '"1"',
      'X-Own': 'yes',
    })
  }
  const blueprint = () =>
    new Blueprint('errors')
      .get('/abort', operation(), ctx => {
        attachment(ctx)
        abort(409)
      })
      .get('/throw', operation(), ctx => {
        attachment(ctx)
        throw new Error('secret')
      })
      .get('/abort-cached', operation(), () =>
        abort(404, { headers: { 'Cache-Control': 'public, max-age=5' } }),
      )
      .get('/refused', operation(etag({ load: () => undefined, tag: () => 1 })), () => null)
      .get('/ok', operation(), () => null)

  it.each(WAYS)(
    'has nothing of what was said of the success: no permission to store, no description, %s',
    async way => {
      const prepare = (app: Koa) =>
        app.use((ctx, next) => {
          ctx.set(PUBLIC)
          return next()
        })
      const { [way]: request } = await serveEveryWay({ blueprint, prepare })
      expect((await request('GET', '/ok')).headers.get('Cache-Control')).toBe(
        PUBLIC['Cache-Control'],
      )
      for (const path of ['/abort', '/throw', '/refused', '/nowhere']) {
        const { headers } = await request('GET', path)
        const names = [
          'Cache-Control',
          'Expires',
          'Content-Disposition',
          'Content-Language',
          'ETag',
        ]
        expect({
          path,
          left: names.filter(name => headers.has(name)),
          vary: headers.get('Vary'),
        }).toEqual({ path, left: [], vary: 'Origin' })
      }
      expect((await request('GET', '/abort')).headers.get('X-Own')).toBe('yes')
      expect((await request('GET', '/abort-cached')).headers.get('Cache-Control')).toBe(
        'public, max-age=5',
      )
    },
  )

  it.each(WAYS)('leaves a response alone that the method has sent whole, %s', async way => {
    const long = 'x'.repeat(4_000_000)
    const blueprint = () =>
      new Blueprint('late').get('/late', operation(), ctx => {
        ctx.respond = false
        ctx.res.end(long)
        throw new Error('after the end')
      })
    const errors: string[] = []
    const { [way]: request } = await serveEveryWay({
      blueprint,
      onError: ({ message }, at) => {
        if (at === way) errors.push(message)
      },
    })
    expect({ length: (await request('GET', '/late')).text.length, errors }).toEqual({
      length: 4_000_000,
      errors: ['after the end'],
    })
  })

  it('is handed to every handler as its own, so that a change reaches one request only', async () => {
    class Addressing extends Api {
      override handleHttpException(failure: Failure, ctx: Context) {
        const own = failure as { message?: string }
        own.message ??= `for ${String(ctx.query.name)}`
        super.handleHttpException(failure, ctx)
      }
    }
    const known = abortion()
    const blueprint = new Blueprint('shared')
      .get(
        '/loader',
        operation(etag({ load: () => undefined, tag: () => 1 }), response(t.strict({}))),
        () => ({}),
      )
      .put('/required', operation(etag(), response(t.strict({}))), () => ({}))
      .get('/thrown', operation(), () => {
        throw known
      })
    const app = new Koa()
    app.silent = true
    new Addressing(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)
    const request = await serve(app)
    for (const [method, path] of [
      ['GET', '/loader'],
      ['PUT', '/required'],
      ['GET', '/thrown'],
      ['GET', '/nowhere'],
    ] as const) {
      const messages = []
      for (const name of ['ann', 'bob'])
        messages.push((await request(method, `${path}?name=${name}`)).body.message)
      expect({ path, messages }).toEqual({ path, messages: ['for ann', 'for bob'] })
    }
  })
})

/** An HttpException that a program throws again and again. */
function abortion(): unknown {
  try {
    return abort(410)
  } catch (thrown) {
    return thrown
  }
}
