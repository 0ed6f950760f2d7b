// An fp-ts Either is recognized by its `_tag`, which a client's data may have as well. So it is
// unwrapped only if a value of the operation's codec cannot look like one.
import type { Shape } from '../shape/shape.js'
import { documentedAlternativesOf } from './parts.js'

/** Whether a value of this shape can be an object with the `_tag` of an Either. */
export function canBeEither(shape: Shape): boolean {
  return documentedAlternativesOf(shape).some(one => {
    switch (one.kind) {
      case 'unknown':
        return true
      case 'opaque':
        return one.schema?.type === undefined || one.schema.type === 'object'
      case 'record':
        return canBeTag(one.codomain) && canBeOneOf(one.domain, ['_tag'])
      case 'object': {
        const tag = one.fields.find(({ key }) => key === '_tag')?.shape ?? one.rest
        return tag !== undefined && canBeTag(tag)
      }
      default:
        return false
    }
  })
}

const canBeTag = (shape: Shape): boolean => canBeOneOf(shape, ['Left', 'Right'])

/** Returns whether a value of this shape can be one of these strings. */
function canBeOneOf(shape: Shape, texts: readonly string[]): boolean {
  return documentedAlternativesOf(shape).some(one => {
    switch (one.kind) {
      case 'literal':
        return one.values.some(value => texts.includes(String(value)))
      case 'scalar':
        return one.type === 'string' && one.conversion === undefined
      default:
        return one.kind === 'unknown' || one.kind === 'opaque'
    }
  })
}
