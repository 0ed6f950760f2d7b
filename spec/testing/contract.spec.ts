import * as t from 'io-ts'
import Koa from 'koa'
import compose from 'koa-compose'
import {
  Api,
  abort,
  altResponse,
  anyOf,
  apiKey,
  Blueprint,
  basic,
  type Context,
  decimal,
  deprecated,
  etag,
  files,
  form,
  int,
  isoDate,
  json,
  keyset,
  limit,
  maxLength,
  minLength,
  nullable,
  operation,
  Page,
  paginate,
  pattern,
  query,
  Refusal,
  readOnly,
  refine,
  reply,
  response,
  secure,
  struct,
  withDefault,
} from 'koa-smorest'
import { contract } from 'koa-smorest/testing'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { describe, expect, it } from 'vitest'

const Thing = struct(
  {
    id: readOnly(int),
    name: minLength(maxLength(t.string, 20), 1),
    price: decimal,
    born: withDefault(nullable(isoDate), null),
    kind: t.keyof({ a: null, b: null }, 'Kind'),
  },
  'Thing',
)
type Thing = t.TypeOf<typeof Thing>

/** A small application with a list, things and their versions. */
function shop() {
  let things: (Thing & { version: number })[] = []
  let last = 0
  const reset = () => {
    last = 0
    things = []
    for (const name of ['one', 'two', 'three', 'four', 'five', 'six', 'seven'])
      add({ name, price: '1.5', born: null, kind: 'a' })
  }
  const add = (thing: Omit<Thing, 'id'>) => {
    const added = { ...thing, id: ++last, version: 1 }
    things.push(added)
    return added
  }
  const find = (id: number) => things.find(thing => thing.id === id)
  const tagged = etag({
    load: (_ctx: Context, { thingId }: { thingId: number }) => find(thingId),
    tag: ({ version }) => version,
  })
  const all = new Blueprint('all', { urlPrefix: '/things' })
  const Filter = t.partial({
    kind: t.keyof({ a: null, b: null }, 'Kind'),
    name: maxLength(t.string, 20),
  })
  all.get(
    '/',
    operation(query(Filter), paginate(Page), response(t.array(Thing))),
    (_ctx, { kind, name = '' }) =>
      things.filter(
        thing => (kind === undefined || thing.kind === kind) && thing.name.includes(name),
      ),
  )
  all.get(
    '/walk',
    operation(
      keyset({ unique: 'id', sorts: { id: ['id'], price: ['price'] } }),
      response(t.array(Thing)),
    ),
    () => things,
  )
  all.post(
    '/',
    operation(
      json(Thing),
      response(Thing, {
        code: 201,
        headers: { Location: { required: true, schema: { type: 'string' } } },
      }),
    ),
    (_ctx, given) => {
      const added = add(given)
      return reply(added, 201, { Location: `/things/${added.id}` })
    },
  )
  all.get('/:thingId<int>', operation(tagged, response(Thing)), (_ctx, { current }) => current)
  all.put(
    '/:thingId<int>',
    operation(tagged, json(Thing), response(Thing)),
    (_ctx, given, { current }) => Object.assign(current, given, { version: current.version + 1 }),
  )
  all.delete('/:thingId<int>', operation(tagged, response({ code: 204 })), (_ctx, { current }) => {
    things = things.filter(thing => thing !== current)
  })
  const app = new Koa()
  app.on('error', () => undefined)
  const api = new Api(app, {
    OPENAPI_VERSION: '3.1.0',
    DEBUG: false,
    TESTING: false,
  }).registerBlueprint(all)
  reset()
  return { app, api, reset }
}

describe('contract', () => {
  it('has nothing to say against a sound application, and sees its documented responses', async () => {
    const { app, api, reset } = shop()
    const report = await contract(app, api, { reset, runs: 20 })
    expect(report.failures).toEqual([])
    expect(report.coverage.responses).toBeGreaterThan(0.9)
  })
})

/**
 * A fault planted into the sound application, as middleware around it, and the checks of which one
 * has to find it.
 */
interface Planted {
  readonly fault: string
  readonly check: RegExp
  readonly plant: Koa.Middleware
}

const isItem = (ctx: Koa.Context) => /^\/things\/\d+$/.test(ctx.path)
const isList = (ctx: Koa.Context) => ctx.path === '/things/'
const after =
  (change: (ctx: Koa.Context) => void): Koa.Middleware =>
  async (ctx, next) => {
    await next()
    change(ctx)
  }
