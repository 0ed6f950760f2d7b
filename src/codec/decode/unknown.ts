import { type DecoderBuilder, faultOf, type PartDecoder } from '../runtime/decoding.js'
import { type ErrorTree, Invalid, withFault } from '../runtime/invalid.js'
import { jsonFaults } from '../runtime/json-value.js'
import { MAX_RECURSION } from '../runtime/nesting.js'
import { isPlainObject } from '../shape/plain-object.js'
import type { UnknownShape } from '../shape/shape.js'

type Pace = Pick<DecoderBuilder, 'isLong' | 'isDue'>

/** The decoder of a value of any kind, which is kept as it is. */
export function unknownDecoder(shape: UnknownShape, pace: Pace): PartDecoder {
  const result = (input: unknown, faults: ErrorTree | undefined): unknown => {
    if (!faults) return input
    return Array.isArray(faults) ? faultOf(shape, faults[0]) : new Invalid(faults)
  }
  return withResult(result, pace)
}

/** The decoder of a field that is kept although it is not declared. */
export function jsonPart(pace: Pace): PartDecoder {
  return withResult((input, faults) => (faults ? new Invalid(faults) : input), pace)
}

function withResult(
  result: (input: unknown, faults: ErrorTree | undefined) => unknown,
  pace: Pace,
): PartDecoder {
  return {
    decode: input => result(input, jsonFaults(input)),
    *steps(input) {
      return result(input, yield* faultsInSteps(input, 0, pace))
    },
  }
}

/** `jsonFaults` of a long value. */
function* faultsInSteps(
  value: unknown,
  depth: number,
  pace: Pace,
): Generator<void, ErrorTree | undefined> {
  const isList = Array.isArray(value)
  if (depth === MAX_RECURSION || !(isList || isPlainObject(value))) return jsonFaults(value, depth)
  if (pace.isDue()) yield
  const names = isList ? undefined : Object.keys(value)
  const { length } = isList ? value : (names as string[])
  if (pace.isDue(names?.length)) yield
  for (let index = 0; index < length; index++) {
    const name = names ? (names[index] as string) : index
    const inner = (value as Record<string | number, unknown>)[name]
    const faults = pace.isLong(inner)
      ? yield* faultsInSteps(inner, depth + 1, pace)
      : jsonFaults(inner, depth + 1)
    if (faults) return withFault(undefined, String(name), faults)
    if (pace.isDue()) yield
  }
  return undefined
}
