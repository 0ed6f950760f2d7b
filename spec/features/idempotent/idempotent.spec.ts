import { once } from 'node:events'
import { Readable } from 'node:stream'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  apiKey,
  Blueprint,
  CompleteResponse,
  type Context,
  doc,
  etag,
  type Feature,
  files,
  form,
  idempotent,
  int,
  json,
  memoryStore,
  operation,
  problem,
  query,
  redirect,
  reply,
  response,
  type SuccessOptions,
  secure,
  struct,
  Upload,
  writeOnly,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { type Sent, serve, serveBlueprints } from '../../support/client.js'
import { serveEveryWay, WAYS } from '../../support/every-way.js'

const Order = struct({ item: t.string }, 'Order')
const Placed = struct({ id: int, item: t.string }, 'Placed')
const tea = { item: 'tea' }
const keyed = (key: string, more: Record<string, string> = {}) => ({
  headers: { 'Idempotency-Key': key, ...more },
})
const sent = (key: string, body: unknown = tea) => ({ json: body, ...keyed(key) })

/** A Blueprint with one operation that counts how often it has run. */
function orders(options: Partial<Parameters<typeof idempotent>[0]> = {}, own: Feature = doc({})) {
  let placed = 0
  const blueprint = new Blueprint('orders').post(
    '/orders',
    operation(
      idempotent({ store: memoryStore(), ...options }),
      own,
      json(Order),
      response(Placed, { code: 201 }),
    ),
    (_ctx, { item }) => {
      placed += 1
      return reply({ id: placed, item }, { Location: `/orders/${placed}` })
    },
  )
  return { blueprint, placed: () => placed }
}

/** A response without what belongs to its moment. */
function facts({
  status,
  headers,
  text,
}: {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}) {
  const fields = Object.fromEntries(headers)
  for (const name of ['date', 'idempotency-replayed']) delete fields[name]
  return { status, text, fields }
}

it('a key is free again if a feature sends a complete response instead of the method', async () => {
  const stored = new CompleteResponse(
    201,
    [['Content-Type', 'application/json']],
    '{"id":0,"item":"coffee"}',
  )
  let isOpen = false
  const instead: Feature = {
    on: () => [{ stage: 'load', step: () => (isOpen ? undefined : stored) }],
  }
  const { blueprint } = orders({}, instead)
  const { request } = await serveBlueprints(blueprint)
  const idOf = async () => ((await request('POST', '/orders', sent('k'))).body as { id: number }).id
  expect(await idOf()).toBe(0)
  isOpen = true
  expect(await idOf()).toBe(1)
})

