// The routes of a Blueprint, for the compiler: its prefix, and the features of the methods of its
// views. `Blueprint` uses it.
import type { typing } from '../feature-api/typing.js'
import type { SharedOf } from './checked.js'
import type { Verb } from './method-view.js'
import type { Operation } from './operation.js'

/**
 * The prefix of a Blueprint whose type does not have it: of a subclass that does not pass `Prefix`
 * on, or one with `<State>` alone.
 */
export type AnyPrefix = string & { readonly [typing]?: 'prefix' }

/**
 * Stands for the name of a Blueprint whose type was written, and not inferred from a call of the
 * constructor.
 */
export type AnyName = string & { readonly [typing]?: 'name' }

/**
 * The prefix of a Blueprint, or `string` if the compiler does not know it. A constructor that is
 * called with a name and without a prefix leaves it empty; a type written without one leaves it
 * unknown.
 */
export type KnownPrefix<Prefix extends string, Name> =
  IsUnsaid<Prefix> extends true ? (IsUnsaid<Name> extends true ? string : '') : Prefix

type IsUnsaid<Text> = typeof typing extends keyof Text ? true : false

/** The prefix that a Blueprint has by itself. */
export type PrefixOf<B> = B extends {
  readonly [typing]: { readonly prefix: infer Prefix extends string }
}
  ? Prefix
  : string

// The conditions below always hold. A type that is made by one has no name, so declarations spell
// it out, without the class of views, whose private members could not be named there (TS4094).

/** The features of each method of a class of views, after those that it shares with others. */
export type MethodsOf<View, Instance, Shared extends readonly unknown[]> = View extends unknown
  ? {
      [V in Verb & keyof View & keyof Instance]: View[V] extends Operation<infer Own>
        ? [...Shared, ...SharedOf<View>, ...Own]
        : never
    }
  : never

/** The same features for several methods, which are named in upper case. */
export type MethodsNamed<Names extends readonly string[], Features> = Names extends unknown
  ? { [Name in Names[number] as Lowercase<Name>]: Features }
  : never

/** Marks JSON responses as wrapped, if a Blueprint overrides `prepareResponseContent`. */
export type WrappingOf<B> = B extends { prepareResponseContent(data: unknown): infer Wrapped }
  ? [{ readonly [typing]?: { wire: { wrapped: Wrapped } } }]
  : []
