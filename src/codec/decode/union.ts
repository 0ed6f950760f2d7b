import {
  countMessages,
  type Decoder,
  type DecoderBuilder,
  Invalid,
  MISSING,
  NOT_AN_OBJECT,
  withFault,
  wrongType,
} from '../runtime/decoding.js'
import { expectation } from '../shape/expectation.js'
import { isPlainObject, readerOf } from '../shape/plain-object.js'
import {
  type LiteralShape,
  literalsOf,
  type ObjectShape,
  type RecursionShape,
  type Shape,
  type UnionShape,
} from '../shape/shape.js'
import { documentedAlternativesOf } from '../traits/parts.js'

/**
 * The decoder of a union. With a discriminator, its value decides which member decodes. Without
 * one, the first member that matches wins; if none does, the faults are those of the closest
 * member, if there is one.
 */
export function unionDecoder(shape: UnionShape, builder: DecoderBuilder): Decoder {
  const { discriminator } = shape
  return discriminator === undefined
    ? firstFittingDecoder(shape, builder)
    : discriminatedDecoder(shape, discriminator, builder)
}

function discriminatedDecoder(
  shape: UnionShape,
  discriminator: string,
  builder: DecoderBuilder,
): Decoder {
  const decoders = new Map<unknown, Decoder>()
  const literals = shape.members.map(member => literalsOf(member).get(discriminator))
  const values = literals.flatMap(found => found?.values ?? [])
  const name = literals[0]?.field.name ?? discriminator
  for (const [index, member] of shape.members.entries()) {
    const decode = builder.of(member)
    for (const value of literals[index]?.values ?? [])
      decoders.set(builder.wire === 'text' ? String(value) : value, decode)
  }
  const fault = wrongType(shape, NOT_AN_OBJECT, builder.wire)
  const literal: LiteralShape = { kind: 'literal', codec: shape.codec, values }
  const wrongValue = wrongType(literal, `Must be ${expectation(literal)}.`, builder.wire)
  const read = readerOf(name)
  return input => {
    if (!isPlainObject(input)) return fault(input)
    const value = read(input)
    const decode = decoders.get(value)
    if (decode) return decode(input)
    return new Invalid(
      withFault(undefined, name, (value === undefined ? MISSING : wrongValue(value)).errors),
    )
  }
}

interface Member {
  readonly alternatives: readonly Shape[]
  readonly decode: Decoder
  readonly mayFit: Test
}

type Test = (input: unknown) => boolean

function firstFittingDecoder(union: UnionShape, builder: DecoderBuilder): Decoder {
  const shape = builder.wire === 'text' ? withoutNull(union) : union
  const [only] = shape.members
  // the message of the member says more
  if (only && shape.members.length === 1 && shape.message === undefined) return builder.of(only)
  const members = shape.members.map(
    (member): Member => ({
      alternatives: documentedAlternativesOf(member),
      decode: builder.of(member),
      // on a text wire one value is a list of one, and a number is a string
      mayFit: builder.wire === 'json' ? fitTest(member, builder) : () => true,
    }),
  )
  const noneFits = wrongType(shape, `Must be ${expectation(shape)}.`, builder.wire)
  return input => {
    let faults: (Invalid | undefined)[] | undefined
    for (let index = 0; index < members.length; index++) {
      const { decode, mayFit } = members[index] as Member
      if (!mayFit(input)) continue
      const value = decode(input)
      if (!(value instanceof Invalid)) return value
      faults ??= []
      faults[index] = value
    }
    const near = members.flatMap(({ alternatives, decode }, index) =>
      alternatives.some(one => isOfType(one, input))
        ? [faults?.[index] ?? (decode(input) as Invalid)]
        : [],
    )
    return closest(near) ?? noneFits(input)
  }
}

/** The union without null, which no text is: a message must not ask for it. */
function withoutNull(shape: UnionShape): UnionShape {
  const members = shape.members.filter(
    member => !(member.kind === 'scalar' && member.type === 'null'),
  )
  return members.length > 0 ? { ...shape, members } : shape
}

/**
 * Returns a test whether a JSON value has the type of a shape, the fields that the shape requires
 * and no others. It costs much less than collecting the faults of a member that does not fit.
 */
function fitTest(shape: Shape, builder: DecoderBuilder): Test {
  switch (shape.kind) {
    case 'object':
      return objectTest(shape, builder)
    case 'record':
      return isPlainObject
    case 'array':
    case 'tuple':
      return Array.isArray
    case 'scalar': {
      const type = shape.type === 'integer' ? 'number' : shape.type
      return input => (input === null ? type === 'null' : typeof input === type)
    }
    case 'union': {
      const tests = shape.members.map(member => fitTest(member, builder))
      return input => tests.some(test => test(input))
    }
    case 'intersection': {
      const tests = shape.members.map(member => fitTest(member, builder))
      return input => tests.every(test => test(input))
    }
    case 'constrained':
    case 'refined':
      return fitTest(shape.base, builder)
    case 'recursion':
      return recursionTest(shape, builder)
    default:
      return () => true
  }
}

function recursionTest(shape: RecursionShape, builder: DecoderBuilder): Test {
  let test: Test | undefined
  return input => {
    test ??= fitTest(shape.target(), builder)
    return test(input)
  }
}

function objectTest(
  { fields, rest }: ObjectShape,
  { whole, unknown, nesting }: DecoderBuilder,
): Test {
  const required = fields
    .filter(
      ({ optional, fallback, access }) => !optional && !fallback && (access !== 'read' || whole),
    )
    .map(({ name }) => name)
  const names = new Set(fields.map(({ name }) => name))
  const isClosed = unknown === 'raise' && rest === undefined
  return input => {
    if (!isPlainObject(input)) return false
    for (const name of required) if (input[name] === undefined) return false
    if (isClosed) for (const name of nesting.namesOf(input)) if (!names.has(name)) return false
    return true
  }
}

/** The faults of the member that has the fewest; undefined if several have as few. */
function closest(invalids: readonly Invalid[]): Invalid | undefined {
  const [best, second] = invalids
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
      return shape.type.replace('integer', 'number') === typeof input
    default:
      return shape.kind === 'unknown' || shape.kind === 'opaque'
  }
}
