import * as t from 'io-ts'
import Koa from 'koa'
import {
  type AnyBlueprint,
  Api,
  allOf,
  anyOf,
  apiKey,
  Blueprint,
  basic,
  bearer,
  type Context,
  json,
  MethodView,
  oauth2,
  open,
  openIdConnect,
  operation,
  type RegistrationError,
  response,
  type Settings,
  secure,
} from 'koa-smorest'
import { jwt } from 'koa-smorest/jwt'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { faultsOf as documentFaults } from '../../openapi/shop.js'

const nobody = () => undefined
const key = apiKey('key', {
  in: 'header',
  name: 'X-Key',
  principal: (): { key: true } | undefined => undefined,
  description: 'Ask for one',
})
const password = basic('password', { principal: (): { basic: true } | undefined => undefined })
const token = bearer('token', {
  principal: (): { token: true } | undefined => undefined,
  format: 'opaque',
})
const claims = jwt('claims', {
  issuer: 'https://id.example',
  audience: 'shop',
  jwks: new URL('https://id.example/jwks'),
  principal: ({ sub }) => sub,
})
const flows = {
  clientCredentials: {
    tokenUrl: 'https://id.example/token',
    scopes: { 'pets:write': 'Change pets', 'pets:read': 'See pets' },
  },
}
const oauth = oauth2('oauth', { flows, token: claims })
const connect = openIdConnect('connect', {
  url: 'https://id.example/.well-known/openid-configuration',
  token: claims,
})

const view = () => null
const api = (blueprint: AnyBlueprint, settings: Settings = {}) =>
  new Api(new Koa(), { OPENAPI_VERSION: '3.1.0', ...settings }).registerBlueprint(blueprint)
// biome-ignore lint/suspicious/noExplicitAny: a document is walked
const documentOf = (blueprint: AnyBlueprint, version = '3.1.0'): any =>
  api(blueprint).spec.toJSON(version)
const faultsOf = (blueprint: AnyBlueprint, settings?: Settings): readonly string[] => {
  try {
    api(blueprint, settings)
    return []
  } catch (error) {
    return (error as RegistrationError).faults
  }
}

describe('the document of a secured operation', () => {
  const all = new Blueprint('all')
    .get('/key', operation(secure(key)), view, { endpoint: 'key' })
    .get('/password', operation(secure(password)), view, { endpoint: 'password' })
    .get('/any', operation(secure(anyOf(token.scopes('a', 'b'), allOf(key, password)))), view, {
      endpoint: 'any',
    })
    .get('/optional', operation(secure(token, { optional: true, allow: () => true })), view, {
      endpoint: 'optional',
    })
    .get('/open', operation(open()), view, { endpoint: 'open' })
    .get('/silent', operation(), view, { endpoint: 'silent' })
    .get('/claims', operation(secure(claims)), view, { endpoint: 'claims' })
    .get('/oauth', operation(secure(oauth.scopes('pets:write'))), view, { endpoint: 'oauth' })
    .get('/connect', operation(secure(connect.scopes('pets:write'))), view, { endpoint: 'connect' })

  it('has its requirements, an object for each alternative, with scopes', () => {
    const { paths } = documentOf(all)
    const security = Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [
        path,
        (item as { get: { security: unknown } }).get.security,
      ]),
    )
    expect(security).toEqual({
      '/key': [{ key: [] }],
      '/password': [{ password: [] }],
      '/any': [{ token: ['a', 'b'] }, { key: [], password: [] }],
      '/optional': [{ token: [] }, {}],
      '/open': [],
      '/silent': undefined,
      '/claims': [{ claims: [] }],
      '/oauth': [{ oauth: ['pets:write'] }],
      '/connect': [{ connect: ['pets:write'] }],
    })
  })

  it('has the schemes', () => {
    expect(documentOf(all).components.securitySchemes).toEqual({
      key: { type: 'apiKey', in: 'header', name: 'X-Key', description: 'Ask for one' },
      password: { type: 'http', scheme: 'basic' },
      token: { type: 'http', scheme: 'bearer', bearerFormat: 'opaque' },
      claims: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      oauth: { type: 'oauth2', flows },
      connect: {
        type: 'openIdConnect',
        openIdConnectUrl: 'https://id.example/.well-known/openid-configuration',
      },
    })
  })

  it('has 401 always, 403 with scopes or allow, 503 if a scheme can be unreachable, 400 if Authorization is read', () => {
    const { paths } = documentOf(all)
    const statuses = Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [
        path,
        Object.keys((item as { get: { responses: object } }).get.responses)
          .filter(status => status >= '400')
          .join(' '),
      ]),
    )
    expect(statuses).toEqual({
      '/key': '401 default',
      '/password': '400 401 default',
      '/any': '400 401 403 default',
      '/optional': '400 401 403 default',
      '/open': 'default',
      '/silent': 'default',
      '/claims': '400 401 503 default',
      '/oauth': '400 401 403 503 default',
      '/connect': '400 401 403 503 default',
    })
    const { responses } = paths['/oauth'].get
    const own = (status: number) =>
      Object.keys(responses[status].headers).filter(
        name => name !== 'Cache-Control' && name !== 'Vary',
      )
    expect([401, 403, 503].map(own)).toEqual([
      ['WWW-Authenticate'],
      ['WWW-Authenticate'],
      ['Retry-After'],
    ])
  })

  it('is valid in every version', async () => {
    for (const version of ['3.2.0', '3.1.0', '3.0.3', '2.0'])
      expect(await documentFaults(documentOf(all, version)), version).toEqual([])
    expect(documentOf(all, '3.0.3').paths['/any'].get.security[0]).toEqual({ token: [] })
  })
})

