import Koa from 'koa'
import { abort, Blueprint, operation, reply, response } from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { Api } from '../../src/mount/api.js'
import { serve, serveBlueprints } from '../support/client.js'
import { requestBytes, sendBytes } from '../support/wire.js'
import { CANARY } from './application.js'
import { serveThreats } from './served.js'

const { errors, port, post, request } = await serveThreats()

const INTERNAL = { code: 500, status: 'Internal Server Error' }

describe('a value that becomes a header field', () => {
  it.each(['a\r\nX-Injected: 1', 'a\nX-Injected: 1', 'a\rX-Injected: 1', 'a\0b'])('T45: never becomes two: %j', async value => {
    for (const path of ['/header', '/location', '/refused']) {
      const [answer] = await sendBytes(port, requestBytes('GET', `${path}?value=${encodeURIComponent(value)}`, ['Connection: close']))
      expect(answer?.headers.has('x-injected')).toBe(false)
      if (answer?.status === 500) expect(answer.body).toEqual(INTERNAL)
      else expect(answer?.headers.get('x-value')?.[0] ?? '').not.toMatch(/[\r\n]/)
    }
  })

  it('T46: is a bare 500 beyond Latin-1', async () => {
    expect((await request('GET', `/header?value=${encodeURIComponent('\u0663')}`)).body).toEqual(INTERNAL)
    expect(String(errors.at(-1))).toContain('X-Value')
  })
})

const faults = new Blueprint('faults')
  .get('/framing/:name', operation(), (_ctx, { name }) => abort(400, { headers: { [name]: '3' } }))
  .get('/headers', operation(), () =>
    abort(429, { headers: { 'Retry-After': '7', 'Set-Cookie': ['a=1', 'b=2'], 'X-None': undefined as never } }),
  )
  .get('/abort/:code', operation(), (_ctx, { code }) => abort((ABORTED[code] ?? code) as number))
  .get('/status', operation(response()), () => reply({}, 999))
  .get('/thrown/:what', operation(), (_ctx, { what }) => {
    throw THROWN[what]
  })
  .get('/errors/:what', operation(), (_ctx, { what }) => abort(422, { errors: ERRORS[what] as never }))

const ABORTED: Record<string, unknown> = { NaN: Number.NaN, text: '404', none: undefined, half: 404.5 }
for (const code of [200, 304, 399, 600, 999]) ABORTED[code] = code

describe('reply', () => {
  it.each(['Transfer-Encoding', 'Trailer', 'connection', 'Keep-Alive', 'Upgrade', 'TE'])('T47: cannot frame the response with %s', name => {
    const message = `reply() cannot set ${name}: the server frames the response`
    expect(() => reply(1, { [name]: 'x' })).toThrow(new TypeError(message))
    expect(() => reply(1, 200, [[name, 'x']])).toThrow(new TypeError(message))
  })
})

const cycle: Record<string, unknown> = {}
cycle.cycle = cycle
const ERRORS: Record<string, unknown> = { cycle, big: { n: 10n }, long: { text: ['x'.repeat(10_000_000)] }, getter: trap('secret') }

function trap(message: string): object {
  return Object.defineProperty({}, 'field', {
    enumerable: true,
    get() {
      throw new Error(message)
    },
  })
}

const SQL = 'syntax error at or near "SELECT" in SELECT * FROM users WHERE password = \'secret\''
const THROWN: Record<string, unknown> = {
  text: 'secret',
  null: null,
  undefined: undefined,
  frozen: Object.freeze(Object.assign(new Error('secret'), { status: 200 })),
  getter: Object.defineProperty(new Error('secret'), 'status', { get: () => JSON.parse('secret') }),
  exposed: Object.assign(new Error(SQL), { expose: true, status: 500 }),
  driver: Object.assign(new Error(SQL), { expose: true, code: 'ECONNREFUSED', path: '/srv/app/secret.js' }),
  proxy: new Proxy({}, { get: () => JSON.parse('secret') }),
  prototype: new Proxy(new Error('secret'), { getPrototypeOf: () => JSON.parse('secret') }),
  fields: Object.assign(new Error('secret'), { status: 500, headers: { Trailer: 'X-Late', 'Keep-Alive': '5', Upgrade: 'x', 'X-A': 'ok' } }),
  trap: Object.assign(new Error('secret'), { status: 500, headers: trap('secret') }),
}
// `/errors/big` has messages that the types of abort() do not allow
const production = await serveBlueprints(faults, { DEBUG: false, TESTING: false }, { undocumented: ['/status'] })
const development = await serveBlueprints(faults, { DEBUG: true, TESTING: true }, { undocumented: ['/status'] })