describe('a request with a key', () => {
  it('runs once, and every repetition gets its response, whichever way that leaves', async () => {
    const { blueprint, placed } = orders()
    const clients = await serveEveryWay({ blueprint: () => blueprint })
    for (const [index, way] of WAYS.entries()) {
      const key = `"${way}"`
      const first = await clients[way]('POST', '/orders', sent(key))
      const second = await clients[way]('POST', '/orders', sent(key))
      const id = index + 1
      expect(facts(first)).toMatchObject({
        status: 201,
        text: `{"id":${id},"item":"tea"}`,
        fields: { location: `/orders/${id}` },
      })
      expect(facts(second)).toEqual(facts(first))
      const replayed = ({ headers }: typeof first) => headers.get('Idempotency-Replayed')
      expect({ first: replayed(first), second: replayed(second) }).toEqual({
        first: null,
        second: 'true',
      })
      expect(placed()).toBe(id)
    }
  })

  it('runs again under another key, and each time without a key', async () => {
    const { blueprint, placed } = orders()
    const { request } = await serveBlueprints(blueprint)
    for (const key of ['a', 'b']) await request('POST', '/orders', sent(key))
    for (let time = 0; time < 2; time++) await request('POST', '/orders', { json: tea })
    expect(placed()).toBe(4)
  })

  it('has the same key quoted and bare', async () => {
    const { blueprint, placed } = orders()
    const { request } = await serveBlueprints(blueprint)
    for (const key of ['"8e03978e-40d5"', '8e03978e-40d5'])
      await request('POST', '/orders', sent(key))
    for (const key of [String.raw`"a\"b\\c"`, String.raw`a"b\c`])
      await request('POST', '/orders', sent(key))
    expect(placed()).toBe(2)
  })

  it.each([
    '',
    '""',
    '"a',
    'a b',
    '"a", "b"',
    '"a";x=1',
    '"a\tb"',
    'é',
    'x'.repeat(256),
    `"${'x'.repeat(256)}"`,
  ])('is refused with 400 if the key is %j', async key => {
    const { blueprint, placed } = orders()
    const { request } = await serveBlueprints(blueprint)
    const { status, body } = await request('POST', '/orders', sent(key))
    expect({ status, errors: body.errors, placed: placed() }).toEqual({
      status: 400,
      errors: { headers: { 'Idempotency-Key': [expect.stringContaining('1 to 255')] } },
      placed: 0,
    })
  })

  it.each(['x'.repeat(255), `"${'x'.repeat(255)}"`, '"a b"', 'a,b'])(
    'may have the key %s',
    async key => {
      const { blueprint } = orders()
      const { request } = await serveBlueprints(blueprint)
      expect((await request('POST', '/orders', sent(key))).status).toBe(201)
    },
  )

  it('is the only one that is let in if a key is required', async () => {
    const { blueprint, placed } = orders({ required: true })
    const { request } = await serveBlueprints(blueprint)
    const { status, body } = await request('POST', '/orders', { json: tea })
    expect({ status, errors: body.errors }).toEqual({
      status: 400,
      errors: { headers: { 'Idempotency-Key': ['Missing data for required field.'] } },
    })
    expect(placed()).toBe(0)
  })

  it('is refused with 409 and Retry-After while the first one runs', async () => {
    let go: () => void = () => undefined
    const gate = new Promise<void>(resolve => {
      go = resolve
    })
    let runs = 0
    const slow = new Blueprint('slow').post(
      '/',
      operation(idempotent({ store: memoryStore() }), response(Placed)),
      async () => {
        runs += 1
        await gate
        return { id: runs, item: 'tea' }
      },
    )
    const { request } = await serveBlueprints(slow, { API_ERRORS: 'problem' })
    const first = request('POST', '/', keyed('k'))
    while (runs === 0) await new Promise(resolve => setTimeout(resolve, 1))
    const second = await request('POST', '/', keyed('k'))
    expect({
      status: second.status,
      retry: second.headers.get('Retry-After'),
      type: second.body.type,
    }).toEqual({
      status: 409,
      retry: '1',
      type: '/problems/idempotency-running',
    })
    go()
    expect((await first).body).toEqual({ id: 1, item: 'tea' })
    expect((await request('POST', '/', keyed('k'))).body).toEqual({ id: 1, item: 'tea' })
    expect(runs).toBe(1)
  })

  it('is done although its client has gone away', async () => {
    let began: () => void = () => undefined
    const beginning = new Promise<void>(resolve => {
      began = resolve
    })
    let runs = 0
    const slow = new Blueprint('slow').post(
      '/',
      operation(idempotent({ store: memoryStore() }), response(Placed)),
      async ctx => {
        runs += 1
        began()
        if (!ctx.res.closed) await once(ctx.res, 'close')
        return { id: runs, item: 'tea' }
      },
    )
    const { request } = await serveBlueprints(slow)
    const leaving = new AbortController()
    const first = request('POST', '/', { ...keyed('k'), signal: leaving.signal })
    await beginning
    leaving.abort()
    await expect(first).rejects.toThrow()
    const { status, body, headers } = await request('POST', '/', { ...keyed('k') })
    expect({ status, body, replayed: headers.get('Idempotency-Replayed') }).toEqual({
      status: 200,
      body: { id: 1, item: 'tea' },
      replayed: 'true',
    })
  })
})

