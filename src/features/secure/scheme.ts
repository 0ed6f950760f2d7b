// The contract between security schemes, those of this folder and those of applications, and
// `secure`.
import type { SecuritySchemeObject } from 'openapi3-ts/oas32'
import type { Context } from '../../feature-api/exchange.js'
import type { typing } from '../../feature-api/feature.js'
import type { WireError, WireFunction, WireResponse } from '../../feature-api/wire/facts.js'
import { isScope } from '../../http/credentials.js'
import { shown } from '../../names.js'
import { faultsIn, func, isString, type Rule, type Rules, required, string } from '../../options.js'

/** The verdict of a scheme on a request. */
export type Verdict<P> =
  /** The request has no credentials of this scheme. */
  | { readonly state: 'absent' }
  /** The credentials are valid: the principal they belong to, and their scopes. */
  | { readonly state: 'valid'; readonly principal: P; readonly scopes?: readonly string[] }
  /**
   * The credentials are invalid. `error` is sent in the challenge; `cause` is logged and must not
   * contain the credentials.
   */
  | { readonly state: 'invalid'; readonly error?: 'invalid_token'; readonly cause?: unknown }
  /** The credentials are malformed: the response is 400. */
  | { readonly state: 'malformed' }
  /**
   * The credentials cannot be verified, since a service is unreachable: the response is 503, with
   * Retry-After in seconds.
   */
  | { readonly state: 'unreachable'; readonly retryAfter: number; readonly cause: unknown }

/** The error in a challenge (RFC 6750, section 3). */
export interface ChallengeProblem {
  readonly error: 'invalid_request' | 'invalid_token' | 'insufficient_scope'
  /** The scopes that are needed, with `insufficient_scope`. */
  readonly scope?: readonly string[]
}

/**
 * A way to authenticate callers: how credentials are found and verified, the challenge, and the
 * entry in the document. `apiKey`, `basic`, `bearer`, `jwt`, `oauth2` and `openIdConnect` create
 * one; an application may write its own. `Refusals` are the statuses that the document lists for
 * it; all possible ones if the compiler does not know them.
 */
export interface Scheme<P = unknown, Refusals extends number = number> {
  readonly [typing]?: { readonly refusals: Refusals }
  /** Its name among `components.securitySchemes`, unique within an Api. */
  readonly name: string
  readonly document: SecuritySchemeObject
  /**
   * Finds and verifies the credentials of a request. An error that it throws is handled like one
   * thrown by a method. `bodyLimit` is how many bytes of a body the operation reads, for schemes
   * that verify its bytes.
   */
  authenticate(
    ctx: Context,
    limits?: { readonly bodyLimit?: number | undefined },
  ): Verdict<P> | Promise<Verdict<P>>
  /** Returns a challenge for WWW-Authenticate; without a problem if no credentials were sent. */
  challenge(problem?: ChallengeProblem): string
  /** Identifies a principal within the scheme, for limits and idempotency keys. */
  identify?(principal: P): string | number
  /** Whether it depends on a service that may be unreachable: 503 is documented. */
  readonly mayBeUnreachable?: boolean
  /** Whether it reads the Authorization field, which a request can have only once. */
  readonly readsAuthorization?: boolean
  /** The scopes that the credentials must come with. */
  readonly requiredScopes?: readonly string[]
}

/** A scheme whose credentials come with scopes. */
export interface ScopedScheme<P = unknown, Refusals extends number = number>
  extends Scheme<P, Refusals> {
  /** Returns the scheme with required scopes: `secure(login.scopes('pets:write'))`. */
  scopes(...names: readonly string[]): Scheme<P, Refusals | 403>
}

export const ABSENT = Object.freeze({ state: 'absent' })
export const INVALID = Object.freeze({ state: 'invalid' })
export const INVALID_TOKEN = Object.freeze({ state: 'invalid', error: 'invalid_token' })
export const MALFORMED = Object.freeze({ state: 'malformed' })

/** The result of a `principal` function for credentials that belong to nobody. */
export type Nobody = undefined | null | false

/**
 * The result of a `principal` function of an application; undefined, null or false if the
 * credentials belong to nobody.
 */
export type Found<P> = P | Nobody | Promise<P | Nobody>

/**
 * The wire facts of `secure`: the refusals that the document lists, or all possible ones if those
 * of a scheme are not known, and the fields that keep responses private.
 */
export type SecureWire<Refusals extends number, Options> =
  | (number extends Refusals
      ? SecureFacts<400 | 401 | 403 | 503, Options>
      : SecureFacts<Refusals, Options>)
  | PrivateWire

/** The wire facts of a private response, by method. */
interface PrivateWire extends WireFunction {
  readonly facts: this['method'] extends 'get' | 'head' | 'query'
    ? { readonly every: { 'Cache-Control'?: string; Vary?: string } }
    : never
}

type SecureFacts<Refusals, Options> = {
  errors: (Refusals & 400) | (Options extends { readonly allow: unknown } ? 403 : never)
  responses:
    | WireResponse<Refusals & (401 | 403), WireError, { 'WWW-Authenticate'?: string }, false>
    | (503 extends Refusals
        ? WireResponse<503, WireError, { 'Retry-After'?: number }, false>
        : never)
} & unknown

