import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  anyOf,
  apiKey,
  Blueprint,
  basic,
  bearer,
  int,
  json,
  maxLength,
  operation,
  response,
  type Scheme,
  secure,
  struct,
} from 'koa-smorest'
import { type ContractOptions, contract } from 'koa-smorest/testing'
import { describe, expect, it } from 'vitest'

/** Who has which token: the one of the editor may write. */
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  'sesame-editor': ['read', 'write'],
  'sesame-reader': ['read'],
}
const login = bearer('login', {
  principal: token => (token in SCOPES ? { scopes: SCOPES[token] ?? [] } : undefined),
  scopesOf: ({ scopes }) => scopes,
})
const STAFF = ['sesame-till', 'sesame-visitor']
const key = apiKey('key', {
  in: 'query',
  name: 'key',
  principal: text => (STAFF.includes(text) ? { isStaff: text === STAFF[0] } : undefined),
})

/**
 * What `contract` says of one operation with this security; `through` is what is done to requests
 * before the library sees them.
 */
async function judge(
  secured: ReturnType<typeof secure>,
  as: ContractOptions['as'],
  through?: Koa.Middleware,
) {
  const app = new Koa()
  app.silent = true
  if (through) app.use(through)
  const all = new Blueprint('all').get(
    '/',
    operation(secured, response(t.strict({ n: t.literal(1) }, 'N'))),
    () => ({ n: 1 as const }),
  )
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
  const { failures, coverage } = await contract(app, api, { as: as ?? {}, runs: 3 })
  const seen = coverage.missing.filter(({ status }) => status === 403).length === 0
  return {
    seen,
    failures: failures.map(({ check, message, curl }) => ({
      check,
      message,
      leaks: /sesame/.test(curl + message),
    })),
  }
}

const writers = secure(login.scopes('write'))
const staff = secure(key, { allow: ({ isStaff }) => isStaff })
/** Gives everybody the rights of the first. */
const everybodyIsEditor: Koa.Middleware = (ctx, next) => {
  if (ctx.get('Authorization') === 'Bearer sesame-reader')
    ctx.req.headers.authorization = 'Bearer sesame-editor'
  ctx.url = ctx.url.replace('sesame-visitor', 'sesame-till')
  return next()
}

describe('lesser credentials of contract', () => {
  it('are refused if their scopes do not suffice, so that 403 is seen', async () => {
    expect(await judge(writers, { login: ['sesame-editor', 'sesame-reader'] })).toEqual({
      seen: true,
      failures: [],
    })
  })

  it('are refused if they are not allowed', async () => {
    expect(await judge(staff, { key: STAFF })).toEqual({ seen: true, failures: [] })
  })

  it('are header fields as well', async () => {
    const as = {
      login: [{ Authorization: 'Bearer sesame-editor' }, { Authorization: 'Bearer sesame-reader' }],
    }
    expect(await judge(writers, as)).toEqual({ seen: true, failures: [] })
  })

  it('are no failure in an alternative that asks for no scopes', async () => {
    const as = { login: ['sesame-editor', 'sesame-reader'], key: STAFF }
    expect(await judge(secure(anyOf(login.scopes('write'), key)), as)).toEqual({
      seen: true,
      failures: [],
    })
  })

  it('are a failure of an operation that does not check its scopes', async () => {
    const message = '200 with each of the lesser credentials, although write is asked for'
    const outcome = await judge(
      writers,
      { login: ['sesame-editor', 'sesame-reader'] },
      everybodyIsEditor,
    )
    expect(outcome).toEqual({
      seen: false,
      failures: [{ check: 'lesser credentials', message, leaks: false }],
    })
  })

  it('are a failure of an operation that documents 403 and refuses nobody', async () => {
    const message = '200 with each of the lesser credentials, although 403 is documented'
    const outcome = await judge(staff, { key: STAFF }, everybodyIsEditor)
    expect(outcome).toEqual({
      seen: false,
      failures: [{ check: 'lesser credentials', message, leaks: false }],
    })
  })

  it('are a failure if they do not authenticate', async () => {
    const { failures } = await judge(writers, { login: ['sesame-editor', 'sesame-nobody'] })
    expect(failures.map(({ check, message }) => `${check}: ${message}`)).toEqual([
      'credentials: 401 with lesser credentials of login',
      'lesser credentials: 401 with each of the lesser credentials, although write is asked for',
    ])
  })

  it('are not sent if one credential is all there is', async () => {
    expect(await judge(writers, { login: 'sesame-editor' })).toEqual({ seen: false, failures: [] })
  })
})

