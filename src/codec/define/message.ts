import type * as t from 'io-ts'
import { shown } from '../../names.js'
import { WHOLE } from '../runtime/invalid.js'
import { copyOf } from '../shape/annotations.js'
import { withShape } from '../shape/known-shape.js'
import { unionShape } from '../shape/object-shape.js'
import type { RecursionShape, Shape } from '../shape/shape.js'
import { shapeOf } from '../shape/shape-of.js'
import { refuseMarks } from './refine.js'

/**
 * The codec with a message of your own in place of those that it has for a value that does not fit:
 * of the wrong type, out of bounds, null. "Missing data for required field." stays, as do the
 * messages of the fields, items and members inside of the codec, which have messages of their own.
 * A mark (`optional` …) goes around it.
 */
export function message<C extends t.Mixed>(codec: C, text: string): C {
  refuseMarks('message', codec)
  if (typeof text !== 'string') throw new TypeError(`message() takes a text, not ${shown(text)}`)
  const copy = copyOf(codec)
  const validate: t.Validate<unknown, t.TypeOf<C>> = (input, context) => {
    const decoded = codec.validate(input, context)
    if (decoded._tag === 'Right') return decoded
    return {
      ...decoded,
      left: decoded.left.map(error =>
        isOwn(error, context) ? { ...error, message: text } : error,
      ),
    }
  }
  Object.assign(copy, { validate })
  return withShape(copy, () => withMessage(shapeOf(codec), text, copy))
}

/** Returns whether an error is about the value itself, not about a part of it. */
function isOwn({ context }: t.ValidationError, { length }: t.Context): boolean {
  return (
    context.length <= length || (context.length === length + 1 && context[length]?.key === WHOLE)
  )
}

/**
 * The shape with `text` instead of its own messages; those of its fields, items and members stay.
 */
export function withMessage(shape: Shape, text: string, codec: t.Mixed = shape.codec): Shape {
  switch (shape.kind) {
    case 'constrained':
    case 'refined':
      return { ...shape, codec, message: text, base: withMessage(shape.base, text) }
    case 'intersection':
      return {
        ...shape,
        codec,
        message: text,
        members: shape.members.map(member => withMessage(member, text)),
      }
    case 'recursion':
      return recursionWithMessage(shape, text, codec)
    case 'union':
      return unionShape(codec, shape.members, text)
    default:
      return { ...shape, codec, message: text }
  }
}

function recursionWithMessage(
  shape: RecursionShape,
  message: string,
  codec: t.Mixed,
): RecursionShape {
  let target: Shape | undefined
  return {
    ...shape,
    codec,
    message,
    target() {
      target ??= withMessage(shape.target(), message)
      return target
    },
  }
}
