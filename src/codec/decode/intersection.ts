import { type DecoderBuilder, faultOf, type Steps, UNKNOWN_FIELD } from '../runtime/decoding.js'
import { type ErrorTree, type Faults, Invalid, mergeErrors, withFault } from '../runtime/invalid.js'
import { notValid } from '../shape/expectation.js'
import { isPlainObject } from '../shape/plain-object.js'
import type { IntersectionShape, RecordShape, Shape } from '../shape/shape.js'

/**
 * The decoder of an intersection that could not be merged: every member must fit. Objects are joined, of anything else the last
 * member's value counts, which must be one of every member, or it could not be encoded. Each member is decoded with the fields that it
 * does not declare, as another one may; those that none declares are found before.
 */
export function intersectionDecoder(
  shape: IntersectionShape,
  builder: DecoderBuilder,
): (input: unknown) => Steps {
  const parts = shape.members.map(builder.with({ unknown: 'include' }).of)
  const fitsNotAll = faultOf(shape, notValid(shape.codec.name))
  const names = builder.with({ wire: 'text' })
  const members: Members = {
    shapes: shape.members,
    hasName: ({ domain }, name) => !(names.of(domain).decode(name) instanceof Invalid),
  }
  return function* (given) {
    const faults = builder.unknown === 'raise' ? undeclared(members, given) : undefined
    const input = builder.unknown === 'exclude' ? withoutUndeclared(members, given) : given
    let joined: unknown
    let invalid: Invalid | undefined = faults && new Invalid(faults)
    for (const { decode, steps } of parts) {
      const value = steps && builder.isLong(input) ? yield* steps(input) : decode(input)
      if (value instanceof Invalid)
        invalid = invalid ? new Invalid(mergeErrors(invalid.errors, value.errors)) : value
      else
        joined =
          isPlainObject(joined) && isPlainObject(value) ? changed(input, joined, value) : value
    }
    return invalid ?? (shape.members.every(({ codec }) => codec.is(joined)) ? joined : fitsNotAll)
  }
}

/** Both objects in one: of a field that both have, the one that its member has decoded. */
function changed(
  input: unknown,
  first: Record<string, unknown>,
  second: Record<string, unknown>,
): Record<string, unknown> {
  const undecoded = isPlainObject(input) ? input : {}
  const decoded = Object.entries(second).filter(
    ([key, value]) => !Object.hasOwn(first, key) || value !== undecoded[key],
  )
  return Object.fromEntries([...Object.entries(first), ...decoded])
}

/** What a value may be, and whether a name is in the domain of a dictionary. */
interface Members {
  readonly shapes: readonly Shape[]
  readonly hasName: (shape: RecordShape, name: string) => boolean
}

/** The fields that no member declares, at every depth. */
function undeclared(members: Members, input: unknown): ErrorTree | undefined {
  let faults: Faults
  for (const { name, value, shapes } of partsOf(members, input)) {
    const errors = shapes ? undeclared({ ...members, shapes }, value) : UNKNOWN_FIELD
    if (errors) faults = withFault(faults, name, errors)
  }
  return faults
}

function withoutUndeclared(members: Members, input: unknown): unknown {
  const parts = partsOf(members, input)
  if (parts.length === 0) return input
  const kept = parts.flatMap(({ name, value, shapes }) =>
    shapes ? [[name, withoutUndeclared({ ...members, shapes }, value)] as const] : [],
  )
  return Array.isArray(input) ? kept.map(([, value]) => value) : Object.fromEntries(kept)
}

interface Part {
  readonly name: string
  readonly value: unknown
  /** What it may be; undefined where no member declares it. */
  readonly shapes: readonly Shape[] | undefined
}

/** The fields or items of a value; none where anything may be in it. */
function partsOf({ shapes, hasName }: Members, input: unknown): readonly Part[] {
  const isList = Array.isArray(input)
  if (!isList && !isPlainObject(input)) return []
  const alternatives = shapes.flatMap(shape => alternativesOf(shape, new Set()))
  if (alternatives.some(({ kind }) => kind === 'unknown' || kind === 'opaque')) return []
  return Object.entries(input).map(([name, value]) => {
    const inner = alternatives.flatMap(shape =>
      isList ? itemOf(shape, Number(name)) : fieldOf(shape, name, hasName),
    )
    return { name, value, shapes: isList || inner.length > 0 ? inner : undefined }
  })
}

/** The shapes that a value may be of, seen through all that only combines or refines others. */
function alternativesOf(shape: Shape, seen: Set<Shape>): readonly Shape[] {
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

function itemOf(shape: Shape, index: number): readonly Shape[] {
  if (shape.kind === 'array') return [shape.item]
  return shape.kind === 'tuple' ? shape.items.slice(index, index + 1) : []
}

function fieldOf(shape: Shape, name: string, hasName: Members['hasName']): readonly Shape[] {
  if (shape.kind === 'record') return hasName(shape, name) ? [shape.codomain] : []
  if (shape.kind !== 'object') return []
  const field = shape.fields.find(candidate => candidate.name === name)
  return field ? [field.shape] : shape.rest ? [shape.rest] : []
}
