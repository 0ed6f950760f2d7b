import * as t from 'io-ts'
import { shown } from '../../names.js'
import type { OptionalC, ReadOnlyC, WireNameC, WithDefaultC, WriteOnlyC } from '../types/types.js'
import { annotationsOf, derivedFrom, parentOf, requireCodec } from './annotations.js'
import { isPlainObject } from './plain-object.js'
import {
  type Field,
  literalsOf,
  type ObjectShape,
  type OpaqueShape,
  type Shape,
  type StandardShape,
  type UnionShape,
} from './shape.js'

/** The object shape of named codecs, in their order. `allOptional`: `t.partial`. */
export function objectShape(
  codec: t.Mixed,
  props: t.Props,
  options: { readonly shapeOf: (codec: t.Mixed) => Shape; readonly allOptional?: boolean },
): ObjectShape {
  const { shapeOf, allOptional = false } = options
  const fields = Object.entries(props).map(([key, field]) =>
    fieldOf(key, field, shapeOf, allOptional),
  )
  return { kind: 'object', codec, fields }
}

/** The same shape as the shape of another codec: a copy with other annotations. */
export function withCodec(shape: Shape, codec: t.Mixed): Shape {
  if (shape.kind === 'union') return unionShape(codec, shape.members, shape.message)
  const { schema } = annotationsOf(codec)
  return shape.kind === 'opaque' && schema ? { ...shape, codec, schema } : { ...shape, codec }
}

/** A union, and the key that tells its members apart. Literals alone are one literal. */
export function unionShape(codec: t.Mixed, members: readonly Shape[], message?: string): Shape {
  const [only, ...others] = members
  const own = message !== undefined && { message }
  if (only && others.length === 0) return { ...withCodec(only, codec), ...own }
  const literals = members.filter(member => member.kind === 'literal')
  if (literals.length === members.length) {
    return {
      kind: 'literal',
      codec,
      values: [...new Set(literals.flatMap(({ values }) => values))],
      ...own,
    }
  }
  let discriminator: { readonly key: string | undefined } | undefined
  return {
    kind: 'union',
    codec,
    members: members.map(strict),
    ...own,
    // looked for when it is asked for: a member may be a recursion whose shape is not known yet
    get discriminator() {
      discriminator ??= { key: discriminatorsOf(members)[0] }
      return discriminator.key
    },
  } satisfies UnionShape
}

/**
 * The shape with one spelling for each boolean: beside other members `1` or `on` may mean something
 * else.
 */
export function strict(shape: Shape): Shape {
  if (shape.kind === 'scalar' && shape.lenient) return { ...shape, lenient: false }
  if (shape.kind !== 'constrained' && shape.kind !== 'refined') return shape
  const base = strict(shape.base)
  return base === shape.base ? shape : { ...shape, base }
}

/**
 * The keys under which every member requires a literal, no two members the same, by one name on the
 * wire.
 */
export function discriminatorsOf(members: readonly Shape[]): readonly string[] {
  const literals = members.map(literalsOf)
  return [...(literals[0]?.keys() ?? [])].filter(key => {
    const found = literals.flatMap(fields => fields.get(key) ?? [])
    const values = found.flatMap(literal => literal.values)
    return (
      found.length === members.length &&
      new Set(values).size === values.length &&
      new Set(found.map(literal => literal.field.name)).size === 1
    )
  })
}

/**
 * Whether a value without the field is sent without it, rather than with its default or not at all.
 */
export function mayBeLeftOut({ optional, fallback, constant }: Field): boolean {
  return optional && (!fallback || (constant !== undefined && constant.value === undefined))
}

function fieldOf(
  key: string,
  codec: t.Mixed,
  shapeOf: (codec: t.Mixed) => Shape,
  allOptional: boolean,
): Field {
  const marks = marksOf(codec)
  const whole = marks ? withCodec(shapeOf(unmarked(codec)), codec) : shapeOf(codec)
  const accepted = acceptsUndefined(whole)
  const fallback = marks && 'fallback' in marks ? marks.fallback : fallbackOf(whole)
  const constant = fallback && (fallback.constant ?? emptyDefault(fallback))
  return {
    key,
    name: marks?.name ?? key,
    shape: accepted ? withoutUndefined(whole) : whole,
    optional: allOptional || accepted || marks?.optional === true,
    ...(fallback && { fallback: fallback.make }),
    ...(constant && { constant }),
    ...(marks?.access && { access: marks.access }),
  }
}

