import type { Context } from '../../feature-api/exchange.js'
import { challengeOf, isToken, readAuthorization } from '../../http/credentials.js'
import { func, string } from '../../options.js'
import { COMMON, checkScheme, PRINCIPAL } from './check-options.js'
import { verdictOf } from './decide.js'
import {
  ABSENT,
  type ChallengeProblem,
  type Found,
  INVALID,
  INVALID_TOKEN,
  MALFORMED,
  type Scheme,
  type ScopedScheme,
  type Verdict,
} from './scheme.js'
import { scoped, scopesIn } from './scoped.js'

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
    ...(realm !== undefined && { realm }),
    ...(format !== undefined && { format }),
    ...(identify && { identify: (principal: P) => identify(principal) }),
    ...(description !== undefined && { description }),
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
export interface BearerParts<P> extends Omit<BearerOptions<P>, 'principal' | 'scopesOf'> {
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
    document: {
      type: 'http',
      scheme: 'bearer',
      ...(format !== undefined && { bearerFormat: format }),
      ...(description !== undefined && { description }),
    },
    readsAuthorization: true,
    ...(mayBeUnreachable && { mayBeUnreachable }),
    authenticate(ctx) {
      const authorization = readAuthorization(ctx.req)
      if (authorization === 'repeated') return MALFORMED
      if (authorization?.scheme !== 'bearer') return ABSENT
      const token = authorization.credentials
      // nothing that could be wrong with a token (RFC 6750, section 3.1)
      if (token === '') return INVALID
      return isToken(token) ? verify(token, ctx) : INVALID_TOKEN
    },
    challenge: ({ error, scope }: Partial<ChallengeProblem> = {}) =>
      challengeOf('Bearer', { realm, error, scope: scope?.join(' ') }),
    ...(identify && { identify: (principal: P) => identify(principal) }),
  }
  return scoped(scheme)
}
