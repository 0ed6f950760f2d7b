import type { OAuthFlowsObject } from 'openapi3-ts/oas32'
import type { Context } from '../../feature-api/exchange.js'
import { challengeOf, isToken68, readAuthorization, readBasic } from '../../http/credentials.js'
import { parseCookies, parseQuery } from '../../http/query.js'
import { isRepeated } from '../../http/repeated-field.js'
import { isToken } from '../../http/token.js'
import {
  defined,
  func,
  oneOf as memberOf,
  object,
  type Rule,
  required,
  string,
} from '../../options.js'
import { verdictOf } from './decide.js'
import {
  ABSENT,
  type ChallengeProblem,
  COMMON,
  checkScheme,
  type Found,
  INVALID,
  INVALID_TOKEN,
  MALFORMED,
  PRINCIPAL,
  type Scheme,
  type ScopedScheme,
  scoped,
  scopesIn,
  type Verdict,
} from './scheme.js'

/** Options of `bearer`. */
export interface BearerOptions<P> {
  /**
   * Returns the principal that the token belongs to. For an unknown token, return undefined, null
   * or false, which gives a 401. Compare tokens with `safeEqual`, or look up their hashes.
   */
  principal(token: string, ctx: Context): Found<P>
  /**
   * Returns the scopes of a token. Default: the `scopes` or `scope` of the principal, a list or a
   * space-separated string.
   */
  scopesOf?(principal: P): readonly string[]
  /** The realm of the challenge. Default: the name of the scheme. */
  readonly realm?: string
  /** The format of tokens, for the document: `JWT`. */
  readonly format?: string
  /** Names a principal, for limits and idempotency keys. */
  identify?(principal: P): string | number
  readonly description?: string
}

/**
 * A bearer token in the Authorization field (RFC 6750, section 2.1), which the application looks
 * up. For JSON Web Tokens see `koa-smorest/jwt`.
 */
export function bearer<P>(name: string, options: BearerOptions<P>): ScopedScheme<P, 400 | 401> {
  checkScheme('bearer', name, options, {
    principal: PRINCIPAL,
    scopesOf: func,
    realm: string,
    format: string,
    ...COMMON,
  })
  const { realm, format, identify, description } = options
  const scopesOf = (principal: P) => options.scopesOf?.(principal) ?? ownScopes(principal)
  return bearerScheme(name, {
    ...defined({ realm, format, identify, description }),
    verify: (token, ctx) => verdictOf(options.principal(token, ctx), INVALID_TOKEN, scopesOf),
  })
}

function ownScopes(principal: unknown): readonly string[] {
  const { scopes, scope } = Object(principal) as {
    readonly scopes?: unknown
    readonly scope?: unknown
  }
  return scopesIn(scopes ?? scope)
}

/** The parts that a scheme of bearer tokens is made of. */
interface BearerParts<P> extends Omit<BearerOptions<P>, 'principal' | 'scopesOf'> {
  /** Verifies a well-formed token. */
  verify(token: string, ctx: Context): Verdict<P> | Promise<Verdict<P>>
  readonly mayBeUnreachable?: boolean
}

/** Creates a scheme of bearer tokens with any verification. */
export function bearerScheme<P>(
  name: string,
  { verify, realm = name, format, identify, description, mayBeUnreachable }: BearerParts<P>,
): ScopedScheme<P, 400 | 401> {
  challengeOf('Bearer', { realm })
  const scheme: Scheme<P, 400 | 401> = {
    name,
    document: defined({ type: 'http', scheme: 'bearer', bearerFormat: format, description }),
    readsAuthorization: true,
    ...defined({ mayBeUnreachable, identify }),
    authenticate(ctx) {
      const authorization = readAuthorization(ctx.req)
      if (authorization === 'repeated') return MALFORMED
      if (authorization?.scheme !== 'bearer') return ABSENT
      const token = authorization.credentials
      // nothing that could be wrong with a token (RFC 6750, section 3.1)
      if (token === '') return INVALID
      return isToken68(token) ? verify(token, ctx) : INVALID_TOKEN
    },
    challenge: ({ error, scope }: Partial<ChallengeProblem> = {}) =>
      challengeOf('Bearer', { realm, error, scope: scope?.join(' ') }),
  }
  return scoped(scheme)
}

/** Options of `basic`. */
export interface BasicOptions<P> {
  /**
   * Returns the principal that the user name and password belong to. If they are wrong, return
   * undefined, null or false, which gives a 401. Compare hashes of passwords with `safeEqual`.
   */
  principal(user: string, password: string, ctx: Context): Found<P>
  /** The name that a browser shows when it asks for the password. Default: the scheme's name. */
  readonly realm?: string
  /** Names a principal, for limits and idempotency keys. */
  identify?(principal: P): string | number
  readonly description?: string
}

/**
 * HTTP Basic authentication with name and password (RFC 7617). Without TLS, anybody between client
 * and server can read them.
 */
export function basic<P>(name: string, options: BasicOptions<P>): Scheme<P, 400 | 401> {
  checkScheme('basic', name, options, { principal: PRINCIPAL, realm: string, ...COMMON })
  const { realm = name, identify, description } = options
  const challenge = challengeOf('Basic', { realm, charset: 'UTF-8' })
  return {
    name,
    document: defined({ type: 'http', scheme: 'basic', description }),
    readsAuthorization: true,
    authenticate(ctx) {
      const authorization = readAuthorization(ctx.req)
      if (authorization === 'repeated') return MALFORMED
      if (authorization?.scheme !== 'basic') return ABSENT
      const credentials = readBasic(authorization.credentials)
      return credentials
        ? verdictOf(options.principal(credentials.user, credentials.password, ctx), INVALID)
        : INVALID
    },
    challenge: () => challenge,
    ...defined({ identify }),
  }
}

