import type * as t from 'io-ts'
import type { SchemaObject } from 'openapi3-ts/oas31'

/**
 * What a codec is, seen once. Decoding, encoding and the document are made from this one description, so they cannot
 * disagree. `codec` is the codec that the shape was read from: it carries name and annotations.
 */
export type Shape =
  | ScalarShape
  | LiteralShape
  | ArrayShape
  | TupleShape
  | RecordShape
  | ObjectShape
  | UnionShape
  | IntersectionShape
  | ConstrainedShape
  | RecursionShape
  | UnknownShape
  | UndefinedShape
  | FileShape
  | OpaqueShape

/** One JSON scalar; `test` says what is wrong with a value of the right type (`undefined`: nothing). */
export interface ScalarShape {
  readonly kind: 'scalar'
  readonly codec: t.Mixed
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'null'
  readonly test?: (value: never) => string | undefined
  /** Further keywords for the document, `format` above all. */
  readonly schema?: SchemaObject
  /** What a person calls it in a message: `a date`. Default: after its type. */
  readonly noun?: string
  /** Where the program's value is another than the scalar on the wire. `test` speaks of the one on the wire. */
  readonly conversion?: Conversion
}
/** How a scalar on the wire, after its test, becomes the program's value, and the way back. */
export interface Conversion {
  readonly decode: (wire: never) => unknown
  /** `undefined` for what is not a value of the program's type. */
  readonly encode: (value: unknown) => unknown
}
/** One of some fixed values: `t.literal` (one) and `t.keyof` (many). */
export interface LiteralShape {
  readonly kind: 'literal'
  readonly codec: t.Mixed
  readonly values: readonly (string | number | boolean)[]
}
export interface ArrayShape {
  readonly kind: 'array'
  readonly codec: t.Mixed
  readonly item: Shape
  /** On a text wire the items stand in one text, separated by this: `list(int)` is `1,2,3` in a query. */
  readonly separator?: string
}
export interface TupleShape {
  readonly kind: 'tuple'
  readonly codec: t.Mixed
  readonly items: readonly Shape[]
}
export interface RecordShape {
  readonly kind: 'record'
  readonly codec: t.Mixed
  readonly domain: Shape
  readonly codomain: Shape
}
/** `t.type`, `t.partial`, `t.strict`, `struct`, and intersections of those, which are one object. */
export interface ObjectShape {
  readonly kind: 'object'
  readonly codec: t.Mixed
  readonly fields: readonly Field[]
  /** What values under all other keys must be, from an intersection with `t.record`; the shapes of the fields are held to it already. */
  readonly rest?: Shape
}
export interface Field {
  /** The program's name. */
  readonly key: string
  /** The name on the wire: `wireName` makes it another than the key. */
  readonly name: string
  readonly shape: Shape
  /** May be absent: `t.partial`, `optional`, `withDefault`, or a codec that accepts `undefined`. */
  readonly optional: boolean
  /** Makes the value of an absent field. A result that lacks the field does not fit its codec, unless there is a `constant`. */
  readonly fallback?: () => unknown
  /** The default where it is the same each time: it is documented, and sent where a result lacks the field. */
  readonly constant?: { readonly value: unknown }
  /** `read`: leaves only (readOnly); `write`: comes in only (writeOnly). */
  readonly access?: 'read' | 'write'
}
export interface UnionShape {
  readonly kind: 'union'
  readonly codec: t.Mixed
  readonly members: readonly Shape[]
  /** The key of the field whose literal value tells which member it is; known once all shapes are. */
  readonly tag?: string | undefined
}
/** Of what cannot be merged into one object. */
export interface IntersectionShape {
  readonly kind: 'intersection'
  readonly codec: t.Mixed
  readonly members: readonly Shape[]
}
/** A refinement, a brand or a bound of ours. */
export interface ConstrainedShape {
  readonly kind: 'constrained'
  readonly codec: t.Mixed
  readonly base: Shape
  readonly holds: (value: never) => boolean
  /** What a person reads when it does not hold. */
  readonly message: string
  /** What the document says of it; a foreign predicate says nothing. */
  readonly schema?: SchemaObject
  /** The media types that a file may have, where that is the demand; a schema cannot say them, the encoding of a form can. */
  readonly mediaTypes?: readonly string[]
}
export interface RecursionShape {
  readonly kind: 'recursion'
  readonly codec: t.Mixed
  readonly target: () => Shape
}
export interface UnknownShape {
  readonly kind: 'unknown'
  readonly codec: t.Mixed
}
export interface UndefinedShape {
  readonly kind: 'undefined'
  readonly codec: t.Mixed
}
/** `Upload`: a part of a multipart body with a file name. */
export interface FileShape {
  readonly kind: 'file'
  readonly codec: t.Mixed
}
/** A codec whose inside cannot be seen: its own `validate` and `encode` do the work, `schema` documents what is on the wire. */
export interface OpaqueShape {
  readonly kind: 'opaque'
  readonly codec: t.Mixed
  readonly schema?: SchemaObject
}
