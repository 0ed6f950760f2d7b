import {
  countMessages,
  type Decoder,
  type DecoderBuilder,
  type Faults,
  faultOf,
  Invalid,
  listReader,
  MISSING,
  NOT_AN_OBJECT,
  recordKeyReader,
  SHOWN_MESSAGES,
  UNKNOWN_FIELD,
  withFault,
  wrongType,
} from '../runtime/decoding.js'
import { jsonFaults } from '../runtime/encoding.js'
import { type Dictionary, isPlainObject, readerOf, setOwn } from '../shape/plain-object.js'
import type {
  ArrayShape,
  Field,
  ObjectShape,
  RecordShape,
  TupleShape,
  UnknownShape,
} from '../shape/shape.js'

const READ_ONLY = new Invalid(['Read-only field.'])
const UNKNOWN = new Invalid(UNKNOWN_FIELD)
const NONE: ReadonlySet<string> = new Set()

/** The decoder of an object: its own properties only, found by their names on the wire. */
export function objectDecoder(shape: ObjectShape, builder: DecoderBuilder): Decoder {
  const fields = shape.fields.map(field => fieldDecoder(field, builder))
  const names = new Set(shape.fields.map(field => field.name))
  const others = othersDecoder(shape, builder, new Set(shape.fields.map(field => field.key)))
  const fault = wrongType(shape, NOT_AN_OBJECT, builder.wire)
  const { nesting } = builder
  return input => {
    if (!isPlainObject(input)) return fault(input)
    const value: Dictionary = {}
    let faults: Faults
    for (const { name, key, read, absent, decode } of fields) {
      const given = read(input)
      const decoded = given === undefined ? absent() : decode(given)
      if (decoded instanceof Invalid) faults = withFault(faults, name, decoded.errors)
      else if (decoded !== NOTHING) setOwn(value, key, decoded)
    }
    const given = others ? nesting.namesOf(input) : []
    if (others && hasOthers(given, names))
      faults = decodeEntries(given, input, names, others, { value, faults })
    return faults ? new Invalid(faults) : value
  }
}

/**
 * The decoder of a dictionary. Names outside of its domain are unknown fields, and are never kept.
 */
export function recordDecoder(shape: RecordShape, builder: DecoderBuilder): Decoder {
  const keyOf = recordKeyReader(builder.with({ wire: 'text' }).of(shape.domain))
  const decode = builder.of(shape.codomain)
  const outside = builder.unknown === 'raise' ? UNKNOWN : NOTHING
  const fault = wrongType(shape, NOT_AN_OBJECT, builder.wire)
  const entries: Entries = { keyOf, decoderOf: key => (key === undefined ? outside : decode) }
  return input => {
    if (!isPlainObject(input)) return fault(input)
    const value: Dictionary = {}
    const names = builder.nesting.namesOf(input)
    const faults = decodeEntries(names, input, NONE, entries, { value, faults: undefined })
    return faults ? new Invalid(faults) : value
  }
}

/** The result for an absent field that may be absent. */
const NOTHING = Symbol('nothing')

interface FieldDecoder {
  readonly name: string
  readonly key: string
  readonly read: (input: Dictionary) => unknown
  /** Returns the value of an absent field: a default, an Invalid, or NOTHING. */
  readonly absent: () => unknown
  readonly decode: Decoder
}

function fieldDecoder(field: Field, builder: DecoderBuilder): FieldDecoder {
  const { key, name, optional, fallback } = field
  const read = readerOf(name)
  if (field.access === 'read' && !builder.whole)
    return { name, key, read, absent: () => NOTHING, decode: () => READ_ONLY }
  const absent = fallback ?? (() => (optional ? NOTHING : MISSING))
  return { name, key, read, absent, decode: builder.of(field.shape) }
}

/**
 * How the entries of a dictionary are decoded, or the fields of an object that are not declared.
 */
interface Entries {
  /** The program's key of a name; undefined if it has none. */
  readonly keyOf: (name: string) => string | undefined
  /** Returns the decoder of the value under a key, or the result that replaces the value. */
  readonly decoderOf: (key: string | undefined) => Decoder | Invalid | typeof NOTHING
}

