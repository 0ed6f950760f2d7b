import * as fc from 'fast-check'
import * as t from 'io-ts'
import {
  exclusiveMaximum,
  exclusiveMinimum,
  maxItems,
  maximum,
  maxLength,
  minItems,
  minimum,
  minLength,
  multipleOf,
  pattern,
  uniqueItems,
} from '../../src/codec/define/bounds.js'
import { enumeration } from '../../src/codec/define/enumeration.js'
import { list, nullable } from '../../src/codec/define/list.js'
import { partial } from '../../src/codec/define/partial.js'
import { message, refine } from '../../src/codec/define/refine.js'
import {
  duration,
  isoDate,
  isoDateTime,
  localDateTime,
  localTime,
} from '../../src/codec/define/scalar/dates.js'
import {
  bool,
  decimal,
  email,
  float,
  int,
  int32,
  int64,
  uuid,
} from '../../src/codec/define/scalar/scalars.js'
import { omit, pick, struct } from '../../src/codec/define/struct.js'
import { optional, readOnly, withDefault, writeOnly } from '../../src/codec/shape/object-shape.js'
import type { ObjectShape, Shape } from '../../src/codec/shape/shape.js'
import { shapeOf } from '../../src/codec/shape/shape-of.js'
import type { StructC } from '../../src/codec/types/types.js'

/** Names of fields that every object is fine with. */
export const PLAIN_KEYS = ['a', 'b', 'x', 'y', 'length', '']
/** Names that every object inherits something under. */
export const INHERITED_KEYS = ['constructor', 'toString', '__proto__']

export interface CodecOptions {
  /** How deep codecs are nested. Default 3. */
  readonly depth?: number
  /** The names of fields. Default: all of the above. */
  readonly keys?: readonly string[]
  /**
   * Which codecs. `all`, the default. `type` and `strict`: those of io-ts that keep or strip
   * unknown fields at every depth, without what is decided otherwise here: tuples, of which io-ts
   * takes other lengths, and intersections of objects that share a field, of which io-ts takes the
   * last one's value.
   */
  readonly grammar?: 'all' | 'type' | 'strict'
  /** Whether fields may be read-only and write-only. Default: no. */
  readonly access?: boolean
}

const OBJECTS = {
  type: [t.type, t.partial],
  strict: [t.strict, (props: t.Props) => t.exact(t.partial(props))],
} satisfies Record<string, readonly ((props: t.Props) => t.Mixed)[]>

/**
 * A codec and a JSON value that may fit it: a good part does, a good part misses by little. Prints
 * itself.
 */
export function pairs(
  options: CodecOptions = {},
): fc.Arbitrary<{ codec: t.Mixed; input: unknown }> {
  return codecs(options).chain(codec =>
    inputsOf(codec, options).map(input => ({
      codec,
      input,
      [fc.toStringMethod]: () => `${codec.name} <- ${JSON.stringify(input)}`,
    })),
  )
}

/** Codecs of the whole grammar that can be seen into. */
export function codecs({
  depth = 3,
  keys = [...PLAIN_KEYS, ...INHERITED_KEYS],
  grammar = 'all',
  access = false,
}: CodecOptions = {}): fc.Arbitrary<t.Mixed> {
  const scalar = fc.oneof(scalars, ...(grammar === 'all' ? [ours] : []))
  if (depth === 0) return scalar
  const inner = codecs({ depth: depth - 1, keys, grammar, access })
  const props = fc.dictionary(fc.constantFrom(...keys), inner, {
    maxKeys: 4,
    noNullPrototype: true,
  })
  const makers: readonly ((props: t.Props) => t.Mixed)[] =
    grammar === 'all' ? [...OBJECTS.type, ...OBJECTS.strict] : OBJECTS[grammar]
  const plainObject = fc
    .tuple(props, fc.constantFrom(...makers))
    .map(([fields, make]) => make(fields))
  const marked = fc
    .dictionary(fc.constantFrom(...keys), access ? accessible(fields(inner)) : fields(inner), {
      maxKeys: 4,
      noNullPrototype: true,
    })
    .map(given => struct(given))
  const object = grammar === 'all' ? fc.oneof(plainObject, marked) : plainObject
  const combined: fc.Arbitrary<t.Mixed>[] = [
    object,
    object,
    inner.map(item => t.array(item)),
    inner.map(item => t.readonlyArray(item)),
    inner.map(item => t.record(t.string, item)),
    inner.map(codec => t.readonly(codec)),
    grammar === 'all'
      ? fc.tuple(plainObject, plainObject).map(codecs => t.intersection(codecs))
      : disjoint(props, makers[0] ?? t.type),
    fc.tuple(inner, inner).map(([first, second]) => safely(() => t.union([first, second]), first)),
    tagged(props, makers[0] ?? t.type),
    inner.map(codec => safely(() => nullable(codec), codec)),
    recursion(inner, fc.constantFrom(...makers)),
    ...(grammar === 'type'
      ? []
      : [inner.map(item => t.record(t.keyof({ a: null, b: null }), item))]),
    ...(grammar === 'all' ? [...others(inner, marked)] : []),
  ]
  return fc.oneof({ weight: 1, arbitrary: scalar }, { weight: 4, arbitrary: fc.oneof(...combined) })
}

