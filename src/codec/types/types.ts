import type * as t from 'io-ts'
import type { Upload } from './upload-type.js'

// Types that the side of the program and the wire share.

/** Key of the field marks of a codec; in types only. Exported so that declarations can name it. */
export const field: unique symbol = Symbol('koa-smorest.field')

/**
 * Key of what a codec of another library's schema is on the wire; in types only. Exported so that
 * declarations can name it.
 */
export const onWire: unique symbol = Symbol('koa-smorest.onWire')

/** The marks of a field: `codec` is the codec of its value without them. */
export interface FieldFacts {
  readonly codec: t.Mixed
  readonly presence?: 'optional' | 'default'
  readonly access?: 'read' | 'write'
  readonly name?: string
}

/** Spells an intersection as one object. */
export type Flat<T> = { [K in keyof T]: T[K] } & unknown

/** The tags of codecs that represent the codec in their `type`, or a list of it. */
type Wrapper = 'ArrayType' | 'ReadonlyArrayType' | 'ExactType' | 'ReadonlyType' | 'RefinementType'

/** A codec that carries facts about its field beside the type of the value. */
export interface FieldC<A, O, Facts extends FieldFacts> extends t.Type<A, O, unknown> {
  readonly [field]: Facts
}

/** `optional(codec)` */
export interface OptionalC<C extends t.Mixed>
  extends FieldC<
    t.TypeOf<C> | undefined,
    t.OutputOf<C> | undefined,
    Marked<C, { readonly presence: 'optional' }>
  > {}
/** `withDefault(codec, value)` */
export interface WithDefaultC<C extends t.Mixed>
  extends FieldC<t.TypeOf<C>, t.OutputOf<C>, Marked<C, { readonly presence: 'default' }>> {}
/** `wireName(name, codec)` */
export interface WireNameC<Name extends string, C extends t.Mixed>
  extends FieldC<t.TypeOf<C>, t.OutputOf<C>, Marked<C, { readonly name: Name }>> {}
/** `readOnly(codec)` */
export interface ReadOnlyC<C extends t.Mixed>
  extends FieldC<t.TypeOf<C>, t.OutputOf<C>, Marked<C, { readonly access: 'read' }>> {}
/** `writeOnly(codec)` */
export interface WriteOnlyC<C extends t.Mixed>
  extends FieldC<t.TypeOf<C>, t.OutputOf<C>, Marked<C, { readonly access: 'write' }>> {}

/**
 * `struct(fields)`: `t.TypeOf` has all its fields, `InputOf` and `OutputOf` those that come in and
 * go out.
 */
export interface StructC<P extends t.Props>
  extends t.InterfaceType<P, ObjectOf<P, 'all'>, WireObject<P, 'output'>, unknown> {}

/** An object whose fields are known: `struct`, `t.type`, `t.strict`. */
export type ObjectC<P extends t.Props> =
  | { readonly _tag?: 'InterfaceType'; readonly props: P }
  | {
      readonly _tag: 'ExactType'
      readonly type: { readonly _tag: 'InterfaceType'; readonly props: P }
    }

/** `t.partial` */
export interface PartialC<P extends t.Props> {
  readonly _tag: 'PartialType'
  readonly props: P
}

/** `partial(struct)`: the same fields, all of them optional. */
export type PartialFields<P extends t.Props> = { [K in keyof P]: OptionalC<P[K]> }

// InputOf, OutputOf, ObjectOf, FieldKey and FieldValue are exported conditional types, not aliases.
// So the compiler can write `OutputOf<Item>` in the declarations of an application if a codec is a
// type parameter. A type without a name would be expanded for every type the parameter could
// become, without end.

/**
 * The program's value of what a request holds: no read-only fields, defaults present, at every
 * depth. For a codec without such fields it is `t.TypeOf`.
 */
export type InputOf<C extends t.Mixed> =
  'read' extends AccessInside<C> ? View<C, 'input'> : t.TypeOf<C>

/**
 * The program's value of what a response holds: no write-only fields, at every depth. For a codec
 * without such fields it is `t.TypeOf`.
 */
