import { interpreter } from '../decode/decode.js'
import { type Encode, type EncoderBuilder, Unfit } from '../runtime/encoding.js'
import { recordKeyReader } from '../runtime/record-key.js'
import { expectation } from '../shape/expectation.js'
import { mayBeLeftOut, unionShape } from '../shape/object-shape.js'
import { type Dictionary, isInheritedName, isPlainObject, setOwn } from '../shape/plain-object.js'
import type { Field, ObjectShape, RecordShape, Shape } from '../shape/shape.js'

/**
 * The encoder of an object: a new one of the declared fields, in their order. The value may be an
 * instance of a class.
 */
export function objectEncoder(shape: ObjectShape, builder: EncoderBuilder): Encode {
  const fields = shape.fields
    .filter(field => field.access !== 'write')
    .map(field => fieldEncoder(field, builder))
  const keys = new Set(shape.fields.map(field => field.key))
  const encodeOthers =
    shape.rest && entriesEncoder(builder.of(shape.rest), key => (keys.has(key) ? undefined : key))
  const unfit = new Unfit(expectation(shape))
  return value => {
    if (!isObject(value)) return unfit
    const wire: Dictionary = {}
    for (const encodeField of fields) {
      const failed = encodeField(value, wire)
      if (failed) return failed
    }
    return encodeOthers?.(value, wire) ?? wire
  }
}

/**
 * The encoder of a dictionary: its own entries, without names outside of the domain and without
 * values that are undefined.
 */
export function recordEncoder(shape: RecordShape, builder: EncoderBuilder): Encode {
  const decodeName = interpreter(withoutChecks(shape.domain), {
    wire: 'text',
    unknown: 'raise',
    whole: false,
  })
  // keys are strings in the program too, whatever the domain: they are read as in decoding
  const encodeEntries = entriesEncoder(builder.of(shape.codomain), recordKeyReader(decodeName))
  const unfit = new Unfit(expectation(shape))
  return value => {
    // a Map has entries that are not its properties
    if (!isPlainObject(value)) return unfit
    const wire: Dictionary = {}
    return encodeEntries(value, wire) ?? wire
  }
}

/** The checks of `refine` run in decoding only. */
function withoutChecks(shape: Shape): Shape {
  if (shape.kind === 'refined') return withoutChecks(shape.base)
  if (shape.kind === 'constrained') return { ...shape, base: withoutChecks(shape.base) }
  return shape.kind === 'union' ? unionShape(shape.codec, shape.members.map(withoutChecks)) : shape
}

/** Puts the encoded field into the object on the wire, or returns why its value does not match. */
type EncodeInto = (value: Dictionary, wire: Dictionary) => Unfit | undefined

function fieldEncoder(field: Field, { of, fillIn }: EncoderBuilder): EncodeInto {
  const { key, name, shape } = field
  const encode = of(shape)
  const inherited = isInheritedName(key)
  const fallback = fillIn ? field.constant?.value : undefined
  const mayBeAbsent = fillIn ? mayBeLeftOut(field) : field.optional || field.fallback !== undefined
  return (value, wire) => {
    // getters of a class are read like properties, but what every object inherits is not meant
    const own = inherited && !Object.hasOwn(value, key) ? undefined : value[key]
    const given = own === undefined ? fallback : own
    if (given === undefined && mayBeAbsent) return undefined
    const encoded = given === undefined ? new Unfit(expectation(shape)) : encode(given)
    if (encoded instanceof Unfit) return encoded.under(key)
    setOwn(wire, name, encoded)
    return undefined
  }
}

/** Encodes the entries whose name is not undefined. */
function entriesEncoder(encode: Encode, nameOf: (key: string) => string | undefined): EncodeInto {
  return (value, wire) => {
    for (const key of Object.keys(value)) {
      const name = value[key] === undefined ? undefined : nameOf(key)
      if (name === undefined) continue
      const encoded = encode(value[key])
      if (encoded instanceof Unfit) return encoded.under(key)
      setOwn(wire, name, encoded)
    }
    return undefined
  }
}

function isObject(value: unknown): value is Dictionary {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
