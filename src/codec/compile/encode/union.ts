import { literalsOf } from '../../shape/discriminator.js'
import type { Shape, UnionShape } from '../../shape/shape.js'
import { propertyOf } from '../source/expressions.js'
import { areDisjoint } from '../source/static-facts.js'
import { unless, type WriterBuilder } from './writing.js'

/** Whether at most one member can fit a value: where two do, the encoder compares what is left of it. */
export function isDecided(shape: UnionShape): boolean {
  return shape.discriminator !== undefined || areDisjoint(shape.members, 'output')
}

/** The body of the function that writes a union that is decided by its discriminator, or by the JSON type of the value. */
export function unionBody({ discriminator, members }: UnionShape, builder: WriterBuilder): string {
  if (discriminator !== undefined) return discriminatedBody(members, discriminator, builder)
  const attempts = members.map(member => {
    const text = builder.source.variable()
    return `const ${text} = ${builder.functionOf(member)}(v, depth)\nif (${text} !== undefined) return ${text}\n`
  })
  return attempts.join('')
}

function discriminatedBody(
  members: readonly Shape[],
  discriminator: string,
  { source, functionOf }: WriterBuilder,
): string {
  const numbers = members.flatMap((member, number) =>
    (literalsOf(member).get(discriminator)?.values ?? []).map(value => [value, number] as const),
  )
  const cases = members.map(
    (member, number) => `case ${number}: return ${functionOf(member)}(v, depth)\n`,
  )
  const number = `${source.constant(new Map(numbers))}.get(${propertyOf(discriminator, source)})`
  return `${unless("typeof v === 'object' && v !== null")}switch (${number}) {\n${cases.join('')}}\n`
}
