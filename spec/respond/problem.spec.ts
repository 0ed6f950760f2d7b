import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  Blueprint,
  type Context,
  type Failure,
  type Feature,
  int,
  type Operation,
  operation,
  problem,
  query,
  response,
  type Settings,
} from 'koa-smorest'
import { fetchOf } from 'koa-smorest/testing'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'
import { problemFault } from '../support/problem-schema.js'

const OutOfStock = problem('out-of-stock', {
  status: 409,
  title: 'Out of stock',
  data: t.strict({ left: int }),
})
const Closed = problem('closed', { status: 409, title: 'The shop is closed' })
const Order = t.strict({ item: t.string }, 'Order')
const order = { item: 'cup' }
const row = { left: 3, secret: 'canary' }

const blueprint = () =>
  new Blueprint('orders')
    .get('/abort', operation(response(Order), altResponse(OutOfStock), altResponse(Closed)), () =>
      abort(OutOfStock, row, { message: 'Sorry.' }),
    )
    .get('/bare', operation(response(Order), altResponse(OutOfStock), altResponse(Closed)), () =>
      abort(Closed, { instance: '/orders/7' }),
    )
    .get('/general', operation(response(Order), altResponse(OutOfStock)), () => abort(409))
    .get('/left', operation(response(Order), altResponse(OutOfStock)), () =>
      row.left > 5 ? E.right(order) : E.left(OutOfStock(row)),
    )
    .get('/task', operation(response(Order), altResponse(Closed)), () => TE.left(Closed()))
    .get(
      '/record',
      operation(response(t.UnknownRecord), altResponse(Closed)),
      () => E.left(Closed()) as never,
    )
    .get(
      '/beside',
      operation(response(Order), altResponse(409, Order), altResponse(OutOfStock)),
      () => abort(OutOfStock, row),
    )

describe('a declared problem', () => {
  it.each(['problem', 'negotiated'] as const)(
    'has its type, title, status and encoded data in problem details (%s)',
    async API_ERRORS => {
      const { request } = await serveBlueprints(blueprint(), {
        API_ERRORS,
        API_PROBLEM_BASE: 'https://shop.example/problems/',
      })
      const ask = async (path: string) => {
        const { body, status, headers } = await request('GET', path, {
          headers: { Accept: 'application/problem+json' },
        })
        expect({ status, type: headers.get('Content-Type'), fault: problemFault(body) }).toEqual({
          status: 409,
          type: 'application/problem+json',
          fault: undefined,
        })
        return body
      }
      const stock = {
        type: 'https://shop.example/problems/out-of-stock',
        title: 'Out of stock',
        status: 409,
        left: 3,
      }
      const closed = {
        type: 'https://shop.example/problems/closed',
        title: 'The shop is closed',
        status: 409,
      }
      expect(await ask('/abort')).toEqual({ ...stock, detail: 'Sorry.' })
      expect(await ask('/bare')).toEqual({ ...closed, instance: '/orders/7' })
      expect(await ask('/left')).toEqual(stock)
      expect(await ask('/task')).toEqual(closed)
      expect(await ask('/record')).toEqual(closed)
      expect(await ask('/beside')).toEqual(stock)
      expect(await ask('/general')).toEqual({ type: 'about:blank', title: 'Conflict', status: 409 })
    },
  )

  it('has its name and its members beside the message in the plain form', async () => {
    const { request } = await serveBlueprints(blueprint())
    expect((await request('GET', '/abort')).text).toBe(
      '{"code":409,"status":"Conflict","message":"Sorry.","problem":"out-of-stock","left":3}',
    )
    expect((await request('GET', '/task')).text).toBe(
      '{"code":409,"status":"Conflict","problem":"closed"}',
    )
  })

  it('joins the general error in the document, with its type as a constant', async () => {
    const { api } = await serveBlueprints(blueprint(), { API_ERRORS: 'negotiated' })
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const { paths, components } = api.spec.latest as any
    const [plain, problem] = ['application/json', 'application/problem+json'].map(
      type => paths['/abort'].get.responses[409].content[type].schema,
    )
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
    expect(plain).toEqual({ anyOf: [ref('Error'), ref('OutOfStockError'), ref('ClosedError')] })
    expect(problem).toEqual({
      anyOf: [ref('ProblemDetails'), ref('OutOfStockProblemDetails'), ref('ClosedProblemDetails')],
    })
    expect(components.schemas.OutOfStockProblemDetails).toEqual({
      allOf: [
        ref('ProblemDetails'),
        {
          type: 'object',
          properties: { type: { type: 'string', const: '/problems/out-of-stock' } },
          required: ['type'],
        },
        {
          type: 'object',
          properties: { left: expect.objectContaining({ type: 'integer' }) },
          required: ['left'],
        },
      ],
    })
    expect(paths['/beside'].get.responses[409].content['application/json'].schema).toEqual({
      anyOf: [ref('Order'), ref('Error'), ref('OutOfStockError')],
    })
  })

  /** A feature of an application whose step refuses every request with a problem. */
  const refusing = (declared: Pick<Feature, 'problem'> = {}): Feature => ({
    ...declared,
    on: () => [{ stage: 'access', step: () => Closed() }],
  })
  const closed: [string, Operation, () => unknown][] = [
    ['thrown by the method', operation(response(Order), altResponse(409)), () => abort(Closed)],
    ['that a step refuses with', operation(response(Order), refusing()), () => order],
  ]

  it.each(closed)(
    'that an operation does not list is an error in development: one %s',
    async (_who, described, view) => {
      const undeclared = new Blueprint('undeclared').get(
        '/',
        described as Operation<readonly []>,
        view,
      )
      const { request, errors } = await serveBlueprints(undeclared, { DEBUG: true })
      expect((await request('GET', '/')).status).toBe(500)
      expect(String(errors[0])).toContain(
        'the problem closed (409) is not documented: add altResponse(…) with it to the descriptor',
      )
      const production = await serveBlueprints(undeclared, { DEBUG: false, TESTING: false })
      expect((await production.request('GET', '/')).status).toBe(409)
    },
  )

  it('of a step is listed by its feature, which may have several', async () => {
    const declared = new Blueprint('declared')
      .get('/one', operation(response(Order), refusing({ problem: 'closed' })), () => order)
      .get(
        '/several',
        operation(response(Order), refusing({ problem: ['moved', 'closed'] })),
        () => order,
      )
    const { request } = await serveBlueprints(declared, { DEBUG: true })
    for (const path of ['/one', '/several']) expect((await request('GET', path)).status).toBe(409)
  })

  it('cannot be declared with a name, a status or data that would not do', () => {
    expect(() => problem('out of stock', { status: 409 })).toThrow(/part of a URL/)
    expect(() => problem('ok', { status: 200 })).toThrow(/400 to 599/)
    for (const name of [
      'type',
      'title',
      'status',
      'detail',
      'instance',
      'errors',
      'code',
      'message',
      'problem',
    ])
      expect(() => problem('x', { status: 409, data: t.type({ [name]: t.string }) })).toThrow(
        `errors have a member ${name} already`,
      )
    for (const data of [
      t.string,
      t.array(t.string),
      t.UnknownRecord,
      t.union([t.type({ a: t.string }), t.type({ b: t.string })]),
    ])
      expect(() => problem('x', { status: 409, data })).toThrow(/its data is an object/)
  })

  it('whose data does not fit its codec is a fault', () => {
    expect(() => OutOfStock({ left: 1.5 as never })).toThrow(/does not fit its codec at left/)
  })
})

