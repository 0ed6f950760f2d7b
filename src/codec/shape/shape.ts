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
  | RefinedShape
  | RecursionShape
  | UnknownShape
  | UndefinedShape
  | FileShape
  | OpaqueShape

/** What every shape has. */
interface Common {
  readonly codec: t.Mixed
  /** What `message` says instead of the shape's own messages; those of its parts stay. */
  readonly message?: string
}
/** One JSON scalar; `test` says what is wrong with a value of the right type (`undefined`: nothing). */
export interface ScalarShape extends Common {
  readonly kind: 'scalar'
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
  /** `undefined` for what has no value of the program's type: it does not fit. */
  readonly decode: (wire: never) => unknown
  /** `undefined` for what is not a value of the program's type. */
  readonly encode: (value: unknown) => unknown
}
/** One of some fixed values: `t.literal` (one) and `t.keyof` (many). */
export interface LiteralShape extends Common {
  readonly kind: 'literal'
  readonly values: readonly (string | number | boolean)[]
}
export interface ArrayShape extends Common {
  readonly kind: 'array'
  readonly item: Shape
  /** On a text wire the items stand in one text, separated by this: `list(int)` is `1,2,3` in a query. */
  readonly separator?: string
}
export interface TupleShape extends Common {
  readonly kind: 'tuple'
  readonly items: readonly Shape[]
}
export interface RecordShape extends Common {
  readonly kind: 'record'
  readonly domain: Shape
  readonly codomain: Shape
}
/** `t.type`, `t.partial`, `t.strict`, `struct`, and intersections of those, which are one object. */
export interface ObjectShape extends Common {
  readonly kind: 'object'
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
export interface UnionShape extends Common {
  readonly kind: 'union'
  readonly members: readonly Shape[]
  /** The key of the field whose literal value tells which member it is; known once all shapes are. */
  readonly discriminator?: string | undefined
}
/** Of what cannot be merged into one object. */
export interface IntersectionShape extends Common {
  readonly kind: 'intersection'
  readonly members: readonly Shape[]
}
/** A refinement of io-ts, a brand, or a bound of ours. */
export interface ConstrainedShape extends Common {
  readonly kind: 'constrained'
  readonly base: Shape
  readonly holds: (value: never) => boolean
  /** What a person reads when it does not hold. */
  readonly message: string
  /** What the document says of it; a foreign predicate says nothing. */
  readonly schema?: SchemaObject
  /** The media types that a file may have, if only some are accepted; a schema cannot express them, the encoding of a form can. */
  readonly mediaTypes?: readonly string[]
}
/** `refine`: a check of what was decoded. A value that is encoded is not checked: it may be older than the check. */
export interface RefinedShape extends Common {
  readonly kind: 'refined'
  readonly base: Shape
  /** Says what is wrong, by the program's names. */
  readonly check: (value: never) => unknown
}
export interface RecursionShape extends Common {
  readonly kind: 'recursion'
  readonly target: () => Shape
}
export interface UnknownShape extends Common {
  readonly kind: 'unknown'
}
export interface UndefinedShape extends Common {
  readonly kind: 'undefined'
}
/** `Upload`: a part of a multipart body with a file name. */
export interface FileShape extends Common {
  readonly kind: 'file'
}
/** A codec whose inside cannot be seen: its own `validate` and `encode` do the work, `schema` documents what is on the wire. */
export interface OpaqueShape extends Common {
  readonly kind: 'opaque'
  readonly schema?: SchemaObject
}
