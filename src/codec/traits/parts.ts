import type { Shape } from '../shape/shape.js'

/** A shape inside another one, and where: `.owner`, `[]`, `[0]`, or nothing where it stands for the same value. */
interface PlacedPart {
  readonly shape: Shape
  readonly place: string
}

function placedParts(shape: Shape): readonly PlacedPart[] {
  const here = (part: Shape): PlacedPart => ({ shape: part, place: '' })
  switch (shape.kind) {
    case 'array':
      return [{ shape: shape.item, place: '[]' }]
    case 'tuple':
      return shape.items.map((item, index) => ({ shape: item, place: `[${index}]` }))
    case 'record':
      return [here(shape.domain), { shape: shape.codomain, place: '[]' }]
    case 'object':
      return [
        ...shape.fields.map(field => ({ shape: field.shape, place: `.${field.key}` })),
        ...(shape.rest ? [{ shape: shape.rest, place: '[]' }] : []),
      ]
    case 'union':
    case 'intersection':
      return shape.members.map(here)
    case 'constrained':
    case 'refined':
      return [here(shape.base)]
    case 'recursion':
      return [here(shape.target())]
    default:
      return []
  }
}

/** The shapes directly inside a shape. Those behind a recursion come round again: whoever walks on keeps the ones that it has seen. */
export function partsOf(shape: Shape): readonly Shape[] {
  return placedParts(shape).map(part => part.shape)
}

/** Visits the shape and every one inside of it once, with its place: `pets[].owner`. */
export function visitShapes(shape: Shape, visit: (shape: Shape, place: string) => void, at = '', seen = new Set<Shape>()): void {
  if (seen.has(shape)) return
  seen.add(shape)
  visit(shape, at.replace(/^\./, ''))
  for (const part of placedParts(shape)) visitShapes(part.shape, visit, at + part.place, seen)
}

/** Whether the shape, or one inside of it at any depth, passes the test. */
export function someInside(shape: Shape, test: (shape: Shape) => boolean, seen = new Set<Shape>()): boolean {
  if (seen.has(shape)) return false
  seen.add(shape)
  return test(shape) || partsOf(shape).some(part => someInside(part, test, seen))
}

/**
 * Whether a matching value is, `null` aside, an object with fields of its own: its faults stand beside those of its fields. A dictionary has
 * entries, as a list has items.
 */
export function hasFields(shape: Shape, seen = new Set<Shape>()): boolean {
  switch (shape.kind) {
    case 'object':
      return true
    case 'constrained':
    case 'refined':
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
function isAbsence(shape: Shape): boolean {
  return shape.kind === 'undefined' || (shape.kind === 'scalar' && shape.type === 'null')
}
