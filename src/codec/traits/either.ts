// An fp-ts Either is recognized by its `_tag`, which a client's data may have as well. So it is
// unwrapped only if a value of the operation's codec cannot look like one.
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
    case 'standard':
      return canBeEither(shape.base, seen)
    case 'recursion':
      return canBeEither(shape.target(), seen)
    default:
      return false
  }
}

const canBeTag = (shape: Shape): boolean => canBeOneOf(shape, ['Left', 'Right'])
const canBeKey = (shape: Shape): boolean => canBeOneOf(shape, ['_tag'])

/** Returns whether a value of this shape can be one of these strings. */
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
    case 'standard':
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