const scalars: fc.Arbitrary<t.Mixed> = fc.constantFrom<t.Mixed>(
  t.string,
  t.number,
  t.boolean,
  t.null,
  t.Int,
  t.unknown,
  t.literal('a'),
  t.literal(1),
  t.literal(true),
  t.keyof({ a: null, b: null }),
  t.brand(
    t.string,
    (text): text is t.Branded<string, { readonly Word: symbol }> => text.length > 1,
    'Word',
  ),
)

const ours: fc.Arbitrary<t.Mixed> = fc.constantFrom<t.Mixed>(
  int,
  int32,
  int64,
  int64.asBigInt,
  float,
  bool,
  uuid,
  email,
  decimal,
  isoDate,
  isoDateTime,
  isoDate.asDate,
  isoDateTime.asDate,
  minLength(t.string, 2),
  maxLength(minLength(t.string, 1), 3),
  pattern(t.string, /^[ab]/),
  minimum(int, 1),
  maximum(minimum(int, 1), 5),
  exclusiveMinimum(t.number, 0),
  exclusiveMaximum(float, 5),
  multipleOf(int, 2),
  localDateTime,
  localTime,
  duration,
  enumeration({ first: 'a', second: 1, third: 'abc' }),
  message(minLength(t.string, 2), 'Wrong.'),
  refine(int, value => (value % 2 === 0 ? undefined : 'Must be even.')),
)

/** Equal for values that are equal in JSON, which has one zero. */
const lengthOf = (value: unknown): number =>
  (JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? '')
    .length

/** What io-ts has none of, or decides otherwise. */
function others(
  inner: fc.Arbitrary<t.Mixed>,
  structs: fc.Arbitrary<StructC<t.Props>>,
): fc.Arbitrary<t.Mixed>[] {
  const domains = fc.constantFrom<t.Mixed>(
    int,
    minimum(int, 1),
    uuid,
    minLength(t.string, 2),
    isoDate.asDate,
    t.union([t.literal(1), t.string]),
  )
  const refined = fc.tuple(inner, fc.constantFrom(1, 2, 3))
  return [
    fc.tuple(inner, inner).map(items => t.tuple(items)),
    inner.map(item => list(item)),
    bounded(inner),
    fc.tuple(domains, inner).map(([domain, value]) => t.record(domain, value) as t.Mixed),
    refined.map(([codec, every]) =>
      refine(codec, value => (lengthOf(value) % every === 1 ? 'Has such a length.' : undefined)),
    ),
    inner.map(codec => message(codec, 'Wrong.')),
    fc
      .tuple(structs, fc.constantFrom(...INHERITED_KEYS, ...PLAIN_KEYS))
      .map(([codec, key]) => (Object.hasOwn(codec.props, key) ? omit(codec, [key]) : codec)),
    fc
      .tuple(structs, fc.constantFrom(...PLAIN_KEYS))
      .map(([codec, key]) => (Object.hasOwn(codec.props, key) ? pick(codec, [key]) : codec)),
    structs.map(codec => partial(codec)),
    structs.map(codec => safely(() => partial(codec, { deep: true }), codec)),
  ]
}

function bounded(inner: fc.Arbitrary<t.Mixed>): fc.Arbitrary<t.Mixed> {
  const bounds = [
    (item: t.Mixed) => minItems(t.array(item), 1),
    (item: t.Mixed) => maxItems(t.array(item), 1),
    () => uniqueItems(t.array(t.string)),
  ]
  return fc.tuple(inner, fc.constantFrom(...bounds)).map(([item, bound]) => bound(item))
}

function fields(inner: fc.Arbitrary<t.Mixed>): fc.Arbitrary<t.Mixed> {
  return fc.oneof(
    inner,
    inner.map(codec => optional(codec)),
    fc.constant(withDefault(int, 1)),
    fc.constant(withDefault(t.string, 'a')),
    fc.constant(withDefault(isoDate.asDate, new Date(0))),
    fc.constant(withDefault(nullable(t.string), null)),
    fc.constant(withDefault(t.type({ a: t.array(int) }), { a: [1] })),
    fc.constant(withDefault(int, () => 7)),
    inner.map(codec => withDefault(t.array(codec), () => [])),
    inner.map(codec => withDefault(t.record(t.string, codec), () => ({}))),
  )
}

