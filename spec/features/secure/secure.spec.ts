import { readFileSync } from 'node:fs'
import * as t from 'io-ts'
import {
  allOf,
  anyOf,
  apiKey,
  Blueprint,
  basic,
  bearer,
  type Context,
  json,
  MethodView,
  open,
  operation,
  response,
  type Scheme,
  safeEqual,
  secure,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { basicLine } from './requests.js'
import { watchCredentials } from './watched.js'

const { ask, serveBlueprints } = watchCredentials()

interface User {
  readonly name: string
  readonly isEditor?: boolean
  readonly scopes?: readonly string[]
}
const ann: User = { name: 'Ann', isEditor: true, scopes: ['read', 'write'] }
const bob: User = { name: 'Bob', scopes: ['read'] }
const secrets: readonly (readonly [string, User])[] = [
  ['sesame-ann', ann],
  ['sesame-bob', bob],
]
const userOf = (secret: string): User | undefined =>
  secrets.find(([known]) => safeEqual(known, secret))?.[1]

const key = apiKey('key', { in: 'header', name: 'X-Key', principal: userOf })
const cookie = apiKey('cookie', { in: 'cookie', name: 'session', principal: userOf })
const param = apiKey('param', {
  in: 'query',
  name: 'key',
  principal: async text => userOf(text) ?? null,
})
const password = basic('password', {
  realm: 'the "shop"',
  principal: (user, given) => (user === 'ann' && safeEqual(given, 'sesame:wörd') ? ann : undefined),
})
const token = bearer('token', { principal: text => userOf(text) })

const latin1Line = (text: string) =>
  `Authorization: Basic ${Buffer.from(text, 'latin1').toString('base64')}`

const KEY = 'ApiKey in="header", name="X-Key"'
const BASIC = 'Basic realm="the \\"shop\\"", charset="UTF-8"'
const BEARER = 'Bearer realm="token"'
const INVALID = `${BEARER}, error="invalid_token"`

const who = (_ctx: Context, { principal }: { principal: User }) => principal.name
const nameOf = (principal: User | undefined) => principal?.name ?? 'nobody'
const blueprint = new Blueprint('b')
  .get('/key', operation(secure(key), response(t.string)), who, { endpoint: 'key' })
  .get('/cookie', operation(secure(cookie)), who, { endpoint: 'cookie' })
  .get('/param', operation(secure(param)), who, { endpoint: 'param' })
  .get('/basic', operation(secure(password)), who, { endpoint: 'basic' })
  .get('/bearer', operation(secure(token)), who, { endpoint: 'bearer' })
  .get('/scoped', operation(secure(token.scopes('read', 'write'))), who, { endpoint: 'scoped' })
  .get('/editors', operation(secure(token, { allow: user => user.isEditor === true })), who, {
    endpoint: 'editors',
  })
  .get('/slow', operation(secure(token, { allow: async user => user.isEditor === true })), who, {
    endpoint: 'slow',
  })
  .get('/any', operation(secure(anyOf(token.scopes('write'), key))), who, { endpoint: 'any' })
  .get(
    '/all',
    operation(secure(allOf(token, key))),
    (_ctx, { principal: [first, second] }) => `${first.name}+${second.name}`,
    {
      endpoint: 'all',
    },
  )
  .get(
    '/nested',
    operation(secure(allOf(anyOf(token, password), key))),
    (_ctx, { principal: [first, second] }) => `${first.name}+${second.name}`,
    { endpoint: 'nested' },
  )
  .get(
    '/optional',
    operation(secure(anyOf(token, key), { optional: true })),
    (_ctx, { principal }) => nameOf(principal),
    {
      endpoint: 'optional',
    },
  )
  .get(
    '/optional-editors',
    operation(secure(token, { optional: true, allow: user => user.isEditor === true })),
    (_ctx, { principal }) => nameOf(principal),
    { endpoint: 'optionalEditors' },
  )

const served = serveBlueprints(blueprint)

describe('a request', () => {
  const b = (text: string) => `Authorization: Bearer ${text}`
  const twice = [b('sesame-ann'), b('sesame-ann')]
  const REPEATED = [`${BEARER}, error="invalid_request"`]
  it.each<[string, string, string[], number, string[] | string]>([
    ['/key', 'without credentials', [], 401, [KEY]],
    ['/key', 'with a key', ['X-Key: sesame-ann'], 200, 'Ann'],
    ['/key', 'with a key under the name in another case', ['x-key: sesame-bob'], 200, 'Bob'],
    ['/key', 'with a wrong key', ['X-Key: sesame-anN'], 401, [KEY]],
    ['/key', 'with an empty key', ['X-Key:'], 401, [KEY]],
    ['/key', 'with two keys', ['X-Key: sesame-ann', 'X-Key: sesame-ann'], 401, [KEY]],
    [
      '/key',
      'with the key in the wrong place',
      [b('sesame-ann'), 'Cookie: X-Key=sesame-ann'],
      401,
      [KEY],
    ],
    ['/key?X-Key=sesame-ann', 'with the key in the query', [], 401, [KEY]],

    ['/cookie', 'with a key in a cookie', ['Cookie: a=b; session=sesame-ann'], 200, 'Ann'],
    [
      '/cookie',
      'with two of the cookie',
      ['Cookie: session=sesame-ann; session=sesame-ann'],
      401,
      ['ApiKey in="cookie", name="session"'],
    ],
    ['/param?key=sesame-ann', 'with a key in the query', [], 200, 'Ann'],
    [
      '/param?key=sesame-ann&key=sesame-ann',
      'with two in the query',
      [],
      401,
      ['ApiKey in="query", name="key"'],
    ],
    [
      '/param?key=nobody',
      'with a wrong one in the query',
      [],
      401,
      ['ApiKey in="query", name="key"'],
    ],

    ['/basic', 'without credentials', [], 401, [BASIC]],
    [
      '/basic',
      'with name and password in UTF-8, a colon in it',
      [basicLine('ann', 'sesame:wörd')],
      200,
      'Ann',
    ],
    [
      '/basic',
      'with the scheme in lower case',
      [basicLine('ann', 'sesame:wörd').replace('Basic', 'basic')],
      200,
      'Ann',
    ],
    ['/basic', 'with a wrong password', [basicLine('ann', 'password')], 401, [BASIC]],
    ['/basic', 'with a password in Latin-1', [latin1Line('ann:sesame:wörd')], 200, 'Ann'],
    ['/basic', 'with a wrong password in Latin-1', [latin1Line('ann:sesame:wörd!')], 401, [BASIC]],
    [
      '/basic',
      'with bytes that are neither UTF-8 nor text of Latin-1',
      [latin1Line('ann:sesame:w\x85rd')],
      401,
      [BASIC],
    ],
    ['/basic', 'with a byte order mark', [latin1Line('\xef\xbb\xbfann:sesame:wörd')], 401, [BASIC]],
    ['/basic', 'with what is not base64', ['Authorization: Basic ann:pass'], 401, [BASIC]],
    [
      '/basic',
      'with base64 without a colon',
      [`Authorization: Basic ${Buffer.from('ann').toString('base64')}`],
      401,
      [BASIC],
    ],
    ['/basic', 'with a control character', [basicLine('ann', 'sesame:wörd\0')], 401, [BASIC]],
    ['/basic', 'with the name of the scheme alone', ['Authorization: Basic'], 401, [BASIC]],
    [
      '/basic',
      'with two Authorization lines',
      [basicLine('ann', 'sesame:wörd'), basicLine('ann', 'sesame:wörd')],
      400,
      [],
    ],

    ['/bearer', 'without credentials', [], 401, [BEARER]],
    ['/bearer', 'with a token', [b('sesame-ann')], 200, 'Ann'],
    [
      '/bearer',
      'with the scheme in another case',
      ['authorization: bEARER sesame-ann'],
      200,
      'Ann',
    ],
    [
      '/bearer',
      'with several blanks before the token',
      ['Authorization: Bearer   sesame-ann'],
      200,
      'Ann',
    ],
    ['/bearer', 'with an unknown token', [b('unknown')], 401, [INVALID]],
    ['/bearer', 'with what is not a token', [b('a b')], 401, [INVALID]],
    ['/bearer', 'with a token in quotes', [b('"sesame-ann"')], 401, [INVALID]],
    ['/bearer', 'with bytes that are not ASCII', [b('sesame-ann\xe9')], 401, [INVALID]],
    ['/bearer', 'with the name of the scheme alone', ['Authorization: Bearer'], 401, [BEARER]],
    ['/bearer', 'with an empty field', ['Authorization:'], 401, [BEARER]],
    ['/bearer', 'with another scheme', [basicLine('ann', 'x')], 401, [BEARER]],
    ['/bearer', 'with a tab for the blank', ['Authorization: Bearer\tsesame-ann'], 401, [BEARER]],
    ['/bearer', 'with the token alone', ['Authorization: sesame-ann'], 401, [BEARER]],
    ['/bearer', 'with two Authorization lines', twice, 400, REPEATED],
    [
      '/bearer',
      'with two lines of different schemes',
      [basicLine('ann', 'x'), b('sesame-ann')],
      400,
      REPEATED,
    ],

    ['/scoped', 'with all scopes', [b('sesame-ann')], 200, 'Ann'],
    [
      '/scoped',
      'without one of the scopes',
      [b('sesame-bob')],
      403,
      [`${BEARER}, error="insufficient_scope", scope="read write"`],
    ],
    ['/scoped', 'without a token', [], 401, [BEARER]],
    ['/editors', 'of somebody who may', [b('sesame-ann')], 200, 'Ann'],
    ['/editors', 'of somebody who may not', [b('sesame-bob')], 403, []],
    ['/slow', 'of somebody who may, as it turns out', [b('sesame-ann')], 200, 'Ann'],
    ['/slow', 'of somebody who may not, as it turns out', [b('sesame-bob')], 403, []],

    ['/any', 'without any credentials', [], 401, [BEARER, KEY]],
    ['/any', 'with the first', [b('sesame-ann')], 200, 'Ann'],
    ['/any', 'with the second', ['X-Key: sesame-bob'], 200, 'Bob'],
    [
      '/any',
      'with both, of which the first counts',
      [b('sesame-ann'), 'X-Key: sesame-bob'],
      200,
      'Ann',
    ],
    [
      '/any',
      'with the first lacking a scope and the second valid',
      [b('sesame-bob'), 'X-Key: sesame-bob'],
      200,
      'Bob',
    ],
    [
      '/any',
      'with the first lacking a scope',
      [b('sesame-bob')],
      403,
      [`${BEARER}, error="insufficient_scope", scope="write"`],
    ],
    [
      '/any',
      'with the first lacking a scope and the second wrong',
      [b('sesame-bob'), 'X-Key: x'],
      403,
      [`${BEARER}, error="insufficient_scope", scope="write"`],
    ],
    [
      '/any',
      'with the first wrong and the second valid',
      [b('x'), 'X-Key: sesame-ann'],
      200,
      'Ann',
    ],
    ['/any', 'with both wrong', [b('x'), 'X-Key: x'], 401, [INVALID, KEY]],
    ['/any', 'with the second wrong', ['X-Key: x'], 401, [BEARER, KEY]],
    ['/any', 'with two Authorization lines and a key', [...twice, 'X-Key: sesame-bob'], 200, 'Bob'],
    ['/any', 'with two Authorization lines', twice, 400, REPEATED],

    ['/all', 'with both', [b('sesame-ann'), 'X-Key: sesame-bob'], 200, 'Ann+Bob'],
    ['/all', 'with the first only', [b('sesame-ann')], 401, [BEARER, KEY]],
    ['/all', 'with the second only', ['X-Key: sesame-bob'], 401, [BEARER, KEY]],
    ['/all', 'with the first wrong', [b('x'), 'X-Key: sesame-bob'], 401, [INVALID, KEY]],
    [
      '/nested',
      'with the first of the first, and the second',
      [b('sesame-ann'), 'X-Key: sesame-bob'],
      200,
      'Ann+Bob',
    ],
    [
      '/nested',
      'with the second of the first, and the second',
      [basicLine('ann', 'sesame:wörd'), 'X-Key: sesame-bob'],
      200,
      'Ann+Bob',
    ],
    ['/nested', 'without the second', [b('sesame-ann')], 401, [BEARER, KEY, BASIC]],

    ['/optional', 'without credentials', [], 200, 'nobody'],
    ['/optional', 'with credentials', ['X-Key: sesame-ann'], 200, 'Ann'],
    ['/optional', 'with wrong credentials', [b('x')], 401, [INVALID, KEY]],
    ['/optional', 'with an empty key', ['X-Key:'], 401, [BEARER, KEY]],
    ['/optional', 'with a scheme that is not asked for', [basicLine('ann', 'x')], 200, 'nobody'],
    ['/optional-editors', 'without credentials', [], 200, 'nobody'],
    ['/optional-editors', 'of somebody who may not', [b('sesame-bob')], 403, []],
  ])('%s %s', async (path, _title, lines, status, expected) => {
    const { port } = await served
    const verdict = await ask(port, path, lines)
    expect({ status: verdict.status, challenges: verdict.challenges }).toEqual({
      status,
      challenges: Array.isArray(expected) ? expected : [],
    })
    if (!Array.isArray(expected)) expect(verdict.body).toBe(expected)
  })

  it('is refused with the error body of the Api, which says nothing of the credentials', async () => {
    const { port } = await served
    expect((await ask(port, '/bearer', [b('a-wrong-token')])).body).toEqual({
      code: 401,
      status: 'Unauthorized',
    })
    expect((await ask(port, '/editors', [b('sesame-bob')])).body).toEqual({
      code: 403,
      status: 'Forbidden',
    })
  })
})

describe('security', () => {
  it('comes before the body is read, and behind the middleware of the Blueprint', async () => {
    const seen: string[] = []
    const writes = new Blueprint('writes')
      .use(async (ctx, next) => {
        seen.push('in')
        await next()
        seen.push(String(ctx.status))
      })
      .post('/', operation(secure(key), json(t.strict({ a: t.string }))), () => null)
    const { port } = await serveBlueprints(writes)
    const broken = ['Content-Type: application/json']
    expect((await ask(port, '/', broken, 'POST', '{broken')).status).toBe(401)
    expect((await ask(port, '/', [...broken, 'X-Key: sesame-ann'], 'POST', '{broken')).status).toBe(
      400,
    )
    expect(seen).toEqual(['in', '401', 'in', '400'])
  })

  it('of a method replaces that of its view, and that of a view that of its Blueprint', async () => {
    class Pets extends MethodView {
      static shared = operation(secure(token))
      static get = operation(open())
      get(_ctx: Context, named: object) {
        return Object.keys(named)
      }
      static post = operation()
      post(_ctx: Context, { principal }: { principal: User }) {
        return principal.name
      }
      static put = operation(secure(key))
      put(_ctx: Context, { principal }: { principal: User }) {
        return principal.name
      }
    }
    const pets = new Blueprint('pets', { shared: operation(secure(password)) })
    pets.route('/', Pets).get('/inherited', operation(), who)
    const { port } = await serveBlueprints(pets)
    const lines = ['Authorization: Bearer sesame-ann', 'X-Key: sesame-bob']
    expect(await ask(port, '/')).toMatchObject({ status: 200, body: [] })
    expect(await ask(port, '/')).toMatchObject({ status: 200, body: [] })
    expect(await ask(port, '/', [], 'POST')).toMatchObject({ status: 401, challenges: [BEARER] })
    expect(await ask(port, '/', lines, 'POST')).toMatchObject({ status: 200, body: 'Ann' })
    expect(await ask(port, '/', [], 'PUT')).toMatchObject({ status: 401, challenges: [KEY] })
    expect(await ask(port, '/', lines, 'PUT')).toMatchObject({ status: 200, body: 'Bob' })
    expect(await ask(port, '/inherited')).toMatchObject({ status: 401, challenges: [BASIC] })
  })

  it('treats what a principal function throws as thrown by a method, and logs it', async () => {
    const broken = bearer('broken', { principal: () => Promise.reject(new Error('database gone')) })
    const { port, errors } = await serveBlueprints(
      new Blueprint('x').get('/', operation(secure(broken)), () => 1),
    )
    expect(await ask(port, '/', ['Authorization: Bearer x'])).toMatchObject({
      status: 500,
      challenges: [],
    })
    expect(errors.map(({ message }) => message)).toEqual(['database gone'])
  })

  it('takes schemes of an application, which may be unreachable', async () => {
    let isAway = false
    const ticket: Scheme<number> = {
      name: 'ticket',
      document: { type: 'http', scheme: 'Ticket' },
      readsAuthorization: true,
      mayBeUnreachable: true,
      async authenticate(ctx) {
        const [, digits] = /^Ticket (\d+)$/.exec(ctx.get('Authorization')) ?? []
        if (digits === undefined) return { state: 'absent' }
        if (isAway)
          return {
            state: 'unreachable',
            retryAfter: 2.5,
            cause: new Error('the box office is closed'),
          }
        return Number(digits) < 100
          ? { state: 'valid', principal: Number(digits) }
          : { state: 'invalid' }
      },
      challenge: () => 'Ticket realm="theatre"',
    }
    const { port, errors, request, api } = await serveBlueprints([
      new Blueprint('x').get(
        '/',
        operation(secure(anyOf(ticket, key))),
        (_ctx, { principal }) => (typeof principal === 'number' ? principal : principal.name),
        { endpoint: 'x' },
      ),
    ])
    expect(await ask(port, '/', ['Authorization: Ticket 7'])).toMatchObject({
      status: 200,
      body: 7,
    })
    expect(await ask(port, '/', ['Authorization: Ticket 700'])).toMatchObject({
      status: 401,
      challenges: ['Ticket realm="theatre"', KEY],
    })
    isAway = true
    const { status, headers } = await request('GET', '/', {
      headers: { Authorization: 'Ticket 7' },
    })
    expect({
      status,
      retryAfter: headers.get('Retry-After'),
      challenge: headers.get('WWW-Authenticate'),
    }).toEqual({
      status: 503,
      retryAfter: '3',
      challenge: null,
    })
    expect(errors.map(error => (error.cause as Error).message)).toEqual([
      'the box office is closed',
    ])
    expect(await ask(port, '/', ['Authorization: Ticket 7', 'X-Key: sesame-ann'])).toMatchObject({
      status: 200,
      body: 'Ann',
    })
    expect(await ask(port, '/', ['X-Key: x'])).toMatchObject({ status: 401 })
    expect(JSON.stringify(api.spec.toJSON())).toContain(
      '"ticket":{"type":"http","scheme":"Ticket"}',
    )
  })
})

describe('a scheme of an application that forgets to return', () => {
  const names = ['nothing', 'another state'] as const
  it.each(names)('is a fault, and never somebody without credentials: %s', async what => {
    const forgetful: Scheme<number> = {
      name: 'forgetful',
      document: { type: 'http', scheme: 'Forgetful' },
      authenticate: () => (what === 'nothing' ? undefined : { state: 'ok', principal: 7 }) as never,
      challenge: () => 'Forgetful',
    }
    const view = () => 1
    const blueprint = new Blueprint('x')
      .get('/', operation(secure(forgetful)), view)
      .get('/any', operation(secure(anyOf(key, forgetful))), view, { endpoint: 'any' })
      .get('/optional', operation(secure(forgetful, { optional: true })), view, {
        endpoint: 'optional',
      })
    const { port, errors } = await serveBlueprints(blueprint)
    for (const path of ['/', '/any', '/optional'])
      expect(await ask(port, path, [])).toMatchObject({ status: 500 })
    const expected =
      'authenticate() of the scheme "forgetful" has to return { state }, which is one of absent, valid, invalid, malformed, unreachable'
    expect(errors.map(({ message }) => message)).toEqual([expected, expected, expected])
  })
})

describe('safeEqual', () => {
  it('compares whole digests with timingSafeEqual, and looks at nothing of the secrets before', () => {
    const source = readFileSync(
      new URL('../../../src/features/secure/safe-equal.ts', import.meta.url),
      'utf8',
    )
    const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, '')
    expect(code).toContain('return timingSafeEqual(digestOf(left), digestOf(right))')
    expect(code).not.toMatch(/[=!]==?(?!=)\s|\.length|\bif\b|[?&|]{2}/)
  })

  it('is true of equal secrets only, of any length and kind', () => {
    for (const [left, right] of [
      ['a', 'a'],
      ['é', Buffer.from('é')],
      ['', ''],
    ] as const)
      expect({ left, right, isEqual: safeEqual(left, right) }).toEqual({
        left,
        right,
        isEqual: true,
      })
    for (const other of ['b', 'ab', '', 'A'])
      expect({ other, isEqual: safeEqual('a', other) }).toEqual({ other, isEqual: false })
  })
})
