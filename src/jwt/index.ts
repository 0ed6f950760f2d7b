// JSON Web Tokens as credentials: `koa-smorest/jwt`, over `jose`, which an application installs
// itself.
import type { KeyObject } from 'node:crypto'
import type {
  CryptoKey,
  JSONWebKeySet,
  JWK,
  JWTPayload,
  JWTVerifyGetKey,
  JWTVerifyOptions,
} from 'jose'
import type { Context } from '../feature-api/exchange.js'
import { verdictOf } from '../features/secure/decide.js'
import {
  COMMON,
  checkScheme,
  type Found,
  INVALID_TOKEN,
  type ScopedScheme,
  scopesIn,
  type Verdict,
} from '../features/secure/scheme.js'
import { bearerScheme } from '../features/secure/schemes.js'
import {
  defined,
  func,
  isString,
  object,
  type Rule,
  type Rules,
  required,
  string,
  strings,
} from '../options.js'
import { missingPeer } from '../peers.js'
import { RemoteKeys, type RemoteKeyTimes, Unreachable } from './remote-keys.js'
import { ASYMMETRIC, algorithmsOf } from './signing-keys.js'

/** Options of `jwt`. Times are milliseconds, but for `clockTolerance`. */
export interface JwtOptions<P> extends RemoteKeyTimes {
  /**
   * Who issues the tokens: the claim `iss` must be this, or one of these. `null`: tokens have no
   * such claim, and one that has it is refused.
   */
  readonly issuer: string | readonly string[] | null
  /**
   * Whom they are for: the claim `aud` must have this, or one of these. A token for another API is
   * refused by it. `null`: tokens have no such claim, and one that has it is refused (RFC 7519,
   * section 4.1.3).
   */
  readonly audience: string | readonly string[] | null
  /** The issuer's public keys: their address, or the set itself. This or `key`. */
  readonly jwks?: URL | JSONWebKeySet
  /**
   * The one key that tokens are verified with: the public key, or a shared secret of at least 32
   * bytes. This or `jwks`.
   */
  readonly key?: CryptoKey | KeyObject | Uint8Array | JWK
  /**
   * The algorithms that signatures may have (RFC 8725, section 3.1). Default: all that fit the key;
   * for a shared secret, those of HS256, HS384 and HS512 whose hash is not longer than it. `none`
   * is never one.
   */
  readonly algorithms?: readonly string[]
  /**
   * The value of the header `typ`: `at+jwt` for access tokens by RFC 9068, which keeps other tokens
   * of the issuer out. Default: any.
   */
  readonly typ?: string
  /** Claims that a token must have. Default `exp`: a token that never ends is refused. */
  readonly requiredClaims?: readonly string[]
  /** Seconds by which the issuer's clock may be off. Default 0. */
  readonly clockTolerance?: number
  /**
   * Whose token it is, by its claims; undefined, null or false for nobody's (401). Default: the
   * claims themselves.
   */
  principal?(claims: JWTPayload, ctx: Context): Found<P>
  /**
   * The scopes of a token. Default: the claim `scope`, a string with blanks between them, or `scp`.
   */
  scopesOf?(claims: JWTPayload): readonly string[]
  /** The protected area, for the challenge. Default: the scheme's name. */
  readonly realm?: string
  /** Names a principal, for limits and idempotency keys. */
  identify?(principal: P): string | number
  readonly description?: string
}

const isKeySet = (keys: unknown): boolean =>
  Array.isArray(keys) && keys.length > 0 && keys.every(object.fits)

const isNonEmpty = (value: unknown) => isString(value) && value !== ''

/** A variable of the environment may be missing. */
const NAMES: Rule = {
  text: 'null, a string or a list of strings, none of them empty',
  fits: value =>
    value === null ||
    isNonEmpty(value) ||
    (Array.isArray(value) && value.length > 0 && value.every(isNonEmpty)),
}
const TIME: Rule = {
  text: 'a number of at least 0',
  fits: value => Number.isFinite(value) && (value as number) >= 0,
}
const TIME_OR_NEVER: Rule = {
  text: `${TIME.text}, or Infinity`,
  fits: value => value === Number.POSITIVE_INFINITY || TIME.fits(value),
}
// with a tolerance of NaN no token would ever expire
const RULES: Rules<JwtOptions<never>> = {
  issuer: required(NAMES),
  audience: required(NAMES),
  jwks: {
    text: 'a URL or a set of keys that is not empty, { keys: [ … ] }',
    fits: value => value instanceof URL || isKeySet(Object(value).keys),
  },
  key: {
    text: 'a CryptoKey, a KeyObject, a JWK or the bytes of a shared secret',
    fits: value => typeof value === 'object' && value !== null,
    isSecret: true,
  },
  algorithms: {
    text: 'a list of at least one algorithm, without "none"',
    fits: value =>
      Array.isArray(value) && value.length > 0 && value.every(one => /^(?!none$)\w+$/i.test(one)),
  },
  typ: string,
  requiredClaims: strings,
  clockTolerance: TIME,
  principal: func,
  scopesOf: func,
  realm: string,
  ...COMMON,
  cacheMaxAge: TIME_OR_NEVER,
  cooldownDuration: TIME_OR_NEVER,
  timeoutDuration: TIME,
  outageMaxAge: TIME_OR_NEVER,
}

type Jose = typeof import('jose')

/** Checks a token; resolves to its claims. */
type Verify = (token: string) => Promise<JWTPayload>

/**
 * A JSON Web Token in `Authorization: Bearer …`: signature, issuer, audience and times are checked,
 * `principal` finds its owner. If the issuer's keys cannot be fetched, requests get 503, never 401;
 * known keys remain in use during an outage. Needs the optional peer jose; if it is not installed,
 * the process ends with an error that names the command to install it.
 */
