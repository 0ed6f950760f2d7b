import type * as t from 'io-ts'
import type { CodecOf, FieldC, field, Marked, OptionalC, StructC } from './types.js'

/**
 * `partial(struct, { deep: true })`: the same fields, all of them optional at every depth, but for
 * the `Kept` ones, the discriminators of a union.
 */
export type DeepPartialFields<P, Kept = never> = {
  [K in keyof P]: K extends Kept ? P[K] : Changed<P[K]>
}

type Changed<C> = C extends { readonly [field]: unknown }
  ? RemarkedC<C, AsCodec<DeepPartial<CodecOf<C>>>>
  : OptionalC<AsCodec<DeepPartial<C>>>

/** The optional field of another value with the marks of `C`. */
export interface RemarkedC<C, Value extends t.Mixed>
  extends FieldC<
    t.TypeOf<Value> | undefined,
    t.OutputOf<Value> | undefined,
    Marked<C, { readonly codec: Value; readonly presence: 'optional' }>
  > {}

type DeepPartial<C, Kept = never> = C extends {
  readonly _tag: 'InterfaceType' | 'PartialType'
  readonly props: infer P
}
  ? StructC<AsProps<DeepPartialFields<P, Kept>>>
  : C extends { readonly _tag: 'ExactType'; readonly type: infer Inner }
    ? DeepPartial<Inner, Kept>
    : C extends { readonly _tag: 'ReadonlyType'; readonly type: infer Inner }
      ? t.ReadonlyC<AsCodec<DeepPartial<Inner, Kept>>>
      : C extends { readonly _tag: 'ArrayType'; readonly type: infer Item }
        ? t.ArrayC<AsCodec<DeepPartial<Item>>>
        : C extends { readonly _tag: 'ReadonlyArrayType'; readonly type: infer Item }
          ? t.ReadonlyArrayC<AsCodec<DeepPartial<Item>>>
          : DeepPartialOfMany<C, Kept>

type DeepPartialOfMany<C, Kept> = C extends {
  readonly _tag: 'UnionType'
  readonly types: infer Members
}
  ? t.UnionC<
      AsPair<{
        [I in keyof Members]: DeepPartial<Members[I], Discriminators<LiteralsOfAll<Members>>>
      }>
    >
  : C extends { readonly _tag: 'IntersectionType'; readonly types: infer Members }
    ? t.IntersectionC<AsPair<{ [I in keyof Members]: DeepPartial<Members[I], Kept> }>>
    : C extends {
          readonly _tag: 'DictionaryType'
          readonly domain: infer Domain extends t.Mixed
          readonly codomain: infer Value
        }
      ? string extends t.TypeOf<Domain>
        ? t.RecordC<Domain, AsCodec<DeepPartial<Value>>>
        : StructC<{ [K in t.TypeOf<Domain> & string]: OptionalC<AsCodec<DeepPartial<Value>>> }>
      : C extends { readonly _tag: 'RefinementType'; readonly type: infer Inner }
        ? BoundOrSame<C, Inner>
        : C

/** A list of partial items, with the bounds that it had. */
export interface BoundListC<C extends t.Mixed> extends t.RefinementC<C> {}

type AsCodec<C> = C extends t.Mixed ? C : never
type AsProps<P> = P extends t.Props ? P : never
type AsPair<Codecs> = Codecs extends [t.Mixed, t.Mixed, ...t.Mixed[]] ? Codecs : never

/**
 * Only a refined list, with any number of bounds, has parts that can be partial: scalars stay,
 * refined objects are refused.
 */
type BoundOrSame<C, Inner> =
  IsList<Inner> extends true ? BoundListC<AsCodec<DeepPartial<Inner>>> : C

type IsList<C> = C extends { readonly _tag: 'ArrayType' | 'ReadonlyArrayType' }
  ? true
  : C extends { readonly _tag: 'RefinementType'; readonly type: infer Inner }
    ? IsList<Inner>
    : false

/** The literal fields that the members of a union must have, of each member that is not null. */
type LiteralsOfAll<Members> = Members extends readonly [infer First, ...infer Others]
  ? First extends { readonly _tag: 'NullType' | 'UndefinedType' | 'VoidType' }
    ? LiteralsOfAll<Others>
    : [LiteralsOf<First>, ...LiteralsOfAll<Others>]
  : []

type LiteralsOf<C> = C extends { readonly _tag: 'InterfaceType'; readonly props: infer P }
  ? { [K in keyof P as IsDiscriminator<P[K]> extends true ? K : never]: t.TypeOf<CodecOf<P[K]>> }
  : C extends { readonly _tag: 'ExactType' | 'ReadonlyType'; readonly type: infer Inner }
    ? LiteralsOf<Inner>
    : C extends {
          readonly _tag: 'IntersectionType'
          readonly types: readonly [infer First, ...infer Others]
        }
      ? LiteralsOf<First> &
          LiteralsOf<{ readonly _tag: 'IntersectionType'; readonly types: Others }>
      : unknown

/** Whether a field is always there with one of some fixed values. */
type IsDiscriminator<C> = C extends {
  readonly [field]: { readonly presence: 'optional' | 'default' }
}
  ? false
  : CodecOf<C> extends { readonly _tag: 'LiteralType' | 'KeyofType' }
    ? true
    : false

/** The keys under which all members have literals, no two the same. */
type Discriminators<Members> = Members extends readonly [infer First, unknown, ...unknown[]]
  ? { [K in keyof First]: AreDisjoint<ValuesAt<Members, K>> extends true ? K : never }[keyof First]
  : never

type ValuesAt<Members, K> = {
  [I in keyof Members]: K extends keyof Members[I] ? Members[I][K] : unknown
}

type AreDisjoint<Values> = Values extends readonly [infer First, ...infer Others]
  ? [First & Others[number]] extends [never]
    ? AreDisjoint<Others>
    : false
  : true