// biome-ignore lint/suspicious/noExplicitAny: the body of any of the application's responses
const changeBody = (ctx: Koa.Context, change: (body: any) => unknown) => {
  if (typeof ctx.body === 'string' && ctx.body !== '')
    ctx.body = JSON.stringify(change(JSON.parse(ctx.body)))
}
let clock = 0
const created: string[] = []

const FAULTS: readonly Planted[] = [
  {
    fault: 'a tag that does not change',
    check: /law: the tag/,
    plant: after(ctx => isItem(ctx) && ctx.response.get('ETag') && ctx.set('ETag', '"1"')),
  },
  {
    fault: 'a tag that changes by itself',
    check: /law: the tag|wrong data/,
    plant: after(
      ctx => isItem(ctx) && ctx.response.get('ETag') && ctx.set('ETag', `"t${clock++}"`),
    ),
  },
  {
    fault: 'a page that repeats a row',
    check: /law: all pages/,
    plant: after(
      ctx =>
        isList(ctx) &&
        ctx.query.page === '2' &&
        ctx.query.page_size === '3' &&
        changeBody(ctx, rows => [{ ...rows[0], id: 1 }, ...rows.slice(1)]),
    ),
  },
  {
    fault: 'a page that loses a row',
    check: /law: all pages/,
    plant: after(
      ctx =>
        isList(ctx) &&
        ctx.query.page === '1' &&
        ctx.query.page_size === '3' &&
        changeBody(ctx, rows => rows.slice(1)),
    ),
  },
  {
    fault: 'counts that disagree',
    check: /law: all pages|header field/,
    plant: after(
      ctx =>
        isList(ctx) &&
        ctx.response.get('X-Pagination') &&
        ctx.set(
          'X-Pagination',
          ctx.response.get('X-Pagination').replace(/"total":\d+/, '"total":99'),
        ),
    ),
  },
  {
    fault: 'a status that is not documented',
    check: /^status$/,
    plant: after(ctx => {
      if (isItem(ctx) && ctx.method === 'GET' && ctx.status === 200) ctx.status = 206
    }),
  },
  {
    fault: 'a 500',
    check: /server error/,
    plant: async (ctx, next) => {
      if (isList(ctx) && String(ctx.query.name ?? '').length > 4) {
        ctx.status = 500
        ctx.body = {}
      } else await next()
    },
  },
  {
    fault: 'valid data refused by the application',
    check: /undeclared refusal|valid data/,
    plant: async (ctx, next) => {
      if (isList(ctx) && ctx.query.kind === 'b' && ctx.method === 'GET') {
        ctx.status = 403
        ctx.body = { code: 403, status: 'Forbidden' }
      } else await next()
    },
  },
  {
    fault: 'a header field that is documented and not sent',
    check: /header field/,
    plant: after(ctx => ctx.method === 'POST' && ctx.remove('Location')),
  },
  {
    fault: 'a header field that is sent and not documented',
    check: /undocumented header field/,
    plant: after(ctx => isItem(ctx) && ctx.method === 'GET' && ctx.set('X-Internal', 'yes')),
  },
  {
    fault: 'a field that is not documented',
    check: /^body$|undeclared field/,
    plant: after(
      ctx =>
        isItem(ctx) &&
        ctx.method === 'GET' &&
        ctx.status === 200 &&
        changeBody(ctx, body => ({ ...body, secret: 1 })),
    ),
  },
  {
    fault: 'a field of another type',
    check: /^body$/,
    plant: after(
      ctx =>
        isItem(ctx) &&
        ctx.method === 'GET' &&
        ctx.status === 200 &&
        changeBody(ctx, body => ({ ...body, price: 1.5 })),
    ),
  },
  {
    fault: 'another media type',
    check: /content type/,
    plant: after(ctx => {
      if (isItem(ctx) && ctx.status === 200) ctx.type = 'text/html'
    }),
  },
  {
    fault: 'an error that repeats what was sent',
    check: /echo/,
    plant: after(
      ctx =>
        ctx.status === 422 &&
        changeBody(ctx, body => ({
          ...body,
          message: `wrong: ${JSON.stringify(ctx.request.rawBody ?? 'value-of-no-such-field')}`,
        })),
    ),
  },
  {
    fault: 'an error that shows a stack',
    check: /internals/,
    plant: after(
      ctx =>
        ctx.status === 422 && changeBody(ctx, body => ({ ...body, message: new Error('x').stack })),
    ),
  },
  {
    fault: 'wrong data accepted',
    check: /wrong data accepted/,
    plant: async (ctx, next) => {
      await next()
      if (ctx.status === 422) {
        ctx.status = 200
        ctx.set('X-Pagination', '{"total":0,"total_pages":0}')
        ctx.body = '[]'
        ctx.type = 'json'
      }
    },
  },
  {
    fault: 'malformed JSON is a 422',
    check: /wrong data accepted/,
    plant: after(ctx => {
      if (ctx.status === 400) ctx.status = 422
    }),
  },
  {
    fault: 'a created thing that cannot be read',
    check: /law: what is created/,
    plant: async (ctx, next) => {
      if (ctx.method === 'GET' && created.includes(ctx.path)) {
        ctx.status = 404
        ctx.body = { code: 404, status: 'Not Found' }
      } else {
        await next()
        if (ctx.status === 201) created.push(ctx.response.get('Location'))
      }
    },
  },
  {
    fault: 'a deleted thing that can be read',
    check: /law: what is deleted|law: what is created/,
    plant: async (ctx, next) => {
      if (ctx.method === 'DELETE') ctx.status = 204
      else await next()
    },
  },
  {
    fault: 'HEAD that differs from GET',
    check: /law: head/,
    plant: async (ctx, next) => {
      if (ctx.method === 'HEAD' && isItem(ctx)) ctx.status = 405
      else await next()
    },
  },
  {
    fault: 'an Allow that lacks a method',
    check: /methods/,
    plant: after(ctx => ctx.response.get('Allow') && ctx.set('Allow', 'GET')),
  },
  {
    fault: 'a stale If-Match that is let through',
    check: /wrong data accepted|law: a stale/,
    plant: async (ctx, next) => {
      if (ctx.get('If-Match').includes('stale') || ctx.get('If-Match').includes('no-such'))
        ctx.req.headers['if-match'] = '*'
      await next()
    },
  },
  {
    fault: 'no 428 without If-Match',
    check: /wrong data accepted/,
    plant: async (ctx, next) => {
      ctx.req.headers['if-match'] ??= '*'
      await next()
    },
  },
  {
    fault: 'no 304 for a weak tag',
    check: /wrong data accepted/,
    plant: async (ctx, next) => {
      if (ctx.get('If-None-Match').startsWith('W/')) delete ctx.req.headers['if-none-match']
      await next()
    },
  },
  {
    fault: 'a 304 without its tag',
    check: /conditions/,
    plant: after(ctx => ctx.status === 304 && ctx.remove('ETag')),
  },
  {
    fault: 'HEAD without the tag of GET',
    check: /law: head/,
    plant: after(ctx => ctx.method === 'HEAD' && ctx.remove('ETag')),
  },
  {
    fault: 'a compressed body that ends the connection',
    check: /no response/,
    plant: (ctx, next) =>
      ctx.get('Content-Encoding') === 'gzip' ? void ctx.req.socket.destroy() : next(),
  },
  {
    fault: 'a deeply nested body that fails',
    check: /server error/,
    plant: (ctx, next) =>
      ctx.request.length === 10_000 ? Object.assign(ctx, { status: 500 }) : next(),
  },
  {
    fault: 'a cursor that loses the last page',
    check: /law: all pages/,
    plant: after(
      ctx =>
        ctx.path === '/things/walk' &&
        ctx.query.cursor !== undefined &&
        ctx.status === 200 &&
        changeBody(ctx, rows => rows.slice(0, -1)),
    ),
  },
]

