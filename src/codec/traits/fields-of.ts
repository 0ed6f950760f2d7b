import type { Field, ObjectShape, Shape } from '../shape/shape.js'

/**
 * The objects that a value of the shape may be: one for each member of a union, one without fields
 * for a record. Undefined if it may be anything but an object.
 */
export function objectsOf(
  shape: Shape,
): readonly Pick<ObjectShape, 'fields' | 'rest'>[] | undefined {
  switch (shape.kind) {
    case 'object':
      return [shape]
    case 'record':
      return [{ fields: [], rest: shape.codomain }]
    case 'constrained':
    case 'refined':
    case 'standard':
      return objectsOf(shape.base)
    case 'recursion':
      return objectsOf(shape.target())
    case 'union': {
      const members = shape.members.map(objectsOf)
      return members.every(member => member !== undefined) ? members.flat() : undefined
    }
    case 'intersection': {
      const members = shape.members.map(objectsOf)
      if (!members.every(member => member !== undefined)) return undefined
      const all = members.flat()
      const rest = all.find(member => member.rest)?.rest
      return [{ fields: all.flatMap(({ fields }) => fields), ...(rest && { rest }) }]
    }
    default:
      return undefined
  }
}

/** The fields of each of these objects. */
export function fieldsOf(shape: Shape): readonly (readonly Field[])[] | undefined {
  return objectsOf(shape)?.map(({ fields }) => fields)
}
