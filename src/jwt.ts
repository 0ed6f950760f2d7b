// JSON Web Tokens as credentials: `koa-smorest/jwt`, over `jose`, which an application installs itself.
import { KeyObject } from 'node:crypto'
import {
  type CryptoKey,
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWK,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import type { Context } from './contract/exchange.js'
import { bearerScheme } from './features/secure/bearer.js'
import { checkOptions } from './features/secure/check-options.js'
import { RemoteKeys, type RemoteKeyTimes, Unreachable } from './features/secure/remote-keys.js'
import {
  type Found,
  INVALID_TOKEN,
  type ScopedScheme,
  type Verdict,
} from './features/secure/scheme.js'
import { scopesIn } from './features/secure/scoped.js'
import { verdictOf } from './features/secure/verdict.js'

/** Options of `jwt`. Times are milliseconds, but for `clockTolerance`. */
export interface JwtOptions<P> extends RemoteKeyTimes {
  /** Who issues the tokens: the claim `iss` must be this, or one of these. */
  readonly issuer: string | readonly string[]
  /** Whom they are for: the claim `aud` must have this, or one of these. A token for another API is refused by it. */
  readonly audience: string | readonly string[]
  /** The issuer's public keys: their address, or the set itself. This or `key`. */
  readonly jwks?: URL | JSONWebKeySet
  /** The one key that tokens are signed with, public or shared. This or `jwks`. */
  readonly key?: CryptoKey | KeyObject | Uint8Array | JWK
  /**
   * The algorithms that signatures may have (RFC 8725, section 3.1). Default: those of asymmetric keys, which RFC 7518 and RFC 8037
   * define; for a shared key, HS256, HS384 and HS512. `none` is never one.
   */
  readonly algorithms?: readonly string[]
  /** What the header `typ` must be: `at+jwt` for access tokens by RFC 9068, which keeps other tokens of the issuer out. Default: not looked at. */
  readonly typ?: string
  /** Claims that a token must have. Default `exp`: a token that never ends is refused. */
  readonly requiredClaims?: readonly string[]
  /** Seconds by which the issuer's clock may be off. Default 0. */
  readonly clockTolerance?: number
  /** Whose token it is, by its claims; undefined, null or false for nobody's (401). Default: the claims themselves. */
  principal?(claims: JWTPayload, ctx: Context): Found<P>
  /** The scopes that a token comes with. Default: the claim `scope`, a text with blanks between them, or `scp`. */
  scopesOf?(claims: JWTPayload): readonly string[]
  /** What is protected, for the challenge. Default: the scheme's name. */
  readonly realm?: string
  /** Names a principal, for limits and idempotency keys. */
  identify?(principal: P): string | number
  readonly description?: string
}

const OPTIONS: readonly (keyof JwtOptions<unknown>)[] = [
  ...([
    'issuer',
    'audience',
    'jwks',
    'key',
    'algorithms',
    'typ',
    'requiredClaims',
    'clockTolerance',
    'principal',
    'scopesOf',
    'realm',
  ] as const),
  ...([
    'identify',
    'description',
    'cacheMaxAge',
    'cooldownDuration',
    'timeoutDuration',
    'outageMaxAge',
  ] as const),
]

const ASYMMETRIC = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]
const SHARED = ['HS256', 'HS384', 'HS512']

/** Checks a token; resolves to its claims. */
type Verify = (token: string) => Promise<JWTPayload>

/**
 * A JSON Web Token in `Authorization: Bearer …`: signature, issuer, audience and times are checked, `principal` says whose it is.
 * Where the issuer's keys cannot be fetched, requests are 503, never 401; keys that are known serve on through an outage.
 */
export function jwt<P = JWTPayload, const Keys = URL | undefined>(
  name: string,
  options: JwtOptions<P> & { readonly jwks?: Keys },
): ScopedScheme<P, 400 | 401 | (Keys extends URL ? 503 : never)> {
  checkOptions('jwt', name, options, OPTIONS)
  const { jwks, key, realm, identify, description } = options
  if (!isNamed(options.issuer) || !isNamed(options.audience))
    throw new TypeError(`jwt("${name}") needs an issuer and an audience`)
  checkValues(name, options)
  if ((jwks === undefined) === (key === undefined))
    throw new TypeError(`jwt("${name}") needs jwks or key, and not both`)
  const verify = verifierOf(options)
  const principal = options.principal ?? ((claims: JWTPayload) => claims as P)
  const scopesOf = options.scopesOf ?? (({ scope, scp }: JWTPayload) => scopesIn(scope ?? scp))
  return bearerScheme<P>(name, {
    format: 'JWT',
    mayBeUnreachable: jwks instanceof URL,
    ...(realm !== undefined && { realm }),
    ...(identify && { identify: (given: P) => identify(given) }),
    ...(description !== undefined && { description }),
    async verify(token, ctx): Promise<Verdict<P>> {
      let claims: JWTPayload
      try {
        claims = await verify(token)
      } catch (error) {
        return refusedFor(error)
      }
      return verdictOf(principal(claims, ctx), INVALID_TOKEN, () => scopesOf(claims))
    },
  })
}