describe('contract finds', () => {
  it.each(FAULTS)('$fault', async ({ check, plant }) => {
    const { app, api, reset } = shop()
    app.use(async (_ctx, next) => next())
    // outside of the guard, so that what the library writes can be changed
    app.middleware.unshift(plant)
    created.length = 0
    // the first requests of each operation, the provocations and the laws find them all
    const { failures } = await contract(app, api, { reset, runs: 6 })
    expect(failures.map(failure => failure.check)).toEqual(
      expect.arrayContaining([expect.stringMatching(check)]),
    )
    const found = failures.find(failure => check.test(failure.check))
    expect(found?.curl).toMatch(/^curl -(?:I|X [A-Z]+) 'http:\/\/localhost\/things\//)
  })

  it('a missing 401, and passes if credentials are asked for', async () => {
    for (const isChecked of [true, false]) {
      const app = new Koa()
      const all = new Blueprint('all').get(
        '/',
        operation(
          {
            on: () => [
              {
                stage: 'access',
                step: ({ ctx }) =>
                  isChecked && ctx.get('X-Key') !== 'sesame'
                    ? new Refusal(401, { headers: { 'WWW-Authenticate': 'Key' } })
                    : undefined,
                docs: schemas => {
                  schemas.component('securitySchemes', 'key', {
                    type: 'apiKey',
                    in: 'header',
                    name: 'X-Key',
                  })
                  return {
                    manual: { security: [{ key: [] }] },
                    responses: { 401: schemas.errorResponse(401) },
                  }
                },
              },
            ],
          },
          response(struct({ n: int }, 'N')),
        ),
        () => ({ n: 1 }),
      )
      const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
      const { failures } = await contract(app, api, { as: { key: 'sesame' }, runs: 5 })
      expect(
        failures.map(({ check, curl }) => ({ check, shown: curl.includes('sesame') })),
      ).toEqual(isChecked ? [] : [{ check: 'credentials', shown: false }])
    }
  })
})

describe('a contract test', () => {
  it('sends the same requests for the same seed, and others for another', async () => {
    const record = async (seed: number) => {
      const { app, api, reset } = shop()
      const requests: string[] = []
      app.middleware.unshift((ctx, next) => {
        requests.push(`${ctx.method} ${ctx.url}`)
        return next()
      })
      await contract(app, api, { reset, seed, runs: 4 })
      return requests
    }
    const [first, again, other] = [await record(1), await record(1), await record(2)]
    expect(again).toEqual(first)
    expect(other).not.toEqual(first)
  })

  it('knows that the 404 of a malformed path belongs to no operation, and that 429 may come before 401', async () => {
    const app = new Koa()
    app.silent = true
    const key = apiKey('key', {
      in: 'header',
      name: 'X-Key',
      principal: text => (text === 'sesame' ? text : undefined),
    })
    const limited = limit('all', new RateLimiterMemory({ points: 10, duration: 60 }), {
      per: 'client',
    })
    const all = new Blueprint('all', { urlPrefix: '/things', shared: operation(limited) })
      .get(
        '/:thingId<int>',
        operation(deprecated({ since: '2026-01-01' }), response(t.strict({ id: int }))),
        (_ctx, { thingId }) => ({
          id: thingId,
        }),
      )
      .post(
        '/',
        operation(secure(key), json(t.strict({ id: int })), response(t.strict({ id: int }))),
        (_ctx, thing) => thing,
      )
    const api = new Api(app, {
      OPENAPI_VERSION: '3.1.0',
      API_TITLE: 'All',
      API_VERSION: '1',
    }).registerBlueprint(all)
    const { failures } = await contract(app, api, { as: { key: 'sesame' }, runs: 15 })
    expect(
      failures.filter(({ check }) => check === 'header field' || check === 'credentials'),
    ).toEqual([])
  })

  it('sends wrong credentials if none are needed as well, for each scheme', async () => {
    const app = new Koa()
    const seen: string[] = []
    app.use((ctx, next) => {
      seen.push(ctx.get('X-Key') || ctx.get('Authorization'))
      return next()
    })
    const key = apiKey('key', { in: 'header', name: 'X-Key', principal: () => undefined })
    const user = basic('user', { principal: () => undefined })
    const all = new Blueprint('all').get(
      '/',
      operation(secure(anyOf(key, user), { optional: true }), response(int)),
      () => 1,
    )
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
    const { failures, coverage } = await contract(app, api, {
      runs: 2,
      unreachable: { 'GET / 400': 'two Authorization lines' },
    })
    expect({ failures, missing: coverage.missing.filter(({ reason }) => !reason) }).toEqual({
      failures: [],
      missing: [],
    })
    expect(seen).toEqual(expect.arrayContaining(['no-such-key', 'Basic no-such-key']))
  })

  it('finds an Api that is mounted below a path, and shows that path in its commands', async () => {
    const inner = new Koa()
    inner.silent = true
    const all = new Blueprint('all')
      .get('/fine', operation(response(int)), () => 1)
      .get('/broken', operation(response(int)), () => {
        throw new Error('broken')
      })
    const api = new Api(inner, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
    const outer = new Koa()
    outer.silent = true
    const handle = compose(inner.middleware)
    outer.use((ctx, next) => {
      if (!ctx.path.startsWith('/v1/')) return next()
      ctx.path = ctx.path.slice('/v1'.length)
      return handle(ctx, next)
    })
    const { failures } = await contract(outer, api, { runs: 2, prefix: '/v1' })
    expect(failures).toMatchObject([
      { operation: 'GET /broken', curl: expect.stringContaining('http://localhost/v1/broken') },
    ])
    await expect(contract(outer, api, { prefix: 'v1' })).rejects.toThrow(
      'prefix is a path such as "/v2", not "v1"',
    )
  })

  it('says what to do about a rule that the document does not state', async () => {
    const app = new Koa()
    const Range = refine(struct({ from: int, to: int }), ({ from, to }) =>
      from <= to ? undefined : { to: ['Too small.'] },
    )
    const all = new Blueprint('all').get(
      '/',
      operation(query(Range), response(int)),
      (_ctx, { to }) => to,
    )
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
    const { failures } = await contract(app, api, { runs: 20, reset: () => undefined })
    expect(failures).toMatchObject([
      { check: 'valid data refused', message: expect.stringMatching(/refine\(\).*`values`/) },
    ])
    expect(
      (await contract(app, api, { runs: 20, values: { from: [1, 2], to: [2, 3] } })).failures,
    ).toEqual([])
  })

  it('knows a field from what every object inherits', async () => {
    const app = new Koa()
    const Car = struct({ constructor: t.string, valueOf: int }, 'Car')
    const cars = new Blueprint('cars')
      .get('/', operation(query(Car), response(Car)), (_ctx, car) => car)
      .post('/', operation(form(Car), files(struct({})), response(Car)), (_ctx, car) => car)
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(cars)
    expect((await contract(app, api, { runs: 20 })).failures).toEqual([])
  })

  it('finds values of a pattern that refers to its groups', async () => {
    const app = new Koa()
    const Day = struct({ day: pattern(t.string, /^20\d\d(-?)1[0-2]\1[12]\d$/) })
    const days = new Blueprint('days').post(
      '/',
      operation(json(Day), response(Day)),
      (_, day) => day,
    )
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(days)
    expect((await contract(app, api, { runs: 20 })).failures).toEqual([])
  })

  it('allows equal rows of a list without ids', async () => {
    const app = new Koa()
    const Reading = struct({ celsius: int })
    const readings = new Blueprint('readings').get(
      '/',
      operation(paginate(Page), response(t.array(Reading))),
      () => [3, 4, 4, 3, 4, 3, 3].map(celsius => ({ celsius })),
    )
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(readings)
    expect((await contract(app, api, { runs: 5 })).failures).toEqual([])
  })

  it('leaves out what is skipped, and counts nothing that cannot be reached', async () => {
    const { app, api, reset } = shop()
    const skip = [
      'DELETE /things/{thingId}',
      { operation: 'GET /things/walk', reason: 'tested elsewhere' },
    ]
    const report = await contract(app, api, {
      reset,
      runs: 5,
      skip,
      unreachable: { 'GET /things/{thingId} 412': 'nobody sends it' },
    })
    expect(
      report.coverage.missing.filter(
        ({ operation }) => operation.startsWith('DELETE') || operation.endsWith('walk'),
      ),
    ).toEqual([])
    expect(report.coverage.operations).toBe(1)
  })

  it('creates what it asks for if nothing is there', async () => {
    const notes: { id: number; text: string }[] = []
    const reset = () => void notes.splice(0)
    const Note = struct({ id: readOnly(int), text: maxLength(t.string, 20) }, 'Note')
    const all = new Blueprint('notes', { urlPrefix: '/notes' })
      .post('/', operation(json(Note), response(Note, { code: 201 })), (_ctx, note) => {
        notes.push({ ...note, id: notes.length + 1 })
        return notes.at(-1) as { id: number; text: string }
      })
      .get(
        '/:noteId<int>',
        operation(etag(), response(Note), altResponse(404)),
        (_ctx, { noteId }) => notes[noteId - 1] ?? abort(404),
      )
      .get(
        '/:noteId<int>/text',
        operation(response(t.string)),
        (_ctx, { noteId }) => notes[noteId - 1]?.text ?? abort(404),
        {
          endpoint: 'text',
        },
      )
    const app = new Koa()
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
    const { failures, coverage } = await contract(app, api, { runs: 5, reset })
    expect({ failures, missing: coverage.missing }).toEqual({ failures: [], missing: [] })
  })

  it('says so if no valid request can succeed', async () => {
    const app = new Koa()
    const all = new Blueprint('all').get(
      '/:id<int>',
      operation(response(struct({ n: int }, 'N')), altResponse(404, {})),
      () => abort(404),
    )
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
    const { failures } = await contract(app, api, { runs: 5 })
    expect(failures).toMatchObject([
      {
        check: 'no success',
        operation: 'GET /{id}',
        message: expect.stringMatching(/give `values`/),
        status: 404,
        curl: expect.stringMatching(/^curl .*localhost\/-?\d+/),
        body: '{"code":404,"status":"Not Found"}',
      },
    ])
  })
})
