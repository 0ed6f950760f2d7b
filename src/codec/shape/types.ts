import type * as t from 'io-ts'

/** Key of what a codec says of the field that it stands in; in types only. Exported so that declarations can name it. */
export const field: unique symbol = Symbol('koa-smorest.field')

/** What marks say of a field: `codec` is the codec of its value without them. */
export interface FieldFacts {
  readonly codec: t.Mixed
  readonly presence?: 'optional' | 'default'
  readonly access?: 'read' | 'write'
  readonly name?: string
}

/** A codec that says more of its field than the type of the value. */
export interface FieldC<A, O, Facts extends FieldFacts> extends t.Type<A, O, unknown> {
  readonly [field]: Facts
}

/** `optional(codec)` */
export interface OptionalC<C extends t.Mixed>
  extends FieldC<t.TypeOf<C> | undefined, t.OutputOf<C> | undefined, Marked<C, { readonly presence: 'optional' }>> {}
/** `withDefault(codec, value)` */
export interface WithDefaultC<C extends t.Mixed> extends FieldC<t.TypeOf<C>, t.OutputOf<C>, Marked<C, { readonly presence: 'default' }>> {}
/** `wireName(name, codec)` */
export interface WireNameC<Name extends string, C extends t.Mixed>
  extends FieldC<t.TypeOf<C>, t.OutputOf<C>, Marked<C, { readonly name: Name }>> {}
/** `readOnly(codec)` */
export interface ReadOnlyC<C extends t.Mixed> extends FieldC<t.TypeOf<C>, t.OutputOf<C>, Marked<C, { readonly access: 'read' }>> {}
/** `writeOnly(codec)` */
export interface WriteOnlyC<C extends t.Mixed> extends FieldC<t.TypeOf<C>, t.OutputOf<C>, Marked<C, { readonly access: 'write' }>> {}

/** `struct(fields)`: `t.TypeOf` has all its fields, `InputOf` and `OutputOf` those that come in and go out. */
export interface StructC<P extends t.Props> extends t.InterfaceType<P, ObjectOf<P, 'all'>, WireObject<P>, unknown> {}

/** `partial(struct)`: the same fields, all of them optional. */
export type PartialFields<P extends t.Props> = { [K in keyof P]: OptionalC<P[K]> }

/**
 * The program's value of what a request holds: no read-only fields, defaults present, at every depth. For a codec without
 * such fields it is `t.TypeOf`.
 */
export type InputOf<C extends t.Mixed> = Seen<C, 'input'>

/** The program's value of what an answer holds: no write-only fields, at every depth. For a codec without such fields it is `t.TypeOf`. */
export type OutputOf<C extends t.Mixed> = Seen<C, 'output'>

type Side = 'input' | 'output' | 'all'
/** The access of the fields that a side does not see. */
type Hidden<S extends Side> = S extends 'input' ? 'read' : S extends 'output' ? 'write' : never

type Marked<C, Facts> = C extends { readonly [field]: infer Earlier } ? Facts & Omit<Earlier, keyof Facts> : Facts & { readonly codec: C }

type CodecOf<C> = C extends { readonly [field]: { readonly codec: infer Inner extends t.Mixed } } ? Inner : C extends t.Mixed ? C : never
type NameOf<C, Key> = C extends { readonly [field]: { readonly name: infer Name extends string } } ? Name : Key

/** Spells an intersection as one object. */
type Flat<T> = { [K in keyof T]: T[K] } & unknown

type ObjectOf<P, S extends Side> = Flat<
  { [K in keyof P as Shown<P[K], S, false, K>]: Seen<CodecOf<P[K]>, S> } & {
    [K in keyof P as Shown<P[K], S, true, K>]?: Seen<CodecOf<P[K]>, S>
  }
