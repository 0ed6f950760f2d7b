import {
  type DecoderBuilder,
  MISSING,
  NOT_AN_OBJECT,
  type PartDecoder,
  type Steps,
  UNKNOWN_FIELD,
  wrongType,
} from '../runtime/decoding.js'
import {
  countMessages,
  type Faults,
  Invalid,
  SHOWN_MESSAGES,
  withFault,
} from '../runtime/invalid.js'
import { recordKeyReader } from '../runtime/record-key.js'
import { type Dictionary, isInheritedName, isPlainObject, setOwn } from '../shape/plain-object.js'
import type { Field, ObjectShape, RecordShape } from '../shape/shape.js'
import { jsonPart } from './unknown.js'

const READ_ONLY = new Invalid(['Read-only field.'])
const UNKNOWN = new Invalid(UNKNOWN_FIELD)
const NONE: ReadonlySet<string> = new Set()

/** The decoder of an object: its own properties only, found by their names on the wire. */
export function objectDecoder(
  shape: ObjectShape,
  builder: DecoderBuilder,
): (input: unknown) => Steps {
  const fields = shape.fields.map(field => fieldDecoder(field, builder))
  const names = new Set(shape.fields.map(field => field.name))
  const others = othersDecoder(shape, builder, new Set(shape.fields.map(field => field.key)))
  const fault = wrongType(shape, NOT_AN_OBJECT, builder.wire)
  const { isLong } = builder
  return function* (input) {
    if (!isPlainObject(input)) return fault(input)
    const value: Dictionary = {}
    let faults: Faults
    for (const { name, key, read, absent, part } of fields) {
      const given = read(input)
      const { decode, steps } = part
      const decoded =
        given === undefined
          ? absent()
          : steps && isLong(given)
            ? yield* steps(given)
            : decode(given)
      if (decoded instanceof Invalid) faults = withFault(faults, name, decoded.errors)
      else if (decoded !== NOTHING) setOwn(value, key, decoded)
    }
    // of a long object the names are listed once, as that takes long itself
    if (others && (isLong(input) || hasOthers(input, names)))
      faults = yield* decodeEntries(input, names, others, { value, faults }, builder)
    return faults ? new Invalid(faults) : value
  }
}

/** The decoder of a dictionary. Names outside of its domain are unknown fields, and are never kept. */
export function recordDecoder(
  shape: RecordShape,
  builder: DecoderBuilder,
): (input: unknown) => Steps {
  const keyOf = recordKeyReader(builder.with({ wire: 'text' }).of(shape.domain).decode)
  const part = builder.of(shape.codomain)
  const outside = builder.unknown === 'raise' ? UNKNOWN : NOTHING
  const fault = wrongType(shape, NOT_AN_OBJECT, builder.wire)
  const entries: Entries = { keyOf, partOf: key => (key === undefined ? outside : part) }
  return function* (input) {
    if (!isPlainObject(input)) return fault(input)
    const value: Dictionary = {}
    const faults = yield* decodeEntries(input, NONE, entries, { value, faults: undefined }, builder)
    return faults ? new Invalid(faults) : value
  }
}

/** Of a field that is absent and may be. */
const NOTHING = Symbol('nothing')

interface FieldDecoder {
  readonly name: string
  readonly key: string
  readonly read: (input: Dictionary) => unknown
  /** What stands for the field where it is absent: a default, an Invalid, or NOTHING. */
  readonly absent: () => unknown
  readonly part: PartDecoder
}

function fieldDecoder(field: Field, builder: DecoderBuilder): FieldDecoder {
  const { key, name, optional, fallback } = field
  const inherited = isInheritedName(name)
  const read = (input: Dictionary) =>
    inherited && !Object.hasOwn(input, name) ? undefined : input[name]
  if (field.access === 'read' && !builder.whole)
    return { name, key, read, absent: () => NOTHING, part: { decode: () => READ_ONLY } }
  const absent = fallback ?? (() => (optional ? NOTHING : MISSING))
  return { name, key, read, absent, part: builder.of(field.shape) }
}

/** How the entries of a dictionary are decoded, or the fields of an object that are not declared. */
interface Entries {
  /** The program's key of a name; undefined where it has none. */
  readonly keyOf: (name: string) => string | undefined
  /** What decodes the value under a key, or what there is instead of a value. */
  readonly partOf: (key: string | undefined) => PartDecoder | Invalid | typeof NOTHING
}

/** How the fields of an object that are not declared are decoded; undefined where they are left out. */
function othersDecoder(
  { rest }: ObjectShape,
  builder: DecoderBuilder,
  keys: ReadonlySet<string>,
): Entries | undefined {
  const { unknown, of } = builder
  const keyOf = (name: string) => name
  if (rest) {
    const part = of(rest)
    return { keyOf, partOf: () => part }
  }
  if (unknown === 'exclude') return undefined
  if (unknown === 'raise') return { keyOf, partOf: () => UNKNOWN }
  const part = jsonPart(builder)
  // the name on the wire of one field may be the program's name of another
  return { keyOf: name => (keys.has(name) ? undefined : name), partOf: () => part }
}

function hasOthers(input: Dictionary, declared: ReadonlySet<string>): boolean {
  for (const name in input) if (!declared.has(name)) return true
  return false
}

/** Decodes all entries but the declared ones into `value`, and adds to `faults`, until more is wrong than is shown. */
function* decodeEntries(
  input: Dictionary,
  declared: ReadonlySet<string>,
  { keyOf, partOf }: Entries,
  { value, faults: collected }: { readonly value: Dictionary; readonly faults: Faults },
  { isLong, isDue }: DecoderBuilder,
): Generator<void, Faults> {
  let faults = collected
  let found = 0
  // V8 needs 20 ms for 100,000 names
  if (isDue()) yield
  const names = Object.keys(input)
  if (isDue(names.length)) yield
  for (const name of names) {
    if (declared.has(name)) continue
    const key = keyOf(name)
    const part = partOf(key)
    if (part === NOTHING) continue
    const given = input[name]
    const decoded =
      part instanceof Invalid
        ? part
        : part.steps && isLong(given)
          ? yield* part.steps(given)
          : part.decode(given)
    if (isDue()) yield
    if (decoded instanceof Invalid) {
      faults = withFault(faults, name, decoded.errors)
      found += countMessages(decoded.errors)
      if (found > SHOWN_MESSAGES) break
    } else if (key !== undefined) setOwn(value, key, decoded)
  }
  return faults
}
