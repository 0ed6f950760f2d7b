import { type Decoder, type DecoderBuilder, faultOf, UNKNOWN_FIELD } from '../runtime/decoding.js'
import { type ErrorTree, type Faults, Invalid, mergeErrors, withFault } from '../runtime/invalid.js'
import { notValid } from '../shape/expectation.js'
import { isPlainObject } from '../shape/plain-object.js'
import type { IntersectionShape, RecordShape, Shape } from '../shape/shape.js'
import { alternativesOf, itemOf } from '../traits/parts.js'

/**
 * The decoder of an intersection that could not be merged: every member must fit. Objects are
 * joined, of anything else the last member's value counts, which must be one of every member, or it
 * could not be encoded. Each member is decoded with the fields that it does not declare, as another
 * one may; those that none declares are found before.
 */
export function intersectionDecoder(shape: IntersectionShape, builder: DecoderBuilder): Decoder {
  const parts = shape.members.map(builder.with({ unknown: 'include' }).of)
  const fitsNotAll = faultOf(shape, notValid(shape.codec.name))
  const names = builder.with({ wire: 'text' })
  const members: Members = {
    shapes: shape.members,
    hasName: ({ domain }, name) => !(names.of(domain)(name) instanceof Invalid),
  }
  return given => {
    const faults = builder.unknown === 'raise' ? undeclared(members, given) : undefined
    const input = builder.unknown === 'exclude' ? withoutUndeclared(members, given) : given
    let joined: unknown
    let invalid: Invalid | undefined = faults && new Invalid(faults)
    for (const decode of parts) {
      const value = decode(input)
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

/** The shapes that a value may have, and whether a name is in the domain of a dictionary. */
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
  /** The shapes it may have; undefined if no member declares it. */
  readonly shapes: readonly Shape[] | undefined
}

/** The fields or items of a value; none if it may contain anything. */
function partsOf({ shapes, hasName }: Members, input: unknown): readonly Part[] {
  const isList = Array.isArray(input)
  if (!isList && !isPlainObject(input)) return []
  const alternatives = shapes.flatMap(shape => alternativesOf(shape))
  if (
    alternatives.some(({ kind }) => kind === 'unknown' || kind === 'standard' || kind === 'opaque')
  )
    return []
  return Object.entries(input).map(([name, value]) => {
    const inner = alternatives.flatMap(shape =>
      isList ? itemOf(shape, Number(name)) : fieldOf(shape, name, hasName),
    )
    return { name, value, shapes: isList || inner.length > 0 ? inner : undefined }
  })
}

function fieldOf(shape: Shape, name: string, hasName: Members['hasName']): readonly Shape[] {
  if (shape.kind === 'record') return hasName(shape, name) ? [shape.codomain] : []
  if (shape.kind !== 'object') return []
  const field = shape.fields.find(candidate => candidate.name === name)
  return field ? [field.shape] : shape.rest ? [shape.rest] : []
}