export type OutputOf<C extends t.Mixed> =
  'write' extends AccessInside<C> ? View<C, 'output'> : t.TypeOf<C>

/**
 * Who sees an object: who reads requests, who writes responses, or the program, which has all of
 * its fields.
 */
export type Side = 'input' | 'output' | 'all'

/** The access of the fields that a side does not see. */
type Hidden<S extends Side> = S extends 'input' ? 'read' : S extends 'output' ? 'write' : never

/**
 * The facts of a field that has some already, the later ones winning; of a codec without any,
 * these.
 */
export type Marked<C, Facts> = C extends { readonly [field]: infer Earlier }
  ? Facts & Omit<Earlier, keyof Facts>
  : Facts & { readonly codec: C }

/** The codec of a field's value, without its marks. */
export type CodecOf<C> = C extends {
  readonly [field]: { readonly codec: infer Inner extends t.Mixed }
}
  ? Inner
  : C extends t.Mixed
    ? C
    : never

type IsOptional<C> = C extends { readonly [field]: { readonly presence: 'optional' } }
  ? true
  : false

/**
 * The program's value of a struct with these fields. The condition always holds; it is deferred if
 * a field is a type parameter.
 */
export type ObjectOf<P, S extends Side> =
  IsOptional<P[keyof P]> extends boolean
    ? Flat<RequiredFields<P, keyof P, S> & OptionalFields<P, keyof P, S>>
    : never

// with `K in keyof P` the compiler would emit declarations in which S is not bound
type RequiredFields<P, Keys extends keyof P, S extends Side> = {
  [K in Keys as FieldKey<P[K], K, S, false>]: FieldValue<P[K], S>
}
type OptionalFields<P, Keys extends keyof P, S extends Side> = {
  [K in Keys as FieldKey<P[K], K, S, true>]?: FieldValue<P[K], S>
}

/**
 * The key of a field if the side sees it and it is optional or required, as `Optional` asks. For
 * declarations.
 */
export type FieldKey<C, Key, S extends Side, Optional extends boolean> = C extends {
  readonly [field]: { readonly access: Hidden<S> }
}
  ? never
  : IsOptional<C> extends Optional
    ? Key
    : never

/** The program's value of a field. For declarations. */
export type FieldValue<C, S extends Side> = C extends {
  readonly [field]: { readonly codec: infer Inner extends t.Mixed }
}
  ? Seen<Inner, S>
  : C extends t.Mixed
    ? Seen<C, S>
    : never

/**
 * The access marks of all fields inside a codec, at every depth but behind a recursion, whose type
 * its user has written.
 */
type AccessInside<C> = C extends { readonly [field]: { readonly codec: infer Inner } }
  ?
      | (C extends { readonly [field]: { readonly access: infer Access } } ? Access : never)
      | AccessInside<Inner>
  : C extends { readonly _tag: 'InterfaceType' | 'PartialType'; readonly props: infer P }
    ? { [K in keyof P]: AccessInside<P[K]> }[keyof P]
    : C extends { readonly _tag: Wrapper; readonly type: infer Inner }
      ? AccessInside<Inner>
      : C extends {
            readonly _tag: Composite
            readonly types: infer Members extends readonly unknown[]
          }
        ? AccessInside<Members[number]>
        : C extends { readonly _tag: 'DictionaryType'; readonly codomain: infer Inner }
          ? AccessInside<Inner>
          : never

type Composite = 'UnionType' | 'IntersectionType' | 'TupleType'

type Seen<C extends t.Mixed, S extends Side> = S extends 'input'
  ? InputOf<C>
  : S extends 'output'
    ? OutputOf<C>
    : t.TypeOf<C>

