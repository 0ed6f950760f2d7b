import { isScope } from '../../http/credentials.js'
import type { Scheme, ScopedScheme } from './scheme.js'

/** Gives a scheme its `scopes()`. */
export function scoped<P, Refusals extends number>(
  scheme: Scheme<P, Refusals>,
): ScopedScheme<P, Refusals> {
  return {
    ...scheme,
    scopes(...names) {
      if (names.length === 0)
        throw new TypeError(
          `scopes() of the scheme "${scheme.name}" must have at least one scope, not none`,
        )
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
