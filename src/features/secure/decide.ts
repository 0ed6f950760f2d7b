// Authenticates the caller: tries the alternatives of an operation in order, for each request.
import { isIdentity } from '../../feature-api/caller.js'
import type { Context, Exchange, Step, StepResult } from '../../feature-api/exchange.js'
import { type Later, proceed } from '../../feature-api/later.js'
import { HttpException, Refusal, retryAfter } from '../../http/failure.js'
import { defined } from '../../options.js'
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
 * single scheme: nothing has to be awaited then unless the application does.
 */
export function deciderOf(policy: Policy): Step {
  const [only, ...others] = policy.alternatives
  const [scheme, ...more] = only?.schemes ?? []
  if (!only || !scheme || others.length > 0 || more.length > 0)
    return exchange => decide(policy, exchange)
  const decideOn = (exchange: Exchange, verdict: Verdict<unknown>): Later<StepResult> => {
    const refuse = (found: Partial<Findings>) =>
      refusalOf(policy, { verdicts: new Map([[scheme.authenticate, verdict]]), ...found })
    if (verdict.state !== 'valid') return refuse({})
    if (!hasScopes(scheme, verdict)) return refuse({ unscoped: [scheme] })
    const principals = [verdict.principal]
    const value = only.combine(principals)
    return proceed(policy.allow?.(value, exchange.ctx) ?? true, isAllowed =>
      isAllowed ? admit(only, principals, value, exchange) : refuse({ isForbidden: true }),
    )
  }
  return exchange =>
    proceed(scheme.authenticate(exchange.ctx, policy), verdict =>
      decideOn(exchange, checked(scheme, verdict)),
    )
}

/** The facts about a request that is refused. */
interface Findings {
  /**
   * Keyed by `authenticate`, since a scheme may be part of several alternatives, with different
   * scopes.
   */
  readonly verdicts: ReadonlyMap<Scheme['authenticate'], Verdict<unknown>>
  /** Schemes whose credentials are valid and lack a scope. */
  readonly unscoped?: readonly Scheme[]
  readonly isForbidden?: boolean
}

/** Tries the alternatives in order. */
async function decide(policy: Policy, exchange: Exchange): Promise<StepResult> {
  const { alternatives, allow } = policy
  const verdicts = new Map<Scheme['authenticate'], Verdict<unknown>>()
  const unscoped: Scheme[] = []
  let isForbidden = false
  for (const alternative of alternatives) {
    const { schemes } = alternative
    const principals: unknown[] = []
    for (const scheme of schemes) {
      const verdict =
        verdicts.get(scheme.authenticate) ??
        checked(scheme, await scheme.authenticate(exchange.ctx, policy))
      verdicts.set(scheme.authenticate, verdict)
      if (verdict.state !== 'valid') break
      if (hasScopes(scheme, verdict)) principals.push(verdict.principal)
      else {
        unscoped.push(scheme)
        break
      }
    }
    if (principals.length < schemes.length) continue
    const value = alternative.combine(principals)
    if ((await allow?.(value, exchange.ctx)) ?? true)
      return admit(alternative, principals, value, exchange)
    isForbidden = true
  }
  return refusalOf(policy, { verdicts, unscoped, isForbidden })
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

function refusalOf(
  { alternatives, optional }: Policy,
  { verdicts: known, unscoped = [], isForbidden = false }: Findings,
): StepResult {
  const verdicts = [...known.values()]
  const schemes = alternatives.flatMap(alternative => alternative.schemes)
  if (verdicts.some(({ state }) => state === 'malformed')) {
    const headers = challenges(schemes, () => ({ error: 'invalid_request' }), { onlyIfTold: true })
    return new Refusal(400, { message: 'Authorization was sent more than once.', ...headers })
  }
  const unreachable = verdicts.find(verdict => verdict.state === 'unreachable')
  // thrown and not returned, so that it is logged
  if (unreachable) {
    const headers = { 'Retry-After': retryAfter(unreachable.retryAfter) }
    throw new HttpException({ code: 503, headers, cause: unreachable.cause })
  }
  if (unscoped.length > 0 || isForbidden) {
    const scopeOf = ({ requiredScopes = [] }: Scheme): ChallengeProblem => ({
      error: 'insufficient_scope',
      scope: requiredScopes,
    })
    return new Refusal(403, challenges(unscoped, scopeOf))
  }
  if (optional && verdicts.every(({ state }) => state === 'absent')) return undefined
  const problemOf = ({ authenticate }: Scheme): ChallengeProblem | undefined => {
    const verdict = known.get(authenticate)
    return verdict?.state === 'invalid' && verdict.error ? { error: verdict.error } : undefined
  }
  const [cause] = verdicts.flatMap(verdict =>
    verdict.state === 'invalid' && verdict.cause !== undefined ? [verdict.cause] : [],
  )
  return new Refusal(401, { ...challenges(schemes, problemOf), ...defined({ cause }) })
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

/** The verdict on credentials by what an application's `principal` function returned for them. */
export function verdictOf<P>(
  found: Found<P>,
  otherwise: Verdict<P>,
  scopesOf?: (principal: P) => readonly string[],
): Verdict<P> | Promise<Verdict<P>> {
  return proceed<P | Nobody, Verdict<P>>(found, principal => {
    // false is what `key => safeEqual(key, mine)` returns for a wrong key
    if (principal === undefined || principal === null || principal === false) return otherwise
    return scopesOf
      ? { state: 'valid', principal, scopes: scopesOf(principal) }
      : { state: 'valid', principal }
  })
}
