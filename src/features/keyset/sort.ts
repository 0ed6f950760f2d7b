// The sorts of a list, decided once at registration: the declared sorts, made total by the unique
// field, with what is needed to carry each key in a cursor and to compare it in memory.
import { type Decoder, decoderOf, Invalid } from '../../codec/decode/decode.js'
import { decimal } from '../../codec/define/scalar/scalars.js'
import { type Encoder, encoderOf } from '../../codec/encode/encode.js'
import { originOf } from '../../codec/shape/annotations.js'
import type { Field, ScalarShape, Shape } from '../../codec/shape/shape.js'
import { documentedAlternativesOf, isAbsence } from '../../codec/traits/parts.js'
import type { Nulls, OrderKey } from '../../feature-api/seekable.js'
import { shown, suggestion } from '../../names.js'

/** A key of an order, with functions to encode, decode and compare it. */
export interface Key extends OrderKey {
  /** Encodes a value for a cursor; `null` stays `null`. */
  readonly encode: Encoder
  /** Decodes the value of a cursor, or returns an Invalid. */
  readonly decode: Decoder
  /** Compares two non-null values, ascending. */
  readonly compare: (left: never, right: never) => number
  /** The value of a row that lacks the field: its default, or `null`. */
  readonly absent: unknown
}

/** The value of a row in a key, `null` for none. */
export function valueIn({ field, absent }: Key, row: Readonly<Record<string, unknown>>): unknown {
  const value = row[field]
  return value === undefined ? absent : value
}

/** A named order of a list, in both directions. */
export interface Sort {
  readonly name: string
  readonly next: Order
  readonly prev: Order
}

/** An order: its keys, and the part of them that a collection sees. */
interface Order {
  readonly keys: readonly Key[]
  readonly orderBy: readonly OrderKey[]
}

/** The options of `keyset` that concern its order. */
interface SortOptions {
  readonly unique: string
  readonly sorts?: Readonly<Record<string, readonly string[]>>
  readonly nulls?: Readonly<Record<string, Nulls>>
}

/** The longest string value of a key, in characters: a cursor holds one value for each key. */
const LONGEST_KEY = 200

/**
 * Checks `nulls`: a misspelt field would have no effect, and a misspelt position the opposite one.
 */
export function checkNulls(
  { unique, sorts = {}, nulls = {} }: SortOptions,
  fault: (text: string) => void,
): void {
  const fields = [
    unique,
    ...Object.values(sorts).flatMap(texts => texts.map(text => text.replace(/^-/, ''))),
  ]
  for (const [field, place] of Object.entries(nulls)) {
    if (!fields.includes(field))
      fault(`keyset: nulls names ${field}, by which nothing is sorted${suggestion(field, fields)}`)
    if (place !== 'first' && place !== 'last')
      fault(`keyset: nulls of ${field} must be "first" or "last", not ${shown(place)}`)
  }
}

/**
 * Returns the sorts of a list of such items, each ended by the unique field in the
 * direction of its last key, so that no two rows are equal. `sealed` means that clients cannot read
 * cursors, so that they may contain fields that the response does not.
 */
