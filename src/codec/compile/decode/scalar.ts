import { checkErrors } from '../../runtime/refinement.js'
import type {
  ConstrainedShape,
  LiteralShape,
  RefinedShape,
  ScalarShape,
} from '../../shape/shape.js'
import { typeTest } from '../source/expressions.js'
import { interpreted, type ReaderBuilder, type Reading, unless } from './reading.js'

/** Decodes a scalar. Numbers and booleans in text are left to their decoder, whose work is in the text. */
export function scalarReading(shape: ScalarShape, value: string, builder: ReaderBuilder): Reading {
  const { source, wire } = builder
  if (wire === 'text' && shape.type !== 'string') return interpreted(shape, value, builder)
  const read = source.variable()
  // the sum turns -0 into 0
  const checked = `${unless(typeTest(shape.type, value, source), builder)}const ${read} = ${value}${shape.type === 'integer' ? ' + 0' : ''}\n`
  const tested = shape.test
    ? checked + unless(`${source.constant(shape.test)}(${read}) === undefined`, builder)
    : checked
  if (!shape.conversion) return { before: tested, value: read }
  const converted = source.variable()
  const convert = `const ${converted} = ${source.constant(shape.conversion.decode)}(${read})\n`
  return {
    before: tested + convert + unless(`${converted} !== undefined`, builder),
    value: converted,
  }
}

/** Decodes one of some fixed values. */
export function literalReading(
  { values }: LiteralShape,
  value: string,
  builder: ReaderBuilder,
): Reading {
  const known = new Map<unknown, unknown>(
    values.map(fixed => [builder.wire === 'text' ? String(fixed) : fixed, fixed]),
  )
  const read = builder.source.variable()
  return {
    before: `const ${read} = ${builder.source.constant(known)}.get(${value})\n${unless(`${read} !== undefined`, builder)}`,
    value: read,
  }
}

/** Decodes by the base codec; the decoded value must satisfy the predicate. */
export function constrainedReading(
  shape: ConstrainedShape,
  value: string,
  builder: ReaderBuilder,
): Reading {
  const base = builder.of(shape.base, value)
  return {
    ...base,
    before: base.before + unless(`${builder.source.constant(shape.holds)}(${base.value})`, builder),
  }
}

/** Decodes by the base codec; the check must report nothing about the decoded value. */
export function refinedReading(
  shape: RefinedShape,
  value: string,
  builder: ReaderBuilder,
): Reading {
  const base = builder.of(shape.base, value)
  const passes = (decoded: unknown) => checkErrors(shape, decoded) === undefined
  return {
    ...base,
    before: base.before + unless(`${builder.source.constant(passes)}(${base.value})`, builder),
  }
}
