import { type Decoder, faultOf } from '../runtime/decoding.js'
import { Invalid } from '../runtime/invalid.js'
import { jsonFaults } from '../runtime/json-value.js'
import type { UnknownShape } from '../shape/shape.js'

/** The decoder of a value of any kind, which is kept unchanged. */
export function unknownDecoder(shape: UnknownShape): Decoder {
  return input => {
    const faults = jsonFaults(input)
    if (!faults) return input
    return Array.isArray(faults) ? faultOf(shape, faults[0]) : new Invalid(faults)
  }
}

/** Decodes a field that is kept although it is not declared. */
export function jsonDecoder(input: unknown): unknown {
  const faults = jsonFaults(input)
  return faults ? new Invalid(faults) : input
}