export function sortsOf(
  item: Shape,
  options: SortOptions,
  sealed: boolean,
  fault: (text: string) => void,
): readonly Sort[] {
  // a list may mix rows of all members of a union
  const members = documentedAlternativesOf(item).map(one =>
    one.kind === 'object' ? one.fields : [],
  )
  const made = new Map<string, Key>()
  const keyOf = (text: string): Key => {
    const known = made.get(text)
    if (known) return known
    const [field, direction] = text.startsWith('-')
      ? ([text.slice(1), 'desc'] as const)
      : ([text, 'asc'] as const)
    const key = makeKey({ field, direction, ...nullsOf(options, field) }, members, sealed, fault)
    made.set(text, key)
    return key
  }
  const total = (texts: readonly string[]): readonly Key[] => {
    const end = texts.findIndex(text => text.replace(/^-/, '') === options.unique)
    if (end !== -1) return texts.slice(0, end + 1).map(keyOf)
    return [...texts, `${texts.at(-1)?.startsWith('-') ? '-' : ''}${options.unique}`].map(keyOf)
  }
  const named = Object.entries(options.sorts ?? {})
  if (options.sorts && named.length === 0)
    fault('keyset: sorts is empty; leave it out to sort by the unique field alone')
  for (const [name, texts] of named)
    if (texts.length === 0)
      fault(
        `keyset: the sort ${name} has no fields: ['${options.unique}'] sorts by the unique field alone`,
      )
  if (Object.hasOwn(options.nulls ?? {}, options.unique))
    fault(`keyset: the unique field ${options.unique} cannot be null`)
  return named.length > 0
    ? named.map(([name, texts]) => sortOf(name, total(texts)))
    : [sortOf('', total([]))]
}

function sortOf(name: string, keys: readonly Key[]): Sort {
  return { name, next: orderOf(keys), prev: orderOf(reversed(keys)) }
}

function orderOf(keys: readonly Key[]): Order {
  return {
    keys,
    orderBy: keys.map(({ field, direction, nulls }) => ({
      field,
      direction,
      ...(nulls && { nulls }),
    })),
  }
}

/** Reverses an order, including the position of rows without a value. */
function reversed<K extends OrderKey>(keys: readonly K[]): readonly K[] {
  return keys.map(key => ({
    ...key,
    direction: key.direction === 'asc' ? 'desc' : 'asc',
    ...(key.nulls && { nulls: key.nulls === 'first' ? 'last' : 'first' }),
  }))
}

function nullsOf({ nulls }: SortOptions, field: string): { readonly nulls?: Nulls } {
  const place = nulls && Object.hasOwn(nulls, field) ? nulls[field] : undefined
  return place ? { nulls: place } : {}
}

const asIs = (value: unknown): unknown => value

function makeKey(
  key: OrderKey,
  members: readonly (readonly Field[])[],
  sealed: boolean,
  fault: (text: string) => void,
): Key {
  const found = members.map(fields =>
    fields.find(({ key: name, access }) => name === key.field && access !== 'write'),
  )
  const values = found.flatMap(field => (field ? [presentValueOf(field)] : []))
  const [value] = values
  const hasOneCodec = values.every(({ shape }) => shape.codec === value?.shape.codec)
  if (!value || values.length < found.length || !hasOneCodec) {
    if (!sealed) fault(lacking(key.field, value !== undefined, hasOneCodec))
    return { ...key, encode: asIs, decode: asIs, compare: byCodeUnit, absent: null }
  }
  const { shape } = value
  const mayBeNull = values.some(other => other.mayBeNull)
  if (mayBeNull && !key.nulls)
    fault(
      `keyset: ${key.field} may be null: set the place of such rows, nulls: { ${key.field}: 'last' }`,
    )
  const problem = problemOf(key.field, shape)
  if (problem) fault(problem)
  const encode = encoderOf(shape.codec)
  const decode = decoderOf(shape.codec, { unknown: 'raise', whole: true })
  return {
    ...key,
    encode: value => (value === null || value === undefined ? null : encode(value)),
    decode: wire =>
      wire === null ? (key.nulls ? null : new Invalid(['Must not be null.'])) : decode(wire),
    compare: comparisonOf(shape),
    absent: found.find(field => field?.constant)?.constant?.value ?? null,
  }
}

function lacking(field: string, isThere: boolean, hasOneCodec: boolean): string {
  if (!hasOneCodec)
    return `keyset: ${field} has different codecs in the members of the response: let them share one to sort by it`
  const lacks = isThere
    ? 'not every member of the response has a field'
    : 'the response has no field'
  return `keyset: ${lacks} ${field}, and a cursor would show it: declare it, or set CURSOR_SECRETS`
}