describe('abort', () => {
  it.each(['Content-Length', 'transfer-encoding', 'Connection', 'Trailer', 'Upgrade'])(
    'T47: cannot frame the answer with %s',
    async name => {
      expect((await production.request('GET', `/framing/${name}`)).body).toEqual(INTERNAL)
      expect(String(production.errors.at(-1))).toContain(`abort() cannot set ${name}`)
    },
  )

  it('T47: sets all other fields, lists too', async () => {
    const { status, headers } = await production.request('GET', '/headers')
    expect([status, headers.get('Retry-After'), headers.getSetCookie(), headers.has('X-None')]).toEqual([429, '7', ['a=1', 'b=2'], false])
  })

  it.each([...Object.keys(ABORTED)])('T48: is a fault where %s is no status of an error', async code => {
    expect((await production.request('GET', `/abort/${code}`)).body).toEqual(INTERNAL)
    expect(production.errors.at(-1)).toBeInstanceOf(TypeError)
    expect((await production.request('GET', '/status')).body).toEqual(INTERNAL)
  })
})

/** What no error body may hold: stacks, paths, SQL, names of system errors. */
const INTERNALS = /\n\s+at |node_modules|node:internal|\/(home|root|usr|srv|app|tmp|work)\/|ECONN|ENOENT|SELECT|secret|\.[jt]s\b/

describe('whatever is thrown', () => {
  it.each(Object.keys(THROWN))('T49, T52: is a bare 500, in development too: %s', async what => {
    for (const { request } of [production, development]) expect((await request('GET', `/thrown/${what}`)).body).toEqual(INTERNAL)
  })

  it.each(Object.keys(ERRORS))('T51: is bounded JSON: %s', async what => {
    const { status, text, headers } = await production.request('GET', `/errors/${what}`)
    expect({ status, contentType: headers.get('Content-Type') }).toEqual({ status: 422, contentType: 'application/json; charset=utf-8' })
    expect(JSON.parse(text)).toMatchObject({ code: 422 })
    expect(text.length).toBeLessThan(100_000)
  })

  it('T52: shows nothing of the inside, whatever the request', async () => {
    const bodies = [
      await post('/closed', '{'),
      await post('/closed', '{"name":1}'),
      await request('GET', '/misfit'),
      await request('GET', '/slow'),
      await request('GET', '/nowhere'),
      await request('DELETE', '/closed'),
      await request('GET', '/text/%ff'),
      await request('POST', '/upload', { headers: { 'Content-Type': 'multipart/form-data; boundary=x' }, body: 'x' }),
    ]
    for (const { status, text } of bodies) {
      expect(status).toBeGreaterThanOrEqual(400)
      expect(text).not.toMatch(INTERNALS)
      expect(text).not.toContain(CANARY)
    }
  })

  it('T50: leaves no rejection that nobody handles, and the process as it was', async () => {
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

  it('T49: is JSON even where middleware before the Api has thrown it', async () => {
    const app = new Koa()
    app.silent = true
    app.use((_ctx, next) => next())
    new Api(app, { OPENAPI_VERSION: '3.1.0' })
    app.use(() => Promise.reject(THROWN.exposed))
    expect((await (await serve(app))('GET', '/')).body).toEqual(INTERNAL)
  })
})
