import { type Encode, Unfit } from '../encoding.js'
import { MAX_RECURSION } from '../nesting.js'
import { isInheritedName, isPlainObject } from '../plain-object.js'
import type {
  ArrayShape,
  ConstrainedShape,
  Field,
  LiteralShape,
  ObjectShape,
  RecordShape,
  ScalarShape,
  Shape,
  TupleShape,
  UnionShape,
} from '../shape.js'
import { literalsOf } from '../tag.js'
import { textToJson, valueToJson } from './json-text.js'
import { areDisjoint, isRecursive } from './reach.js'
import { literal, NotCompilable, type Piece, Source } from './source.js'

/** Answers JSON text, or undefined where the interpreter is to answer: the value does not fit, or it is not sure. */
export type Write = (value: unknown) => string | undefined

/**
 * Compiles a shape to one function that writes values as JSON text: the text of what the encoder answers, without building it. What
 * is not code here is asked of the encoder that `interpret` answers for it. Throws a NotCompilable.
 */
export function compileWriter(shape: Shape, interpret: (shape: Shape) => Encode): Write {
  const writer: Writer = { source: new Source(), interpret }
  return writer.source.make(functionOf(shape, writer)) as Write
}

interface Writer {
  readonly source: Source
  readonly interpret: (shape: Shape) => Encode
}

const UNFIT = 'return\n'

function unless(condition: string): string {
  return `if (!(${condition})) ${UNFIT}`
}

/** The code that writes the value that the expression `value` stands for, which may be read more than once. */
function pieceOf(shape: Shape, value: string, writer: Writer): Piece {
  switch (shape.kind) {
    case 'scalar':
      return scalarPiece(shape, value, writer)
    case 'literal':
      return literalPiece(shape, value, writer)
    case 'constrained':
      return constrainedPiece(shape, value, writer)
    case 'unknown':
      return answer(`${writer.source.constant(valueToJson)}(${value})`, writer)
    case 'array':
    case 'tuple':
    case 'recursion':
      return call(shape, value, writer)
    case 'record':
      return hasAnyName(shape) ? call(shape, value, writer) : interpreted(shape, value, writer)
    case 'object':
      return isInOrder(shape) ? call(shape, value, writer) : interpreted(shape, value, writer)
    case 'union':
      return isDecided(shape) ? call(shape, value, writer) : interpreted(shape, value, writer)
    default:
      return interpreted(shape, value, writer)
  }
}

/** Leaves the function where an expression answers undefined. */
function answer(expression: string, { source }: Writer): Piece {
  const text = source.variable()
  return { before: `const ${text} = ${expression}\nif (${text} === undefined) ${UNFIT}`, value: text }
}

function call(shape: Shape, value: string, writer: Writer): Piece {
  return answer(`${functionOf(shape, writer)}(${value}, depth)`, writer)
}

function interpreted(shape: Shape, value: string, writer: Writer): Piece {
  // the depth of recursions is counted in one place: either here or there
  if (isRecursive(shape)) throw new NotCompilable()
  const encode = writer.interpret(shape)
  const write: Write = given => {
    const wire = encode(given)
    return wire instanceof Unfit ? undefined : JSON.stringify(wire)
  }
  return answer(`${writer.source.constant(write)}(${value})`, writer)
}

function scalarPiece(shape: ScalarShape, value: string, { source }: Writer): Piece {
  const wire = source.variable()
  const convert = shape.conversion ? `${source.constant(shape.conversion.encode)}(${value})` : value
  const test = shape.test ? ` && ${source.constant(shape.test)}(${wire}) === undefined` : ''
  return {
    before: `const ${wire} = ${convert}\n${unless(isOfType(shape.type, wire, source) + test)}`,
    value: shape.type === 'string' ? `${source.constant(textToJson)}(${wire})` : `('' + ${wire})`,
  }
}

function isOfType(type: ScalarShape['type'], value: string, source: Source): string {
  switch (type) {
    case 'number':
      return `${source.constant(Number.isFinite)}(${value})`
    case 'integer':
      return `${source.constant(Number.isSafeInteger)}(${value})`
    case 'null':
      return `${value} === null`
    default:
      return `typeof ${value} === '${type}'`
  }
}

function literalPiece(shape: LiteralShape, value: string, writer: Writer): Piece {
  const texts = new Map(shape.values.map(fixed => [fixed, JSON.stringify(fixed)]))
  return answer(`${writer.source.constant(texts)}.get(${value})`, writer)
}

function constrainedPiece(shape: ConstrainedShape, value: string, writer: Writer): Piece {
  const piece = pieceOf(shape.base, value, writer)
  return { ...piece, before: `${piece.before}${unless(`${writer.source.constant(shape.holds)}(${value})`)}` }
}

function functionOf(shape: Shape, writer: Writer): string {
  return writer.source.functionOf(shape, () => bodyOf(shape, writer))
}

function bodyOf(shape: Shape, writer: Writer): string {
  switch (shape.kind) {
    case 'array':
      return arrayBody(shape, writer)
    case 'tuple':
      return tupleBody(shape, writer)
    case 'record':
      if (hasAnyName(shape)) return recordBody(shape, writer)
      break
    case 'object':
      if (isInOrder(shape)) return objectBody(shape, writer)
      break
    case 'union':
      if (isDecided(shape)) return unionBody(shape, writer)
      break
    case 'recursion':
      return recursionBody(shape.target(), writer)
    default:
      break
  }
  const { before, value } = pieceOf(shape, 'v', writer)
  return `${before}return ${value}\n`
}

