import * as t from 'io-ts'
import { scalarDecoder } from '../../decode/scalar.js'
import { scalarEncoder } from '../../encode/encode.js'
import { Invalid } from '../../runtime/decoding.js'
import { Unfit } from '../../runtime/encoding.js'
import { type ScalarShape, withShape } from '../../shape/shape.js'

/** A codec that behaves as a scalar shape declares, alone as well as inside others. */
export function scalar<A, O = A>(
  name: string,
  facts: Omit<ScalarShape, 'kind' | 'codec'>,
): t.Type<A, O> {
  const shapeFor = (codec: t.Mixed): ScalarShape => ({ kind: 'scalar', codec, ...facts })
  // the shape wants the codec, whose methods want the shape: what they do does not depend on the
  // codec
  const decode = scalarDecoder(shapeFor(t.unknown), 'json')
  const encode = scalarEncoder(shapeFor(t.unknown))
  const codec = new t.Type<A, O>(
    name,
    (value): value is A => !(encode(value) instanceof Unfit),
    (input, context) => {
      const value = decode(input)
      return value instanceof Invalid
        ? t.failure(input, context, String(value.errors))
        : t.success(value as A)
    },
    value => {
      const wire = encode(value)
      if (wire instanceof Unfit)
        throw new TypeError(`Cannot encode a value that is not ${wire.expected}`)
      return wire as O
    },
  )
  return withShape(codec, () => shapeFor(codec))
}
