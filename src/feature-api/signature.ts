import type { Enveloped } from './envelope.js'
import type { Context } from './exchange.js'
import type { Feature, Typing, typing } from './feature.js'
import type { Reply } from './reply.js'
import type { Seekable } from './seekable.js'

/** Typing of a feature. */
export type TypingOf<F> = F extends Feature ? NonNullable<F[typeof typing]> : Typing

/** The kind of a feature if it is a literal type: a wide `string` is not a kind. */
type KindOf<F> =
  F extends Feature<Typing, infer Kind> ? (string extends Kind ? never : Kind) : never

/** Whether each kind is in the list again, further on; `never` is not a kind. */
type Repeated<Kinds extends readonly unknown[]> = Kinds extends readonly [
  infer First,
  ...infer Others,
]
  ? [
      [First] extends [never] ? false : First extends Others[number] ? true : false,
      ...Repeated<Others>,
    ]
  : []

type KindsOf<Features extends readonly unknown[]> = {
  readonly [Index in keyof Features]: KindOf<Features[Index]>
}

// The compiler walks through the whole type that a condition tests, so conditions test lists of
// small types: recursions over the features themselves made a view half as expensive again.

/**
 * The features that an operation keeps: of each kind the last, and all that have none; the others
 * are `undefined`. `lastOfEachKind` is the same for values.
 */
export type Kept<Features extends readonly unknown[]> = Unrepeated<
  Features,
  Repeated<KindsOf<Features>>
>
type Unrepeated<Features extends readonly unknown[], Repetitions> = {
  readonly [Index in keyof Features]: Index extends keyof Repetitions
    ? Repetitions[Index] extends true
      ? undefined
      : Features[Index]
    : never
}

/**
 * The values of one property in the typings of the kept features, each wrapped in a tuple, so that
 * a value that is a union is not distributed.
 */
type FactsOf<Features extends readonly unknown[], Name extends keyof Typing> = BoxOf<
  Kept<Features>[number],
  Name
>
type BoxOf<F, Name extends keyof Typing> = F extends unknown
  ? TypingOf<F> extends { readonly [Key in Name]: unknown }
    ? [TypingOf<F>[Name]]
    : never
  : never

/** The values of one property in the typings of features, in their order; `None` without it. */
type ListOf<Features extends readonly unknown[], Name extends keyof Typing, None> = {
  readonly [Index in keyof Features]: TypingOf<Features[Index]> extends {
    readonly [Key in Name]: infer Value
  }
    ? Value
    : None
}

type Joined<Lists extends readonly unknown[]> = Lists extends readonly [
  infer First extends readonly unknown[],
  ...infer Others,
]
  ? [...First, ...Joined<Others>]
  : []

type All<Objects extends readonly unknown[]> = Objects extends readonly [
  infer First,
  ...infer Others,
]
  ? First & All<Others>
  : unknown

/** The positional arguments that a list of features gives a method, in their order. */
export type ArgumentsOf<Features extends readonly unknown[]> = Joined<
  ListOf<Kept<Features>, 'arguments', []>
>

/** The properties that a list of features adds to the last parameter of a method. */
export type NamedOf<Features extends readonly unknown[]> = All<
  ListOf<Kept<Features>, 'named', unknown>
>

/** The named values that a list of features needs. */
export type NeededBy<Features extends readonly unknown[]> = All<
  ListOf<Kept<Features>, 'needs', unknown>
>

/**
 * A collection that can return its length and a part of itself: an array, a query. `end` is
 * exclusive.
 */
export interface Sliceable<Item> {
  slice(start: number, end: number): readonly Item[] | Promise<readonly Item[]>
  count(): number | Promise<number>
}

/** The rows that a method returns: those of the response, or of its field if they are wrapped. */
type Paged<Value, Collection> = [Collection] extends ['keyset']
  ? Value extends readonly (infer Item)[]
    ? readonly Item[] | Seekable<Item>
    : Value
  : [Collection] extends [Enveloped<infer By, infer Items, infer Wrapped>]
    ? Unwrapped<Value, By, Items & string, Wrapped>
    : PagedByNumber<Value, Collection>

type PagedByNumber<Value, Collection> = [Collection] extends ['view']
  ? ReadonlyList<Value>
  : [Collection] extends [true]
    ? Value extends readonly (infer Item)[]
      ? readonly Item[] | Sliceable<Item>
      : Value
    : Collection

