// What a codec is on the wire, for the compiler: what a client sends and receives. `types.ts` has the program's side.
import type * as t from 'io-ts'
import type { Flat, field, Wrapper } from './field-facts.js'
import type { Upload } from './upload-type.js'

/**
 * What a client sends for a codec: wire names, no read-only fields, write-only ones shown, fields with a default optional, dates as
 * text, and a `Blob` for each upload. For a recursion it is the output type that its user has written.
 */
export type WireInputOf<C extends t.Mixed> = Wire<C, 'input'>

/** What a client receives for a codec: wire names, no write-only fields, defaults present, dates as text. */
export type WireOutputOf<C extends t.Mixed> = Wire<C, 'output'>

/** The direction of a message: `input` is a request, `output` a response. */
export type Direction = 'input' | 'output'

/** What stands on the wire for a codec; `WireInputOf` and `WireOutputOf` are its short forms. For declarations. */
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

/** The value of a member of an `enum`, which a client does not have: `'novel'` for `Genre.Novel`. What is no literal stays as it is. */
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

/** What stands on the wire for a struct with these fields. The condition always holds; it waits where a field is a type parameter. */
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

/** The name of a field on the wire where it is there in this direction and optional or not, as asked. For declarations. */
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