/** Some of the fields go one way only. */
function accessible(field: fc.Arbitrary<t.Mixed>): fc.Arbitrary<t.Mixed> {
  return fc.oneof({ weight: 3, arbitrary: field }, field.map(readOnly), field.map(writeOnly))
}

/** An intersection of two objects that share no field. */
function disjoint(
  props: fc.Arbitrary<t.Props>,
  make: (props: t.Props) => t.Mixed,
): fc.Arbitrary<t.Mixed> {
  return fc.tuple(props, props).map(([first, second]) => {
    const others = Object.entries(second).filter(([key]) => !Object.hasOwn(first, key))
    return t.intersection([make(first), make(Object.fromEntries(others))])
  })
}

/**
 * A union of two objects with a tag, which io-ts cannot build where the objects have fields of
 * inherited names.
 */
function tagged(
  props: fc.Arbitrary<t.Props>,
  make: (props: t.Props) => t.Mixed,
): fc.Arbitrary<t.Mixed> {
  return fc.tuple(props, props).map(([first, second]) => {
    const member = make({ ...first, kind: t.literal('first') })
    return safely(() => t.union([member, make({ ...second, kind: t.literal('second') })]), member)
  })
}

/** A list of lists, a chain of objects, or a tree of objects. */
function recursion(
  inner: fc.Arbitrary<t.Mixed>,
  makers: fc.Arbitrary<(props: t.Props) => t.Mixed>,
): fc.Arbitrary<t.Mixed> {
  const definitions: ((value: t.Mixed, make: (props: t.Props) => t.Mixed) => t.Mixed)[] = [
    () => t.recursion('Nested', (self: t.Mixed): t.Mixed => t.array(self)),
    (value, make) =>
      t.recursion(
        'Chain',
        (self: t.Mixed): t.Mixed => make({ value, next: t.union([self, t.null]) }),
      ),
    (value, make) =>
      t.recursion(
        'Tree',
        (self: t.Mixed): t.Mixed =>
          t.intersection([make({ value }), make({ children: t.array(self) })]),
      ),
  ]
  return fc
    .tuple(inner, makers, fc.constantFrom(...definitions))
    .map(([value, make, define]) => define(value, make))
}

function safely(make: () => t.Mixed, otherwise: t.Mixed): t.Mixed {
  try {
    return make()
  } catch {
    return otherwise
  }
}

/** JSON values for a codec: a third fits, a third fits but for one change, a third is anything. */
export function inputsOf(
  codec: t.Mixed,
  { keys = [...PLAIN_KEYS, ...INHERITED_KEYS] }: CodecOptions = {},
): fc.Arbitrary<unknown> {
  const fitting = fittingInputs(codec)
  return fc.oneof(
    fitting,
    fitting.chain(value => nearMisses(value, keys)),
    fc.jsonValue({ maxDepth: 2 }).map(asJson),
  )
}

/** JSON values that fit a codec, as far as its shape tells. */
export function fittingInputs(codec: t.Mixed): fc.Arbitrary<unknown> {
  return fitting(shapeOf(codec), 4).map(asJson)
}

const TEXTS = ['', 'a', 'ab', 'abc', 'abcd', 'b', '💩', '💩💩💩', '\u0000']
const SAMPLES = [
  '2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d',
  '2C5EA4C0-4067-11E9-8BAD-9B1DEB4D3B7D',
  'ann@example.com',
  '2020-02-29',
  '2021-02-29',
  '2020-02-29T12:30:00Z',
  '2016-12-31T23:59:60Z',
  '2020-01-01t00:00:00.5+05:30',
  '2020-01-01 00:00:00Z',
  '2020-01-01T00:00:00+05',
  '12.50',
  '12',
  '9223372036854775807',
  '9223372036854775808',
  '-0',
  '2020-02-29T12:30:00',
  '2100-02-29T12:30:00',
  '2020-04-31T12:30:00.5',
  '12:30:00',
  '24:00:00',
  'P1DT2H30M',
  'PT1.5S',
  'P1W2D',
]
const texts = fc.constantFrom(...TEXTS, ...SAMPLES)
const numbers = fc.constantFrom(
  ...[0, 1, 2, 3, 4, 5, 6, -1, 0.5, 1.5, 1e-7],
  ...[2 ** 31 - 1, -(2 ** 31), 2 ** 31, Number.MAX_SAFE_INTEGER],
)

