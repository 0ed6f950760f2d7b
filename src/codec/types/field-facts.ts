import type * as t from 'io-ts'

// What the types of the program's side (`types.ts`) and of the wire (`wire-types.ts`) have in common.

/** Key of what a codec says of the field that it stands in; in types only. Exported so that declarations can name it. */
export const field: unique symbol = Symbol('koa-smorest.field')

/** What marks say of a field: `codec` is the codec of its value without them. */
export interface FieldFacts {
  readonly codec: t.Mixed
  readonly presence?: 'optional' | 'default'
  readonly access?: 'read' | 'write'
  readonly name?: string
}

/** Spells an intersection as one object. */
export type Flat<T> = { [K in keyof T]: T[K] } & unknown

/** The tags of codecs that stand for the codec in their `type`, or for a list of it. */
export type Wrapper =
  | 'ArrayType'
  | 'ReadonlyArrayType'
  | 'ExactType'
  | 'ReadonlyType'
  | 'RefinementType'
