import { type Encode, Unfit } from '../runtime/encoding.js'
import { encodeJson } from '../runtime/json-value.js'
import { expectation } from '../shape/expectation.js'
import type { LiteralShape, OpaqueShape, ScalarShape } from '../shape/shape.js'

/** The encoder of a scalar, which checks what it lets out as it would what comes in. */
export function scalarEncoder(shape: ScalarShape): Encode {
  const unfit = new Unfit(expectation(shape))
  const fits = isOfType[shape.type]
  const test = shape.test as ((value: unknown) => string | undefined) | undefined
  const convert = shape.conversion?.encode
  return value => {
    const wire = convert ? convert(value) : value
    return fits(wire) && test?.(wire) === undefined ? wire : unfit
  }
}

/** The encoder of fixed values. */
export function literalEncoder(shape: LiteralShape): Encode {
  const values = new Set<unknown>(shape.values)
  const unfit = new Unfit(expectation(shape))
  return value => (values.has(value) ? value : unfit)
}

/** The encoder of a codec whose inside cannot be seen: its own `encode`, for values that it takes for its own. */
export function opaqueEncoder({ codec }: OpaqueShape): Encode {
  const expected = codec.name
  return value => {
    try {
      return codec.is(value) ? encodeJson(codec.encode(value)) : new Unfit(expected)
    } catch (error) {
      return new Unfit(expected, [], error)
    }
  }
}

const isOfType: { readonly [Type in ScalarShape['type']]: (value: unknown) => boolean } = {
  string: value => typeof value === 'string',
  number: Number.isFinite,
  integer: Number.isSafeInteger,
  boolean: value => typeof value === 'boolean',
  null: value => value === null,
}
