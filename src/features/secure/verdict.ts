import { isPromise } from '../../respond/result.js'
import type { Found, Verdict } from './scheme.js'

/** The verdict on credentials by what an application's `principal` function returned for them. */
export function verdictOf<P>(
  found: Found<P>,
  otherwise: Verdict<P>,
  scopesOf?: (principal: P) => readonly string[],
): Verdict<P> | Promise<Verdict<P>> {
  if (isPromise(found)) return found.then(principal => verdictOn(principal, otherwise, scopesOf))
  return verdictOn(found as P | undefined | null, otherwise, scopesOf)
}

function verdictOn<P>(principal: P | undefined | null, otherwise: Verdict<P>, scopesOf?: (principal: P) => readonly string[]): Verdict<P> {
  if (principal === undefined || principal === null) return otherwise
  return scopesOf ? { state: 'valid', principal, scopes: scopesOf(principal) } : { state: 'valid', principal }
}
