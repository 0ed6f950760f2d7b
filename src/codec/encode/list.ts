import { type Encode, type EncoderBuilder, Unfit } from '../runtime/encoding.js'
import { expectation } from '../shape/expectation.js'
import type { ArrayShape, TupleShape } from '../shape/shape.js'

/** The encoder of a list: a new one, of every item. */
export function arrayEncoder(shape: ArrayShape, builder: EncoderBuilder): Encode {
  const unfit = new Unfit(expectation(shape))
  const encode = builder.of(shape.item)
  const missing = new Unfit(expectation(shape.item))
  return value => (Array.isArray(value) ? encodeItems(value, () => encode, missing) : unfit)
}

/** The encoder of a list whose places have their own types. */
export function tupleEncoder(shape: TupleShape, builder: EncoderBuilder): Encode {
  const encoders = shape.items.map(builder.of)
  const unfit = new Unfit(`a list of exactly ${encoders.length}`)
  const missing = new Unfit('a JSON value')
  return value => {
    const fits = Array.isArray(value) && value.length === encoders.length
    return fits ? encodeItems(value, index => encoders[index] as Encode, missing) : unfit
  }
}

/** In a list there is nothing to leave out: an undefined item, or a hole, does not fit. */
function encodeItems(
  items: readonly unknown[],
  encoderAt: (index: number) => Encode,
  missing: Unfit,
): unknown[] | Unfit {
  const wire: unknown[] = []
  for (let index = 0; index < items.length; index++) {
    const encoded = items[index] === undefined ? missing : encoderAt(index)(items[index])
    if (encoded instanceof Unfit) return encoded.under(index)
    wire.push(encoded)
  }
  return wire
}
