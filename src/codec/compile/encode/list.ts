import type { ArrayShape, Shape, TupleShape } from '../../shape/shape.js'
import { listTest } from '../source/expressions.js'
import { literal } from '../source/source.js'
import { unless, type WriterBuilder } from './writing.js'

/** The body of the function that writes a list. */
export function arrayBody(shape: ArrayShape, builder: WriterBuilder): string {
  const item = itemOf(shape.item, builder)
  const text = `i === 0 ? ${item.text('[')} : ${item.text(`${item.after},`)}`
  const loop = `for (let i = 0; i < v.length; i++) {\nconst item = v[i]\n${item.before}s += ${text}\n}\n`
  return `${unless(listTest('v', builder.source))}if (v.length === 0) return '[]'\nlet s = ''\n${loop}return s + ${literal(`${item.after}]`)}\n`
}

/** The body of the function that writes a list whose places have their own types. */
export function tupleBody({ items }: TupleShape, builder: WriterBuilder): string {
  let pending = '['
  const code = items.map((shape, index) => {
    const item = itemOf(shape, builder)
    const text = item.text(index === 0 ? pending : `${pending},`)
    pending = item.after
    return `{\nconst item = v[${index}]\n${item.before}s += ${text}\n}\n`
  })
  const fits = `${listTest('v', builder.source)} && v.length === ${items.length}`
  return `${unless(fits)}let s = ''\n${code.join('')}return s + ${literal(`${pending}]`)}\n`
}

/** The code that writes `item`; an undefined one has no place in a list. */
function itemOf(shape: Shape, builder: WriterBuilder) {
  const item = builder.of(shape, 'item')
  return { ...item, before: unless('item !== undefined') + item.before }
}
