import * as t from 'io-ts'
import { defined } from '../../options.js'
import { unionShape } from './object-shape.js'
import type {
  ConstrainedShape,
  Field,
  ObjectShape,
  RecordShape,
  RecursionShape,
  RefinedShape,
  Shape,
} from './shape.js'

/**
 * The shape of the values that match both: objects are merged into one, unions are distributed,
 * scalars and their literals narrowed. Members that cannot be merged stay an intersection. `codec`
 * is that of the whole.
 */
export function intersect(
  first: Shape,
  second: Shape,
  codec: t.Mixed = both(first, second),
): Shape {
  if (first === second || second.kind === 'unknown') return first
  if (first.kind === 'unknown') return second
  if (first.kind === 'union')
    return distribute(first.members, codec, member => intersect(member, second))
  if (second.kind === 'union')
    return distribute(second.members, codec, member => intersect(first, member))
  if (isConstraint(first))
    return constrain(first, intersect(first.base, second), [first, second], codec)
  if (isConstraint(second))
    return constrain(second, intersect(first, second.base), [first, second], codec)
  const resolve = () => intersect(targetOf(first), targetOf(second), codec)
  if (first.kind === 'recursion') return lazily(first, second, codec, resolve)
  if (second.kind === 'recursion') return lazily(second, first, codec, resolve)
  return merge(first, second, codec)
}

function targetOf(shape: Shape): Shape {
  return shape.kind === 'recursion' ? shape.target() : shape
}

/**
 * The union of the members, without those that no value can match because they are of two types.
 */
function distribute(
  members: readonly Shape[],
  codec: t.Mixed,
  intersectWith: (member: Shape) => Shape,
): Shape {
  const all = members
    .map(intersectWith)
    .flatMap(member => (member.kind === 'union' ? member.members : member))
  const possible = all.filter(member => !isOfTwoTypes(member))
  return unionShape(codec, possible.length > 0 ? possible : all)
}

function isOfTwoTypes(shape: Shape): boolean {
  return (
    shape.kind === 'intersection' &&
    new Set(shape.members.map(jsonType).filter(type => type !== undefined)).size > 1
  )
}

function jsonType(shape: Shape): string | undefined {
  if (shape.kind === 'object' || shape.kind === 'record') return 'object'
  if (shape.kind === 'array' || shape.kind === 'tuple') return 'list'
  if (shape.kind === 'scalar') return shape.type.replace('integer', 'number')
  const types =
    shape.kind === 'literal' ? new Set(shape.values.map(value => typeof value)) : undefined
  return types?.size === 1 ? [...types][0] : undefined
}

function isConstraint(shape: Shape): shape is ConstrainedShape | RefinedShape {
  return shape.kind === 'constrained' || shape.kind === 'refined'
}

/**
 * Puts the constraint of one member around the merged shape; if nothing could be merged, each
 * member keeps its own.
 */
function constrain(
  shape: ConstrainedShape | RefinedShape,
  base: Shape,
  members: readonly Shape[],
  codec: t.Mixed,
): Shape {
  return base.kind === 'intersection'
    ? { kind: 'intersection', codec, members }
    : { ...shape, codec, base }
}

const pairs = new WeakMap<Shape, WeakMap<Shape, RecursionShape>>()

/**
 * A recursion intersected with another shape is a recursion too, the same one each time, so that it
 * ends.
 */
function lazily(
  shape: RecursionShape,
  other: Shape,
  codec: t.Mixed,
  resolve: () => Shape,
): RecursionShape {
  const partners = pairs.get(shape) ?? new WeakMap<Shape, RecursionShape>()
  pairs.set(shape, partners)
  const known = partners.get(other)
  if (known) return known
  let target: Shape | undefined
  const recursion: RecursionShape = {
    kind: 'recursion',
    codec,
    target() {
      target ??= resolve()
      return target
    },
  }
  partners.set(other, recursion)
  return recursion
}

function merge(first: Shape, second: Shape, codec: t.Mixed): Shape {
  if (first.kind === 'object' && second.kind === 'object') return mergeObjects(first, second, codec)
  if (first.kind === 'object' && isAnyKey(second)) return withRest(first, second.codomain, codec)
  if (isAnyKey(first) && second.kind === 'object') return withRest(second, first.codomain, codec)
  if (isAnyKey(first) && isAnyKey(second))
    return { ...first, codec, codomain: intersect(first.codomain, second.codomain) }
  if (first.kind === 'array' && second.kind === 'array')
    return { ...first, codec, item: intersect(first.item, second.item) }
  if (first.kind === 'literal' && second.kind === 'literal') {
    return {
      kind: 'literal',
      codec,
      values: first.values.filter(value => second.values.includes(value)),
    }
  }
  if (isBare(first) && fitsBare(second, first.type)) return second
  if (isBare(second) && fitsBare(first, second.type)) return first
  return { kind: 'intersection', codec, members: [first, second] }
}

function mergeObjects(first: ObjectShape, second: ObjectShape, codec: t.Mixed): ObjectShape {
  const one = second.rest ? withRest(first, second.rest, codec) : first
  const two = first.rest ? withRest(second, first.rest, codec) : second
  const others = new Map(two.fields.map(field => [field.key, field]))
  const fields = one.fields.map(field => {
    const other = others.get(field.key)
    others.delete(field.key)
    return other ? mergeFields(field, other) : field
  })
  const rest = one.rest ?? two.rest
  const message = first.message ?? second.message
  return defined({
    kind: 'object',
    codec,
    fields: [...fields, ...others.values()],
    rest,
    message,
  })
}

function mergeFields(first: Field, second: Field): Field {
  const name = first.name === first.key ? second.name : first.name
  const access = first.access ?? second.access
  const { fallback, constant } = first.fallback ? first : second
  const shape = intersect(first.shape, second.shape)
  const optional = first.optional && second.optional
  return defined({ key: first.key, name, shape, optional, fallback, constant, access })
}

/** The values under all keys are of `rest`, also under those that are declared. */
function withRest(object: ObjectShape, rest: Shape, codec: t.Mixed): ObjectShape {
  const fields = object.fields.map(field => ({ ...field, shape: intersect(field.shape, rest) }))
  return { ...object, codec, fields, rest: object.rest ? intersect(object.rest, rest) : rest }
}

function isAnyKey(shape: Shape): shape is RecordShape {
  return shape.kind === 'record' && isBare(shape.domain) && shape.domain.type === 'string'
}

function isBare(shape: Shape): shape is Shape & { kind: 'scalar' } {
  return shape.kind === 'scalar' && !shape.test && !shape.conversion
}

function fitsBare(shape: Shape, type: string): boolean {
  if (shape.kind === 'literal') return shape.values.every(value => typeof value === type)
  return shape.kind === 'scalar' && shape.type === type && !shape.conversion
}

function both(first: Shape, second: Shape): t.Mixed {
  return first.codec === second.codec ? first.codec : t.intersection([first.codec, second.codec])
}
