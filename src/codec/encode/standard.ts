import { type Encode, type EncoderBuilder, Unfit } from '../runtime/encoding.js'
import { encodeJson } from '../runtime/json-value.js'
import { synchronous } from '../runtime/synchronous.js'
import type { StandardShape } from '../shape/shape.js'

/** The encoder of a schema of another library: a result is validated, and what is left is sent. */
export function standardEncoder(shape: StandardShape, builder: EncoderBuilder): Encode {
  const { validator, codec } = shape
  if (!validator) return builder.of(shape.base)
  return value => {
    const result = synchronous(codec.name, validator.output(value))
    if (!result.issues) return encodeJson(result.value)
    const [issue] = result.issues
    return new Unfit(issue?.expected ?? codec.name, issue?.path)
  }
}
