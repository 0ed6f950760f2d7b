import * as t from 'io-ts'
import { optionsIn, shown } from '../../names.js'
import { describe } from '../shape/annotations.js'
import { withShape } from '../shape/shape.js'

/**
 * The values of an `enum`, or of an object that serves as one: `enumeration(Colour, 'Colour')`. The
 * wire has the values, not the names; for names, `t.keyof` does. A name like an identifier makes it
 * a component of the document.
 */
export function enumeration<const E extends Readonly<Record<string, string | number>>>(
  members: E,
  name?: string,
): t.Type<E[keyof E]> {
  if (optionsIn(members) !== members)
    throw new TypeError(
      `enumeration() takes an enum, or an object of its values, not ${shown(members)}`,
    )
  if (name !== undefined && typeof name !== 'string')
    throw new TypeError(`enumeration(): its name must be a string, not ${shown(name)}`)
  const other = Object.values(members).find(
    value => typeof value !== 'string' && typeof value !== 'number',
  )
  if (other !== undefined)
    throw new TypeError(`enumeration(): its values are texts and numbers, not ${shown(other)}`)
  // an enum of numbers also has their names by number
  const isName = (key: string) => members[members[key] as string] !== Number(key)
  const values = [
    ...new Set(
      Object.keys(members).flatMap(key => (isName(key) ? (members[key] as E[keyof E]) : [])),
    ),
  ]
  const is = (value: unknown): value is E[keyof E] => values.includes(value as E[keyof E])
  const codec = new t.Type<E[keyof E]>(
    name ?? values.map(value => JSON.stringify(value)).join(' | '),
    is,
    (input, context) =>
      is(input)
        ? t.success(input)
        : t.failure(input, context, `Must be one of: ${values.join(', ')}.`),
    t.identity,
  )
  withShape(codec, () => ({ kind: 'literal', codec, values }))
  return name === undefined ? codec : describe(codec, { name })
}
