// The wire types of a codec: the values that a client sends and receives. `types.ts` has the
// program's side.
import type * as t from 'io-ts'
import type { Flat, field, onWire, Wrapper } from './field-facts.js'
import type { Upload } from './upload-type.js'

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
      ? Partial<WireObject<P, D>>
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
    ? Flat<All<Members, D>>
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

type All<Members, D extends Direction> = Members extends readonly [infer First, ...infer Others]
  ? Wire<First, D> & All<Others, D>
  : unknown

/**
 * The wire type of a struct with these fields. The condition always holds; it is deferred if a
 * field is a type parameter.
 */
export type WireObject<P, D extends Direction> =
  WireKey<P[keyof P], never, D, boolean> extends PropertyKey
    ? Flat<RequiredOnWire<P, keyof P, D> & OptionalOnWire<P, keyof P, D>>
    : never

type RequiredOnWire<P, Keys extends keyof P, D extends Direction> = {
  [K in Keys as WireKey<P[K], K, D, false>]: Wire<P[K], D>
}
type OptionalOnWire<P, Keys extends keyof P, D extends Direction> = {
  [K in Keys as WireKey<P[K], K, D, true>]?: Wire<P[K], D>
}

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
  : IsOptional<C, D> extends Optional
    ? C extends { readonly [field]: { readonly name: infer Name extends string } }
      ? Name
      : Key
    : never

type IsOptional<C, D extends Direction> = C extends {
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
