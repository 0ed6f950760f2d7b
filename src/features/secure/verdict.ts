import { isPromise } from '../../respond/result.js'
import type { Found, Nobody, Verdict } from './scheme.js'

/** The verdict on credentials by what an application's `principal` function returned for them. */
export function verdictOf<P>(
  found: Found<P>,
  otherwise: Verdict<P>,
  scopesOf?: (principal: P) => readonly string[],
): Verdict<P> | Promise<Verdict<P>> {
  if (isPromise(found)) return found.then(principal => verdictOn(principal, otherwise, scopesOf))
  return verdictOn(found as P | Nobody, otherwise, scopesOf)
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
