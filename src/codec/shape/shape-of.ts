import * as t from 'io-ts'
import type { SchemaObject } from 'openapi3-ts/oas31'
import { annotationsOf, isGenuine, parentOf } from './annotations.js'
import { notValid } from './expectation.js'
import { intersect } from './intersect.js'
import { marksOf, objectShape, strict, unionShape, unmarked, withCodec } from './object-shape.js'
import { type OpaqueShape, type RecordShape, type Shape, shapeMakerOf } from './shape.js'

const shapes = new WeakMap<t.Mixed, Shape>()

/**
 * The shape of a codec, read once: io-ts's codecs by their `_tag`, this library's by their
 * definition, a copy by its origin. A codec that cannot be inspected is opaque. The marks of a
 * field (`optional` …) only have a meaning in an object: alone, a marked codec has the shape of its
 * value; inside a list, a union or a record it throws a TypeError.
 */
export function shapeOf(codec: t.Mixed): Shape {
  const known = shapes.get(codec)
  if (known) return known
  const shape = readShape(codec)
  shapes.set(codec, shape)
  return shape
}

function readShape(codec: t.Mixed): Shape {
  if (marksOf(codec)) return withCodec(shapeOf(unmarked(codec)), codec)
  const make = shapeMakerOf(codec)
  if (make) return make(inner)
  const parent = parentOf(codec)
  if (parent) return withCodec(shapeOf(parent), codec)
  return isTagged(codec) && isGenuine(codec) ? readTagged(codec) : opaque(codec)
}

/** The shape of a codec inside another one that is not an object. */
function inner(codec: t.Mixed): Shape {
  if (marksOf(codec)) {
    throw new TypeError(
      'optional, withDefault, wireName, readOnly and writeOnly speak of a field of an object: ' +
        `put them outermost there, not around ${codec.name} inside of another codec`,
    )
  }
  return shapeOf(codec)
}

/** The codecs of io-ts that can be seen into. */
type Tagged =
  | t.NullType
  | t.UndefinedType
  | t.VoidType
  | t.UnknownType
  | t.AnyType
  | t.StringType
  | t.NumberType
  | t.BooleanType
  | t.AnyArrayType
  | t.AnyDictionaryType
  | t.LiteralType<string | number | boolean>
  | t.KeyofType<Record<string, unknown>>
  | t.RefinementType<t.Mixed>
  | t.RecursiveType<t.Mixed>
  | t.ArrayType<t.Mixed>
  | t.ReadonlyArrayType<t.Mixed>
  | t.TupleType<t.Mixed[]>
  | t.InterfaceType<t.Props>
  | t.PartialType<t.Props>
  | t.ExactType<t.Mixed>
  | t.ReadonlyType<t.Mixed>
  | t.DictionaryType<t.Mixed, t.Mixed>
  | t.UnionType<t.Mixed[]>
  | t.IntersectionType<t.Mixed[]>

type Readers = {
  readonly [Tag in Tagged['_tag']]: (codec: Extract<Tagged, { readonly _tag: Tag }>) => Shape
}

const readers: Readers = {
  NullType: codec => ({ kind: 'scalar', codec, type: 'null' }),
  UndefinedType: codec => ({ kind: 'undefined', codec }),
  VoidType: codec => ({ kind: 'undefined', codec }),
  UnknownType: codec => ({ kind: 'unknown', codec }),
  AnyType: codec => ({ kind: 'unknown', codec }),
  StringType: codec => ({ kind: 'scalar', codec, type: 'string' }),
  NumberType: codec => ({ kind: 'scalar', codec, type: 'number' }),
  BooleanType: codec => ({ kind: 'scalar', codec, type: 'boolean', lenient: true }),
  AnyArrayType: codec => ({ kind: 'array', codec, item: shapeOf(t.unknown) }),
  AnyDictionaryType: codec => ({
    kind: 'record',
    codec,
    domain: shapeOf(t.string),
    codomain: shapeOf(t.unknown),
  }),
  // NaN and Infinity are not JSON
  LiteralType: codec => ({
    kind: 'literal',
    codec,
    values: [codec.value].filter(value => typeof value !== 'number' || Number.isFinite(value)),
  }),
  KeyofType: codec => ({ kind: 'literal', codec, values: Object.keys(codec.keys) }),
  RefinementType: readRefinement,
  RecursiveType: codec => ({
    kind: 'recursion',
    codec,
    target: () => inner(codec.runDefinition()),
  }),
  ArrayType: codec => ({ kind: 'array', codec, item: inner(codec.type) }),
  ReadonlyArrayType: codec => ({ kind: 'array', codec, item: inner(codec.type) }),
  TupleType: codec => ({ kind: 'tuple', codec, items: codec.types.map(inner) }),
  InterfaceType: codec => objectShape(codec, codec.props, { shapeOf }),
  PartialType: codec => objectShape(codec, codec.props, { shapeOf, allOptional: true }),
  ExactType: codec => withCodec(inner(codec.type), codec),
  ReadonlyType: codec => withCodec(inner(codec.type), codec),
  DictionaryType: readRecord,
  UnionType: codec => unionShape(codec, codec.types.map(inner)),
  IntersectionType: readIntersection,
}

