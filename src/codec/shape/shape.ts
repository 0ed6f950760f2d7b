import type * as t from 'io-ts'
import type { SchemaObject } from 'openapi3-ts/oas31'

/**
 * A description of a codec, made once. Decoding, encoding and the document are made from it, so
 * they cannot disagree. `codec` is the codec that the shape was read from: it has the name and
 * annotations.
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
  | StandardShape
  | OpaqueShape

/** The shape of a kind. */
export type ShapeOf<Kind extends Shape['kind']> = Extract<Shape, { readonly kind: Kind }>

/** A function for each kind of shape, all with the same further arguments. */
export type ByKind<Given extends readonly unknown[], Result> = {
  readonly [Kind in Shape['kind']]: (shape: ShapeOf<Kind>, ...given: Given) => Result
}

/** Calls the function for the kind of a shape; undefined if there is none. */
export function forKind<Given extends readonly unknown[], Result>(
  functions: ByKind<Given, Result>,
  shape: Shape,
  ...given: Given
): Result
export function forKind<Given extends readonly unknown[], Result>(
  functions: Partial<ByKind<Given, Result>>,
  shape: Shape,
  ...given: Given
): Result | undefined
export function forKind<Given extends readonly unknown[], Result>(
  functions: Partial<ByKind<Given, Result>>,
  shape: Shape,
  ...given: Given
): Result | undefined {
  const own = functions[shape.kind] as ((shape: Shape, ...given: Given) => Result) | undefined
  return own?.(shape, ...given)
}

