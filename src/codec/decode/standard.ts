import {
  type Decoder,
  type DecoderBuilder,
  type ErrorTree,
  type Faults,
  faultOf,
  Invalid,
  mergeErrors,
  SHOWN_MESSAGES,
  synchronous,
  withFault,
} from '../runtime/decoding.js'
import { isPlainObject, setOwn } from '../shape/plain-object.js'
import type { Shape, StandardShape, Validated, ValidationIssue } from '../shape/shape.js'
import { fieldsOf } from '../traits/fields-of.js'

/**
 * The decoder of a schema of another library. On a text wire each field is first read by its
 * declared type; a value that cannot be read is refused before the schema sees it. `later` gets the
 * promise of an asynchronous schema; without it a promise is a TypeError.
 */
export function standardDecoder(
  shape: StandardShape,
  builder: DecoderBuilder,
  later?: (result: Promise<unknown>) => unknown,
): Decoder {
  const read: Decoder = builder.wire === 'text' ? textReader(shape.base, builder) : value => value
  const { validator } = shape
  if (!validator) return read
  const outcomeOf = (result: Validated) =>
    result.issues ? invalidOf(shape, result.issues) : result.value
  return input => {
    const value = read(input)
    if (value instanceof Invalid) return value
    const result = validator.input(value)
    return later && result instanceof Promise
      ? later(result.then(outcomeOf))
      : outcomeOf(synchronous(shape.codec.name, result))
  }
}

/** The faults under the names of their fields. */
function invalidOf(shape: StandardShape, issues: readonly ValidationIssue[]): Invalid {
  const [first, ...others] = issues
    .slice(0, SHOWN_MESSAGES + 1)
    .map(({ message, path }) =>
      path.length === 0
        ? faultOf(shape, message).errors
        : path.reduceRight<ErrorTree>(
            (inner, key) => withFault(undefined, String(key), inner),
            [message],
          ),
    )
  return new Invalid(others.reduce(mergeErrors, first ?? ['Not valid.']))
}

function textReader(base: Shape, builder: DecoderBuilder): Decoder {
  const objects = fieldsOf(base)
  if (!objects) return builder.of(base)
  const fields = new Map<string, Decoder[]>()
  for (const { name, shape } of objects.flat())
    fields.set(name, [...(fields.get(name) ?? []), builder.of(shape)])
  const others = othersOf(base).map(builder.of)
  return input => {
    if (!isPlainObject(input)) return input
    const value: Record<string, unknown> = {}
    let faults: Faults
    for (const name of Object.keys(input)) {
      const read = firstReading(fields.get(name) ?? others, input[name])
      if (read instanceof Invalid) faults = withFault(faults, name, read.errors)
      else setOwn(value, name, read)
    }
    return faults ? new Invalid(faults) : value
  }
}

/** The value of the first decoder that can read a string; without a decoder the string itself. */
function firstReading(decoders: readonly Decoder[], text: unknown): unknown {
  let refused: unknown
  for (const decode of decoders) {
    const value = decode(text)
    if (!(value instanceof Invalid)) return value
    refused ??= value
  }
  return refused ?? text
}

/** The shapes of the values of undeclared fields. */
function othersOf(shape: Shape): readonly Shape[] {
  switch (shape.kind) {
    case 'record':
      return [shape.codomain]
    case 'object':
      return shape.rest ? [shape.rest] : []
    case 'union':
    case 'intersection':
      return shape.members.flatMap(othersOf)
    case 'recursion':
      return othersOf(shape.target())
    default:
      return []
  }
}
