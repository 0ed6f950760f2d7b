import type * as t from 'io-ts'

// Types that the program's side (`types.ts`) and the wire (`wire-types.ts`) share.

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
export type Wrapper =
  | 'ArrayType'
  | 'ReadonlyArrayType'
  | 'ExactType'
  | 'ReadonlyType'
  | 'RefinementType'
