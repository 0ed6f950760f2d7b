import { type Decoder, type DecoderBuilder, faultOf, wrongType } from '../runtime/decoding.js'
import {
  countMessages,
  type Faults,
  Invalid,
  SHOWN_MESSAGES,
  withFault,
} from '../runtime/invalid.js'
import { listReader } from '../runtime/list-reader.js'
import type { ArrayShape, TupleShape } from '../shape/shape.js'

const NOT_A_LIST = 'Not a list.'

/**
 * The decoder of a list. On a text wire one value is a list of one, and a separator splits a
 * string.
 */
export function arrayDecoder(shape: ArrayShape, builder: DecoderBuilder): Decoder {
  const item = builder.of(shape.item)
  const read = listReader(builder.wire, shape.separator)
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