/** Whether there is a text, or there are texts: a variable of the environment may be missing. */
function isNamed(given: unknown): boolean {
  const all = [given].flat()
  return all.length > 0 && all.every(one => typeof one === 'string' && one !== '')
}

/** Times, and whether each may be `Infinity`. */
const TIMES = {
  clockTolerance: false,
  cacheMaxAge: true,
  cooldownDuration: true,
  timeoutDuration: false,
  outageMaxAge: true,
} as const

/** Throws for values that a token would be compared with in vain: with a tolerance of NaN none would ever expire. */
function checkValues<P>(name: string, options: JwtOptions<P>): void {
  const { algorithms, requiredClaims = [] } = options
  const faults = (Object.keys(TIMES) as (keyof typeof TIMES)[]).flatMap(time => {
    const { [time]: value = 0 } = options
    const isTime =
      typeof value === 'number' && value >= 0 && (TIMES[time] || Number.isFinite(value))
    return isTime
      ? []
      : [
          `${time} is ${String(value)}, but takes a number from 0 on${TIMES[time] ? ', or Infinity' : ''}`,
        ]
  })
  if (
    algorithms &&
    (!Array.isArray(algorithms) ||
      algorithms.length === 0 ||
      algorithms.some(one => !/^(?!none$)\w+$/i.test(one)))
  )
    faults.push('algorithms is a list of at least one, and none is no algorithm')
  if (!Array.isArray(requiredClaims)) faults.push('requiredClaims is a list')
  if (faults.length > 0) throw new TypeError(`jwt("${name}"): ${faults.join('; ')}`)
}

/** The verdict on a token that could not be verified. What jose says of it has its claims, and is not passed on. */
function refusedFor(error: unknown): Verdict<never> {
  if (error instanceof Unreachable)
    return { state: 'unreachable', retryAfter: error.retryAfter, cause: error }
  const { code = 'the token cannot be verified', message = '' } = Object(error) as {
    readonly code?: string
    readonly message?: string
  }
  return { ...INVALID_TOKEN, cause: new Error(`${code}: ${message}`) }
}

function verifierOf<P>(options: JwtOptions<P>): Verify {
  const { jwks, key } = options
  if (key !== undefined) {
    const checks = checksOf(options, isShared(key) ? SHARED : ASYMMETRIC)
    return async token => (await jwtVerify(token, key as CryptoKey, checks)).payload
  }
  const checks = checksOf(options, ASYMMETRIC)
  if (!(jwks instanceof URL)) {
    const keys = keysOf(jwks)
    return token => verifyBy(keys, token, checks)
  }
  const remote = new RemoteKeys(jwks, keysOf, options)
  // jose asks for a key only once it has read the token: what is no token is refused whether the issuer can be reached or not
  const current: JWTVerifyGetKey = async (header, token) => (await remote.current())(header, token)
  return async token => {
    try {
      return await verifyBy(current, token, checks)
    } catch (error) {
      // a key that is not known yet: the issuer may have made it since
      const newer = error instanceof errors.JWKSNoMatchingKey ? await remote.newer() : undefined
      if (newer === undefined) throw error
      return verifyBy(newer, token, checks)
    }
  }
}

function checksOf<P>(
  {
    issuer,
    audience,
    algorithms,
    typ,
    requiredClaims = ['exp'],
    clockTolerance = 0,
  }: JwtOptions<P>,
  usual: readonly string[],
): JWTVerifyOptions {
  return {
    issuer: [issuer].flat() as string[],
    audience: [audience].flat() as string[],
    algorithms: [...(algorithms ?? usual)],
    requiredClaims: [...requiredClaims],
    clockTolerance,
    ...(typ !== undefined && { typ }),
  }
}

function isShared(key: NonNullable<JwtOptions<unknown>['key']>): boolean {
  if (key instanceof Uint8Array) return true
  if (key instanceof KeyObject) return key.type === 'secret'
  return 'kty' in key ? key.kty === 'oct' : (key as CryptoKey).type === 'secret'
}

type Keys = ReturnType<typeof createLocalJWKSet>

/** Throws for what is no set of keys; one without any is a fault of the provider, not of every token. */
function keysOf(json: unknown): Keys {
  const keys = createLocalJWKSet(json as JSONWebKeySet)
  if ((json as JSONWebKeySet).keys.length === 0) throw new Error('The set of keys is empty')
  return keys
}

/** Verifies by the key that the token names; by each of those that could be meant where it names none. */
async function verifyBy(
  keys: JWTVerifyGetKey,
  token: string,
  checks: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keys, checks)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, checks)).payload
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}