describe('the same key is 422 for a request', () => {
  const Secret = struct({ item: t.string, card: writeOnly(t.string) }, 'Secret')
  const store = memoryStore()
  const all = new Blueprint('all', { shared: operation(idempotent({ store })) })
  all.post('/order', operation(json(Order)), () => null)
  all.post('/secret', operation(json(Secret)), () => null)
  all.post('/query', operation(query(t.partial({ q: t.string }))), () => null)
  all.put('/path/:id<int>', operation(), () => null)
  all.put('/conditions', operation(), () => null)
  all.post(
    '/files',
    operation(form(struct({ title: t.string })), files(t.type({ file: Upload }))),
    () => null,
  )
  const upload = (content: string) => {
    const body = new FormData()
    body.append('title', 'x')
    body.append('file', new Blob([content]), 'a.txt')
    return { body }
  }

  it.each([
    [
      'with another body',
      'POST',
      ['/order', { json: tea }],
      ['/order', { json: { item: 'coffee' } }],
    ],
    [
      'with another write-only field',
      'POST',
      ['/secret', { json: { item: 'tea', card: '1' } }],
      ['/secret', { json: { item: 'tea', card: '2' } }],
    ],
    ['with another query', 'POST', ['/query?q=a', {}], ['/query?q=b', {}]],
    ['for another path', 'PUT', ['/path/1', {}], ['/path/2', {}]],
    [
      'under another If-Match',
      'PUT',
      ['/conditions', { headers: { 'If-Match': '"a"' } }],
      ['/conditions', { headers: { 'If-Match': '"b"' } }],
    ],
    [
      'under an If-None-Match',
      'PUT',
      ['/conditions', {}],
      ['/conditions', { headers: { 'If-None-Match': '*' } }],
    ],
    [
      'with another file of the same name and size',
      'POST',
      ['/files', upload('one')],
      ['/files', upload('two')],
    ],
  ] as const)('%s', async (title, method, [path, first], [otherPath, other]) => {
    const { request } = await serveBlueprints(all)
    const ask = (path: string, more: Sent) =>
      request(method, path, {
        ...more,
        headers: { ...more.headers, 'Idempotency-Key': `"${title}"` },
      })
    expect((await ask(path, first)).status).toBe(200)
    const { status, body } = await ask(otherPath, other)
    expect({ status, errors: body.errors }).toEqual({
      status: 422,
      errors: { headers: { 'Idempotency-Key': ['Was used for another request.'] } },
    })
    expect((await ask(path, first)).headers.get('Idempotency-Replayed')).toBe('true')
  })

  it('but not for one whose body is written otherwise', async () => {
    const { request } = await serveBlueprints(all)
    const ask = (body: string) =>
      request('POST', '/secret', {
        body,
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'spelling' },
      })
    await ask('{"item":"tea","card":"1"}')
    expect(
      (await ask('{ "card": "1", "item": "te\\u0061" }')).headers.get('Idempotency-Replayed'),
    ).toBe('true')
  })
})

describe('a key belongs', () => {
  const key = apiKey('key', {
    in: 'header',
    name: 'X-Key',
    principal: text =>
      text.startsWith('sesame-') ? { name: text.replace('sesame', 'user') } : undefined,
    identify: ({ name }) => name,
  })
  const whose = ({ principal }: { principal?: { name: string } | undefined }) =>
    principal?.name ?? 'nobody'
  const store = memoryStore()
  const shared = operation(idempotent({ store }))

  it('to its caller: nobody gets the response of somebody else', async () => {
    const secured = new Blueprint('secured', { shared }).post(
      '/',
      operation(secure(key, { optional: true })),
      (_ctx, given) => whose(given),
    )
    const { request } = await serveBlueprints(secured)
    const ask = async (headers: Record<string, string>) =>
      (await request('POST', '/', keyed('k', headers))).body
    for (let time = 0; time < 2; time++) {
      expect(await ask({ 'X-Key': 'sesame-1' })).toBe('user-1')
      expect(await ask({ 'X-Key': 'sesame-2' })).toBe('user-2')
      expect(await ask({})).toBe('nobody')
    }
  })

  it('to the method and the whole rule', async () => {
    const inner = () =>
      new Blueprint('inner')
        .post('/x', operation(), ctx => ctx.path)
        .put('/x', operation(), () => 'put')
    const outer = new Blueprint('outer', { shared })
    outer
      .registerBlueprint(inner(), { urlPrefix: '/v1', name: 'one' })
      .registerBlueprint(inner(), { urlPrefix: '/v2', name: 'two' })
    const { request } = await serveBlueprints(outer)
    const bodies = []
    for (const [method, path] of [
      ['POST', '/v1/x'],
      ['PUT', '/v1/x'],
      ['POST', '/v2/x'],
    ] as const)
      bodies.push((await request(method, path, keyed('k'))).body)
    expect(bodies).toEqual(['/v1/x', 'put', '/v2/x'])
  })

  it('to nobody if a scheme names nobody: 500, and nothing runs', async () => {
    const nameless = apiKey('key', {
      in: 'header',
      name: 'X-Key',
      principal: () => ({}),
      identify: () => undefined as never,
    })
    let runs = 0
    const secured = new Blueprint('secured', { shared }).post(
      '/',
      operation(secure(nameless)),
      () => ++runs,
    )
    const { request, errors } = await serveBlueprints(secured)
    expect((await request('POST', '/', keyed('k', { 'X-Key': 'x' }))).status).toBe(500)
    expect({ runs, error: errors[0]?.message }).toEqual({
      runs: 0,
      error: expect.stringContaining('identify()'),
    })
  })
})