/**
 * One way to meet a requirement: schemes that are all needed, and how their principals are
 * combined.
 */
export interface Alternative<P = unknown> {
  readonly schemes: readonly Scheme[]
  combine(principals: readonly unknown[]): P
}

/** Several schemes, one or all of which are needed; created by `anyOf` and `allOf`. */
export interface Combination<P = unknown, Refusals extends number = number> {
  readonly [typing]?: { readonly refusals: Refusals }
  /** In the order in which they are tried. */
  readonly alternatives: readonly Alternative<P>[]
}

/** The argument of `secure`: a scheme, or several combined. */
export type Requirement<P = unknown, Refusals extends number = number> =
  | Scheme<P, Refusals>
  | Combination<P, Refusals>

/** The principal that the method receives once a requirement is met. */
export type PrincipalOf<R> =
  R extends Combination<infer P> ? P : R extends Scheme<infer P> ? P : never

/** The statuses with which a requirement refuses requests. */
type RefusalsOf<R> = R extends Requirement<unknown, infer Refusals> ? Refusals : never

/**
 * Requires one of these: the first whose credentials are valid. The method receives the principal
 * of that one.
 */
export function anyOf<const R extends readonly [Requirement, ...Requirement[]]>(
  ...requirements: R
): Combination<PrincipalOf<R[number]>, RefusalsOf<R[number]>> {
  checkSome('anyOf', requirements)
  return {
    alternatives: requirements.flatMap(requirement => alternativesOf(requirement)) as Alternative<
      PrincipalOf<R[number]>
    >[],
  }
}

/** Requires all of these. The method receives a list of their principals, in this order. */
export function allOf<const R extends readonly [Requirement, ...Requirement[]]>(
  ...requirements: R
): Combination<{ -readonly [Index in keyof R]: PrincipalOf<R[Index]> }, RefusalsOf<R[number]>> {
  checkSome('allOf', requirements)
  const start: readonly Alternative<readonly unknown[]>[] = [{ schemes: [], combine: () => [] }]
  const all = requirements.reduce(
    (before, requirement) =>
      before.flatMap(left => alternativesOf(requirement).map(right => both(left, right))),
    start,
  )
  return {
    alternatives: all as readonly Alternative[] as Alternative<{
      -readonly [Index in keyof R]: PrincipalOf<R[Index]>
    }>[],
  }
}

function both(
  left: Alternative<readonly unknown[]>,
  right: Alternative,
): Alternative<readonly unknown[]> {
  const count = left.schemes.length
  return {
    schemes: [...left.schemes, ...right.schemes],
    combine: principals => [
      ...left.combine(principals.slice(0, count)),
      right.combine(principals.slice(count)),
    ],
  }
}

/** Rejects an empty list: a requirement of no schemes would let everybody in. */
function checkSome(name: string, requirements: readonly unknown[]): void {
  if (requirements.length === 0) throw new TypeError(`${name}() takes at least one scheme`)
}

/** Returns the alternatives of a requirement; a scheme has one. */
export function alternativesOf<P>(requirement: Requirement<P>): readonly Alternative<P>[] {
  if (Array.isArray(Object(requirement).alternatives))
    return (requirement as Combination<P>).alternatives
  if (
    typeof Object(requirement).authenticate !== 'function' ||
    typeof Object(requirement).challenge !== 'function'
  )
    throw new TypeError(
      'secure(), anyOf() and allOf() take schemes: bearer(…), apiKey(…), or an object with authenticate() and challenge()',
    )
  return [{ schemes: [requirement as Scheme<P>], combine: principals => principals[0] as P }]
}

/** Gives a scheme its `scopes()`. */
export function scoped<P, Refusals extends number>(
  scheme: Scheme<P, Refusals>,
): ScopedScheme<P, Refusals> {
  return {
    ...scheme,
    scopes(...names) {
      for (const name of names) {
        if (!isScope(name))
          throw new TypeError(
            `${JSON.stringify(name)} cannot be a scope: RFC 6749, section 3.3, allows visible ASCII but " and \\`,
          )
      }
      return { ...scheme, requiredScopes: names }
    },
  }
}

/**
 * The scopes that a principal or the claims of a token carry: a list, or a string with blanks
 * between them (RFC 6749, section 3.3).
 */
export function scopesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(' ').filter(scope => scope !== '')
  return Array.isArray(value) ? value.filter(scope => typeof scope === 'string') : []
}

/** Throws a TypeError that lists the faults of a scheme: of its name, and of its options. */
export function checkScheme<Options extends object>(
  kind: string,
  name: string,
  options: Options,
  rules: Rules<NoInfer<Options>>,
): void {
  const isName = isString(name) && /^[\w.-]+$/.test(name)
  const faults = [
    ...(isName ? [] : ['the name may have letters, digits, dots, dashes and underscores']),
    ...faultsIn(options, rules),
  ]
  if (faults.length > 0) throw new TypeError(`${kind}(${shown(name)}): ${faults.join('; ')}`)
}

/** The rules of options that most schemes have. */
export const COMMON = {
  identify: func,
  description: string,
} as const satisfies Record<string, Rule>

/** The rule of `principal`, if nothing else identifies the owner of the credentials. */
export const PRINCIPAL = required(func)
