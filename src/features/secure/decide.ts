// Authenticates the caller: tries the alternatives of an operation in order, for each request.
import { isIdentity } from '../../feature-api/caller.js'
import type { Context, Exchange, Step, StepResult } from '../../feature-api/exchange.js'
import { type Later, proceed } from '../../feature-api/later.js'
import { HttpException, Refusal } from '../../http/failure.js'
import { retryAfter } from '../../http/retry-after.js'
import {
  type Alternative,
  type ChallengeProblem,
  type Found,
  type Nobody,
  type Scheme,
  scopesIn,
  type Verdict,
} from './scheme.js'

/** The policy of an operation, known at registration. */
export interface Policy {
  readonly alternatives: readonly Alternative[]
  /** Whether requests without credentials are accepted. */
  readonly optional: boolean
  /** How many bytes of a body the operation reads; undefined if it reads none. */
  readonly bodyLimit?: number | undefined
  readonly allow: ((principal: unknown, ctx: Context) => boolean | Promise<boolean>) | undefined
}

/**
 * Returns the step that accepts a request with the principal of the first alternative that is
 * valid, has its scopes and is allowed, and refuses it otherwise. Nearly all operations have a
 * single scheme: valid callers are accepted without the bookkeeping that alternatives need.
 */
export function deciderOf(policy: Policy): Step {
  const [only, ...others] = policy.alternatives
  const [scheme, ...more] = only?.schemes ?? []
  if (!only || !scheme || others.length > 0 || more.length > 0)
    return exchange => new Attempt(policy, exchange).from(0)
  const { allow } = policy
  const decide = (exchange: Exchange, given: Verdict<unknown>): Later<StepResult> => {
    const verdict = checked(scheme, given)
    if (allow || verdict.state !== 'valid' || !hasScopes(scheme, verdict))
      return new Attempt(policy, exchange).knowing(scheme, verdict).from(0)
    const principals = [verdict.principal]
    admit(only, principals, only.combine(principals), exchange)
    return undefined
  }
  return exchange =>
    proceed(scheme.authenticate(exchange.ctx, policy), verdict => decide(exchange, verdict))
}

/** Returns whether valid credentials come with the scopes that the scheme requires. */
function hasScopes(
  { requiredScopes = [] }: Scheme,
  verdict: Extract<Verdict<unknown>, { state: 'valid' }>,
): boolean {
  if (requiredScopes.length === 0) return true
  // an untyped `scopesOf` may return the claim unchanged, a string with blanks
  const scopes = scopesIn(verdict.scopes)
  return requiredScopes.every(scope => scopes.includes(scope))
}

const STATES: ReadonlySet<unknown> = new Set<Verdict<unknown>['state']>([
  'absent',
  'valid',
  'invalid',
  'malformed',
  'unreachable',
])

/**
 * Checks a verdict: a scheme of the application that forgets to return must not look like a request
 * without credentials.
 */
function checked({ name }: Scheme, verdict: Verdict<unknown>): Verdict<unknown> {
  if (STATES.has(Object(verdict).state)) return verdict
  // without what it returned, which may be a secret
  throw new TypeError(
    `authenticate() of the scheme "${name}" has to return { state }, which is one of ${[...STATES].join(', ')}`,
  )
}

function admit(
  { schemes }: Alternative,
  principals: readonly unknown[],
  value: unknown,
  exchange: Exchange,
): void {
  const [first] = schemes
  const scheme =
    schemes.length === 1 && first ? first.name : schemes.map(({ name }) => name).join('+')
  const identity = identityOf(schemes, principals)
  exchange.principal = identity === undefined ? { scheme, value } : { scheme, value, identity }
  exchange.named.principal = value
}

/** Returns the identity of the caller, if every scheme of the alternative names one. */
function identityOf(
  schemes: readonly Scheme[],
  principals: readonly unknown[],
): string | number | undefined {
  const identities = schemes.map((scheme, index) => scheme.identify?.(principals[index]))
  if (!identities.every(isIdentity)) return undefined
  return identities.length === 1 ? identities[0] : JSON.stringify(identities)
}

/** One request, and the verdicts found so far. */
class Attempt {
  /**
   * Keyed by `authenticate`, since a scheme may be part of several alternatives, with different
   * scopes.
   */
  readonly #verdicts = new Map<Scheme['authenticate'], Verdict<unknown>>()
  /** Schemes whose credentials are valid and lack a scope. */
  readonly #unscoped: Scheme[] = []
  #isForbidden = false

  constructor(
    readonly policy: Policy,
    readonly exchange: Exchange,
  ) {}

  /** Records a verdict that is known already. */
  knowing({ authenticate }: Scheme, verdict: Verdict<unknown>): this {
    this.#verdicts.set(authenticate, verdict)
    return this
  }

  from(index: number): Later<StepResult> {
    const alternative = this.policy.alternatives[index]
    if (alternative === undefined) return this.#refusal()
    return proceed(this.#meets(alternative, []), principals =>
      principals === undefined ? this.from(index + 1) : this.#admit(alternative, principals, index),
    )
  }

