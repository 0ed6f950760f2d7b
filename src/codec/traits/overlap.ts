import type { Field, ObjectShape, ScalarShape, Shape } from '../shape/shape.js'

// Decides which shapes accept values of which others, for the members of unions (`faultsOf`). A
// value that fits a predicate fits the refined shape, so predicates of the source are ignored. For
// the target, it depends on the question.

/**
 * Whether a predicate that nothing is known of is taken to accept a value (`true`: fail closed) or
 * to tell the two shapes apart.
 */
type PredicatesAccept = boolean

/**
 * Whether a value of one shape may be accepted as one of another, fields that are not declared left
 * aside.
 */
export function passesFor(
  from: Shape,
  as: Shape,
  predicatesAccept: PredicatesAccept,
  depth = 0,
): boolean {
  const source = bare(from)
  const target = predicatesAccept ? bare(as) : withoutBounds(as)
  const passes = (inner: Shape, other: Shape) =>
    passesFor(inner, other, predicatesAccept, depth + 1)
  if (depth > MAX_DEPTH || target.kind === 'unknown' || source.kind === 'unknown') return true
  if (source.kind === 'union' || source.kind === 'intersection')
    return source.members.some(member => passes(member, target))
  if (target.kind === 'union') return target.members.some(member => passes(source, member))
  if (target.kind === 'intersection') return target.members.every(member => passes(source, member))
  if (target.kind === 'object' || target.kind === 'record')
    return objectPasses(source, target, passes)
  if (target.kind === 'scalar' && source.kind === 'scalar')
    return jsonType(source) === jsonType(target)
  if (target.kind === 'scalar' && source.kind === 'literal')
    return source.values.some(value => typeof value === jsonType(target))
  if (target.kind === 'literal' && source.kind === 'literal')
    return source.values.some(value => target.values.includes(value))
  if (target.kind === 'literal' && source.kind === 'scalar')
    return target.values.some(value => typeof value === jsonType(source))
  // an empty list is one of any items
  return isList(target) && isList(source)
}

/**
 * A field that a value of one shape loses if it is taken for another; undefined if it loses none.
 */
export function lostAs(from: Shape, as: Shape, depth = 0): string | undefined {
  const source = bare(from)
  const target = bare(as)
  if (depth > MAX_DEPTH) return undefined
  if (source.kind === 'array' && target.kind === 'array')
    return lostAs(source.item, target.item, depth + 1)
  if (source.kind === 'record' && target.kind === 'record')
    return lostAs(source.codomain, target.codomain, depth + 1)
  if (source.kind !== 'object' || target.kind !== 'object') return undefined
  for (const field of source.fields) {
    const other = fieldOf(target, field.name)
    const lost = other ? lostAs(field.shape, other.shape, depth + 1) : target.rest ? undefined : ''
    if (lost !== undefined) return lost === '' ? field.key : `${field.key}.${lost}`
  }
  return undefined
}

/**
 * Whether an object, or one inside, would be sent without regard to its fields if it were taken for
 * another shape.
 */
export function openedAs(from: Shape, as: Shape, depth = 0): boolean {
  const source = bare(from)
  const target = bare(as)
  const opened = (inner: Shape, other: Shape) => openedAs(inner, other, depth + 1)
  if (depth > MAX_DEPTH) return false
  if (source.kind === 'union' || source.kind === 'intersection')
    return source.members.some(member => opened(member, target))
  if (target.kind === 'union')
    return target.members.some(
      member => passesFor(source, member, true, depth + 1) && opened(source, member),
    )
  if (target.kind === 'intersection') return target.members.some(member => opened(source, member))
  if (source.kind === 'array') return partsIn(target).some(part => opened(source.item, part))
  if (source.kind === 'tuple')
    return partsIn(target).some(part => source.items.some(item => opened(item, part)))
  if (source.kind === 'record')
    return valuesIn(target).some(value => opened(source.codomain, value))
  if (source.kind !== 'object') return false
  if (target.kind === 'unknown' || target.kind === 'record') return true
  return (
    target.kind === 'object' &&
    (target.rest !== undefined || source.fields.some(field => openedField(field, target, opened)))
  )
}

function openedField(
  { name, shape }: Field,
  target: ObjectShape,
  opened: (source: Shape, target: Shape) => boolean,
): boolean {
  const other = fieldOf(target, name)
  return other !== undefined && opened(shape, other.shape)
}

/** The shapes that accept the items of a list. */
function partsIn(target: Shape): readonly Shape[] {
  if (target.kind === 'array') return [target.item]
  return target.kind === 'tuple' ? target.items : target.kind === 'unknown' ? [target] : []
}

/** The shapes that accept the values of a dictionary. */
function valuesIn(target: Shape): readonly Shape[] {
  if (target.kind === 'record') return [target.codomain]
  return target.kind === 'object'
    ? target.fields.map(({ shape }) => shape)
    : target.kind === 'unknown'
      ? [target]
      : []
}

const MAX_DEPTH = 8

function objectPasses(
  source: Shape,
  target: Shape,
  passes: (source: Shape, target: Shape) => boolean,
): boolean {
  // an empty dictionary is one of any values
  if (target.kind === 'record') {
    return (
      source.kind === 'record' ||
      (source.kind === 'object' &&
        source.fields.every(field => field.optional || passes(field.shape, target.codomain)))
    )
  }
  if (target.kind !== 'object') return false
  if (source.kind === 'record')
    return target.fields.every(field => field.optional || passes(source.codomain, field.shape))
  return (
    source.kind === 'object' &&
    target.fields.every(field => fieldPasses(fieldOf(source, field.name), field, passes))
  )
}

function fieldPasses(
  given: Field | undefined,
  field: Field,
  passes: (source: Shape, target: Shape) => boolean,
): boolean {
  if (!given) return field.optional
  return (field.optional && given.optional) || passes(given.shape, field.shape)
}

function isList({ kind }: Shape): boolean {
  return kind === 'array' || kind === 'tuple'
}

function fieldOf(shape: ObjectShape, name: string): Field | undefined {
  return shape.fields.find(field => field.name === name)
}

/** The shape without recursions and all that refines it, which changes no fields. */
function bare(shape: Shape): Shape {
  if (shape.kind === 'recursion') return bare(shape.target())
  return shape.kind === 'constrained' || shape.kind === 'refined' ? bare(shape.base) : shape
}

/**
 * The shape without recursions and without bounds that JSON Schema can express: other predicates
 * stay.
 */
function withoutBounds(shape: Shape): Shape {
  if (shape.kind === 'recursion') return withoutBounds(shape.target())
  return shape.kind === 'constrained' && shape.schema ? withoutBounds(shape.base) : shape
}

function jsonType({ type }: ScalarShape): string {
  return type === 'integer' ? 'number' : type
}
