import { componentName } from './annotations.js'
import type { LiteralShape, ObjectShape, ScalarShape, Shape, UnionShape } from './shape.js'

const SHOWN_VALUES = 30

const SCALARS: { readonly [Type in ScalarShape['type']]: string } = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
}

/**
 * Describes the values of a shape, to follow `Must be`: `a whole number`, `one of: cat, dog`,
 * `a Pet`.
 */
export function expectation(shape: Shape): string {
  switch (shape.kind) {
    case 'scalar':
      return shape.noun ?? SCALARS[shape.type]
    case 'literal':
      return literalExpectation(shape)
    case 'array':
    case 'tuple':
      return 'a list'
    case 'record':
      return 'an object'
    case 'object':
      return objectExpectation(shape)
    case 'union':
      return unionExpectation(shape)
    case 'constrained':
    case 'refined':
    case 'standard':
      return expectation(shape.base)
    case 'undefined':
      return 'absent'
    case 'file':
      return 'a file'
    case 'unknown':
      return 'a JSON value'
    default:
      return withArticle(shape.codec.name)
  }
}

/** The message if only the name of a codec is known; a name that io-ts made up is not shown. */
export function notValid(name = ''): string {
  return /^[\w.-]+$/.test(name) ? `Not a valid ${name}.` : 'Not a valid value.'
}

function literalExpectation({ values }: LiteralShape): string {
  const shown = values
    .slice(0, SHOWN_VALUES)
    .map(value => (value === '' ? '""' : value))
    .join(', ')
  const text = values.length > SHOWN_VALUES ? `${shown}, …` : shown
  return values.length === 1 ? text : `one of: ${text}`
}

/** Its alternatives, all fixed values as one. */
function unionExpectation({ members, codec }: UnionShape): string {
  const values = members.flatMap(member => (member.kind === 'literal' ? member.values : []))
  const literals = values.length > 0 ? [literalExpectation({ kind: 'literal', codec, values })] : []
  const others = members.filter(member => member.kind !== 'literal').map(expectation)
  return [...new Set([...literals, ...others])].join(' or ')
}

function objectExpectation(shape: ObjectShape): string {
  const name = componentName(shape.codec)
  if (name !== undefined) return withArticle(name)
  const required = shape.fields.filter(field => !field.optional).map(field => field.name)
  const [last] = required.slice(-1)
  if (required.length === 0 || required.length > 5) return 'an object'
  return `an object with ${required.length === 1 ? last : `${required.slice(0, -1).join(', ')} and ${last}`}`
}

function withArticle(name: string): string {
  return /^[aeiou]/i.test(name) ? `an ${name}` : `a ${name}`
}
