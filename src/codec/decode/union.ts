import {
  type DecoderBuilder,
  MISSING,
  NOT_AN_OBJECT,
  type PartDecoder,
  type Steps,
  wrongType,
} from '../runtime/decoding.js'
import { countMessages, Invalid, withFault } from '../runtime/invalid.js'
import { literalsOf } from '../shape/discriminator.js'
import { expectation } from '../shape/expectation.js'
import { isInheritedName, isPlainObject } from '../shape/plain-object.js'
import type { LiteralShape, Shape, UnionShape } from '../shape/shape.js'

/**
 * The decoder of a union. With a discriminator, its value decides which member decodes. Without one, the first member that matches wins;
 * if none does, the faults are those of the closest member, if there is one.
 */
export function unionDecoder(
  shape: UnionShape,
  builder: DecoderBuilder,
): (input: unknown) => Steps {
  const { discriminator } = shape
  return discriminator === undefined
    ? firstFittingDecoder(shape, builder)
    : discriminatedDecoder(shape, discriminator, builder)
}

function discriminatedDecoder(
  shape: UnionShape,
  discriminator: string,
  builder: DecoderBuilder,
): (input: unknown) => Steps {
  const decoders = new Map<unknown, PartDecoder>()
  const values = shape.members.flatMap(
    member => literalsOf(member).get(discriminator)?.values ?? [],
  )
  const name =
    shape.members.map(member => literalsOf(member).get(discriminator)?.field.name)[0] ??
    discriminator
  for (const member of shape.members) {
    const part = builder.of(member)
    for (const value of literalsOf(member).get(discriminator)?.values ?? [])
      decoders.set(builder.wire === 'text' ? String(value) : value, part)
  }
  const fault = wrongType(shape, NOT_AN_OBJECT, builder.wire)
  const literal: LiteralShape = { kind: 'literal', codec: shape.codec, values }
  const wrongValue = wrongType(literal, `Must be ${expectation(literal)}.`, builder.wire)
  const inherited = isInheritedName(name)
  return function* (input) {
    if (!isPlainObject(input)) return fault(input)
    const value = inherited && !Object.hasOwn(input, name) ? undefined : input[name]
    const part = decoders.get(value)
    if (part)
      return part.steps && builder.isLong(input) ? yield* part.steps(input) : part.decode(input)
    return new Invalid(
      withFault(undefined, name, (value === undefined ? MISSING : wrongValue(value)).errors),
    )
  }
}

interface Member {
  readonly shape: Shape
  readonly part: PartDecoder
}

function firstFittingDecoder(
  shape: UnionShape,
  builder: DecoderBuilder,
): (input: unknown) => Steps {
  const members = shape.members.map(
    (member): Member => ({ shape: member, part: builder.of(member) }),
  )
  const noneFits = wrongType(shape, `Must be ${expectation(shape)}.`, builder.wire)
  return function* (input) {
    const faults: (readonly [Shape, Invalid])[] = []
    for (const { shape, part } of members) {
      const value =
        part.steps && builder.isLong(input) ? yield* part.steps(input) : part.decode(input)
      if (!(value instanceof Invalid)) return value
      faults.push([shape, value])
    }
    return closest(faults, input) ?? noneFits(input)
  }
}

/** The faults of the only member of the input's type, or of the one of them with the fewest; undefined where none stands out. */
function closest(
  faults: readonly (readonly [Shape, Invalid])[],
  input: unknown,
): Invalid | undefined {
  const near = faults.filter(([shape]) => isOfType(shape, input)).map(([, invalid]) => invalid)
  const [best, second] = near
    .map(invalid => ({ invalid, count: countMessages(invalid.errors) }))
    .sort((a, b) => a.count - b.count)
  return best && best.count !== second?.count ? best.invalid : undefined
}

/** Whether a shape is for values of the input's JSON type, whatever is wrong with the value. */
function isOfType(shape: Shape, input: unknown): boolean {
  switch (shape.kind) {
    case 'object':
    case 'record':
      return isPlainObject(input)
    case 'array':
    case 'tuple':
      return Array.isArray(input)
    case 'scalar':
      return (
        shape.type ===
        (typeof input === 'number' && shape.type === 'integer' ? 'integer' : typeof input)
      )
    case 'union':
    case 'intersection':
      return shape.members.some(member => isOfType(member, input))
    case 'constrained':
    case 'refined':
      return isOfType(shape.base, input)
    case 'recursion':
      return isOfType(shape.target(), input)
    default:
      return shape.kind === 'opaque'
  }
}
