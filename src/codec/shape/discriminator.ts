import type { Field, LiteralShape, Shape } from './shape.js'

/** A field that a value must have, with one of these literals. */
export interface RequiredLiteral {
  readonly field: Field
  readonly values: LiteralShape['values']
}

/**
 * The literal fields that every value of an object shape must have, by key; empty for anything
 * else.
 */
export function literalsOf(shape: Shape): ReadonlyMap<string, RequiredLiteral> {
  switch (shape.kind) {
    case 'object': {
      const literals = shape.fields.flatMap(field =>
        field.shape.kind === 'literal' && !field.optional
          ? [{ field, values: field.shape.values }]
          : [],
      )
      return new Map(literals.map(literal => [literal.field.key, literal]))
    }
    case 'constrained':
    case 'refined':
      return literalsOf(shape.base)
    case 'recursion':
      return literalsOf(shape.target())
    default:
      return new Map()
  }
}
