import type { Context } from './exchange.js'
import type { Feature } from './feature.js'
import type { Reply } from './reply.js'
import type { Seekable } from './seekable.js'
import type { Typing } from './typing.js'

/** Typing of a feature. */
type TypingOf<F> = F extends Feature<infer T> ? T : Typing

/** The positional arguments that a list of features gives a method, in their order. */
export type ArgumentsOf<Features extends readonly unknown[]> = Features extends readonly [infer First, ...infer Others]
  ? [...(TypingOf<First> extends { arguments: infer Given extends readonly unknown[] } ? Given : []), ...ArgumentsOf<Others>]
  : []

/** What a list of features puts into a method's last parameter. */
export type NamedOf<Features extends readonly unknown[]> = Features extends readonly [infer First, ...infer Others]
  ? (TypingOf<First> extends { named: infer Given extends object } ? Given : unknown) & NamedOf<Others>
  : unknown

/** The path parameters that a list of features asks for, each faulty one as an error of the rule. */
export type NeededBy<Features extends readonly unknown[]> = Features extends readonly [infer First, ...infer Others]
  ? (TypingOf<First> extends { parameters: infer Needed extends object } ? Needed : unknown) & NeededBy<Others>
  : unknown

type FactsOf<Features extends readonly unknown[], Name extends 'value' | 'paged'> = Features extends readonly [infer First, ...infer Others]
  ? (TypingOf<First> extends { [Key in Name]: infer Fact } ? [Fact] : never) | FactsOf<Others, Name>
  : never

/** A collection that knows how to count itself and to give a part of itself: an array, a query. `end` is exclusive. */
export interface Sliceable<Item> {
  slice(start: number, end: number): readonly Item[] | Promise<readonly Item[]>
  count(): number | Promise<number>
}

type Paged<Value, Collection> = [Collection] extends ['keyset']
  ? Value extends readonly (infer Item)[]
    ? readonly Item[] | Seekable<Item>
    : Value
  : PagedByNumber<Value, Collection>

type PagedByNumber<Value, Collection> = [Collection] extends [true]
  ? Value extends readonly (infer Item)[]
    ? readonly Item[] | Sliceable<Item>
    : Value
  : Collection

/** A method may return a list that is `readonly`. */
type ReadonlyList<Value> = Value extends readonly unknown[] ? Readonly<Value> : Value

/** The value that a method with these features returns. */
export type ValueOf<Features extends readonly unknown[]> = [FactsOf<Features, 'value'>] extends [never]
  ? unknown
  : [FactsOf<Features, 'paged'>] extends [never]
    ? ReadonlyList<FactsOf<Features, 'value'>[0]>
    : Paged<FactsOf<Features, 'value'>[0], FactsOf<Features, 'paged'>[0]>

type Either<Value> = { readonly _tag: 'Right'; readonly right: Value } | { readonly _tag: 'Left'; readonly left: unknown }

/** A value, a `reply`, a WHATWG `Response`, or an fp-ts Either of one. */
type Answer<Value> = Value | Response | Reply<Value | Response> | Either<Value | Response | Reply<Value | Response>>

/** What a method may return: an answer, a promise of one, or an fp-ts Task of one. */
export type Result<Value> = Answer<Value> | Promise<Answer<Value>> | (() => Promise<Answer<Value>>)

type Simplified<T> = T extends infer U ? { [Key in keyof U]: U[Key] } : never

/** What a method is given after `ctx`: the arguments in their order, then everything that has a name. */
export type Given<Features extends readonly unknown[], Parameters> = [...ArgumentsOf<Features>, Simplified<Parameters & NamedOf<Features>>]

/** The function that a list of features asks for, under a rule with these path parameters. */
export type Method<Features extends readonly unknown[], Parameters, Ctx = Context> = (
  ctx: Ctx,
  ...given: Given<Features, Parameters>
) => Result<ValueOf<Features>>
