import { partsOf } from '../../shape/parts.js'
import type { Shape } from '../../shape/shape.js'

/** Whether a value of the shape may be nested without end. */
export function isRecursive(shape: Shape): boolean {
  return shape.kind === 'recursion' || partsOf(shape).some(isRecursive)
}

const SCALARS = ['string', 'number', 'boolean']
const ANY: readonly string[] = [...SCALARS, 'null', 'list', 'object']

/**
 * Whether no value can fit two of the shapes, because they are of different JSON types. `direction` matters where the
 * program's value is of another type than the one on the wire.
 */
export function areDisjoint(shapes: readonly Shape[], direction: 'input' | 'output'): boolean {
  const types = shapes.flatMap(shape => [...typesOf(shape, direction, new Set())])
  return new Set(types).size === types.length
}

/** The JSON types of what may fit a shape; all of them where that cannot be seen. */
function typesOf(shape: Shape, direction: 'input' | 'output', seen: Set<Shape>): ReadonlySet<string> {
  switch (shape.kind) {
    case 'scalar':
      return new Set(
        shape.conversion && direction === 'output' ? convertedTypes(shape.conversion) : [shape.type.replace('integer', 'number')],
      )
    case 'literal':
      return new Set(shape.values.map(value => typeof value))
    case 'array':
    case 'tuple':
      return new Set(['list'])
    case 'object':
    case 'record':
      return new Set(['object'])
    case 'union':
      return new Set(shape.members.flatMap(member => [...typesOf(member, direction, seen)]))
    case 'constrained':
    case 'refined':
      return typesOf(shape.base, direction, seen)
    case 'undefined':
      return new Set()
    case 'recursion':
      if (seen.has(shape)) return new Set()
      return typesOf(shape.target(), direction, seen.add(shape))
    default:
      return new Set(ANY)
  }
}

/** Of the program's values nothing is known, except whether `null` may be one. */
function convertedTypes({ encode }: { readonly encode: (value: unknown) => unknown }): readonly string[] {
  return encode(null) === undefined ? ANY.filter(type => type !== 'null') : ANY
}