/** Whether an absent field fits, which in JSON is all that `undefined` can be. */
function acceptsUndefined(shape: Shape): boolean {
  switch (shape.kind) {
    case 'undefined':
    case 'unknown':
      return true
    case 'union':
      return shape.members.some(acceptsUndefined)
    case 'intersection':
      return shape.members.every(acceptsUndefined)
    case 'constrained':
      return acceptsUndefined(shape.base) && shape.holds(undefined as never)
    case 'refined':
      return acceptsUndefined(shape.base)
    case 'standard':
    case 'opaque':
      return decodedFromUndefined(shape) !== undefined
    default:
      return false
  }
}

function withoutUndefined(shape: Shape): Shape {
  if (shape.kind !== 'union') return shape
  const members = shape.members.filter(member => member.kind !== 'undefined')
  if (members.length === shape.members.length || members.length === 0) return shape
  const [only] = members
  // the name of `t.union([Pet, t.undefined])` has no meaning, but its `describe` has
  return members.length === 1 && only && !parentOf(shape.codec)
    ? only
    : unionShape(shape.codec, members)
}

/** A foreign codec may have a default of its own: it makes a value of `undefined`. */
function fallbackOf(shape: Shape): Fallback | undefined {
  if (shape.kind !== 'opaque' && shape.kind !== 'standard') return undefined
  if (decodedFromUndefined(shape)?.value === undefined) return undefined
  return { make: () => decodedFromUndefined(shape)?.value }
}

/**
 * A function that returns `[]` or `{}` means a new one each time; any other value may be another
 * one at the next call.
 */
function emptyDefault({ make }: Fallback): { readonly value: unknown } | undefined {
  try {
    const value = make()
    const isEmpty =
      (Array.isArray(value) || isPlainObject(value)) && Object.keys(value).length === 0
    return isEmpty ? { value } : undefined
  } catch {
    // one that works during a request only
    return undefined
  }
}

function decodedFromUndefined({
  codec,
}: OpaqueShape | StandardShape): { readonly value: unknown } | undefined {
  try {
    const decoded = codec.validate(undefined, [{ key: '', type: codec }])
    return decoded._tag === 'Right' ? { value: decoded.right } : undefined
  } catch {
    // a codec that assumes a value, or a schema that is asynchronous
    return undefined
  }
}

/** The marks of a field, beside the codec of its value. */
interface FieldMarks {
  readonly optional?: boolean
  /** The default; undefined if `optional` has removed it. */
  readonly fallback?: Fallback | undefined
  readonly name?: string
  readonly access?: 'read' | 'write'
}

/** The default of a field: the function that makes it, and the value if it is always the same. */
interface Fallback {
  readonly make: () => unknown
  readonly constant?: { readonly value: unknown }
}

const marks = new WeakMap<t.Mixed, FieldMarks>()

/**
 * A field that may be absent. Nothing is filled in: `optional(withDefault(…))` has no default any
 * more.
 */
export function optional<C extends t.Mixed>(codec: C): OptionalC<C> {
  requireCodec('optional() takes', codec)
  const validate = (input: unknown, context: t.Context) =>
    input === undefined ? t.success(undefined) : codec.validate(input, context)
  const encode = (value: unknown) => (value === undefined ? undefined : codec.encode(value))
  const is = (value: unknown): value is t.TypeOf<C> | undefined =>
    value === undefined || codec.is(value)
  const marked = new t.Type(`(${codec.name} | undefined)`, is, validate, encode)
  return mark(codec, marked, { optional: true, fallback: undefined }) as unknown as OptionalC<C>
}