type View<C, S extends Side> = C extends {
  readonly [field]: { readonly codec: infer Inner extends t.Mixed }
}
  ? Seen<Inner, S>
  : C extends { readonly _tag: 'InterfaceType'; readonly props: infer P }
    ? ObjectOf<P, S>
    : C extends { readonly _tag: 'PartialType'; readonly props: infer P }
      ? Partial<ObjectOf<P, S>>
      : C extends { readonly _tag: 'ArrayType'; readonly type: infer Item extends t.Mixed }
        ? Seen<Item, S>[]
        : C extends {
              readonly _tag: 'ReadonlyArrayType'
              readonly type: infer Item extends t.Mixed
            }
          ? readonly Seen<Item, S>[]
          : C extends { readonly _tag: 'ReadonlyType'; readonly type: infer Inner extends t.Mixed }
            ? Readonly<Seen<Inner, S>>
            : C extends { readonly _tag: Wrapper; readonly type: infer Inner extends t.Mixed }
              ? Seen<Inner, S>
              : ViewOfMany<C, S>

type ViewOfMany<C, S extends Side> = C extends {
  readonly _tag: 'UnionType'
  readonly types: infer Members extends readonly t.Mixed[]
}
  ? Each<Members[number], S>
  : C extends {
        readonly _tag: 'IntersectionType'
        readonly types: infer Members extends readonly t.Mixed[]
      }
    ? All<Members, S>
    : C extends {
          readonly _tag: 'TupleType'
          readonly types: infer Members extends readonly t.Mixed[]
        }
      ? { [I in keyof Members]: Seen<Members[I], S> }
      : C extends {
            readonly _tag: 'DictionaryType'
            readonly domain: t.Type<infer Key>
            readonly codomain: infer Value extends t.Mixed
          }
        ? { [K in Key & PropertyKey]: Seen<Value, S> }
        : never

type Each<C, S extends Side> = C extends t.Mixed ? Seen<C, S> : never
type All<Members, S extends Side> = Members extends readonly [
  infer First extends t.Mixed,
  ...infer Others,
]
  ? Seen<First, S> & All<Others, S>
  : unknown

// The wire types of a codec: the values that a client sends and receives. `types.ts` has the
// program's side.

/**
 * The type that a client sends for a codec: wire names, no read-only fields, write-only ones shown,
 * fields with a default optional, dates as strings, and a `Blob` for each upload. For a recursion
 * it is the output type that its user has written.
 */
export type WireInputOf<C extends t.Mixed> = Wire<C, 'input'>

/**
 * The type that a client receives for a codec: wire names, no write-only fields, defaults present,
 * dates as strings.
 */
export type WireOutputOf<C extends t.Mixed> = Wire<C, 'output'>

/** The direction of a message: `input` is a request, `output` a response. */
export type Direction = 'input' | 'output'

/**
 * The wire type of a codec; `WireInputOf` and `WireOutputOf` are its short forms. For declarations.
 */
export type Wire<C, D extends Direction> = C extends {
  readonly [field]: { readonly codec: infer Inner }
}
  ? Wire<Inner, D>
  : C extends { readonly _tag: 'InterfaceType'; readonly props: infer P }
    ? WireObject<P, D>
    : C extends { readonly _tag: 'PartialType'; readonly props: infer P }
      ? WirePartial<P, D>
      : C extends { readonly _tag: 'ArrayType' | 'ReadonlyArrayType'; readonly type: infer Item }
        ? Wire<Item, D>[]
        : C extends { readonly _tag: Wrapper; readonly type: infer Inner }
          ? Wire<Inner, D>
          : WireOfMany<C, D>

type WireOfMany<C, D extends Direction> = C extends {
  readonly _tag: 'UnionType'
  readonly types: infer Members extends readonly unknown[]
}
  ? Wire<Members[number], D>
  : C extends { readonly _tag: 'IntersectionType'; readonly types: infer Members }
    ? Flat<WireOfAll<Members, D>>
    : C extends { readonly _tag: 'TupleType'; readonly types: infer Members }
      ? { -readonly [I in keyof Members]: Wire<Members[I], D> }
      : C extends {
            readonly _tag: 'DictionaryType'
            readonly domain: t.Type<infer Key>
            readonly codomain: infer Value
          }
        ? { [K in Key & PropertyKey]: Wire<Value, D> }
        : C extends { readonly [onWire]: { readonly [_ in D]: infer Value } }
          ? Value
          : C extends t.Mixed
            ? Leaf<t.OutputOf<C>, D>
            : never

