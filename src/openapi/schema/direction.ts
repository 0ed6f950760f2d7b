import type { Field, Shape } from '../../codec/shape/shape.js'

/** `input`: what is decoded. `output`: what is encoded. */
export type Direction = 'input' | 'output'

/** Whether a request must have the field, or whether an answer always has it. */
export function isRequired(field: Field, direction: Direction): boolean {
  return !field.optional && !field.fallback && field.access !== (direction === 'input' ? 'read' : 'write')
}

/**
 * Whether what comes in needs another schema than what goes out: because a field that is required goes one way only, or
 * because objects are open (fields that are not declared are let in) while answers never are.
 */
export function differsByDirection(shape: Shape, open: boolean, seen = new Set<Shape>()): boolean {
  if (seen.has(shape)) return false
  seen.add(shape)
  const differs = (inner: Shape) => differsByDirection(inner, open, seen)
  switch (shape.kind) {
    case 'object':
      return (
        (open && !shape.rest) ||
        shape.fields.some(field => isRequired(field, 'input') !== isRequired(field, 'output') || differs(field.shape))
      )
    case 'array':
      return differs(shape.item)
    case 'tuple':
      return shape.items.some(differs)
    case 'record':
      return (open && hasDomain(shape.domain)) || differs(shape.codomain)
    case 'union':
    case 'intersection':
      return shape.members.some(differs)
    case 'constrained':
      return differs(shape.base)
    case 'recursion':
      return differs(shape.target())
    default:
      return false
  }
}

/** Whether a dictionary takes some names only. */
export function hasDomain(domain: Shape): boolean {
  return domain.kind !== 'unknown' && !(domain.kind === 'scalar' && domain.type === 'string' && !domain.test)
}
