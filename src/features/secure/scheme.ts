// The contract between security schemes, those of this folder and those of applications, and `secure`.
import type { SecuritySchemeObject } from 'openapi3-ts/oas32'
import type { Context } from '../../contract/exchange.js'
import type { typing } from '../../contract/typing.js'

/** The verdict of a scheme on a request. */
export type Verdict<P> =
  /** The request has no credentials of this scheme. */
  | { readonly state: 'absent' }
  /** The credentials are valid: the principal they belong to, and their scopes. */
  | { readonly state: 'valid'; readonly principal: P; readonly scopes?: readonly string[] }
  /** The credentials are invalid. `error` is sent in the challenge; `cause` is logged and must not contain the credentials. */
  | { readonly state: 'invalid'; readonly error?: 'invalid_token'; readonly cause?: unknown }
  /** The credentials are malformed: the response is 400. */
  | { readonly state: 'malformed' }
  /** The credentials cannot be verified, since a service is unreachable: the response is 503, with Retry-After in seconds. */
  | { readonly state: 'unreachable'; readonly retryAfter: number; readonly cause: unknown }

/** The error in a challenge (RFC 6750, section 3). */
export interface ChallengeProblem {
  readonly error: 'invalid_request' | 'invalid_token' | 'insufficient_scope'
  /** The scopes that are needed, with `insufficient_scope`. */
  readonly scope?: readonly string[]
}

/**
 * A way to authenticate callers: how credentials are found and verified, the challenge, and the entry in the document. `apiKey`, `basic`,
 * `bearer`, `jwt`, `oauth2` and `openIdConnect` create one; an application may write its own. `Refusals` are the statuses that the document
 * lists for it; all possible ones if the compiler does not know them.
 */
export interface Scheme<P = unknown, Refusals extends number = number> {
  readonly [typing]?: { readonly refusals: Refusals }
  /** Its name among `components.securitySchemes`, unique within an Api. */
  readonly name: string
  readonly document: SecuritySchemeObject
  /** Finds and verifies the credentials of a request. An error that it throws is handled like one thrown by a method. */
  authenticate(ctx: Context): Verdict<P> | Promise<Verdict<P>>
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

/** The result of a `principal` function of an application; undefined, null or false if the credentials belong to nobody. */
export type Found<P> = P | Nobody | Promise<P | Nobody>
