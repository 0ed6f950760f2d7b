// What a security scheme is: the contract between those of this folder, those of applications, and `secure`.
import type { SecuritySchemeObject } from 'openapi3-ts/oas32'
import type { Context } from '../../contract/exchange.js'
import type { typing } from '../../contract/typing.js'

/** What a scheme finds out about a request. */
export type Verdict<P> =
  /** The request has no credentials of this scheme. */
  | { readonly state: 'absent' }
  /** They are valid: whose they are, and which scopes they come with. */
  | { readonly state: 'valid'; readonly principal: P; readonly scopes?: readonly string[] }
  /** They are not. `error` stands in the challenge; `cause` is for logs, and must not contain the credentials. */
  | { readonly state: 'invalid'; readonly error?: 'invalid_token'; readonly cause?: unknown }
  /** The request cannot be one: responded to with 400. */
  | { readonly state: 'malformed' }
  /** Nobody knows, since what decides cannot be asked: 503, with Retry-After in seconds. */
  | { readonly state: 'unreachable'; readonly retryAfter: number; readonly cause: unknown }

/** What is wrong with the credentials that were sent, for the challenge (RFC 6750, section 3). */
export interface ChallengeProblem {
  readonly error: 'invalid_request' | 'invalid_token' | 'insufficient_scope'
  /** The scopes that are needed, with `insufficient_scope`. */
  readonly scope?: readonly string[]
}

/**
 * A way to say who is calling: how credentials are found, whose they are, how they are asked for, and what the document says.
 * `apiKey`, `basic`, `bearer`, `jwt`, `oauth2` and `openIdConnect` make one; an application may write its own. `Refusals` are the
 * statuses that the document has for it; where the compiler does not know, all that there may be.
 */
export interface Scheme<P = unknown, Refusals extends number = number> {
  readonly [typing]?: { readonly refusals: Refusals }
  /** Its name among `components.securitySchemes`: one scheme of an Api. */
  readonly name: string
  readonly document: SecuritySchemeObject
  /** Finds the credentials of a request, and says whose they are. What it throws is responded to as thrown by a method. */
  authenticate(ctx: Context): Verdict<P> | Promise<Verdict<P>>
  /** A challenge for the field WWW-Authenticate; without a problem where no credentials were sent. */
  challenge(problem?: ChallengeProblem): string
  /** Names a principal within the scheme, for limits and idempotency keys that belong to a caller. */
  identify?(principal: P): string | number
  /** It asks somebody else, who may not respond: 503 is documented. */
  readonly mayBeUnreachable?: boolean
  /** It reads the Authorization field, of which a request has one. */
  readonly readsAuthorization?: boolean
  /** The scopes that the credentials must come with. */
  readonly requiredScopes?: readonly string[]
}

/** A scheme whose credentials come with scopes. */
export interface ScopedScheme<P = unknown, Refusals extends number = number> extends Scheme<P, Refusals> {
  /** The same scheme where all these scopes are needed: `secure(login.scopes('pets:write'))`. */
  scopes(...names: readonly string[]): Scheme<P, Refusals | 403>
}

export const ABSENT = Object.freeze({ state: 'absent' })
export const INVALID = Object.freeze({ state: 'invalid' })
export const INVALID_TOKEN = Object.freeze({ state: 'invalid', error: 'invalid_token' })
export const MALFORMED = Object.freeze({ state: 'malformed' })

/** What a `principal` function returns for credentials that are nobody's. */
export type Nobody = undefined | null | false

/** Whom credentials belong to: what a `principal` function of an application returns; undefined, null or false for nobody. */
export type Found<P> = P | Nobody | Promise<P | Nobody>
