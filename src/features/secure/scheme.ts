// The contract between security schemes, those of this folder and those of applications, and
// `secure`.
import type { SecuritySchemeObject } from 'openapi3-ts/oas32'
import type { Context } from '../../feature-api/exchange.js'
import type { typing } from '../../feature-api/typing.js'
import type { WireError, WireFunction, WireResponse } from '../../feature-api/wire/facts.js'

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
export interface PrivateWire extends WireFunction {
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