/** Returns the decoder of undeclared fields; undefined if they are left out. */
function othersDecoder(
  { rest }: ObjectShape,
  builder: DecoderBuilder,
  keys: ReadonlySet<string>,
): Entries | undefined {
  const { unknown, of } = builder
  const keyOf = (name: string) => name
  if (rest) {
    const decode = of(rest)
    return { keyOf, decoderOf: () => decode }
  }
  if (unknown === 'exclude') return undefined
  if (unknown === 'raise') return { keyOf, decoderOf: () => UNKNOWN }
  // the name on the wire of one field may be the program's name of another
  return { keyOf: name => (keys.has(name) ? undefined : name), decoderOf: () => jsonDecoder }
}

function hasOthers(given: readonly string[], declared: ReadonlySet<string>): boolean {
  for (const name of given) if (!declared.has(name)) return true
  return false
}

/**
 * Decodes all entries but the declared ones into `value`, and adds to `faults`, until more is wrong
 * than is shown.
 */
function decodeEntries(
  names: readonly string[],
  input: Dictionary,
  declared: ReadonlySet<string>,
  { keyOf, decoderOf }: Entries,
  { value, faults: collected }: { readonly value: Dictionary; readonly faults: Faults },
): Faults {
  let faults = collected
  let found = 0
  for (const name of names) {
    if (declared.has(name)) continue
    const key = keyOf(name)
    const decode = decoderOf(key)
    if (decode === NOTHING) continue
    const decoded = decode instanceof Invalid ? decode : decode(input[name])
    if (decoded instanceof Invalid) {
      faults = withFault(faults, name, decoded.errors)
      found += countMessages(decoded.errors)
      if (found > SHOWN_MESSAGES) break
    } else if (key !== undefined) setOwn(value, key, decoded)
  }
  return faults
}

const NOT_A_LIST = 'Not a list.'

/**
 * The decoder of a list. On a text wire one value is a list of one, or a string with commas between
 * the items.
 */
export function arrayDecoder(shape: ArrayShape, builder: DecoderBuilder): Decoder {
  const item = builder.of(shape.item)
  const read = listReader(builder.wire, shape.isSeparated)
  const fault = wrongType(shape, NOT_A_LIST, builder.wire)
  return input => {
    const items = read(input)
    return items ? decodeItems(items, () => item) : fault(input)
  }
}

/** The decoder of a list whose places have their own types: no item more, none less. */
export function tupleDecoder(shape: TupleShape, builder: DecoderBuilder): Decoder {
  const decoders = shape.items.map(builder.of)
  const read = listReader(builder.wire)
  const fault = wrongType(shape, NOT_A_LIST, builder.wire)
  const wrongLength = faultOf(
    shape,
    `Must have exactly ${decoders.length} ${decoders.length === 1 ? 'item' : 'items'}.`,
  )
  return input => {
    const items = read(input)
    if (!items) return fault(input)
    return items.length === decoders.length
      ? decodeItems(items, index => decoders[index] as Decoder)
      : wrongLength
  }
}

/** Stops when more is wrong than is shown. */
function decodeItems(items: readonly unknown[], decoderAt: (index: number) => Decoder): unknown {
  const values: unknown[] = []
  let faults: Faults
  let found = 0
  for (let index = 0; index < items.length && found <= SHOWN_MESSAGES; index++) {
    const value = decoderAt(index)(items[index])
    if (value instanceof Invalid) {
      faults = withFault(faults, String(index), value.errors)
      found += countMessages(value.errors)
    } else values.push(value)
  }
  return faults ? new Invalid(faults) : values
}

/** The decoder of a value of any kind, which is kept unchanged. */
export function unknownDecoder(shape: UnknownShape): Decoder {
  return input => {
    const faults = jsonFaults(input)
    if (!faults) return input
    return Array.isArray(faults) ? faultOf(shape, faults[0]) : new Invalid(faults)
  }
}

/** Decodes a field that is kept although it is not declared. */
function jsonDecoder(input: unknown): unknown {
  const faults = jsonFaults(input)
  return faults ? new Invalid(faults) : input
}
