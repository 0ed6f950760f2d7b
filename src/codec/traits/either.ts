// An fp-ts Either is told by its `_tag`, which the data of a client may have as well. So it is unwrapped only where the
// operation's codec says that a value of its own cannot look like one.
import type { Field, Shape } from '../shape/shape.js'

/** Whether a value of this shape can be an object with the `_tag` of an Either. */
export function canBeEither(shape: Shape, seen = new Set<Shape>()): boolean {
  if (seen.has(shape)) return false
  seen.add(shape)
  switch (shape.kind) {
    case 'unknown':
      return true
    case 'opaque':
      return shape.schema?.type === undefined || shape.schema.type === 'object'
    case 'record':
      return canBeTag(shape.codomain) && canBeKey(shape.domain)
    case 'object': {
      const tag: Pick<Field, 'shape'> | undefined = shape.fields.find(({ key }) => key === '_tag')
      return tag ? canBeTag(tag.shape) : shape.rest !== undefined && canBeTag(shape.rest)
    }
    case 'union':
    case 'intersection':
      return shape.members.some(member => canBeEither(member, seen))
    case 'constrained':
      return canBeEither(shape.base, seen)
    case 'recursion':
      return canBeEither(shape.target(), seen)
    default:
      return false
  }
}

const canBeTag = (shape: Shape): boolean => canBeOneOf(shape, ['Left', 'Right'])
const canBeKey = (shape: Shape): boolean => canBeOneOf(shape, ['_tag'])

/** Whether a value of this shape can be one of these texts. */
function canBeOneOf(shape: Shape, texts: readonly string[], depth = 0): boolean {
  switch (shape.kind) {
    case 'literal':
      return shape.values.some(value => texts.includes(String(value)))
    case 'scalar':
      return shape.type === 'string' && shape.conversion === undefined
    case 'union':
    case 'intersection':
      return shape.members.some(member => canBeOneOf(member, texts, depth + 1))
    case 'constrained':
      return canBeOneOf(shape.base, texts, depth + 1)
    case 'unknown':
    case 'opaque':
      return true
    case 'recursion':
      return depth > 8 || canBeOneOf(shape.target(), texts, depth + 1)
    default:
      return false
  }
}