/** Returns the shape of a field without `null` and `undefined`. */
function presentValueOf({ shape: whole, optional: mayBeAbsent, fallback }: Field): {
  readonly shape: Shape
  readonly mayBeNull: boolean
} {
  const shape = whole.kind === 'standard' ? whole.base : whole
  // a default is always sent
  const optional = mayBeAbsent && fallback === undefined
  if (shape.kind !== 'union') return { shape, mayBeNull: optional }
  const members = shape.members.filter(member => !isAbsence(member))
  const [only] = members
  const mayBeNull = optional || members.length < shape.members.length
  return members.length === 1 && only ? { shape: only, mayBeNull } : { shape, mayBeNull }
}

/** Returns why values of this shape cannot be keys; undefined if they can. */
function problemOf(name: string, shape: Shape): string | undefined {
  const scalar = scalarOf(shape)
  if (shape.kind === 'literal') return undefined
  if (!scalar)
    return `keyset: ${name} is not a string, number or boolean, so that rows cannot be sorted by it`
  if (losesPrecision(scalar))
    return `keyset: ${name} is a Date, which has milliseconds. A database has microseconds, so rows would be lost: use isoDateTime, and select it as text`
  const isFree =
    scalar.type === 'string' &&
    scalar.schema?.format === undefined &&
    scalar.schema?.pattern === undefined
  const most = isFree ? longest(shape) : 0
  if (most <= LONGEST_KEY) return undefined
  const length = Number.isFinite(most)
    ? `a string of up to ${most} characters, and a cursor has to stay short`
    : 'a string without a bound'
  return `keyset: ${name} is ${length}: maxLength(…, ${LONGEST_KEY}) or less`
}

function scalarOf(shape: Shape): ScalarShape | undefined {
  if (shape.kind === 'scalar') return shape
  return shape.kind === 'constrained' ? scalarOf(shape.base) : undefined
}

/** Returns whether conversion loses precision: a day has no fraction, a moment has. */
function losesPrecision({ conversion, schema }: ScalarShape): boolean {
  return conversion !== undefined && schema?.format === 'date-time'
}

function longest(shape: Shape): number {
  if (shape.kind !== 'constrained' && shape.kind !== 'scalar') return Number.POSITIVE_INFINITY
  const own = shape.schema?.maxLength ?? Number.POSITIVE_INFINITY
  return shape.kind === 'scalar' ? own : Math.min(own, longest(shape.base))
}

function comparisonOf(shape: Shape): Key['compare'] {
  const scalar = scalarOf(shape)
  if (scalar && originOf(scalar.codec) === decimal) return byDecimal
  if (scalar?.schema?.format === 'date-time') return byInstant
  return byCodeUnit
}

/** Compares numbers by value, days by time and strings by code unit, as JavaScript does. */
function byCodeUnit<Value extends string | number | bigint | boolean | Date>(
  left: Value,
  right: Value,
): number {
  return left < right ? -1 : left > right ? 1 : 0
}

/** Compares moments by time, whatever their offsets, to the last digit of their fractions. */
function byInstant(left: string, right: string): number {
  const seconds = (text: string) =>
    Math.floor(Date.parse(text.replace(/\.\d+/, '').replace(/:60(?=[Zz+-])/, ':59')) / 1000)
  const fraction = (text: string) => /\.(\d+)/.exec(text)?.[1]?.replace(/(?<!0)0+$/, '') ?? ''
  return byCodeUnit(seconds(left), seconds(right)) || byCodeUnit(fraction(left), fraction(right))
}

/** Compares decimal numbers of any length, given as strings. */
function byDecimal(left: string, right: string): number {
  const [[leftWhole = '', leftRest = ''], [rightWhole = '', rightRest = '']] = [
    left.split('.'),
    right.split('.'),
  ]
  const length = Math.max(leftRest.length, rightRest.length)
  return byCodeUnit(
    BigInt(leftWhole + leftRest.padEnd(length, '0')),
    BigInt(rightWhole + rightRest.padEnd(length, '0')),
  )
}