>
type WireObject<P> = Flat<
  { [K in keyof P as Shown<P[K], 'output', false, NameOf<P[K], K>>]: t.OutputOf<CodecOf<P[K]>> } & {
    [K in keyof P as Shown<P[K], 'output', true, NameOf<P[K], K>>]?: t.OutputOf<CodecOf<P[K]>>
  }
>
/** The key of a field where the side sees it and it is optional or not, as asked. */
type Shown<C, S extends Side, Optional extends boolean, Key> = C extends { readonly [field]: { readonly access: Hidden<S> } }
  ? never
  : IsOptional<C> extends Optional
    ? Key
    : never
type IsOptional<C> = C extends { readonly [field]: { readonly presence: 'optional' } } ? true : false

/** The access marks of all fields inside a codec, at every depth but behind a recursion, whose type its user has written. */
type AccessInside<C> = C extends { readonly [field]: { readonly codec: infer Inner } }
  ? (C extends { readonly [field]: { readonly access: infer Access } } ? Access : never) | AccessInside<Inner>
  : C extends { readonly _tag: 'InterfaceType' | 'PartialType'; readonly props: infer P }
    ? { [K in keyof P]: AccessInside<P[K]> }[keyof P]
    : C extends { readonly _tag: Wrapper; readonly type: infer Inner }
      ? AccessInside<Inner>
      : C extends { readonly _tag: Composite; readonly types: infer Members extends readonly unknown[] }
        ? AccessInside<Members[number]>
        : C extends { readonly _tag: 'DictionaryType'; readonly codomain: infer Inner }
          ? AccessInside<Inner>
          : never

type Wrapper = 'ArrayType' | 'ReadonlyArrayType' | 'ExactType' | 'ReadonlyType' | 'RefinementType'
type Composite = 'UnionType' | 'IntersectionType' | 'TupleType'

type Seen<C extends t.Mixed, S extends Side> = S extends 'all' ? t.TypeOf<C> : Hidden<S> extends AccessInside<C> ? View<C, S> : t.TypeOf<C>

type View<C, S extends Side> = C extends { readonly [field]: { readonly codec: infer Inner extends t.Mixed } }
  ? Seen<Inner, S>
  : C extends { readonly _tag: 'InterfaceType'; readonly props: infer P }
    ? ObjectOf<P, S>
    : C extends { readonly _tag: 'PartialType'; readonly props: infer P }
      ? Partial<ObjectOf<P, S>>
      : C extends { readonly _tag: 'ArrayType'; readonly type: infer Item extends t.Mixed }
        ? Seen<Item, S>[]
        : C extends { readonly _tag: 'ReadonlyArrayType'; readonly type: infer Item extends t.Mixed }
          ? readonly Seen<Item, S>[]
          : C extends { readonly _tag: 'ReadonlyType'; readonly type: infer Inner extends t.Mixed }
            ? Readonly<Seen<Inner, S>>
            : C extends { readonly _tag: Wrapper; readonly type: infer Inner extends t.Mixed }
              ? Seen<Inner, S>
              : ViewOfMany<C, S>

type ViewOfMany<C, S extends Side> = C extends { readonly _tag: 'UnionType'; readonly types: infer Members extends readonly t.Mixed[] }
  ? Each<Members[number], S>
  : C extends { readonly _tag: 'IntersectionType'; readonly types: infer Members extends readonly t.Mixed[] }
    ? All<Members, S>
    : C extends { readonly _tag: 'TupleType'; readonly types: infer Members extends readonly t.Mixed[] }
      ? { [I in keyof Members]: Seen<Members[I], S> }
      : C extends { readonly _tag: 'DictionaryType'; readonly domain: t.Type<infer Key>; readonly codomain: infer Value extends t.Mixed }
        ? { [K in Key & PropertyKey]: Seen<Value, S> }
        : never

type Each<C, S extends Side> = C extends t.Mixed ? Seen<C, S> : never
type All<Members, S extends Side> = Members extends readonly [infer First extends t.Mixed, ...infer Others]
  ? Seen<First, S> & All<Others, S>
  : unknown
