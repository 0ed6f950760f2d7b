import type { Flat } from '../codec/types/types.js'
import type { Context } from '../feature-api/exchange.js'
import type { Feature } from '../feature-api/feature.js'
import type { Reply } from '../feature-api/reply.js'
import type {
  ArgumentsOf,
  FailureOf,
  Given,
  NamedOf,
  NamedValues,
  NeededBy,
  RawOf,
  Result,
  ValueOf,
} from '../feature-api/signature.js'
import { docstring } from '../features/doc/doc.js'

/** The methods that a view may have; `query` is QUERY, a safe request with a body (RFC 10008). */
export const VERBS = ['options', 'head', 'get', 'post', 'put', 'patch', 'delete', 'query'] as const
export type Verb = (typeof VERBS)[number]

/**
 * A view: a class with a method for each HTTP method of a path, and beside each the descriptor of
 * the same name, `static get = operation(…)`. `static shared` holds features of all its methods. A
 * new view is made for each request, so properties that a method sets on `this` stay within that
 * request.
 */
// biome-ignore lint/complexity/noStaticOnlyClass: it is what views extend; their methods are their own
export abstract class MethodView {
  /** Features of every method of the view; they come before the method's own. */
  // not optional: under exactOptionalPropertyTypes every error about a view would speak of this
  static readonly shared: Operation | undefined
}

/** A class of views. */
export type ViewClass = (abstract new (
  ...given: never[]
) => object) & { readonly shared?: Operation | undefined }

/** A list of features: the descriptor beside a method. */
export interface Operation<Features extends readonly Feature[] = readonly Feature[]> {
  readonly features: Features
}

type Described<Items extends readonly (Feature | string)[]> = {
  readonly [Index in keyof Items]: Items[Index] extends Feature
    ? Items[Index]
    : Feature<Record<never, never>>
}

/**
 * Checks an item that may not be a feature, in a program without types or because an import is not
 * ready yet.
 */
function checked(item: Feature | undefined, index: number): Feature {
  if (typeof item?.on === 'function') return item
  const { name } = typeof item === 'function' ? (item as { name: string }) : { name: '' }
  const what = name === '' ? String(item) : `the function ${name}: call it, ${name}(…)`
  throw new TypeError(`operation() takes features and texts; number ${index + 1} is ${what}`)
}

/**
 * Describes a method: `static get = operation('Find a pet', response(Pet))`. Features may have any
 * order, except for arguments: the method gets them in the order of the list. A string is the
 * docstring: its first lines are the summary, the rest after the first empty line is the
 * description (specification, section 4.8).
 */
export function operation<const Items extends readonly (Feature | string)[]>(
  ...items: Items
): Operation<Described<Items>> {
  const features = items.map((item, index) =>
    typeof item === 'string' ? docstring(item) : checked(item, index),
  )
  return { features: features as unknown as Described<Items> }
}

// Checks for the compiler whether a class of views fits its descriptors, and describes each
// mismatch. `Blueprint.route` uses it.

/** The features that a class of views shares among its methods. */
export type SharedOf<View> = View extends { readonly shared: Operation<infer Features> }
  ? Features
  : []

/**
 * `unknown` if every method of the view fits its descriptor, the shared features and the parameters
 * of its rule; otherwise a type that names each method that does not, with the expected and the
 * actual type.
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
  : ViewClass extends View
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
    ? (V extends keyof View ? View[V] : undefined) extends Operation<infer Own>
      ? FaultOf<V, Instance[V], [...Shared, ...Own], Parameters, Ctx>
      : { [Key in `${V}() has no descriptor: add`]: `static ${V} = operation(…)` }
    : { [Key in `static ${V} describes a method that is not there: add`]: `${V}() { … }` }
}[Verb & (keyof Instance | keyof View)]

type FaultOf<V extends string, Actual, Features extends readonly unknown[], Parameters, Ctx> =
  NamedValues<Features, Parameters> extends NeededBy<Features>
    ? Called<Actual, Ctx, Features, Parameters> extends { readonly returns: infer Returned }
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
        `${V}() has features that need`,
        NeededBy<Features>,
        'but they are given',
        WithoutSignal<NamedValues<Features, Parameters>, NeededBy<Features>>
      >

/**
 * The type that a method returns; `undefined` if it cannot be called with its arguments. TypeScript
 * finds nothing in common between `{ signal }` and `{ page?: number }`, so `signal` is left out if
 * the method does not fit with it.
 */
type Called<Actual, Ctx, Features extends readonly unknown[], Parameters> = Actual extends (
  ctx: Ctx,
  ...given: Given<Features, Parameters>
) => infer Returned
  ? { readonly returns: Returned }
  : Actual extends (
        ctx: Ctx,
        ...given: [...ArgumentsOf<Features>, Flat<Parameters & NamedOf<Features>>]
      ) => infer Returned
    ? { readonly returns: Returned }
    : undefined

/**
 * The type that the compiler prints: the expected type as a property that the view lacks, and
 * beside it the actual one.
 */
type Fault<Text extends string, Expected, But extends string, There> = Flat<
  { [K in Text]: Expected } & { [K in But]?: There }
>

type WrongResult<V extends string, Value, Returns> = Fault<
  `${V}() does not match its descriptor: it must return`,
  Differing<Value, Returns, 'expected'>,
  `but ${V}() returns`,
  Differing<Value, Returns, 'there'>
>

/** The members of the returned union that are not allowed, unpacked to the value inside. */
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
            Explained<Differing<Taken, WithoutSignal<First, Taken>, 'there'>>,
            `but ${V}() takes`,
            Differing<Taken, WithoutSignal<First, Taken>, 'expected'>
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

/** The values that a method is given, with the reason why one is unknown. */
type Explained<Given> = Given extends object
  ? {
      [K in keyof Given]: unknown extends Given[K]
        ? 'unknown: if it is a path parameter, its converter is not in the interface Converters'
        : Given[K]
    }
  : Given

/** The values that a method is given, without the signal if the other type does not have it. */
type WithoutSignal<Given, Other> = Given extends { readonly signal: AbortSignal }
  ? 'signal' extends keyof Other
    ? Given
    : Flat<Omit<Given, 'signal'>>
  : Given

/** The fields of two objects, or of lists of them, whose types differ; otherwise the whole. */
type Differing<Expected, There, Show extends 'expected' | 'there'> = [ItemOf<Expected>] extends [
  never,
]
  ? DifferingFields<Expected, There, Show>
  : [There] extends [readonly (infer Item)[]]
    ? readonly DifferingFields<ItemOf<Expected>, Item, Show>[]
    : Shown<Expected, There, Show>

// of a union all of it is shown: its members have few fields in common
type DifferingFields<Expected, There, Show extends 'expected' | 'there'> = [
  Expected,
  There,
] extends [object & All<Expected>, object]
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
