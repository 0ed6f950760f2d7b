import { mayBeLeftOut } from '../../codec/shape/object-shape.js'
import type { Field, Shape } from '../../codec/shape/shape.js'
import { someInside } from '../../codec/traits/parts.js'

/** `input`: what is decoded. `output`: what is encoded. */
export type Direction = 'input' | 'output'

/**
 * Whether a request must have the field, or whether a response always has it: an absent field is
 * sent with its default.
 */
export function isRequired(field: Field, direction: Direction): boolean {
  return direction === 'input'
    ? !field.optional && field.access !== 'read'
    : !mayBeLeftOut(field) && field.access !== 'write'
}

/** Whether the schema has the field: a request that holds a read-only field is refused. */
export function isPresent({ access }: Field, direction: Direction): boolean {
  return direction === 'output' || access !== 'read'
}

/**
 * Whether what comes in needs another schema than what goes out: because of a field that is
 * read-only or has a default, because a required field is write-only, or because objects are open
 * (undeclared fields are let in), which responses never are.
 */
export function differsByDirection(whole: Shape, open: boolean): boolean {
  return someInside(whole, shape => {
    switch (shape.kind) {
      case 'object':
        return (
          (open && !shape.rest) ||
          shape.fields.some(
            field =>
              !isPresent(field, 'input') ||
              isRequired(field, 'input') !== isRequired(field, 'output'),
          )
        )
      case 'record':
        return open && hasDomain(shape.domain)
      case 'standard':
        return shape.differs()
      default:
        return false
    }
  })
}

/** Whether a dictionary takes some names only. */
export function hasDomain(domain: Shape): boolean {
  if (domain.kind === 'union') return domain.members.every(hasDomain)
  return (
    domain.kind !== 'unknown' &&
    !(domain.kind === 'scalar' && domain.type === 'string' && !domain.test)
  )
}
