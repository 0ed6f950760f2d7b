import type { typing } from '../../feature-api/typing.js'
import type { Scheme } from './scheme.js'

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
export type RefusalsOf<R> = R extends Requirement<unknown, infer Refusals> ? Refusals : never

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