function isTagged(codec: t.Mixed): codec is t.Mixed & Tagged {
  return '_tag' in codec && Object.hasOwn(readers, String(codec._tag))
}

function readTagged<Tag extends Tagged['_tag']>(
  codec: Extract<Tagged, { readonly _tag: Tag }>,
): Shape {
  return readers[codec._tag as Tag](codec)
}

function readRefinement(codec: t.RefinementType<t.Mixed>): Shape {
  const base = inner(codec.type)
  const message = notValid(codec.name)
  const holds = (value: never) => codec.predicate(value)
  if (base.kind === 'scalar' && base.type === 'number' && isInteger(codec)) {
    return {
      kind: 'scalar',
      codec,
      type: 'integer',
      test: value => (holds(value) ? undefined : message),
    }
  }
  const schema = schemaOfForeign(codec)
  return { kind: 'constrained', codec, base, holds, message, ...(schema && { schema }) }
}

/** `t.Int`, of this copy of io-ts or another, and `t.Integer` before it. */
function isInteger({ name, predicate }: t.RefinementType<t.Mixed>): boolean {
  return (name === 'Int' || name === 'Integer') && predicate(1) && !predicate(0.5)
}

/** A record whose keys are all known is an object that has each of them. */
function readRecord(codec: t.DictionaryType<t.Mixed, t.Mixed>): Shape {
  // a name in JSON has one spelling
  const domain = strict(inner(codec.domain))
  const record: RecordShape = { kind: 'record', codec, domain, codomain: inner(codec.codomain) }
  if (domain.kind !== 'literal' || !domain.values.every(value => typeof value === 'string'))
    return record
  const props = Object.fromEntries(domain.values.map(key => [key, codec.codomain]))
  return objectShape(codec, props, { shapeOf })
}

function readIntersection(codec: t.IntersectionType<t.Mixed[]>): Shape {
  const [first = shapeOf(t.unknown), ...others] = codec.types.map(inner)
  const last = others.pop()
  return last
    ? intersect(
        others.reduce((shape, other) => intersect(shape, other), first),
        last,
        codec,
      )
    : first
}

function opaque(codec: t.Mixed): OpaqueShape {
  const schema = annotationsOf(codec).schema ?? schemaOfForeign(codec)
  return { kind: 'opaque', codec, ...(schema && { schema }) }
}

/**
 * A codec of io-ts-types: known by its name, if it also does to `sample` what the codec of that
 * name does.
 */
interface Known {
  readonly schema: SchemaObject
  readonly sample: unknown
  readonly result: unknown
}

const TEXT: SchemaObject = { type: 'string' }
const UUID_SAMPLE = '2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d'
const DATE_SAMPLE = '2020-02-03T04:05:06.000Z'

const KNOWN = new Map<string, Known>([
  ['BigIntFromString', { schema: TEXT, sample: '1', result: 1n }],
  ['BooleanFromNumber', { schema: { type: 'number' }, sample: 1, result: true }],
  [
    'BooleanFromString',
    { schema: { type: 'string', enum: ['true', 'false'] }, sample: 'true', result: true },
  ],
  [
    'DateFromISOString',
    {
      schema: { type: 'string', format: 'date-time' },
      sample: DATE_SAMPLE,
      result: new Date(DATE_SAMPLE),
    },
  ],
  ['DateFromNumber', { schema: { type: 'number' }, sample: 1000, result: new Date(1000) }],
  ['DateFromUnixTime', { schema: { type: 'integer' }, sample: 1, result: new Date(1000) }],
  ['IntFromString', { schema: TEXT, sample: '1', result: 1 }],
  ['NonEmptyString', { schema: { minLength: 1 }, sample: 'a', result: 'a' }],
  ['NumberFromString', { schema: TEXT, sample: '1', result: 1 }],
  ['UUID', { schema: { format: 'uuid' }, sample: UUID_SAMPLE, result: UUID_SAMPLE }],
])

/** The wire schema of a codec of io-ts-types; undefined for any other codec. */
function schemaOfForeign(codec: t.Mixed): SchemaObject | undefined {
  const known = KNOWN.get(codec.name)
  return known && behavesAs(known, codec) ? known.schema : undefined
}

function behavesAs({ sample, result }: Known, codec: t.Mixed): boolean {
  try {
    const decoded = codec.decode(sample)
    const refuses = codec.decode('')._tag === 'Left' && codec.decode({})._tag === 'Left'
    return (
      refuses &&
      decoded._tag === 'Right' &&
      typeof decoded.right === typeof result &&
      String(decoded.right) === String(result)
    )
  } catch {
    return false
  }
}