describe('a fault of security', () => {
  const get = (requirement: Parameters<typeof secure>[0], rule = '/', options = {}) =>
    new Blueprint('b').get(rule, operation(secure(requirement, options)), view)

  it('is found at registration', () => {
    const other = apiKey('key', { in: 'header', name: 'X-Key', principal: nobody })
    expect(faultsOf(get(anyOf(key, other)))).toEqual([
      expect.stringMatching(/another security scheme is called "key" too/),
    ])
    expect(() =>
      api(get(key)).registerBlueprint(
        new Blueprint('c').get('/c', operation(secure(other)), view, { endpoint: 'c' }),
      ),
    ).toThrow(/another security scheme is called "key" too/)
    expect(faultsOf(get(allOf(token, password)))).toEqual([
      expect.stringMatching(
        /token and password cannot be sent together: a request has one Authorization field/,
      ),
    ])
    expect(faultsOf(get(oauth.scopes('pets:wrte')))).toEqual([
      expect.stringMatching(/the scope "pets:wrte" is in none of the flows of "oauth"/),
    ])
    expect(faultsOf(get(key, '/:principal'))).toEqual([
      expect.stringMatching(
        /"principal" is both a parameter of the path and the value that secure\(\) gives/,
      ),
    ])
    expect(faultsOf(get(key, '/', { optionl: true }))).toEqual([
      expect.stringMatching(/secure\(\): there is no option "optionl", did you mean "optional"\?/),
    ])
    expect(faultsOf(get({ ...key, name: 'my key' }))).toEqual([
      expect.stringMatching(/the name of the scheme "my key"/),
    ])
  })

  it('is none for one scheme in several operations, with other scopes each time', () => {
    const both = get(anyOf(token.scopes('a'), token.scopes('b'), key)).get(
      '/b',
      operation(secure(allOf(token, key))),
      view,
      {
        endpoint: 'b',
      },
    )
    expect(faultsOf(both)).toEqual([])
  })

  it.each<[string, () => unknown, RegExp]>([
    [
      'a name that a document cannot have',
      () => apiKey('my key', { in: 'header', name: 'X', principal: nobody }),
      /the name may have letters/,
    ],
    [
      'an unknown option',
      () => bearer('b', { principal: nobody, relm: 'x' } as never),
      /there is no option "relm", did you mean "realm"/,
    ],
    [
      'a place that there is not',
      () => apiKey('k', { in: 'body' as never, name: 'X', principal: nobody }),
      /in must be "header", "cookie" or "query", not "body"/,
    ],
    [
      'the name of a header that cannot be one',
      () => apiKey('k', { in: 'header', name: 'X Key', principal: nobody }),
      /cannot be the name of a header/,
    ],
    [
      'a realm with a line break',
      () => basic('b', { realm: 'a\r\nX: y', principal: nobody }),
      /cannot be a parameter of a challenge/,
    ],
    ['a scope with a blank', () => token.scopes('a b'), /cannot be a scope/],
    [
      'a scope that is missing',
      () => token.scopes(process.env['NO_SUCH_SCOPE'] as string),
      /undefined cannot be a scope/,
    ],
    ['a list as a scope', () => token.scopes(['a'] as never), /\["a"\] cannot be a scope/],
    [
      'a JWT without an audience',
      () => jwt('j', { issuer: 'x', audience: '', key: new Uint8Array(32) }),
      /audience must be null, a string or a list of strings, none of them empty, not ""/,
    ],
    ['a JWT without a key', () => jwt('j', { issuer: 'x', audience: 'y' }), /needs jwks or key/],
  ])('is thrown at once for %s', (_title, make, message) => {
    expect(make).toThrow(message)
  })
})