interface Common {
  readonly codec: t.Mixed
  /** Replaces the shape's own messages; those of its parts stay. */
  readonly message?: string
}
/** One JSON scalar; `test` returns the error of a value of the right type, or `undefined`. */
export interface ScalarShape extends Common {
  readonly kind: 'scalar'
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'null'
  /** A boolean that has many spellings on a text wire, such as `True`, `1` and `on`. */
  readonly lenient?: boolean
  /** A string that is always a number, since one of JSON would be rounded. */
  readonly isNumber?: boolean
  readonly test?: (value: never) => string | undefined
  /** Further keywords for the document, `format` above all. */
  readonly schema?: SchemaObject
  /** The name of such a value in a message: `a date`. Default: after its type. */
  readonly noun?: string
  /**
   * Set if the program's value differs from the scalar on the wire. `test` takes the one on the
   * wire.
   */
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
  /**
   * On a text wire the items are one string, separated by commas: `list(int)` is `1,2,3` in a query.
   */
  readonly isSeparated?: boolean
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
/**
 * `t.type`, `t.partial`, `t.strict`, `struct`, and intersections of those, which are one object.
 */
export interface ObjectShape extends Common {
  readonly kind: 'object'
  readonly fields: readonly Field[]
  /**
   * The shape of values under all other keys, from an intersection with `t.record`; the fields are
   * intersected with it already.
   */
  readonly rest?: Shape
}
export interface Field {
  /** The program's name. */
  readonly key: string
  /** The name on the wire; it differs from the key after `wireName`. */
  readonly name: string
  readonly shape: Shape
  /** May be absent: `t.partial`, `optional`, `withDefault`, or a codec that accepts `undefined`. */
  readonly optional: boolean
  /**
   * Makes the value of an absent field. A result that lacks the field does not fit its codec,
   * unless there is a `constant`.
   */
  readonly fallback?: () => unknown
  /**
   * The default if it is always the same: it is documented, and sent if a result lacks the field.
   */
  readonly constant?: { readonly value: unknown }
  /** `read`: leaves only (readOnly); `write`: comes in only (writeOnly). */
  readonly access?: 'read' | 'write'
}
export interface UnionShape extends Common {
  readonly kind: 'union'
  readonly members: readonly Shape[]
  /**
   * The key of the field whose literal value tells which member it is; known once all shapes are.
   */
  readonly discriminator?: string | undefined
}
/** An intersection whose members cannot be merged into one object. */
interface IntersectionShape extends Common {
  readonly kind: 'intersection'
  readonly members: readonly Shape[]
}
/** A refinement of io-ts, a brand, or a bound of ours. */
export interface ConstrainedShape extends Common {
  readonly kind: 'constrained'
  readonly base: Shape
  readonly holds: (value: never) => boolean
  /** The message if it does not hold. */
  readonly message: string
  /** The documented schema; a foreign predicate has none. */
  readonly schema?: SchemaObject
  /**
   * The media types that a file may have, if only some are accepted; a schema cannot express them,
   * the encoding of a form can.
   */
  readonly mediaTypes?: readonly string[]
}
/**
 * `refine`: a check of what was decoded. A value that is encoded is not checked: it may be older
 * than the check.
 */
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
interface UndefinedShape extends Common {
  readonly kind: 'undefined'
}
/** `Upload`: a part of a multipart body with a file name. */
interface FileShape extends Common {
  readonly kind: 'file'
}
/**
 * A schema of another library (`std`), which validates a value as a whole, or a part of such a
 * schema, which only knows how its string is read. It brings its own ways (`src/standard`), so that
 * applications without such schemas do not load them.
 */
export interface StandardShape extends Common {
  readonly kind: 'standard'
  /** The fields and types that its input JSON Schema declares, without any constraint. */
  readonly base: Shape
  /**
   * Returns what decodes values of a shape like this one. `later` gets the promise of an
   * asynchronous schema; without it a promise is a TypeError.
   */
  readonly decoder: (
    shape: StandardShape,
    builder: { readonly wire: 'json' | 'text'; readonly of: Inside },
    later?: (result: Promise<unknown>) => unknown,
  ) => (value: unknown) => unknown
  /** Returns what encodes values of a shape like this one. */
  readonly encoder: (shape: StandardShape, of: Inside) => (value: unknown) => unknown
  /** Returns the JSON Schema of what comes in, or of what goes out. */
  readonly describe: (
    direction: 'input' | 'output',
    scope: DefinitionScope,
    at: string,
  ) => SchemaObject
  /** Whether these two are not the same. */
  readonly differs: () => boolean
  /** Why values cannot come in, or cannot go out; undefined if they can. */
  readonly problem: (direction: 'input' | 'output') => string | undefined
}
/** Returns the decoder, or the encoder, of a shape inside. */
type Inside = (shape: Shape) => (value: unknown) => unknown
/** The components of a document, for the schema of another library. */
export interface DefinitionScope {
  /** A reference to the whole, if it is a component. */
  whole(): SchemaObject | undefined
  /** A reference to a definition, which is a component. */
  define(definition: JsonSchemaDefinition, build: () => SchemaObject): SchemaObject
  /** Takes note of what cannot be documented at a place. */
  problem(at: string, text: string): void
}
/** A part of another library's schema that others refer to. */
export interface JsonSchemaDefinition {
  readonly name: string
  /** Whether the library made up its name; one that the user gave stays. */
  readonly isGenerated: boolean
  /** Whether another schema of the same name describes what goes in the other direction. */
  readonly differs: boolean
  /** Equal for equal schemas, including all that they refer to. */
  readonly identity: string
}
/**
 * A codec whose inside cannot be seen: its own `validate` and `encode` do the work, `schema`
 * documents what is on the wire.
 */
export interface OpaqueShape extends Common {
  readonly kind: 'opaque'
  readonly schema?: SchemaObject
}

/**
 * Returns the shape of a codec of this library, given the function that returns the shapes of the
 * codecs inside.
 */
type ShapeMaker = (shapeOf: (codec: t.Mixed) => Shape) => Shape

const makers = new WeakMap<t.Mixed, ShapeMaker>()

/** Sets the shape of a codec of this library, which its `_tag` does not tell. */
export function withShape<C extends t.Mixed>(codec: C, make: ShapeMaker): C {
  makers.set(codec, make)
  return codec
}

/**
 * Returns the function that creates the shape of a codec of this library; undefined for any other
 * codec.
 */
export function shapeMakerOf(codec: t.Mixed): ShapeMaker | undefined {
  return makers.get(codec)
}

/** A field that a value must have, with one of these literals. */
interface RequiredLiteral {
  readonly field: Field
  readonly values: LiteralShape['values']
}

/**
 * The literal fields that every value of an object shape must have, by key; empty for anything
 * else.
 */
export function literalsOf(shape: Shape): ReadonlyMap<string, RequiredLiteral> {
  switch (shape.kind) {
    case 'object': {
      const literals = shape.fields.flatMap(field =>
        field.shape.kind === 'literal' && !field.optional
          ? [{ field, values: field.shape.values }]
          : [],
      )
      return new Map(literals.map(literal => [literal.field.key, literal]))
    }
    case 'constrained':
    case 'refined':
      return literalsOf(shape.base)
    case 'recursion':
      return literalsOf(shape.target())
    default:
      return new Map()
  }
}