function recursionBody(target: Shape, writer: Writer): string {
  const level = `if (typeof v === 'object' && v !== null) {\nif (depth === ${MAX_RECURSION}) ${UNFIT}depth += 1\n}\n`
  return `${level}return ${functionOf(target, writer)}(v, depth)\n`
}

/** The statements that add an item of a list to the text `s`; an undefined one has no place there. */
function itemCode(shape: Shape, item: string, comma: string, writer: Writer): string {
  const { before, value } = pieceOf(shape, 'item', writer)
  return `const item = ${item}\n${unless('item !== undefined')}${before}s += ${comma}${value}\n`
}

function arrayBody(shape: ArrayShape, writer: Writer): string {
  const isArray = writer.source.constant(Array.isArray)
  const item = itemCode(shape.item, 'v[i]', "(i === 0 ? '' : ',') + ", writer)
  return `${unless(`${isArray}(v)`)}let s = '['\nfor (let i = 0; i < v.length; i++) {\n${item}}\nreturn s + ']'\n`
}

function tupleBody(shape: TupleShape, writer: Writer): string {
  const isArray = writer.source.constant(Array.isArray)
  const items = shape.items.map((item, index) => `{\n${itemCode(item, `v[${index}]`, index === 0 ? '' : "',' + ", writer)}}\n`)
  return `${unless(`${isArray}(v) && v.length === ${shape.items.length}`)}let s = '['\n${items.join('')}return s + ']'\n`
}

/** Whether every name is in the domain and goes out as it is. */
function hasAnyName({ domain }: RecordShape): boolean {
  return domain.kind === 'scalar' && domain.type === 'string' && !domain.test && !domain.conversion
}

function recordBody(shape: RecordShape, writer: Writer): string {
  const [isPlain, keysOf, quote] = [isPlainObject, Object.keys, textToJson].map(value => writer.source.constant(value))
  const { before, value } = pieceOf(shape.codomain, 'item', writer)
  const entry = `const item = v[key]\nif (item === undefined) continue\n${before}s += ${COMMA} + ${quote}(key) + ':' + ${value}\n`
  return `${unless(`${isPlain}(v)`)}let s = '{'\nfor (const key of ${keysOf}(v)) {\n${entry}}\nreturn s + '}'\n`
}

/** Nothing before the first entry. */
const COMMA = "(s.length === 1 ? '' : ',')"

/** Whether the fields leave in the order in which they are declared: names that are whole numbers come first in an object. */
function isInOrder({ fields, rest }: ObjectShape): boolean {
  const names = fields.map(field => field.name)
  return rest === undefined && new Set(names).size === names.length && !names.some(name => /^[0-9]+$/.test(name))
}

function objectBody({ fields }: ObjectShape, writer: Writer): string {
  const isArray = writer.source.constant(Array.isArray)
  const shown = fields.filter(field => field.access !== 'write')
  // from the first required field on, there is something before each
  const firstRequired = shown.findIndex(field => !field.optional)
  const code = shown.map((field, index) => {
    const isPreceded = firstRequired >= 0 && index > firstRequired
    const comma = index === 0 ? '' : isPreceded ? ',' : undefined
    return fieldCode(field, comma, writer)
  })
  return `${unless(`typeof v === 'object' && v !== null && !${isArray}(v)`)}let s = '{'\n${code.join('')}return s + '}'\n`
}

/** The statements that add a field to the text `s`. `comma` undefined: it is not known whether there is a field before. */
function fieldCode(field: Field, comma: string | undefined, writer: Writer): string {
  const given = writer.source.variable()
  const { before, value } = pieceOf(field.shape, given, writer)
  const name = `${JSON.stringify(field.name)}:`
  const entry = comma === undefined ? `s += ${COMMA} + ${literal(name)} + ${value}\n` : `s += ${literal(comma + name)} + ${value}\n`
  const read = `const ${given} = ${propertyCode(field.key, writer.source)}\n`
  if (field.optional) return `${read}if (${given} !== undefined) {\n${before}${entry}}\n`
  return `${read}${unless(`${given} !== undefined`)}${before}${entry}`
}

function propertyCode(key: string, source: Source): string {
  const property = `v[${literal(key)}]`
  return isInheritedName(key) ? `(${source.constant(Object.hasOwn)}(v, ${literal(key)}) ? ${property} : undefined)` : property
}

/** Whether at most one member can fit. */
function isDecided(shape: UnionShape): boolean {
  return shape.tag !== undefined || areDisjoint(shape.members, 'output')
}

function unionBody(shape: UnionShape, writer: Writer): string {
  const { tag, members } = shape
  if (tag !== undefined) return taggedBody(members, tag, writer)
  const attempts = members.map(member => {
    const text = writer.source.variable()
    return `const ${text} = ${functionOf(member, writer)}(v, depth)\nif (${text} !== undefined) return ${text}\n`
  })
  return attempts.join('')
}

function taggedBody(members: readonly Shape[], tag: string, writer: Writer): string {
  const numbers = new Map(members.flatMap((member, number) => (literalsOf(member).get(tag)?.values ?? []).map(value => [value, number])))
  const cases = members.map((member, number) => `case ${number}: return ${functionOf(member, writer)}(v, depth)\n`)
  const number = `${writer.source.constant(numbers)}.get(${propertyCode(tag, writer.source)})`
  return `${unless("typeof v === 'object' && v !== null")}switch (${number}) {\n${cases.join('')}}\n`
}
