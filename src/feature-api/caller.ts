import type { Exchange } from './exchange.js'

/** Whether a value names a caller: SQL gives null for what is not there, `Number('x')` NaN. */
export function isIdentity(value: unknown): value is string | number {
  return typeof value === 'string' ? value !== '' : Number.isFinite(value)
}

/** Who sent a request, for budgets and keys that belong to callers. */
interface Caller {
  readonly scheme: string
  readonly identity: string | number
}

/**
 * Returns the caller of a request; undefined for an anonymous one. Throws a TypeError, which is a
 * 500, if nobody is named: all such callers would be one.
 */
export function callerOf({ principal }: Exchange, place: string, why: string): Caller | undefined {
  if (principal === undefined) return undefined
  const { scheme, identity } = principal
  if (isIdentity(identity)) return { scheme, identity }
  throw new TypeError(
    `${place}: identify() of the scheme "${scheme}" must return a string that is not empty or a finite number, ${why}`,
  )
}
