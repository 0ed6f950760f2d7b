import type * as t from 'io-ts'
import { type Decoder, faultOf } from '../runtime/decoding.js'
import {
  type ErrorTree,
  Invalid,
  mergeErrors,
  SHOWN_MESSAGES,
  withFault,
} from '../runtime/invalid.js'
import { notValid } from '../shape/expectation.js'
import type { OpaqueShape } from '../shape/shape.js'

/** The decoder of a codec whose inside cannot be seen: its own `validate`, its errors by field. */
export function opaqueDecoder(shape: OpaqueShape): Decoder {
  const { codec, message } = shape
  return input => {
    const decoded = codec.validate(input, [{ key: '', type: codec, actual: input }])
    if (decoded._tag === 'Right') return decoded.right
    const errors = errorTree(decoded.left)
    return message !== undefined && Array.isArray(errors)
      ? faultOf(shape, message)
      : new Invalid(errors)
  }
}

function errorTree(errors: t.Errors): ErrorTree {
  const [first = [notValid()], ...others] = errors.slice(0, SHOWN_MESSAGES + 1).map(errorToTree)
  return others.reduce(mergeErrors, first)
}

/** The message of one error under the path of its field. */
function errorToTree({ context, message }: t.ValidationError): ErrorTree {
  const codec = context.at(-1)?.type
  const path = context
    .filter((_entry, index) => index > 0 && !isAlternative(context[index - 1]))
    .map(entry => entry.key)
  return path.reduceRight<ErrorTree>(
    (inner, field) => withFault(undefined, field, inner),
    [message ?? notValid(codec?.name)],
  )
}

/** io-ts's path has the parts of a union or an intersection by number; these are not fields. */
function isAlternative(entry: t.ContextEntry | undefined): boolean {
  const tag = (entry?.type as { readonly _tag?: string } | undefined)?._tag
  return tag === 'UnionType' || tag === 'IntersectionType'
}