type Unwrapped<Value, By, Items extends string, Wrapped> = Value extends {
  readonly [Key in Items]: infer Rows
}
  ? [Wrapped] extends [{ readonly [Key in Items]: unknown } & Omit<Value, Items>]
    ? Paged<Rows, By>
    : {
        'wrap() does not match the response: it must return': Value
        'but wrap() returns': Wrapped
      }
  : { 'the response has no field': Items; 'the response is': Value }

/** Lets a method return a `readonly` list. */
type ReadonlyList<Value> = Value extends readonly unknown[] ? Readonly<Value> : Value

/** The names of all that the typings of the kept features contain. */
export type FactNames<Features extends readonly unknown[]> = NamesIn<Kept<Features>[number]>
type NamesIn<F> = F extends unknown
  ? Typing extends TypingOf<F>
    ? never
    : keyof TypingOf<F>
  : never

/** The value that a method with these features returns. */
export type ValueOf<Features extends readonly unknown[]> =
  'value' extends FactNames<Features>
    ? 'paged' extends FactNames<Features>
      ? Paged<FactsOf<Features, 'value'>[0], FactsOf<Features, 'paged'>[0]>
      : ReadonlyList<FactsOf<Features, 'value'>[0]>
    : unknown

type Either<Value, Failure> =
  | { readonly _tag: 'Right'; readonly right: Value }
  | { readonly _tag: 'Left'; readonly left: Failure }

/** A value, a `reply`, or an fp-ts Either of one. */
type Returned<Value, Failure> = Value | Reply<Value> | Either<Value | Reply<Value>, Failure>

/**
 * The results that a method may return: a value, a `reply`, a WHATWG `Response`, an fp-ts Either of
 * one, a promise of one, or an fp-ts Task of one.
 */
export type Result<Value, Raw = Response, Failure = unknown> =
  | Returned<Value | Raw, Failure>
  | Promise<Returned<Value | Raw, Failure>>
  | (() => Promise<Returned<Value | Raw, Failure>>)

/**
 * The value of a Left: an Error, which is thrown, or an occurrence of a problem that the descriptor
 * declares.
 */
export type FailureOf<Features extends readonly unknown[]> = Error | FactsOf<Features, 'failure'>[0]

/**
 * The type of a whole response that a method may return: a `Response`, unless a feature has to see
 * the value, as pagination has, and a reply without content, if one is declared.
 */
export type RawOf<Features extends readonly unknown[]> =
  | ('raw' extends FactNames<Features> ? never : Response)
  | ('empty' extends FactNames<Features>
      ? Reply<undefined> | Nothing<FactsOf<Features, 'empty'>[0]>
      : never)

// biome-ignore lint/suspicious/noConfusingVoidType: a method that returns nothing returns void
type Nothing<Empty> = 'main' extends Empty ? void : never

type Simplified<T> = T extends infer U ? { [Key in keyof U]: U[Key] } : never

/** Adds the signal of the request, unless something else has that name. */
type WithSignal<Values> = 'signal' extends keyof Values ? Values : Values & { signal: AbortSignal }

/** Everything that a method is given by name. */
export type NamedValues<Features extends readonly unknown[], Parameters> = Simplified<
  WithSignal<Parameters & NamedOf<Features>>
>

/**
 * The parameters of a method after `ctx`: the arguments in their order, then an object with
 * everything that has a name.
 */
export type Given<Features extends readonly unknown[], Parameters> = [
  ...ArgumentsOf<Features>,
  NamedValues<Features, Parameters>,
]

/** `unknown` if the features are given what they need; otherwise a type that names both. */
export type Satisfied<Features extends readonly unknown[], Parameters> =
  NamedValues<Features, Parameters> extends NeededBy<Features>
    ? unknown
    : {
        readonly 'its features need': NeededBy<Features>
        readonly 'but they are given'?: NamedValues<Features, Parameters>
      }

/** The method that a list of features requires, under a rule with these path parameters. */
export type Method<Features extends readonly unknown[], Parameters, Ctx = Context> = (
  ctx: Ctx,
  ...given: Given<Features, Parameters>
) => Result<ValueOf<Features>, RawOf<Features>, FailureOf<Features>>