describe('API_REQUIRE_SECURITY', () => {
  it('wants every operation to say who may call it; documentation is always open', () => {
    const views = new Blueprint('views')
      .get('/secured', operation(secure(key)), view, { endpoint: 'secured' })
      .get('/open', operation(open()), view, { endpoint: 'open' })
      .get('/silent', operation(), view, { endpoint: 'silent' })
      .registerBlueprint(
        new Blueprint('inner', { shared: operation(open()) }).get('/inner', operation(), view, {
          endpoint: 'inner',
        }),
      )
    expect(faultsOf(views)).toEqual([])
    expect(faultsOf(views, { API_REQUIRE_SECURITY: true, OPENAPI_URL_PREFIX: '/docs' })).toEqual([
      expect.stringMatching(/^silent, GET \/silent: who may call it\? Add secure\(…\) or open\(\)/),
    ])
  })
})

describe('the type of principal', () => {
  it('is that of the scheme, a union of alternatives, or a tuple of what is needed together', () => {
    new Blueprint('types')
      .get('/a', operation(secure(key)), (_ctx, { principal }) =>
        expectTypeOf(principal).toEqualTypeOf<{ key: true }>(),
      )
      .get('/b', operation(secure(anyOf(key, token.scopes('x')))), (_ctx, { principal }) =>
        expectTypeOf(principal).toEqualTypeOf<{ key: true } | { token: true }>(),
      )
      .get('/c', operation(secure(allOf(key, claims))), (_ctx, { principal }) =>
        expectTypeOf(principal).toEqualTypeOf<[{ key: true }, string]>(),
      )
      .get('/d', operation(secure(allOf(anyOf(key, token), password))), (_ctx, { principal }) =>
        expectTypeOf(principal).toEqualTypeOf<[{ key: true } | { token: true }, { basic: true }]>(),
      )
      .get('/e', operation(secure(oauth, { optional: true })), (_ctx, { principal }) =>
        expectTypeOf(principal).toEqualTypeOf<string | undefined>(),
      )
      .get(
        '/f',
        operation(
          secure(anyOf(key, password), { allow: user => ('key' in user ? user.key : user.basic) }),
        ),
        view,
      )
    class View extends MethodView {
      static post = operation(json(t.strict({ a: t.string })), secure(claims), response(t.string))
      post(_ctx: Context, _body: { a: string }, { principal }: { principal: string }) {
        return principal
      }
    }
    new Blueprint('class').route('/', View)
    class Wrong extends MethodView {
      static get = operation(secure(claims), response(t.string))
      get(_ctx: Context, { principal }: { principal: number }) {
        return String(principal)
      }
    }
    // @ts-expect-error get() does not match its descriptor: after ctx it is given { principal: string }
    new Blueprint('wrong').route('/', Wrong)
  })
})