function fitting(shape: Shape, depth: number): fc.Arbitrary<unknown> {
  switch (shape.kind) {
    case 'scalar':
      return fittingScalar(shape)
    case 'literal':
      return shape.values.length > 0 ? fc.constantFrom(...shape.values) : texts
    case 'array':
      return depth < 1
        ? fc.constant([])
        : fc.array(fitting(shape.item, depth - 1), { maxLength: 3 })
    case 'tuple':
      return fc.tuple(...shape.items.map(item => fitting(item, depth)))
    case 'record':
      return depth < 1
        ? fc.constant({})
        : fc.dictionary(fc.constantFrom(...PLAIN_KEYS), fitting(shape.codomain, depth - 1), {
            maxKeys: 3,
          })
    case 'object':
      return fittingObject(shape, depth)
    case 'union': {
      const shallow =
        depth < 1 ? shape.members.filter(member => member.kind !== 'recursion') : shape.members
      return fc.oneof(
        ...(shallow.length > 0 ? shallow : shape.members).map(member => fitting(member, depth)),
      )
    }
    case 'intersection':
      return fitting(shape.members[0] as Shape, depth)
    case 'constrained':
    case 'refined':
      return fitting(shape.base, depth)
    case 'recursion':
      return fitting(shape.target(), depth - 1)
    default:
      return fc.jsonValue({ maxDepth: 1 })
  }
}

function fittingScalar(shape: Shape & { kind: 'scalar' }): fc.Arbitrary<unknown> {
  const values = {
    string: texts,
    number: numbers,
    integer: numbers.map(Math.trunc).filter(Number.isSafeInteger),
    boolean: fc.boolean(),
    null: fc.constant(null),
  }
  const test = shape.test as ((value: unknown) => string | undefined) | undefined
  return test
    ? (values[shape.type] as fc.Arbitrary<unknown>).filter(value => test(value) === undefined)
    : values[shape.type]
}

function fittingObject({ fields, rest }: ObjectShape, depth: number): fc.Arbitrary<unknown> {
  const shown = fields.filter(field => field.access !== 'read' && !(depth < 1 && field.optional))
  const values = fc.tuple(
    ...shown.map(field => fc.tuple(fitting(field.shape, depth - 1), fc.boolean())),
  )
  const others =
    rest && depth > 0
      ? fc.dictionary(fc.constantFrom(...PLAIN_KEYS), fitting(rest, depth - 1), { maxKeys: 2 })
      : fc.constant({})
  return fc.tuple(others, values).map(([extra, given]) => {
    const present = shown.flatMap((field, index) => {
      const [value, absent] = given[index] as [unknown, boolean]
      return field.optional && absent ? [] : [[field.name, value] as const]
    })
    return Object.fromEntries([...Object.entries(extra), ...present])
  })
}

const LEAVES: readonly unknown[] = [
  null,
  '',
  'a',
  'abcd',
  0,
  -1,
  1.5,
  7,
  true,
  [],
  {},
  ['a'],
  { a: 1 },
]

/**
 * The value with one change, at any depth: another leaf, a field less or more, an item less or
 * more.
 */
function nearMisses(value: unknown, keys: readonly string[]): fc.Arbitrary<unknown> {
  const leaf = fc.constantFrom(...LEAVES)
  if (typeof value !== 'object' || value === null) return leaf
  const entries = Object.entries(value)
  const isList = Array.isArray(value)
  const rebuilt = (changed: readonly (readonly [string, unknown])[]) =>
    isList ? changed.map(([, item]) => item) : Object.fromEntries(changed)
  const added = fc.tuple(fc.constantFrom(...keys), leaf).map(entry => rebuilt([...entries, entry]))
  if (entries.length === 0) return fc.oneof(leaf, added)
  const index = fc.nat(entries.length - 1)
  const removed = index.map(at => rebuilt(entries.filter((_entry, other) => other !== at)))
  const inside = index.chain(at =>
    nearMisses(entries[at]?.[1], keys).map(inner =>
      rebuilt(entries.map(([key, old], other) => [key, other === at ? inner : old] as const)),
    ),
  )
  return fc.oneof(
    { weight: 1, arbitrary: leaf },
    { weight: 2, arbitrary: added },
    { weight: 2, arbitrary: removed },
    { weight: 5, arbitrary: inside },
  )
}

/**
 * The value as it comes out of JSON: `__proto__` is a field of its own, there is no -0. No whole
 * number is unsafe.
 */
function asJson(value: unknown): unknown {
  const isUnsafe = (inner: unknown) => Number.isInteger(inner) && !Number.isSafeInteger(inner)
  return JSON.parse(JSON.stringify(value), (_key, inner) => (isUnsafe(inner) ? 0.5 : inner))
}
