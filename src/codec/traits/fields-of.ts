import type { Field, Shape } from '../shape/shape.js'

/**
 * The fields of each object that the shape may be: one list for each member of a union, an empty
 * one for a record. Undefined if it may be anything but an object.
 */
export function fieldsOf(shape: Shape): readonly (readonly Field[])[] | undefined {
  switch (shape.kind) {
    case 'object':
      return [shape.fields]
    case 'record':
      return [[]]
    case 'constrained':
    case 'refined':
    case 'standard':
      return fieldsOf(shape.base)
    case 'recursion':
      return fieldsOf(shape.target())
    case 'union': {
      const members = shape.members.map(fieldsOf)
      return members.every(member => member !== undefined) ? members.flat() : undefined
    }
    case 'intersection': {
      const members = shape.members.map(fieldsOf)
      return members.every(member => member !== undefined) ? [members.flat(2)] : undefined
    }
    default:
      return undefined
  }
}
