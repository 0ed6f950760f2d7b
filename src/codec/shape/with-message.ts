import type * as t from 'io-ts'
import { unionShape } from './object-shape.js'
import type { RecursionShape, Shape } from './shape.js'

/** The shape with `text` in the place of its own messages; those of its fields, items and members stay. */
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
