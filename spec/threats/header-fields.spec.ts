import Koa from 'koa'
import { Api, abort, Blueprint, type Context, operation, reply, type Settings } from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serve, serveBlueprints } from '../support/client.js'
import { requestBytes, sendBytes } from '../support/wire.js'
import { CANARY } from './application.js'
import { serveThreats } from './served.js'

const { errors, port, post, request } = await serveThreats()

const INTERNAL = { code: 500, status: 'Internal Server Error' }

describe('a value that becomes a header field', () => {
  it.each(['a\r\nX-Injected: 1', 'a\nX-Injected: 1', 'a\rX-Injected: 1', 'a\0b'])(
    'never becomes two: %j (T45)',
    async value => {
      for (const path of ['/header', '/location', '/refused']) {
        const [answer] = await sendBytes(
          port,
          requestBytes('GET', `${path}?value=${encodeURIComponent(value)}`, ['Connection: close']),
        )
        expect(answer?.headers.has('x-injected')).toBe(false)
        if (answer?.status === 500) expect(answer.body).toEqual(INTERNAL)
        else expect(answer?.headers.get('x-value')?.[0] ?? '').not.toMatch(/[\r\n]/)
      }
    },
  )

  it('is a bare 500 if it has characters beyond Latin-1 (T46)', async () => {
    expect((await request('GET', `/header?value=${encodeURIComponent('\u0663')}`)).body).toEqual(
      INTERNAL,
    )
    expect(String(errors.at(-1))).toContain('X-Value')
  })
})

/** Serves one view, in production and in development. */
async function served(
  view: (ctx: Context) => unknown,
  settings: Settings = { DEBUG: false, TESTING: false },
) {
  const views = new Blueprint('views').get('/', operation(), view as () => never)
  const { request, errors } = await serveBlueprints(views, settings)
  return { get: () => request('GET', '/'), errors }
}

/** An object whose field throws when it is read. */
function trap(message: string): object {
  return Object.defineProperty({}, 'field', {
    enumerable: true,
    get() {
      throw new Error(message)
    },
  })
}

describe('reply', () => {
  it.each(['Transfer-Encoding', 'Trailer', 'connection', 'Keep-Alive', 'Upgrade', 'TE'])(
    'cannot frame the response with %s (T47)',
    name => {
      const message = `reply() cannot set ${name}: the server frames the response`
      expect(() => reply(1, { [name]: 'x' })).toThrow(new TypeError(message))
      expect(() => reply(1, 200, [[name, 'x']])).toThrow(new TypeError(message))
    },
  )

  it('is a bare 500 with a status that there is not (T48)', async () => {
    const { get, errors } = await served(() => reply({}, 999))
    expect((await get()).body).toEqual(INTERNAL)
    expect(errors).toEqual([expect.any(TypeError)])
  })
})

describe('abort', () => {
  it.each(['Content-Length', 'transfer-encoding', 'Connection', 'Trailer', 'Upgrade'])(
    'cannot frame the response with %s (T47)',
    async name => {
      const { get, errors } = await served(() => abort(400, { headers: { [name]: '3' } }))
      expect((await get()).body).toEqual(INTERNAL)
      expect(errors).toEqual([
        new TypeError(`abort() cannot set ${name}: the server frames the response`),
      ])
    },
  )

  it('sets all other header fields, lists too, and leaves out those that are undefined (T47)', async () => {
    const fields = {
      'Retry-After': '7',
      'Set-Cookie': ['a=1', 'b=2'],
      'X-None': undefined as never,
    }
    const { get } = await served(() => abort(429, { headers: fields }))
    const { status, headers } = await get()
    expect({
      status,
      retryAfter: headers.get('Retry-After'),
      cookies: headers.getSetCookie(),
      none: headers.get('X-None'),
    }).toEqual({ status: 429, retryAfter: '7', cookies: ['a=1', 'b=2'], none: null })
  })

  it.each([200, 304, 399, 600, 999, 404.5, Number.NaN, '404', undefined])(
    'is a bare 500 with %s, which is not the status of an error (T48)',
    async code => {
      const { get, errors } = await served(() => abort(code as number))
      expect((await get()).body).toEqual(INTERNAL)
      expect(errors).toEqual([expect.any(TypeError)])
    },
  )

  const cycle: Record<string, unknown> = {}
  cycle.cycle = cycle
  // messages that the types of abort() do not allow
  const messages: readonly (readonly [what: string, errors: unknown])[] = [
    ['cycles', cycle],
    ['a BigInt', { n: 10n }],
    ['ten megabytes', { text: ['x'.repeat(10_000_000)] }],
    ['a getter that throws', trap('secret')],
  ]
  it.each(messages)(
    'sends bounded JSON, whatever its errors are: %s (T51)',
    async (_what, errors) => {
      const { get } = await served(() => abort(422, { errors: errors as never }))
      const { status, body, text, headers } = await get()
      expect({ status, code: body.code, type: headers.get('Content-Type') }).toEqual({
        status: 422,
        code: 422,
        type: 'application/json; charset=utf-8',
      })
      expect(text.length).toBeLessThan(100_000)
    },
  )
})