describe('an error of another media type than the document says', () => {
  class HtmlApi extends Api {
    override handleHttpException(failure: Failure, ctx: Context) {
      super.handleHttpException(failure, ctx)
      ctx.type = 'text/html'
    }
  }
  const views = () =>
    new Blueprint('typed')
      .get('/sent', operation(altResponse(409)), ctx => {
        ctx.status = 409
        ctx.body = 'plain text'
      })
      .get('/thrown', operation(altResponse(409)), () => abort(409))
      .get('/refused', operation(query(t.strict({ n: t.string }))), () => null)
      .get('/broken', operation(), () => {
        throw new Error('a fault')
      })
      .get(
        '/moved',
        operation(altResponse(404, { headers: { 'X-Moved': { required: true, schema: {} } } })),
        () => abort(404),
      )

  /** Status of a response and what was emitted for it. */
  async function outcome(
    path: string,
    settings: Settings,
    make = (app: Koa, given: Settings) => new Api(app, given),
  ) {
    const app = new Koa()
    const emitted: string[] = []
    app.on('error', error => emitted.push(String(error)))
    make(app, {
      OPENAPI_VERSION: '3.1.0',
      TESTING: false,
      DEBUG: false,
      ...settings,
    }).registerBlueprint(views())
    const { status } = await fetchOf(app)(`http://x${path}`)
    return { status, emitted }
  }
  const html = (app: Koa, settings: Settings) => new HtmlApi(app, settings)
  const fault = (type: string) =>
    expect.stringContaining(
      `is ${type}, but application/json is documented: set the form of errors with API_ERRORS, or keep it in handleHttpException`,
    )

  it.each([{ DEBUG: true }, { TESTING: true }])(
    'is a fault with %j, whether the method sent it, threw it, or a step refused',
    async on => {
      expect(await outcome('/sent', on)).toEqual({ status: 500, emitted: [fault('text/plain')] })
      expect(await outcome('/thrown', on, html)).toEqual({
        status: 500,
        emitted: [fault('text/html')],
      })
      expect(await outcome('/refused', on, html)).toEqual({
        status: 500,
        emitted: [fault('text/html')],
      })
      expect(await outcome('/broken', on, html)).toEqual({
        status: 500,
        emitted: ['Error: a fault', fault('text/html')],
      })
    },
  )

  it('passes in production', async () => {
    expect(await outcome('/thrown', {}, html)).toEqual({ status: 409, emitted: [] })
    expect(await outcome('/refused', {}, html)).toEqual({ status: 422, emitted: [] })
  })

  it('is one of the faults of what was thrown: a header field that is documented as required is another', async () => {
    expect(await outcome('/moved', { DEBUG: true })).toEqual({
      status: 500,
      emitted: [expect.stringContaining('lacks the header field X-Moved')],
    })
    expect(await outcome('/thrown', { DEBUG: true })).toEqual({ status: 409, emitted: [] })
  })
})
