import * as t from 'io-ts'
import { shown } from '../../names.js'
import type { OptionalC, ReadOnlyC, WireNameC, WithDefaultC, WriteOnlyC } from '../types/types.js'
import { derivedFrom, parentOf } from './annotations.js'
import { isPlainObject } from './plain-object.js'
import { requireCodec } from './require-codec.js'

/** The marks of a field, beside the codec of its value. */
export interface FieldMarks {
  readonly optional?: boolean
  /** The default; undefined if `optional` has removed it. */
  readonly fallback?: Fallback | undefined
  readonly name?: string
  readonly access?: 'read' | 'write'
}

/** The default of a field: the function that makes it, and the value if it is always the same. */
export interface Fallback {
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
