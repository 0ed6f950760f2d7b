import { literalsOf } from '../../shape/discriminator.js'
import { isPlainObject } from '../../shape/plain-object.js'
import type { Shape, UnionShape } from '../../shape/shape.js'
import { propertyOf } from '../source/expressions.js'
import { NotCompilable } from '../source/source.js'
import { areDisjoint, isRecursive } from '../source/static-facts.js'
import { type ReaderBuilder, UNFIT, unless } from './reading.js'

/** The body of the function that decodes a union: by its discriminator, or by the first member that fits. */
export function unionBody(shape: UnionShape, builder: ReaderBuilder): string {
  const { discriminator, members } = shape
  const unfit = builder.source.constant(UNFIT)
  if (discriminator !== undefined) return discriminatedBody(members, discriminator, builder)
  // with two members that look into the rest, each level of a recursion would double the work: the interpreter looks once
  const looksOnce = builder.wire === 'json' && areDisjoint(members, 'input')
  if (isRecursive(shape) && !looksOnce) throw new NotCompilable()
  const attempts = members.map(member => {
    const value = builder.source.variable()
    return `const ${value} = ${builder.functionOf(member)}(v, depth)\nif (${value} !== ${unfit}) return ${value}\n`
  })
  return `${attempts.join('')}return ${unfit}\n`
}

function discriminatedBody(
  members: readonly Shape[],
  discriminator: string,
  builder: ReaderBuilder,
): string {
  const { source, wire } = builder
  const literals = members.map(member => literalsOf(member).get(discriminator))
  const numbers = literals.flatMap((found, number) =>
    (found?.values ?? []).map(value => [wire === 'text' ? String(value) : value, number] as const),
  )
  const cases = members.map(
    (member, number) => `case ${number}: return ${builder.functionOf(member)}(v, depth)\n`,
  )
  const number = `${source.constant(new Map<unknown, number>(numbers))}.get(${propertyOf(literals[0]?.field.name ?? discriminator, source)})`
  const plain = unless(`${source.constant(isPlainObject)}(v)`, builder)
  return `${plain}switch (${number}) {\n${cases.join('')}default: return ${source.constant(UNFIT)}\n}\n`
}
