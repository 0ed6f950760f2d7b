import { textInJson } from '../../../http/json-string.js'
import type { ConstrainedShape, LiteralShape, ScalarShape } from '../../shape/shape.js'
import { typeTest } from '../source/expressions.js'
import { literal, type Source } from '../source/source.js'
import { unless, type WriterBuilder, type Writing } from './writing.js'

/** Writes a scalar, with every check of its encoder. */
export function scalarWriting(
  shape: ScalarShape,
  value: string,
  { source }: WriterBuilder,
): Writing {
  const wire = source.variable()
  const converted = shape.conversion
    ? `${source.constant(shape.conversion.encode)}(${value})`
    : value
  const test = shape.test ? ` && ${source.constant(shape.test)}(${wire}) === undefined` : ''
  return {
    before: `const ${wire} = ${converted}\n${unless(typeTest(shape.type, wire, source) + test)}`,
    ...textOf(shape.type, wire, source),
  }
}

function textOf(
  type: ScalarShape['type'],
  wire: string,
  source: Source,
): Pick<Writing, 'text' | 'after'> {
  switch (type) {
    case 'string':
      return {
        text: prefix => `${literal(`${prefix}"`)} + ${source.constant(textInJson)}(${wire})`,
        after: '"',
      }
    case 'boolean':
      return {
        text: prefix => `(${wire} ? ${literal(`${prefix}true`)} : ${literal(`${prefix}false`)})`,
        after: '',
      }
    case 'null':
      return { text: prefix => literal(`${prefix}null`), after: '' }
    default:
      // the sum of a text and -0 ends with 0, as in JSON
      return { text: prefix => `${literal(prefix)} + ${wire}`, after: '' }
  }
}

/** Writes one of some fixed values: the texts are there before the value is. */
export function literalWriting(
  { values }: LiteralShape,
  value: string,
  { source }: WriterBuilder,
): Writing {
  const index = source.variable()
  const indexes = source.constant(new Map(values.map((fixed, at) => [fixed, at])))
  return {
    before: `const ${index} = ${indexes}.get(${value})\n${unless(`${index} !== undefined`)}`,
    text: prefix =>
      `${source.constant(values.map(fixed => prefix + JSON.stringify(fixed)))}[${index}]`,
    after: '',
  }
}

/** Writes a value by the base codec, if the value satisfies the predicate. */
export function constrainedWriting(
  shape: ConstrainedShape,
  value: string,
  builder: WriterBuilder,
): Writing {
  const base = builder.of(shape.base, value)
  return {
    ...base,
    before: base.before + unless(`${builder.source.constant(shape.holds)}(${value})`),
  }
}
