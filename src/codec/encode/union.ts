import { type Encode, type EncoderBuilder, Unfit } from '../runtime/encoding.js'
import { literalsOf } from '../shape/discriminator.js'
import { expectation } from '../shape/expectation.js'
import { type Dictionary, isInheritedName, isPlainObject } from '../shape/plain-object.js'
import type { IntersectionShape, Shape, UnionShape } from '../shape/shape.js'
import { someInside } from '../traits/parts.js'

/**
 * The encoder of a union. With a discriminator, its value decides which member encodes. Without
 * one, of the members that really match, it is the one that keeps most of the value, and the first
 * of those, so that no field is lost that some member declares.
 */
export function unionEncoder(shape: UnionShape, builder: EncoderBuilder): Encode {
  return shape.discriminator === undefined
    ? bestFittingEncoder(shape, builder)
    : discriminatedEncoder(shape, shape.discriminator, builder)
}

function discriminatedEncoder(
  shape: UnionShape,
  discriminator: string,
  builder: EncoderBuilder,
): Encode {
  const encoders = new Map<unknown, Encode>()
  for (const member of shape.members) {
    const encode = builder.of(member)
    for (const value of literalsOf(member).get(discriminator)?.values ?? [])
      encoders.set(value, encode)
  }
  const notAnObject = new Unfit('an object')
  const wrongValue = new Unfit(`one of: ${[...encoders.keys()].join(', ')}`).under(discriminator)
  const inherited = isInheritedName(discriminator)
  return value => {
    if (typeof value !== 'object' || value === null) return notAnObject
    const given =
      inherited && !Object.hasOwn(value, discriminator)
        ? undefined
        : (value as Dictionary)[discriminator]
    return (encoders.get(given) ?? (() => wrongValue))(value)
  }
}

function bestFittingEncoder(shape: UnionShape, builder: EncoderBuilder): Encode {
  const encoders = shape.members.map(builder.of)
  const unfit = new Unfit(expectation(shape))
  let measures: readonly Encode[] | undefined
  return value => {
    const fitting = encoders
      .map((encode, member) => ({ member, wire: encode(value) }))
      .filter(({ wire }) => !(wire instanceof Unfit))
    if (fitting.length < 2) return fitting.length === 0 ? unfit : fitting[0]?.wire
    // this compares how much of the value is kept, so defaults do not count
    measures ??= shape.members.map(member =>
      (hasDefaults(member) ? builder.withoutDefaults() : builder).of(member),
    )
    const sizes = fitting.map(({ member }) => sizeOf(measures?.[member]?.(value)))
    return fitting[sizes.indexOf(Math.max(...sizes))]?.wire
  }
}

function hasDefaults(shape: Shape): boolean {
  return someInside(
    shape,
    inner => inner.kind === 'object' && inner.fields.some(field => field.fallback),
  )
}

/**
 * How much of the program's value is in a JSON value: nothing in one that is empty, as a Date is
 * for an object of optional fields.
 */
function sizeOf(wire: unknown): number {
  if (typeof wire !== 'object' || wire === null) return 1
  return Object.values(wire).reduce<number>((sum, inner) => sum + 1 + sizeOf(inner), 0)
}

/**
 * The encoder of an intersection that could not be merged: every member must fit; objects are
 * joined, else the last member counts.
 */
export function intersectionEncoder(shape: IntersectionShape, builder: EncoderBuilder): Encode {
  const encoders = shape.members.map(builder.of)
  return value => {
    let joined: unknown
    for (const encode of encoders) {
      const wire = encode(value)
      if (wire instanceof Unfit) return wire
      joined =
        isPlainObject(joined) && isPlainObject(wire)
          ? Object.fromEntries([...Object.entries(joined), ...Object.entries(wire)])
          : wire
    }
    return joined
  }
}