describe('credentials in a form of their own', () => {
  const TOKENS = ['Token sesame-ann', 'Token sesame-bob']
  const token: Scheme<string> = {
    name: 'token',
    document: { type: 'apiKey', in: 'header', name: 'Authorization' },
    readsAuthorization: true,
    authenticate(ctx) {
      const given = ctx.get('Authorization')
      if (!given.startsWith('Token ')) return { state: 'absent' }
      return TOKENS.includes(given) ? { state: 'valid', principal: given } : { state: 'invalid' }
    },
    challenge: () => 'Token realm="articles"',
  }
  const as = { token: TOKENS.map(Authorization => ({ Authorization })) }
  const Article = struct({ slug: maxLength(t.string, 20) }, 'Article')

  it('are wrong in that form, so that 401 is seen if they are optional', async () => {
    const app = new Koa()
    const all = new Blueprint('all').get(
      '/',
      operation(secure(token, { optional: true }), response(int)),
      () => 1,
    )
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
    const { failures, coverage } = await contract(app, api, { as, runs: 3 })
    const unseen = coverage.missing.filter(({ status }) => status === 401)
    expect({ failures, unseen }).toEqual({ failures: [], unseen: [] })
  })

  it('are lesser where a thing is that valid requests have renamed', async () => {
    const app = new Koa()
    const articles = new Map([['koa', { slug: 'koa' }]])
    const all = new Blueprint('articles')
    all.get('/articles', operation(response(t.array(Article))), () => [...articles.values()])
    all.put(
      '/articles/:slug',
      operation(
        secure(token),
        json(Article),
        response(Article),
        altResponse(403),
        altResponse(404),
      ),
      (_ctx, article, { slug, principal }) => {
        if (!articles.has(slug)) abort(404)
        if (principal !== TOKENS[0]) abort(403)
        articles.delete(slug)
        articles.set('renamed', { slug: 'renamed' })
        return article
      },
    )
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
    const reset = () => {
      articles.clear()
      articles.set('koa', { slug: 'koa' })
    }
    const { failures, coverage } = await contract(app, api, { as, reset, runs: 3 })
    const unseen = coverage.missing.filter(({ status }) => status === 403)
    expect({
      failures: failures.filter(({ check }) => check === 'lesser credentials'),
      unseen,
    }).toEqual({ failures: [], unseen: [] })
  })
})

describe('a failure of contract', () => {
  // without the mark by which the credentials of other specs are found: these leak on purpose
  const places: readonly (readonly [
    place: string,
    scheme: Scheme,
    credential: string | Record<string, string>,
  ])[] = [
    [
      'a header field',
      apiKey('one', { in: 'header', name: 'X-Key', principal: text => text }),
      'tell-me-key',
    ],
    [
      'the query',
      apiKey('one', { in: 'query', name: 'key', principal: text => text }),
      'tell-me/key',
    ],
    [
      'a cookie',
      apiKey('one', { in: 'cookie', name: 'key', principal: text => text }),
      'tell-me-key',
    ],
    ['Basic', basic('one', { principal: name => name }), 'tell-me:pass'],
    [
      'header fields by name',
      bearer('one', { principal: token => token }),
      { Authorization: 'Bearer tell-me', 'X-Tenant': 'tell-me-shop' },
    ],
  ]
  it.each(places)(
    'shows no credential that was sent in %s, even if the response does',
    async (_place, scheme, credential) => {
      const app = new Koa()
      app.silent = true
      const all = new Blueprint('all').get('/', operation(secure(scheme)), ctx => {
        ctx.status = 206
        ctx.body = { url: ctx.url, headers: ctx.headers }
      })
      const api = new Api(app, {
        OPENAPI_VERSION: '3.1.0',
        DEBUG: false,
        TESTING: false,
      }).registerBlueprint(all)
      const { failures } = await contract(app, api, { as: { one: credential }, runs: 3 })
      expect(failures.length).toBeGreaterThan(0)
      const leaking = failures.filter(failure => /tell-me|dGVsbC1tZ/.test(JSON.stringify(failure)))
      expect(leaking).toEqual([])
    },
  )
})

it('an option that contract does not have is a TypeError', async () => {
  const app = new Koa()
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0' })
  await expect(contract(app, api, { run: 5 } as never)).rejects.toThrow(
    'contract: there is no option "run", did you mean "runs"?',
  )
})