/** What no error body may hold: stacks, paths, SQL, names of system errors. */
const INTERNALS =
  /\n\s+at |node_modules|node:internal|\/(home|root|usr|srv|app|tmp|work)\/|ECONN|ENOENT|SELECT|secret|\.[jt]s\b/

const SQL = 'syntax error at or near "SELECT" in SELECT * FROM users WHERE password = \'secret\''

describe('what a method throws', () => {
  const thrown: readonly (readonly [what: string, value: unknown])[] = [
    ['a text', 'secret'],
    ['null', null],
    ['undefined', undefined],
    ['a frozen error', Object.freeze(Object.assign(new Error('secret'), { status: 200 }))],
    [
      'an error whose status throws',
      Object.defineProperty(new Error('secret'), 'status', { get: () => JSON.parse('secret') }),
    ],
    [
      'an error that says it may be exposed',
      Object.assign(new Error(SQL), { expose: true, status: 500 }),
    ],
    [
      'an error of a driver',
      Object.assign(new Error(SQL), {
        expose: true,
        code: 'ECONNREFUSED',
        path: '/srv/app/secret.js',
      }),
    ],
    ['a proxy whose fields throw', new Proxy({}, { get: () => JSON.parse('secret') })],
    [
      'a proxy whose prototype throws',
      new Proxy(new Error('secret'), { getPrototypeOf: () => JSON.parse('secret') }),
    ],
    [
      'an error with header fields that frame the response',
      Object.assign(new Error('secret'), {
        status: 500,
        headers: { Trailer: 'X-Late', 'Keep-Alive': '5', Upgrade: 'x', 'X-A': 'ok' },
      }),
    ],
    [
      'an error whose header fields throw',
      Object.assign(new Error('secret'), { status: 500, headers: trap('secret') }),
    ],
  ]
  it.each(thrown)('is a bare 500, in development too: %s (T49, T52)', async (_what, value) => {
    for (const isStrict of [false, true]) {
      const { get } = await served(
        () => {
          throw value
        },
        { DEBUG: isStrict, TESTING: isStrict },
      )
      expect((await get()).body).toEqual(INTERNAL)
    }
  })

  it('is a bare 500 as JSON even if middleware after the Api has thrown it (T49)', async () => {
    const app = new Koa()
    app.silent = true
    app.use((_ctx, next) => next())
    new Api(app, { OPENAPI_VERSION: '3.1.0' })
    app.use(() => Promise.reject(Object.assign(new Error(SQL), { expose: true, status: 500 })))
    expect((await (await serve(app))('GET', '/')).body).toEqual(INTERNAL)
  })
})

describe('an error response', () => {
  it('shows nothing of the inside, whatever the request (T52)', async () => {
    const bodies = [
      await post('/closed', '{'),
      await post('/closed', '{"name":1}'),
      await request('GET', '/misfit'),
      await request('GET', '/slow'),
      await request('GET', '/nowhere'),
      await request('DELETE', '/closed'),
      await request('GET', '/text/%ff'),
      await request('POST', '/upload', {
        headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
        body: 'x',
      }),
    ]
    for (const { status, text } of bodies) {
      expect(status).toBeGreaterThanOrEqual(400)
      expect(text).not.toMatch(INTERNALS)
      expect(text).not.toContain(CANARY)
    }
  })

  it('to a client that has left leaves no rejection unhandled, and the process as it was (T50)', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    const gone = ['/slow', '/large', '/broken-stream'].map(async path => {
      await sendBytes(port, requestBytes('GET', path), 40)
    })
    await Promise.all(gone)
    await new Promise(resolve => setTimeout(resolve, 200))
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
    expect((await post('/closed', '{"name":"Ann"}')).status).toBe(200)
  })
})