describe('the outcome that is kept', () => {
  const OutOfStock = problem('out-of-stock', {
    status: 409,
    title: 'Out of stock',
    data: t.strict({ left: int }),
  })

  it('is what the method aborted with, in the form for each request, whichever way it leaves', async () => {
    let runs = 0
    const failing = new Blueprint('failing').post(
      '/',
      operation(idempotent({ store: memoryStore() }), altResponse(OutOfStock)),
      ctx => {
        runs += 1
        ctx.set('X-Run', String(runs))
        abort(OutOfStock, { left: runs }, { message: 'Gone.', headers: { 'X-Left': '0' } })
      },
    )
    const clients = await serveEveryWay({
      blueprint: () => failing,
      settings: { API_ERRORS: 'negotiated' },
    })
    for (const [index, way] of WAYS.entries()) {
      const request = clients[way]
      const key = `"${way}"`
      const left = index + 1
      const first = await request('POST', '/', keyed(key))
      const second = await request('POST', '/', keyed(key))
      expect(first).toMatchObject({
        status: 409,
        body: { problem: 'out-of-stock', left, message: 'Gone.' },
      })
      expect(facts(second)).toEqual(facts(first))
      expect(Object.fromEntries(second.headers)).toMatchObject({
        'x-run': String(left),
        'x-left': '0',
        'idempotency-replayed': 'true',
      })
      const other = await request('POST', '/', keyed(key, { Accept: 'application/problem+json' }))
      expect(other.body).toMatchObject({ type: '/problems/out-of-stock', left, detail: 'Gone.' })
      expect(runs).toBe(left)
    }
  })

  it('is nothing if the request failed before the method, or the server did', async () => {
    let [exists, works, runs] = [false, false, 0]
    const store = memoryStore()
    const all = new Blueprint('all', { shared: operation(idempotent({ store })) })
    const load = () => (exists ? { id: 1, item: 'tea' } : undefined)
    all.put(
      '/loaded',
      operation(etag({ load, tag: () => 'v1', requireIfMatch: false }), response(Placed)),
      (_ctx, { current }) => {
        runs += 1
        return current
      },
    )
    all.post('/failing', operation(), () => {
      runs += 1
      return works ? runs : abort(503)
    })
    all.post('/reply', operation(response(), altResponse(500)), () => {
      runs += 1
      return works ? runs : reply({ code: 500, status: 'x' }, 500)
    })
    const { request } = await serveBlueprints(all)
    const statuses = async () => [
      (await request('PUT', '/loaded', keyed('k', { 'If-Match': '"v1"' }))).status,
      (await request('POST', '/failing', keyed('k'))).status,
      (await request('POST', '/reply', keyed('k'))).status,
    ]
    expect(await statuses()).toEqual([404, 503, 500])
    ;[exists, works] = [true, true]
    expect(await statuses()).toEqual([200, 200, 200])
    expect(await statuses()).toEqual([200, 200, 200])
    expect(runs).toBe(5)
  })

  it('comes before the conditions: a repeated PUT is not 412', async () => {
    let version = 1
    const updated = new Blueprint('updated').put(
      '/',
      operation(
        idempotent({ store: memoryStore() }),
        json(Order),
        etag({ load: () => ({ id: version, item: 'tea' }), tag: ({ id }) => id }),
        response(Placed),
      ),
      (_ctx, { item }) => {
        version += 1
        return { id: version, item }
      },
    )
    const { request } = await serveBlueprints(updated)
    const ask = (key: string) =>
      request('PUT', '/', { json: tea, headers: { 'Idempotency-Key': key, 'If-Match': '"1"' } })
    const [first, second, other] = [await ask('a'), await ask('a'), await ask('b')]
    expect(first.status).toBe(200)
    expect(facts(second)).toEqual(facts(first))
    expect({ tag: second.headers.get('ETag'), other: other.status, version }).toEqual({
      tag: '"2"',
      other: 412,
      version: 2,
    })
  })

  it.each<readonly [string, SuccessOptions, () => unknown]>([
    ['a Buffer', { contentType: 'image/png' }, () => Buffer.from([1, 2, 3, 255])],
    ['a text', { contentType: 'text/csv' }, () => 'a,b'],
    ['nothing', { code: 204 }, () => undefined],
    ['a redirect', { code: 303 }, () => redirect('/x', 303)],
  ])('may be %s', async (_title, options, view) => {
    const all = new Blueprint('all').post(
      '/',
      operation(idempotent({ store: memoryStore() }), response(options)),
      view as () => never,
    )
    const { request } = await serveBlueprints(all)
    const [first, second] = [
      await request('POST', '/', keyed('k')),
      await request('POST', '/', keyed('k')),
    ]
    expect(facts(second)).toEqual(facts(first))
    expect(first.status).toBeLessThan(400)
    expect(second.headers.get('Idempotency-Replayed')).toBe('true')
  })

  it.each([
    ['a stream', () => Readable.from(['text'])],
    [
      'a Response',
      () => new Response('text', { headers: { 'Content-Type': 'application/octet-stream' } }),
    ],
    ['a body over maxSize', () => Buffer.alloc(257 * 1024)],
  ])(
    'has no content if it is %s: its repetition is 409 without Retry-After',
    async (_title, view) => {
      let runs = 0
      const all = new Blueprint('all').post(
        '/',
        operation(
          idempotent({ store: memoryStore() }),
          response({ contentType: 'application/octet-stream' }),
        ),
        () => {
          runs += 1
          return view()
        },
      )
      const { request } = await serveBlueprints(all)
      const [first, second] = [
        await request('POST', '/', keyed('k')),
        await request('POST', '/', keyed('k')),
      ]
      expect({
        first: first.status,
        second: second.status,
        retry: second.headers.get('Retry-After'),
        runs,
      }).toEqual({
        first: 200,
        second: 409,
        retry: null,
        runs: 1,
      })
      expect(second.body.message).toContain('not kept')
    },
  )

  const pastKoa = (ctx: Context) => {
    ctx.respond = false
    setTimeout(() => ctx.res.writeHead(403).end('own'), 5)
  }
  it.each<readonly [was: string, title: string, view: (ctx: Context) => unknown]>([
    ['has succeeded', 'a stream', () => Readable.from(['text'])],
    ['has succeeded', 'a Response of 303', () => new Response('text', { status: 303 })],
    ['was handled', 'a Response of 404', () => new Response('text', { status: 404 })],
    ['was handled', 'a stream of 409', () => reply(Readable.from(['text']), 409)],
    ['was handled', 'what the method writes to the socket', pastKoa],
  ])(
    'without its content says of the request that it %s before, if it is %s',
    async (was, _title, view) => {
      const all = new Blueprint('all').post(
        '/',
        operation(idempotent({ store: memoryStore() }), response()),
        view,
      )
      const { request } = await serveBlueprints(
        all,
        { DEBUG: false, TESTING: false },
        { undocumented: ['/'] },
      )
      await request('POST', '/', keyed('k'))
      expect((await request('POST', '/', keyed('k'))).body).toEqual({
        code: 409,
        status: 'Conflict',
        message: `The request ${was} before. Its response is not kept, so it cannot be sent again.`,
      })
    },
  )

  it('has the header fields of the operation, and not those of middleware or of one client', async () => {
    const app = new Koa()
    let count = 0
    app.use(async (ctx, next) => {
      ctx.set('Access-Control-Allow-Origin', ctx.get('Origin'))
      ctx.vary('Origin')
      ctx.set('X-Request', String(++count))
      await next()
      ctx.set('X-Time', String(count))
    })
    const all = new Blueprint('all').post(
      '/',
      operation(idempotent({ store: memoryStore() })),
      ctx => {
        ctx.cookies.set('session', 'secret')
        ctx.vary('Accept')
        ctx.set('X-Method', 'set')
        ctx.append('Link', ['<a>; rel="x"', '<b>; rel="y"'])
        return 1
      },
    )
    new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
    const request = await serve(app)
    await request('POST', '/', keyed('k', { Origin: 'http://one' }))
    const { headers } = await request('POST', '/', keyed('k', { Origin: 'http://two' }))
    expect(Object.fromEntries(headers)).toMatchObject({
      'access-control-allow-origin': 'http://two',
      vary: 'Origin, Accept',
      'x-request': '2',
      'x-time': '2',
      'x-method': 'set',
      link: '<a>; rel="x", <b>; rel="y"',
    })
    expect(headers.has('Set-Cookie')).toBe(false)
  })
})