export function jwt<P = JWTPayload, const Keys = URL | undefined>(
  name: string,
  options: JwtOptions<P> & { readonly jwks?: Keys },
): ScopedScheme<P, 400 | 401 | (Keys extends URL ? 503 : never)> {
  checkScheme('jwt', name, options, RULES)
  const { jwks, key, realm, identify, description } = options
  if ((jwks === undefined) === (key === undefined))
    throw new TypeError(`jwt("${name}") needs jwks or key, and not both`)
  const algorithms = allowedAlgorithms(name, options)
  // it is awaited nowhere until a request comes, so a missing peer ends the process at its start
  const verifier = import('jose')
    .catch(missingPeer('jwt()', 'npm install jose'))
    .then(jose => verifierOf(jose, { ...options, algorithms }))
  const principal = options.principal ?? ((claims: JWTPayload) => claims as P)
  const scopesOf = options.scopesOf ?? (({ scope, scp }: JWTPayload) => scopesIn(scope ?? scp))
  return bearerScheme<P>(name, {
    format: 'JWT',
    mayBeUnreachable: jwks instanceof URL,
    ...defined({ realm, identify, description }),
    async verify(token, ctx): Promise<Verdict<P>> {
      const verify = await verifier
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

/**
 * The verdict on a token that could not be verified. The error of jose contains its claims, so it
 * is not passed on.
 */
function refusedFor(error: unknown): Verdict<never> {
  if (error instanceof Unreachable)
    return { state: 'unreachable', retryAfter: error.retryAfter, cause: error }
  const { code = 'the token cannot be verified', message = '' } = Object(error) as {
    readonly code?: string
    readonly message?: string
  }
  return { ...INVALID_TOKEN, cause: new Error(`${code}: ${message}`) }
}

/** Returns the algorithms that signatures may have. Throws a TypeError if one does not fit. */
function allowedAlgorithms<P>(
  name: string,
  { key, jwks, algorithms }: JwtOptions<P>,
): readonly string[] {
  try {
    if (key === undefined) {
      const keys = jwks instanceof URL ? [] : (jwks as JSONWebKeySet).keys
      for (const one of keys) if (one.kty !== 'oct') algorithmsOf(one)
      const shared = algorithms?.find(algorithm => algorithm.startsWith('HS'))
      if (shared !== undefined)
        throw new TypeError(`${shared} is for a shared secret: it cannot be used with jwks`)
      return algorithms ?? ASYMMETRIC
    }
    const fitting = algorithmsOf(key)
    const unfit = algorithms?.find(algorithm => !fitting.includes(algorithm))
    if (unfit !== undefined || fitting.length === 0)
      throw new TypeError(
        `algorithms must fit the key (${fitting.join(', ') || 'none does'}), not ${unfit ?? 'any other'}`,
      )
    return algorithms ?? fitting
  } catch (error) {
    throw new TypeError(`jwt("${name}"): ${(error as Error).message}`)
  }
}

function verifierOf<P>(jose: Jose, options: JwtOptions<P>): Verify {
  const verify = signatureVerifierOf(jose, options)
  const absent = (['iss', 'aud'] as const).filter(
    claim => options[claim === 'iss' ? 'issuer' : 'audience'] === null,
  )
  if (absent.length === 0) return verify
  return async token => {
    const claims = await verify(token)
    const there = absent.find(claim => claims[claim] !== undefined)
    if (there === undefined) return claims
    throw new jose.errors.JWTClaimValidationFailed(
      `unexpected "${there}" claim`,
      claims,
      there,
      'check_failed',
    )
  }
}

function signatureVerifierOf<P>(jose: Jose, options: JwtOptions<P>): Verify {
  const { jwks, key } = options
  const checks = checksOf(options)
  if (key !== undefined)
    return async token => (await jose.jwtVerify(token, key as CryptoKey, checks)).payload
  if (!(jwks instanceof URL)) {
    const keys = keysOf(jose, jwks)
    return token => verifyBy(jose, keys, token, checks)
  }
  const remote = new RemoteKeys(jwks, json => keysOf(jose, json), options)
  // jose asks for a key only after it has read the token: a malformed token is refused whether the
  // issuer can be reached or not
  const current: JWTVerifyGetKey = async (header, token) => (await remote.current())(header, token)
  return async token => {
    try {
      return await verifyBy(jose, current, token, checks)
    } catch (error) {
      // a key that is not known yet: the issuer may have made it since
      const newer =
        error instanceof jose.errors.JWKSNoMatchingKey ? await remote.newer() : undefined
      if (newer === undefined) throw error
      return verifyBy(jose, newer, token, checks)
    }
  }
}

function checksOf<P>({
  issuer,
  audience,
  algorithms = [],
  typ,
  requiredClaims = ['exp'],
  clockTolerance = 0,
}: JwtOptions<P>): JWTVerifyOptions {
  return {
    ...(issuer !== null && { issuer: [issuer].flat() as string[] }),
    ...(audience !== null && { audience: [audience].flat() as string[] }),
    algorithms: [...algorithms],
    requiredClaims: [...requiredClaims],
    clockTolerance,
    ...defined({ typ }),
  }
}

type Keys = ReturnType<Jose['createLocalJWKSet']>

/**
 * Throws for anything but a set of keys; a set without any is a fault of the provider, not of every
 * token.
 */
function keysOf({ createLocalJWKSet }: Jose, json: unknown): Keys {
  const keys = createLocalJWKSet(json as JSONWebKeySet)
  if ((json as JSONWebKeySet).keys.length === 0) throw new Error('The set of keys is empty')
  return keys
}

/** Verifies by the key that the token names, or by each possible key if it names none. */
async function verifyBy(
  { errors, jwtVerify }: Jose,
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
