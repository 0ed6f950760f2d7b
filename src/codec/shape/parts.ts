import type { Shape } from './shape.js'

/** The shapes directly inside a shape. Those behind a recursion come round again: whoever walks on keeps the ones that it has seen. */
export function partsOf(shape: Shape): readonly Shape[] {
  switch (shape.kind) {
    case 'array':
      return [shape.item]
    case 'tuple':
      return shape.items
    case 'record':
      return [shape.domain, shape.codomain]
    case 'object':
      return [...shape.fields.map(field => field.shape), ...(shape.rest ? [shape.rest] : [])]
    case 'union':
    case 'intersection':
      return shape.members
    case 'constrained':
      return [shape.base]
    case 'recursion':
      return [shape.target()]
    default:
      return []
  }
}

/** Whether the shape, or one inside of it at any depth, passes the test. */
export function someInside(shape: Shape, test: (shape: Shape) => boolean, seen = new Set<Shape>()): boolean {
  if (seen.has(shape)) return false
  seen.add(shape)
  return test(shape) || partsOf(shape).some(part => someInside(part, test, seen))
}
