import type { Shape } from '../shape/shape.js'

/**
 * The shapes directly inside a shape. Those behind a recursion come round again: whoever walks on
 * keeps the ones that it has seen.
 */
export function partsOf(shape: Shape): readonly Shape[] {
  switch (shape.kind) {
    case 'array':
      return [shape.item]
    case 'tuple':
      return shape.items
    case 'record':
      return [shape.domain, shape.codomain]
    case 'object': {
      const parts = shape.fields.map(field => field.shape)
      return shape.rest ? [...parts, shape.rest] : parts
    }
    case 'union':
    case 'intersection':
      return shape.members
    case 'constrained':
    case 'refined':
      return [shape.base]
    case 'recursion':
      return [shape.target()]
    default:
      return []
  }
}

/** The place of a part in its shape: `.owner`, `[]`, `[0]`, or empty if it is the same value. */
function placeOf(index: number, shape: Shape): string {
  switch (shape.kind) {
    case 'array':
      return '[]'
    case 'tuple':
      return `[${index}]`
    case 'record':
      return index === 0 ? '' : '[]'
    case 'object': {
      const field = shape.fields[index]
      return field ? `.${field.key}` : '[]'
    }
    default:
      return ''
  }
}

/** Visits the shape and every shape inside it once, with its place: `pets[].owner`. */
export function visitShapes(
  shape: Shape,
  visit: (shape: Shape, place: () => string) => void,
): void {
  const places = new Map<Shape, () => string>([[shape, () => '']])
  for (const [inner, place] of places) {
    visit(inner, () => place().replace(/^\./, ''))
    partsOf(inner).forEach((part, index) => {
      if (!places.has(part)) places.set(part, () => place() + placeOf(index, inner))
    })
  }
}

/** Whether the shape, or one inside of it at any depth, passes the test. */
export function someInside(shape: Shape, test: (shape: Shape) => boolean): boolean {
  const seen = new Set([shape])
  for (const inner of seen) {
    if (test(inner)) return true
    for (const part of partsOf(inner)) seen.add(part)
  }
  return false
}

/**
 * Returns whether a matching value is, apart from `null`, an object with fields: its errors are
 * reported beside those of its fields. A dictionary has entries, like the items of a list.
 */
export function hasFields(shape: Shape, seen = new Set<Shape>()): boolean {
  switch (shape.kind) {
    case 'object':
      return true
    case 'constrained':
    case 'refined':
    case 'standard':
      return hasFields(shape.base, seen)
    case 'recursion':
      return !seen.has(shape) && hasFields(shape.target(), seen.add(shape))
    case 'union': {
      const members = shape.members.filter(member => !isAbsence(member))
      return members.length > 0 && members.every(member => hasFields(member, seen))
    }
    case 'intersection':
      return shape.members.some(member => hasFields(member, seen))
    default:
      return false
  }
}

/** Whether nothing but `null` or an absent value fits. */
export function isAbsence(shape: Shape): boolean {
  return shape.kind === 'undefined' || (shape.kind === 'scalar' && shape.type === 'null')
}

/** The shapes that a value may be of, seen through all that only combines or refines others. */
export function alternativesOf(shape: Shape, seen = new Set<Shape>()): readonly Shape[] {
  if (seen.has(shape)) return []
  seen.add(shape)
  switch (shape.kind) {
    case 'union':
    case 'intersection':
      return shape.members.flatMap(member => alternativesOf(member, seen))
    case 'constrained':
    case 'refined':
      return alternativesOf(shape.base, seen)
    case 'recursion':
      return alternativesOf(shape.target(), seen)
    default:
      return [shape]
  }
}

/** The same; for a schema of another library, the alternatives of its JSON Schema. */
export function documentedAlternativesOf(shape: Shape): readonly Shape[] {
  return alternativesOf(shape).flatMap(one =>
    one.kind === 'standard' ? documentedAlternativesOf(one.base) : [one],
  )
}

/**
 * The shapes of an item of a list; none if the shape is not a list, or does not have such an item.
 */
export function itemOf(shape: Shape, index: number): readonly Shape[] {
  if (shape.kind === 'array') return [shape.item]
  return shape.kind === 'tuple' ? shape.items.slice(index, index + 1) : []
}
