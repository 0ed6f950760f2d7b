// Whether a class of views fits its descriptors, for the compiler, and what it says where the class does not. `Blueprint.route`
// asks for it.
import type { Flat } from '../codec/types/field-facts.js'
import type { Context } from '../contract/exchange.js'
import type { Feature } from '../contract/feature.js'
import type { Reply } from '../contract/reply.js'
import type {
  FailureOf,
  Given,
  NamedOf,
  NeededBy,
  RawOf,
  Result,
  ValueOf,
} from '../contract/signature.js'
import type { Verb, ViewClass } from './method-view.js'
import type { Operation } from './operation.js'

/** The features that a class of views shares among its methods. */
export type SharedOf<View> = View extends { readonly shared: Operation<infer Features> }
  ? Features
  : []

/**
 * `unknown` where every method of the view fits its descriptor, the features that are shared with it and the parameters
 * of its rule; otherwise a type that names each method that does not, what it must be and what it is.
 */
export type Checked<
  View extends ViewClass,
  Shared extends readonly Feature[],
  Parameters,
  Ctx = Context,
> = [FaultsOf<View, InstanceType<View>, [...Shared, ...SharedOf<View>], Parameters, Ctx>] extends [
  never,
]
  ? unknown
  : Flat<All<FaultsOf<View, InstanceType<View>, [...Shared, ...SharedOf<View>], Parameters, Ctx>>>

/** The intersection of a union. */
type All<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer Intersection,
) => void
  ? Intersection
  : never

/** The faults of all methods. A right method has `never`, so that it cannot hide a wrong one. */
type FaultsOf<View, Instance, Shared extends readonly unknown[], Parameters, Ctx> = {
  [V in Verb & (keyof Instance | keyof View)]: V extends keyof Instance
    ? View extends { readonly [Key in V]: Operation<infer Own> }
      ? FaultOf<V, Instance[V], [...Shared, ...Own], Parameters, Ctx>
      : { [Key in `${V}() has no descriptor: add`]: `static ${V} = operation(…)` }
    : { [Key in `static ${V} describes a method that is not there: add`]: `${V}() { … }` }
}[Verb & (keyof Instance | keyof View)]

type FaultOf<V extends string, Actual, Features extends readonly unknown[], Parameters, Ctx> =
  Parameters & NamedOf<Features> extends NeededBy<Features>
    ? Actual extends (ctx: Ctx, ...given: Given<Features, Parameters>) => infer Returned
      ? [Returned] extends [Result<ValueOf<Features>, RawOf<Features>, FailureOf<Features>>]
        ? never
        : WrongResult<
            V,
            ValueOf<Features>,
            Wrong<Returned, Result<ValueOf<Features>, RawOf<Features>, FailureOf<Features>>>
          >
      : Actual extends (ctx: infer Taken, ...takes: infer Takes) => unknown
        ? WrongArguments<V, Given<Features, Parameters>, Takes, Ctx, Taken>
        : never
    : Fault<
        `${V}() has a loader that needs the path parameters`,
        NeededBy<Features>,
        'but the rule has',
        Flat<Parameters>
      >

/** What the compiler prints: what is expected as a property that the view lacks, and beside it what is there. */
type Fault<Text extends string, Expected, But extends string, There> = Flat<
  { [K in Text]: Expected } & { [K in But]?: There }
>

type WrongResult<V extends string, Value, Returns> = Fault<
  `${V}() does not match its descriptor: it must return`,
  Differing<Value, Returns, 'expected'>,
  `but ${V}() returns`,
  Differing<Value, Returns, 'there'>
>

/** Of what a method returns, the members of a union that may not be, unpacked to the value that is in them. */
type Wrong<Returned, Right> = Returned extends Right
  ? never
  : Returned extends PromiseLike<infer Inner>
    ? Wrong<Inner, Right>
    : Returned extends () => PromiseLike<infer Inner>
      ? Wrong<Inner, Right>
      : Returned extends Reply<infer Inner>
        ? Inner
        : Returned extends { readonly _tag: 'Right'; readonly right: infer Inner }
          ? Inner
          : Returned

/** The first argument that does not fit, counted from 1 behind `ctx`. */
type WrongArguments<
  V extends string,
  Given,
  Takes,
  Ctx,
  Taken,
  Count extends readonly 1[] = [1],
> = Ctx extends Taken
  ? Takes extends readonly [infer Taken, ...infer OthersTaken]
    ? Given extends readonly [infer First, ...infer Others]
      ? [First] extends [Taken]
        ? WrongArguments<V, Others, OthersTaken, Ctx, Ctx, [...Count, 1]>
        : Fault<
            `${V}() does not match its descriptor: argument ${Count['length']} after ctx is`,
            Differing<Taken, First, 'there'>,
            `but ${V}() takes`,
            Differing<Taken, First, 'expected'>
          >
      : {
          [K in `${V}() does not match its descriptor: there is no argument ${Count['length']} after ctx, but ${V}() takes`]: Taken
        }
    : Fault<
        `${V}() does not match its descriptor: after ctx it is given`,
        Given,
        `but ${V}() takes`,
        Takes
      >
  : Fault<`${V}() does not match its Blueprint: its ctx is`, Ctx, `but ${V}() takes`, Taken>

/** Of two objects, or of lists of them, the fields in which what is there is not what is expected; otherwise the whole. */
type Differing<Expected, There, Show extends 'expected' | 'there'> = [ItemOf<Expected>] extends [
  never,
]
  ? DifferingFields<Expected, There, Show>
  : [There] extends [readonly (infer Item)[]]
    ? readonly DifferingFields<ItemOf<Expected>, Item, Show>[]
    : Shown<Expected, There, Show>

type DifferingFields<Expected, There, Show extends 'expected' | 'there'> = [
  Expected,
  There,
] extends [object, object]
  ? [DifferingKeys<Expected, There> & keyof Shown<Expected, There, Show>] extends [never]
    ? Shown<Expected, There, Show>
    : Flat<
        Pick<
          Shown<Expected, There, Show>,
          DifferingKeys<Expected, There> & keyof Shown<Expected, There, Show>
        >
      >
  : Shown<Expected, There, Show>

type DifferingKeys<Expected, There> = {
  [K in keyof Expected]-?: [Pick<There, K & keyof There>] extends [Pick<Expected, K>] ? never : K
}[keyof Expected]
type Shown<Expected, There, Show> = Show extends 'expected' ? Expected : There
type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never