/** Options of `apiKey`. */
export interface ApiKeyOptions<P> {
  /**
   * The location of the key. Prefer `header`: cookies are sent by any site's forms, and queries end
   * up in logs.
   */
  readonly in: 'header' | 'cookie' | 'query'
  /** The name of the header field, cookie or parameter. */
  readonly name: string
  /**
   * Returns the principal that the key belongs to. For an unknown key, return undefined, null or
   * false, which gives a 401. Compare keys with `safeEqual`, or look up their hashes.
   */
  principal(key: string, ctx: Context): Found<P>
  /** Names a principal, for limits and idempotency keys. */
  identify?(principal: P): string | number
  readonly description?: string
}

/**
 * A key in a header field, a cookie or the query: `apiKey('key', { in: 'header', name: 'X-Key',
 * principal: key => keys.get(key) })`.
 */
export function apiKey<P>(name: string, options: ApiKeyOptions<P>): Scheme<P, 401> {
  checkScheme('apiKey', name, options, {
    in: required(memberOf(...Object.keys(FINDERS))),
    name: required(string),
    principal: PRINCIPAL,
    ...COMMON,
  })
  const { in: location, name: field, identify, description } = options
  const isName = location === 'query' ? field !== '' : isToken(field)
  if (!isName)
    throw new TypeError(
      `apiKey("${name}"): ${JSON.stringify(field)} cannot be the name of a ${location}`,
    )
  const find = FINDERS[location](field)
  const challenge = challengeOf('ApiKey', { in: location, name: field })
  return {
    name,
    document: defined({ type: 'apiKey', in: location, name: field, description }),
    authenticate(ctx) {
      const key = find(ctx)
      if (typeof key !== 'string') return key
      return key === '' ? INVALID : verdictOf(options.principal(key, ctx), INVALID)
    },
    // RFC 9110, section 11.6.1, wants a challenge in every 401, and no scheme is registered for
    // keys.
    challenge: () => challenge,
    ...defined({ identify }),
    ...(location === 'header' &&
      field.toLowerCase() === 'authorization' && { readsAuthorization: true }),
  }
}

type Find = (ctx: Context) => string | Verdict<never>

/**
 * By location: makes the function that reads the key from a request. It returns the verdict itself
 * if the key is missing or sent twice.
 */
const FINDERS: Readonly<Record<ApiKeyOptions<unknown>['in'], (name: string) => Find>> = {
  header(field) {
    const name = field.toLowerCase()
    const repeated = name === 'authorization' ? MALFORMED : INVALID
    return ({ req }) => {
      const value = req.headers[name]
      if (value === undefined) return ABSENT
      return isRepeated(req, name) ? repeated : (value as string)
    }
  },
  cookie: name => ctx =>
    ctx.req.headers.cookie === undefined
      ? ABSENT
      : oneOf(parseCookies(ctx.req.headers.cookie)[name]),
  query: name => ctx =>
    ctx.querystring === '' ? ABSENT : oneOf(parseQuery(ctx.querystring)?.[name]),
}

function oneOf(value: string | string[] | undefined): string | Verdict<never> {
  return value === undefined ? ABSENT : Array.isArray(value) ? INVALID : value
}

/** Options of `oauth2`. */
export interface OAuth2Options<P, Refusals extends number = number> {
  /** The flows by which clients get tokens, for the document. */
  readonly flows: OAuthFlowsObject
  /** The scheme that verifies the tokens: `jwt(…)` or `bearer(…)`. */
  readonly token: Scheme<P, Refusals>
  readonly description?: string
}

/**
 * Tokens of an OAuth 2 server: the document describes how to get one, and another scheme verifies
 * them.
 */
export function oauth2<P, Refusals extends number>(
  name: string,
  options: OAuth2Options<P, Refusals>,
): ScopedScheme<P, Refusals> {
  checkScheme('oauth2', name, options, {
    flows: required({ ...object, text: 'an object such as { clientCredentials: { … } }' }),
    token: TOKEN,
    description: string,
  })
  const { flows, token, description } = options
  return scoped({
    ...token,
    name,
    document: defined({ type: 'oauth2', flows, description }),
  })
}

/** Options of `openIdConnect`. */
export interface OpenIdConnectOptions<P, Refusals extends number = number> {
  /**
   * The address of the provider's configuration:
   * `https://id.example/.well-known/openid-configuration`.
   */
  readonly url: string | URL
  /** The scheme that verifies the tokens: `jwt(…)`, with the keys of the provider. */
  readonly token: Scheme<P, Refusals>
  readonly description?: string
}

/**
 * Tokens of an OpenID Connect provider: the document refers to its configuration, and another
 * scheme verifies them.
 */
export function openIdConnect<P, Refusals extends number>(
  name: string,
  options: OpenIdConnectOptions<P, Refusals>,
): ScopedScheme<P, Refusals> {
  checkScheme('openIdConnect', name, options, {
    url: required({
      text: "the address of the provider's configuration",
      fits: value => URL.canParse(String(value)),
    }),
    token: TOKEN,
    description: string,
  })
  const { url, token, description } = options
  return scoped({
    ...token,
    name,
    document: defined({ type: 'openIdConnect', openIdConnectUrl: String(url), description }),
  })
}

const TOKEN: Rule = required({
  text: 'the scheme that verifies tokens, jwt(…) or bearer(…)',
  fits: value => typeof Object(value).authenticate === 'function',
})
