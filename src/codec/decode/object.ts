import { type Decoder, type DecoderBuilder, MISSING, NOT_AN_OBJECT, UNKNOWN_FIELD, wrongType } from '../runtime/decoding.js'
import { type Faults, Invalid, SHOWN_MESSAGES, withFault } from '../runtime/invalid.js'
import { jsonFaults } from '../runtime/json-value.js'
import { recordKeyReader } from '../runtime/record-key.js'
import { type Dictionary, isInheritedName, isPlainObject, setOwn } from '../shape/plain-object.js'
import type { Field, ObjectShape, RecordShape } from '../shape/shape.js'

const READ_ONLY = new Invalid(['Read-only field.'])
const NONE: ReadonlySet<string> = new Set()

/** The decoder of an object: its own properties only, found by their names on the wire. */
export function objectDecoder(shape: ObjectShape, builder: DecoderBuilder): Decoder {
  const fields = shape.fields.map(field => fieldDecoder(field, builder))
  const names = new Set(shape.fields.map(field => field.name))
  const keys = new Set(shape.fields.map(field => field.key))
  const decodeOthers = othersDecoder(shape, builder, keys)
  const fault = wrongType(shape, NOT_AN_OBJECT, builder.wire)
  return input => {
    if (!isPlainObject(input)) return fault(input)
    const value: Dictionary = {}
    let faults: Faults
    for (const field of fields) {
      const invalid = field.decode(input, value)
      if (invalid) faults = withFault(faults, field.name, invalid.errors)
    }
    faults = decodeOthers(input, names, value, faults)
    return faults ? new Invalid(faults) : value
  }
}

/** The decoder of a dictionary. Names outside of its domain are unknown fields, and are never kept. */
export function recordDecoder(shape: RecordShape, builder: DecoderBuilder): Decoder {
  const keyOf = recordKeyReader(builder.with({ wire: 'text' }).of(shape.domain))
  const decodeValue = builder.of(shape.codomain)
  const fault = wrongType(shape, NOT_AN_OBJECT, builder.wire)
  const decodeEntries = eachOther((input, name, value) => {
    const key = keyOf(name)
    if (key === undefined) return builder.unknown === 'raise' ? UNKNOWN_FIELD : undefined
    const decoded = decodeValue(input[name])
    if (decoded instanceof Invalid) return decoded.errors
    setOwn(value, key, decoded)
    return undefined
  })
  return input => {
    if (!isPlainObject(input)) return fault(input)
    const value: Dictionary = {}
    const faults = decodeEntries(input, NONE, value, undefined)
    return faults ? new Invalid(faults) : value
  }
}

interface FieldDecoder {
  readonly name: string
  /** Puts the decoded value into `value`, or returns what is wrong. */
  readonly decode: (input: Dictionary, value: Dictionary) => Invalid | undefined
}

function fieldDecoder(field: Field, builder: DecoderBuilder): FieldDecoder {
  const { key, name, optional, fallback } = field
  const inherited = isInheritedName(name)
  const read = (input: Dictionary) => (inherited && !Object.hasOwn(input, name) ? undefined : input[name])
  if (field.access === 'read' && !builder.whole) return { name, decode: input => (read(input) === undefined ? undefined : READ_ONLY) }
  const decode = builder.of(field.shape)
  return {
    name,
    decode(input, value) {
      const given = read(input)
      if (given === undefined && !fallback) return optional ? undefined : MISSING
      const decoded = given === undefined ? fallback?.() : decode(given)
      if (decoded instanceof Invalid) return decoded
      setOwn(value, key, decoded)
      return undefined
    },
  }
}

type DecodeOthers = (input: Dictionary, declared: ReadonlySet<string>, value: Dictionary, faults: Faults) => Faults

/** What becomes of the fields of an object that are not declared. */
function othersDecoder({ rest }: ObjectShape, { unknown, of }: DecoderBuilder, keys: ReadonlySet<string>): DecodeOthers {
  if (rest) {
    const decode = of(rest)
    return eachOther((input, name, value) => {
      const decoded = decode(input[name])
      if (decoded instanceof Invalid) return decoded.errors
      setOwn(value, name, decoded)
      return undefined
    })
  }
  if (unknown === 'exclude') return (_input, _declared, _value, faults) => faults
  if (unknown === 'raise') return eachOther(() => UNKNOWN_FIELD)
  return eachOther((input, name, value) => {
    const errors = jsonFaults(input[name])
    // the name on the wire of one field may be the program's name of another
    if (!errors && !keys.has(name)) setOwn(value, name, input[name])
    return errors
  })
}

/** Visits the fields that are not declared, until there are more faults than are shown. */
function eachOther(visit: (input: Dictionary, name: string, value: Dictionary) => Invalid['errors'] | undefined): DecodeOthers {
  return (input, declared, value, collected) => {
    let faults = collected
    let found = 0
    for (const name of Object.keys(input)) {
      if (declared.has(name)) continue
      const errors = visit(input, name, value)
      if (!errors) continue
      faults = withFault(faults, name, errors)
      found += 1
      if (found > SHOWN_MESSAGES) break
    }
    return faults
  }
}