/**
 * A field that may be absent in what is decoded and then has this value, or what the function
 * returns, which is called each time. Lists and objects are copied for each use. A value, and a
 * function that returns `[]` or `{}`, is documented, and fills in a field that a result lacks;
 * under any other function such a result is an EncodeError, since its value would be invented.
 */
export function withDefault<C extends t.Mixed>(
  codec: C,
  value: t.TypeOf<C> | (() => t.TypeOf<C>),
): WithDefaultC<C> {
  requireCodec('withDefault() takes', codec)
  const fallback: Fallback = isFunction(value) ? { make: value } : constantFallback(value)
  const validate = (input: unknown, context: t.Context) =>
    input === undefined ? t.success(fallback.make()) : codec.validate(input, context)
  const marked = new t.Type(`withDefault(${codec.name})`, codec.is, validate, codec.encode)
  return mark(codec, marked, { optional: true, fallback }) as unknown as WithDefaultC<C>
}

function constantFallback(value: unknown): Fallback {
  const kept = copyOf(value)
  return { make: () => copyOf(kept), constant: { value: kept } }
}

/** A copy of lists, plain objects and dates; an instance of any other class is shared. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf)
  if (value instanceof Date) return new Date(value)
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copyOf(inner)]))
}

/**
 * A field with another name on the wire than in the program: `token: wireName('X-Token',
 * t.string)`.
 */
export function wireName<const Name extends string, C extends t.Mixed>(
  name: Name,
  codec: C,
): WireNameC<Name, C> {
  requireCodec('wireName() takes a name and', codec)
  if (typeof name !== 'string')
    throw new TypeError(`wireName() takes a name first, not ${shown(name)}`)
  return mark(codec, sameValues(codec), { name }) as unknown as WireNameC<Name, C>
}

/** A field that goes out only: a request that has it is refused. */
export function readOnly<C extends t.Mixed>(codec: C): ReadOnlyC<C> {
  requireCodec('readOnly() takes', codec)
  return mark(codec, sameValues(codec), { access: 'read' }) as unknown as ReadOnlyC<C>
}

/** A field that comes in only: it is never encoded. */
export function writeOnly<C extends t.Mixed>(codec: C): WriteOnlyC<C> {
  requireCodec('writeOnly() takes', codec)
  return mark(codec, sameValues(codec), { access: 'write' }) as unknown as WriteOnlyC<C>
}

/**
 * Puts the marks of a field around another codec: whether it may be absent, its default, its name
 * on the wire, and whether it only comes in or goes out. A field without marks gives the codec
 * itself. For features that make a codec of the fields of another one.
 */
export function remark(field: t.Mixed, codec: t.Mixed): t.Mixed {
  requireCodec('remark() takes', field)
  requireCodec('remark() takes a field and', codec)
  const { access, name, optional: mayBeAbsent, fallback } = marksOf(field) ?? {}
  const directed =
    access === 'read' ? readOnly(codec) : access === 'write' ? writeOnly(codec) : codec
  const named = name === undefined ? directed : wireName(name, directed)
  if (fallback) return withDefault(named, fallback.constant?.value ?? fallback.make)
  return mayBeAbsent ? optional(named) : named
}

/** The marks of a codec; the outermost one wins. Undefined if it has none. */
export function marksOf(codec: t.Mixed): FieldMarks | undefined {
  const parent = parentOf(codec)
  const inner = parent && marksOf(parent)
  const own = marks.get(codec)
  return own && inner ? { ...inner, ...own } : (own ?? inner)
}

/** The codec of the value, without marks: the innermost of the copies that have any. */
export function unmarked(codec: t.Mixed): t.Mixed {
  const parent = parentOf(codec)
  return parent && marksOf(codec) ? unmarked(parent) : codec
}

function mark<C extends t.Mixed>(codec: t.Mixed, marked: C, added: FieldMarks): C {
  marks.set(marked, added)
  return derivedFrom(codec, marked)
}

function sameValues(codec: t.Mixed): t.Mixed {
  return new t.Type(codec.name, codec.is, codec.validate, codec.encode)
}

function isFunction<T>(value: T | (() => T)): value is () => T {
  return typeof value === 'function'
}
