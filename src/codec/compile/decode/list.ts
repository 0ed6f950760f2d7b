import { listReader } from '../../runtime/list-reader.js'
import type { ArrayShape, TupleShape } from '../../shape/shape.js'
import { listTest } from '../source/expressions.js'
import { type ReaderBuilder, unless } from './reading.js'

/** The body of the function that decodes a list. */
export function arrayBody(shape: ArrayShape, builder: ReaderBuilder): string {
  const { before, value } = builder.of(shape.item, 'item')
  const loop = `for (let i = 0; i < items.length; i++) {\nconst item = items[i]\n${before}values.push(${value})\n}\n`
  return `${itemsCode(builder, shape.separator)}const values = []\n${loop}return values\n`
}

/** The body of the function that decodes a list whose places have their own types. */
export function tupleBody(shape: TupleShape, builder: ReaderBuilder): string {
  const items = shape.items.map((item, index) => builder.of(item, `items[${index}]`))
  const rightLength = unless(`items.length === ${items.length}`, builder)
  return `${itemsCode(builder)}${rightLength}${items.map(({ before }) => before).join('')}return [${items.map(({ value }) => value).join(', ')}]\n`
}

/** The statements that make `items` of `v`. In text one value is a list of one, and a separator splits a text. */
function itemsCode(builder: ReaderBuilder, separator?: string): string {
  const isList = listTest('v', builder.source)
  if (builder.wire === 'json') return `${unless(isList, builder)}const items = v\n`
  if (separator === undefined) return `const items = ${isList} ? v : [v]\n`
  const read = builder.source.constant(listReader(builder.wire, separator))
  return `const items = ${read}(v)\n${unless('items !== undefined', builder)}`
}