/** JSON has no `undefined`; of a file only the request has one, which for a client is a Blob. */
type Leaf<Output, D extends Direction> = Output extends Upload
  ? D extends 'input'
    ? Blob
    : Output
  : // biome-ignore lint/suspicious/noConfusingVoidType: the output of t.void
    Output extends undefined | void
    ? never
    : Output extends string | number
      ? Value<Output>
      : Output

/**
 * The value of a member of an `enum`, which a client does not have: `'novel'` for `Genre.Novel`. A
 * type that is not a literal stays unchanged.
 */
type Value<Member extends string | number> =
  Record<never, never> extends Record<Member, 1>
    ? Member
    : Member extends string
      ? `${Member}`
      : `${Member}` extends `${infer N extends number}`
        ? N
        : Member

type WireOfAll<Members, D extends Direction> = Members extends readonly [
  infer First,
  ...infer Others,
]
  ? Wire<First, D> & WireOfAll<Others, D>
  : unknown

/**
 * The wire type of a struct with these fields. The condition always holds; it is deferred if a
 * field is a type parameter. Names are found first and not with `as`: of a mapped type with `as`,
 * the compiler computes all names again for most of what is asked of it.
 */
export type WireObject<P, D extends Direction> = P[keyof P] extends unknown
  ? Flat<
      { [Name in WireNames<P, D, false>]: Wire<FieldNamed<P, Name, D>, D> } & {
        [Name in WireNames<P, D, true>]?: Wire<FieldNamed<P, Name, D>, D>
      }
    >
  : never

/** `WireObject` with all fields optional. */
export type WirePartial<P, D extends Direction> = P[keyof P] extends unknown
  ? { [Name in WireNames<P, D, boolean>]?: Wire<FieldNamed<P, Name, D>, D> }
  : never

type WireNames<P, D extends Direction, Optional extends boolean> = {
  [K in keyof P]: WireKey<P[K], K, D, Optional>
}[keyof P]

/**
 * The field with a wire name: usually the one with that key, unless it has another name or is
 * hidden.
 */
type FieldNamed<P, Name, D extends Direction> = Name extends keyof P
  ? P[Name] extends Elsewhere<D>
    ? FieldRenamed<P, Name, D, keyof P>
    : P[Name]
  : FieldRenamed<P, Name, D, keyof P>

type Elsewhere<D extends Direction> = {
  readonly [field]: { readonly name: string } | { readonly access: Hidden<D> }
}

type FieldRenamed<P, Name, D extends Direction, K extends keyof P> = K extends unknown
  ? [Name] extends [WireKey<P[K], K, D, boolean>]
    ? P[K]
    : never
  : never

/**
 * The wire name of a field if it exists in this direction and is optional or required, as asked.
 * For declarations.
 */
export type WireKey<
  C,
  Key extends PropertyKey,
  D extends Direction,
  Optional extends boolean,
> = C extends {
  readonly [field]: { readonly access: D extends 'input' ? 'read' : 'write' }
}
  ? never
  : IsWireOptional<C, D> extends Optional
    ? C extends { readonly [field]: { readonly name: infer Name extends string } }
      ? Name
      : Key
    : never

type IsWireOptional<C, D extends Direction> = C extends {
  readonly [field]: { readonly presence: 'default' }
}
  ? D extends 'input'
    ? true
    : false
  : C extends t.Mixed
    ? undefined extends t.OutputOf<C>
      ? true
      : false
    : false

/**
 * The merge patch that a client sends (RFC 7396) of a value on the wire: every field is optional at
 * any depth, and null removes one that is optional in the whole. Lists are replaced as a whole.
 */
export type MergePatchOf<T> = T extends string | number | boolean | null | Blob | readonly unknown[]
  ? T
  : T extends object
    ? {
        [K in keyof T]?:
          | MergePatchOf<T[K]>
          | (Record<never, never> extends Pick<T, K> ? null : never)
      }
    : T