  /** Returns the principals of an alternative; undefined if one of its schemes fails. */
  #meets(
    alternative: Alternative,
    before: readonly unknown[],
  ): Later<readonly unknown[] | undefined> {
    const scheme = alternative.schemes[before.length]
    if (scheme === undefined) return before
    return proceed(this.#verdictOf(scheme), verdict => {
      if (verdict.state !== 'valid') return undefined
      if (hasScopes(scheme, verdict))
        return this.#meets(alternative, [...before, verdict.principal])
      this.#unscoped.push(scheme)
      return undefined
    })
  }

  #verdictOf(scheme: Scheme): Later<Verdict<unknown>> {
    const known = this.#verdicts.get(scheme.authenticate)
    if (known) return known
    return proceed(scheme.authenticate(this.exchange.ctx, this.policy), given => {
      const verdict = checked(scheme, given)
      this.#verdicts.set(scheme.authenticate, verdict)
      return verdict
    })
  }

  #admit(
    alternative: Alternative,
    principals: readonly unknown[],
    index: number,
  ): Later<StepResult> {
    const value = alternative.combine(principals)
    return proceed(this.policy.allow?.(value, this.exchange.ctx) ?? true, isAllowed => {
      if (!isAllowed) {
        this.#isForbidden = true
        return this.from(index + 1)
      }
      admit(alternative, principals, value, this.exchange)
      return undefined
    })
  }

  #refusal(): StepResult {
    const verdicts = [...this.#verdicts.values()]
    if (verdicts.some(({ state }) => state === 'malformed')) {
      const headers = challenges(this.#schemes(), () => ({ error: 'invalid_request' }), {
        onlyIfTold: true,
      })
      return new Refusal(400, { message: 'Authorization was sent more than once.', ...headers })
    }
    const unreachable = verdicts.find(verdict => verdict.state === 'unreachable')
    // thrown and not returned, so that it is logged
    if (unreachable) throw unavailable(unreachable)
    if (this.#unscoped.length > 0 || this.#isForbidden) {
      const scopeOf = ({ requiredScopes = [] }: Scheme): ChallengeProblem => ({
        error: 'insufficient_scope',
        scope: requiredScopes,
      })
      return new Refusal(403, challenges(this.#unscoped, scopeOf))
    }
    if (this.policy.optional && verdicts.every(({ state }) => state === 'absent')) return undefined
    const causes = verdicts.flatMap(verdict =>
      verdict.state === 'invalid' && verdict.cause !== undefined ? [verdict.cause] : [],
    )
    return new Refusal(401, {
      ...challenges(this.#schemes(), scheme => this.#problemOf(scheme)),
      ...(causes.length > 0 && { cause: causes[0] }),
    })
  }

  #problemOf({ authenticate }: Scheme): ChallengeProblem | undefined {
    const verdict = this.#verdicts.get(authenticate)
    return verdict?.state === 'invalid' && verdict.error ? { error: verdict.error } : undefined
  }

  #schemes(): readonly Scheme[] {
    return this.policy.alternatives.flatMap(({ schemes }) => schemes)
  }
}

/**
 * One field line for each challenge (RFC 9110, section 11.6.1: a list of challenges in one line is
 * hard to read for clients).
 */
function challenges(
  schemes: readonly Scheme[],
  problemOf: (scheme: Scheme) => ChallengeProblem | undefined,
  { onlyIfTold = false } = {},
): { readonly headers?: Record<string, readonly string[]> } {
  const telling = onlyIfTold
    ? schemes.filter(scheme => scheme.challenge(problemOf(scheme)) !== scheme.challenge())
    : schemes
  const written = [...new Set(telling.map(scheme => scheme.challenge(problemOf(scheme))))]
  return written.length > 0 ? { headers: { 'WWW-Authenticate': written } } : {}
}

function unavailable({
  retryAfter: seconds,
  cause,
}: Extract<Verdict<unknown>, { state: 'unreachable' }>): HttpException {
  return new HttpException({
    code: 503,
    headers: { 'Retry-After': retryAfter(seconds) },
    cause,
  })
}

/** The verdict on credentials by what an application's `principal` function returned for them. */
export function verdictOf<P>(
  found: Found<P>,
  otherwise: Verdict<P>,
  scopesOf?: (principal: P) => readonly string[],
): Verdict<P> | Promise<Verdict<P>> {
  return proceed<P | Nobody, Verdict<P>>(found, principal =>
    verdictOn(principal, otherwise, scopesOf),
  )
}

function verdictOn<P>(
  principal: P | Nobody,
  otherwise: Verdict<P>,
  scopesOf?: (principal: P) => readonly string[],
): Verdict<P> {
  // false is what `key => safeEqual(key, mine)` returns for a wrong key
  if (principal === undefined || principal === null || principal === false) return otherwise
  return scopesOf
    ? { state: 'valid', principal, scopes: scopesOf(principal) }
    : { state: 'valid', principal }
}
