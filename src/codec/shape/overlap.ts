import type { Field, ObjectShape, ScalarShape, Shape } from './shape.js'

/**
 * Whether a value of one shape may be accepted as one of another, fields that are not declared left aside. Where it cannot be known
 * (a predicate or a codec whose inside is hidden) the two are taken to be told apart.
 */
export function passesFor(from: Shape, as: Shape, depth = 0): boolean {
  const source = bare(from)
  const target = bare(as)
  if (depth > MAX_DEPTH || target.kind === 'unknown' || source.kind === 'unknown') return true
  if (source.kind === 'union') return source.members.some(member => passesFor(member, target, depth + 1))
  if (target.kind === 'union') return target.members.some(member => passesFor(source, member, depth + 1))
  if (target.kind === 'object') return source.kind === 'object' && objectPasses(source, target, depth)
  if (target.kind === 'record' && source.kind === 'object')
    return source.fields.every(field => passesFor(field.shape, target.codomain, depth + 1))
  if (target.kind === 'scalar' && source.kind === 'scalar') return jsonType(source) === jsonType(target)
  if (target.kind === 'scalar' && source.kind === 'literal') return source.values.some(value => typeof value === jsonType(target))
  if (target.kind === 'literal' && source.kind === 'literal') return source.values.some(value => target.values.includes(value))
  if (target.kind === 'literal' && source.kind === 'scalar') return target.values.some(value => typeof value === jsonType(source))
  // an empty list is one of any items, an empty dictionary one of any values
  return (target.kind === 'array' || target.kind === 'record') && source.kind === target.kind
}

/** A field that a value of one shape loses when it is taken for another; undefined where it loses none. */
export function lostAs(from: Shape, as: Shape, depth = 0): string | undefined {
  const source = bare(from)
  const target = bare(as)
  if (depth > MAX_DEPTH) return undefined
  if (source.kind === 'array' && target.kind === 'array') return lostAs(source.item, target.item, depth + 1)
  if (source.kind === 'record' && target.kind === 'record') return lostAs(source.codomain, target.codomain, depth + 1)
  if (source.kind !== 'object' || target.kind !== 'object') return undefined
  for (const field of source.fields) {
    const other = fieldOf(target, field.name)
    const lost = other ? lostAs(field.shape, other.shape, depth + 1) : target.rest ? undefined : ''
    if (lost !== undefined) return lost === '' ? field.key : `${field.key}.${lost}`
  }
  return undefined
}

/** Whether an object, or one inside, would be sent without regard to its fields if it were taken for another shape. */
export function openedAs(from: Shape, as: Shape, depth = 0): boolean {
  const source = bare(from)
  const target = bare(as)
  if (depth > MAX_DEPTH) return false
  if (source.kind === 'array' && target.kind === 'unknown') return openedAs(source.item, target, depth + 1)
  if (source.kind === 'array' && target.kind === 'array') return openedAs(source.item, target.item, depth + 1)
  if (source.kind !== 'object') return false
  if (target.kind === 'unknown' || target.kind === 'record') return true
  return target.kind === 'object' && source.fields.some(field => opened(field, fieldOf(target, field.name), depth))
}

const MAX_DEPTH = 8

function opened(field: Field, other: Field | undefined, depth: number): boolean {
  return other !== undefined && openedAs(field.shape, other.shape, depth + 1)
}

function objectPasses(source: ObjectShape, target: ObjectShape, depth: number): boolean {
  return target.fields.every(field => {
    const given = fieldOf(source, field.name)
    if (!given) return field.optional
    return (field.optional && given.optional) || passesFor(given.shape, field.shape, depth + 1)
  })
}

function fieldOf(shape: ObjectShape, name: string): Field | undefined {
  return shape.fields.find(field => field.name === name)
}

/** The shape without what does not change the fields: recursions, and bounds that JSON Schema can say. */
function bare(shape: Shape): Shape {
  if (shape.kind === 'recursion') return bare(shape.target())
  return shape.kind === 'constrained' && shape.schema ? bare(shape.base) : shape
}

function jsonType({ type }: ScalarShape): string {
  return type === 'integer' ? 'number' : type
}
