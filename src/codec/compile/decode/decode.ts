import {
  checkErrors,
  type Decoder,
  Invalid,
  listReader,
  recordKeyReader,
  type Unknown,
  type Wire,
} from '../../runtime/decoding.js'
import { isJson } from '../../runtime/encoding.js'
import { MAX_RECURSION } from '../../runtime/nesting.js'
import { isPlainObject, setOwn } from '../../shape/plain-object.js'
import {
  type ArrayShape,
  type ConstrainedShape,
  type Field,
  type LiteralShape,
  literalsOf,
  type ObjectShape,
  type RecordShape,
  type RefinedShape,
  type ScalarShape,
  type Shape,
  type TupleShape,
  type UnionShape,
} from '../../shape/shape.js'
import { fieldsOf } from '../../traits/fields-of.js'
import { alternativesOf } from '../../traits/parts.js'
import { isUpload } from '../../types/upload-type.js'
import {
  areDisjoint,
  compiled,
  isRecursive,
  listTest,
  literal,
  NotCompilable,
  propertyOf,
  repeatedParts,
  Source,
  typeTest,
} from '../source/source.js'

/**
 * The result of a compiled decoder for a value that does not match: the interpreter then reports
 * why.
 */
export const UNFIT = Symbol('unfit')

/**
 * Code that decodes one value: `before` returns UNFIT if the value does not match, `value` is the
 * decoded value.
 */
interface Reading {
  readonly before: string
  readonly value: string
}

/** Everything beside its shape that the code of a decoder depends on. */
export interface DecodeSettings {
  readonly wire: Wire
  readonly unknown: Unknown
  readonly whole: boolean
  readonly reuse?: boolean
}

/** Makes the interpreted decoder of a shape, with the same settings; `wire` replaces theirs. */
export type Interpret = (shape: Shape, wire?: Wire) => Decoder

/** The state that the decoders of one codec share during compilation. */
interface ReaderBuilder extends DecodeSettings {
  readonly source: Source
  readonly interpret: Interpret
  /** The code for a value of the shape; `value` is an expression that may be evaluated twice. */
  readonly of: (shape: Shape, value: string) => Reading
  /** The name of the function that decodes values of the shape. */
  readonly functionOf: (shape: Shape) => string
}

/** The statement that returns UNFIT unless a condition holds. */
function unless(condition: string, { source }: ReaderBuilder): string {
  return `if (!(${condition})) return ${source.constant(UNFIT)}\n`
}

/** Decodes to the value of an expression, which is UNFIT if the input does not match. */
function resultOf(expression: string, builder: ReaderBuilder): Reading {
  const value = builder.source.variable()
  return {
    before: `const ${value} = ${expression}\n${unless(`${value} !== ${builder.source.constant(UNFIT)}`, builder)}`,
    value,
  }
}

/** Decodes with the interpreter of the shape. */
function interpreted(
  shape: Shape,
  value: string,
  builder: ReaderBuilder,
  wire = builder.wire,
): Reading {
  const decode = builder.interpret(shape, wire)
  const read = (input: unknown) => {
    const decoded = decode(input)
    return decoded instanceof Invalid ? UNFIT : decoded
  }
  return resultOf(`${builder.source.constant(read)}(${value})`, builder)
}

/**
 * Compiles a shape to a function that decodes as its interpreted decoder does, and returns UNFIT
 * instead of an Invalid. Parts without generated code use the decoder that `interpret` returns for
 * them. If an input has the same object in two places, a recursion makes two; JSON has no such
 * inputs. Undefined if the interpreter has to do it all.
 */
export function decoderFor(
  shape: Shape,
  settings: DecodeSettings,
  interpret: Interpret,
): ((value: unknown) => unknown) | undefined {
  return compiled(() => compile(shape, settings, interpret))
}

function compile(
  shape: Shape,
  settings: DecodeSettings,
  interpret: Interpret,
): (value: unknown) => unknown {
  if (isInterpreted(shape) || repeatedParts(shape).size > 0) throw new NotCompilable()
  // a string is a list of one string, so a recursion of lists would not end
  if (settings.wire === 'text' && isRecursive(shape)) throw new NotCompilable()
  const source = new Source()
  const builder: ReaderBuilder = {
    ...settings,
    source,
    interpret,
    of: (inner, value) => readingOf(inner, value, builder),
    functionOf: inner => source.functionOf(inner, () => bodyOf(inner, builder)),
  }
  return source.make(builder.functionOf(shape))
}

/** The code of a value: its own function, unless it is short. */
function readingOf(shape: Shape, value: string, builder: ReaderBuilder): Reading {
  switch (shape.kind) {
    case 'scalar':
      return scalarReading(shape, value, builder)
    case 'literal':
      return literalReading(shape, value, builder)
    case 'constrained':
      return constrainedReading(shape, value, builder)
    case 'refined':
      return refinedReading(shape, value, builder)
    case 'unknown':
      return { before: unless(`${builder.source.constant(isJson)}(${value})`, builder), value }
    case 'undefined':
      return { before: unless(`${value} === undefined`, builder), value: 'undefined' }
    case 'file':
      return { before: unless(`${builder.source.constant(isUpload)}(${value})`, builder), value }
    default:
      // recursions are counted in one place: in what is compiled, or in what is interpreted
      if (isInterpreted(shape) && isRecursive(shape)) throw new NotCompilable()
      if (isInterpreted(shape)) return interpreted(shape, value, builder)
      return resultOf(`${builder.functionOf(shape)}(${value}, depth)`, builder)
  }
}

/**
 * Returns whether there is nothing to compile: a value that does not fit would only be checked
 * twice.
 */
function isInterpreted(shape: Shape): boolean {
  return (
    shape.kind === 'opaque' ||
    shape.kind === 'standard' ||
    shape.kind === 'intersection' ||
    (shape.kind === 'array' && isInterpreted(shape.item))
  )
}

function bodyOf(shape: Shape, builder: ReaderBuilder): string {
  switch (shape.kind) {
    case 'array':
      return arrayBody(shape, builder)
    case 'tuple':
      return tupleBody(shape, builder)
    case 'object':
      return objectBody(shape, builder)
    case 'record':
      return recordBody(shape, builder)
    case 'union':
      return unionBody(shape, builder)
    case 'recursion':
      return recursionBody(shape.target(), builder)
    default: {
      const { before, value } = readingOf(shape, 'v', builder)
      return `${before}return ${value}\n`
    }
  }
}

function recursionBody(target: Shape, builder: ReaderBuilder): string {
  const level = `if (typeof v === 'object' && v !== null) {\n${unless(`depth < ${MAX_RECURSION}`, builder)}depth += 1\n}\n`
  return `${level}return ${builder.functionOf(target)}(v, depth)\n`
}

/** The body of the function that decodes a list. */
function arrayBody(shape: ArrayShape, builder: ReaderBuilder): string {
  const { before, value } = builder.of(shape.item, 'item')
  const items = itemsCode(builder, shape.isSeparated)
  const each = `for (let i = 0; i < items.length; i++) {\nconst item = items[i]\n${before}`
  if (!builder.reuse)
    return `${items}const values = []\n${each}values.push(${value})\n}\nreturn values\n`
  const copy = `if (values !== undefined) values.push(${value})\nelse if (!${builder.source.constant(Object.is)}(${value}, item)) values = [...items.slice(0, i), ${value}]\n`
  return `${items}let values\n${each}${copy}}\nreturn values === undefined ? items : values\n`
}

/** The body of the function that decodes a list whose places have their own types. */
function tupleBody(shape: TupleShape, builder: ReaderBuilder): string {
  const items = shape.items.map((item, index) => builder.of(item, `items[${index}]`))
  const rightLength = unless(`items.length === ${items.length}`, builder)
  return `${itemsCode(builder)}${rightLength}${items.map(({ before }) => before).join('')}return [${items.map(({ value }) => value).join(', ')}]\n`
}

/**
 * The statements that make `items` of `v`. On a text wire one value is a list of one, or a string
 * with commas between the items.
 */
function itemsCode(builder: ReaderBuilder, isSeparated = false): string {
  const isList = listTest('v', builder.source)
  if (builder.wire === 'json') return `${unless(isList, builder)}const items = v\n`
  if (!isSeparated) return `const items = ${isList} ? v : [v]\n`
  const read = builder.source.constant(listReader(builder.wire, isSeparated))
  return `const items = ${read}(v)\n${unless('items !== undefined', builder)}`
}

/** Decodes a scalar. Numbers and booleans on a text wire are left to the interpreted decoder. */
function scalarReading(shape: ScalarShape, value: string, builder: ReaderBuilder): Reading {
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
function literalReading({ values }: LiteralShape, value: string, builder: ReaderBuilder): Reading {
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
function constrainedReading(
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
function refinedReading(shape: RefinedShape, value: string, builder: ReaderBuilder): Reading {
  const base = builder.of(shape.base, value)
  const passes = (decoded: unknown) => checkErrors(shape, decoded) === undefined
  return {
    ...base,
    before: base.before + unless(`${builder.source.constant(passes)}(${base.value})`, builder),
  }
}

/**
 * The body of the function that decodes a union: by its discriminator, or by the first member that
 * fits.
 */
function unionBody(shape: UnionShape, builder: ReaderBuilder): string {
  const { discriminator, members } = shape
  const unfit = builder.source.constant(UNFIT)
  if (discriminator !== undefined) return discriminatedBody(members, discriminator, builder)
  // with two members that look into the rest, each level of a recursion would double the work: the
  // interpreter looks once
  const looksOnce = builder.wire === 'json' && areDisjoint(members, 'input')
  if (isRecursive(shape) && !looksOnce) throw new NotCompilable()
  const attempts = members.map(member => {
    const value = builder.source.variable()
    return `const ${value} = ${builder.functionOf(member)}(v, depth)\nif (${value} !== ${unfit}) return ${value}\n`
  })
  return `${tooManyNames(members, builder)}${attempts.join('')}return ${unfit}\n`
}

/**
 * Refuses an object with more names than any member declares: V8 needs 20 ms to list 100,000, and
 * each member would do so again.
 */
function tooManyNames(members: readonly Shape[], builder: ReaderBuilder): string {
  const fields = members.map(member => fieldsOf(member))
  if (builder.unknown !== 'raise' || fields.filter(found => found !== undefined).length < 3)
    return ''
  if (members.some(isOpen)) return ''
  const most = Math.max(...fields.flatMap(found => (found ?? []).map(({ length }) => length)))
  const hasFew = (value: unknown) => !isPlainObject(value) || Object.keys(value).length <= most
  return unless(`${builder.source.constant(hasFew)}(v)`, builder)
}

/** Whether an object may have fields that the shape does not declare. */
function isOpen(shape: Shape): boolean {
  return alternativesOf(shape).some(one =>
    one.kind === 'object'
      ? one.rest !== undefined
      : ['record', 'unknown', 'standard', 'opaque'].includes(one.kind),
  )
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

/**
 * The body of the function that decodes an object: its fields in their order, then what is not
 * declared.
 */
function objectBody(shape: ObjectShape, builder: ReaderBuilder): string {
  const fields = shape.fields.map(field => fieldCode(field, builder))
  const code = fields.map(({ before }) => before).join('')
  const decoded = fields.flatMap(field => field.set ?? [])
  const value = valueCode(decoded, builder.source)
  const others = othersCode(shape, builder)
  if (!mayBeUnchanged(shape, builder))
    return `${plainObject(builder)}${code}${value}${others}return value\n`
  const is = builder.source.constant(Object.is)
  const same = decoded.map(({ variable, given }) => `${is}(${variable}, ${given})`)
  return `${plainObject(builder)}${code}${others}if (${same.join(' && ') || 'true'}) return v\n${value}return value\n`
}

function mayBeUnchanged({ fields, rest }: ObjectShape, { reuse, unknown }: ReaderBuilder): boolean {
  if (!reuse || unknown !== 'raise' || rest) return false
  return fields.every(({ key, name }) => key === name)
}

/** The body of the function that decodes a dictionary. */
function recordBody(shape: RecordShape, builder: ReaderBuilder): string {
  const keyOf = recordKeyReader(builder.interpret(shape.domain, 'text'))
  const { source } = builder
  const { before, value } = builder.of(shape.codomain, 'item')
  const outside =
    builder.unknown === 'raise'
      ? unless('key !== undefined', builder)
      : 'if (key === undefined) continue\n'
  const entry = `const key = ${source.constant(keyOf)}(name)\n${outside}const item = v[name]\n${before}${source.constant(setOwn)}(value, key, ${value})\n`
  return `${plainObject(builder)}const value = {}\nfor (const name of ${source.constant(Object.keys)}(v)) {\n${entry}}\nreturn value\n`
}

function plainObject(builder: ReaderBuilder): string {
  return unless(`${builder.source.constant(isPlainObject)}(v)`, builder)
}

/** A field that is set to the value of a variable, if the condition holds. */
interface Setting {
  readonly key: string
  readonly variable: string
  /** The variable of what was given. */
  readonly given: string
  readonly condition?: string
}

interface FieldCode {
  readonly before: string
  readonly set?: Setting
}

function fieldCode(field: Field, builder: ReaderBuilder): FieldCode {
  const { source } = builder
  const { key } = field
  const property = propertyOf(field.name, source)
  if (field.access === 'read' && !builder.whole)
    return { before: unless(`${property} === undefined`, builder) }
  const given = source.variable()
  const read = `const ${given} = ${property}\n`
  const { before, value } = builder.of(field.shape, given)
  if (!field.optional && !field.fallback) {
    return {
      before: `${read}${unless(`${given} !== undefined`, builder)}${before}`,
      set: { key, variable: value, given },
    }
  }
  const variable = source.variable()
  const decode = `let ${variable}\nif (${given} !== undefined) {\n${before}${variable} = ${value}\n}`
  if (!field.fallback)
    return {
      before: `${read}${decode}\n`,
      set: { key, variable, given, condition: `${given} !== undefined` },
    }
  return {
    before: `${read}${decode} else ${variable} = ${source.constant(field.fallback)}()\n`,
    set: { key, variable, given },
  }
}

/** The statements that make `value` of the decoded fields, in their order. */
function valueCode(settings: readonly Setting[], source: Source): string {
  const firstOptional = settings.findIndex(({ condition }) => condition !== undefined)
  const always = settings.slice(0, firstOptional < 0 ? settings.length : firstOptional)
  // `__proto__` in brackets is a property as any other
  const literals = always.map(
    ({ key, variable }) => `${key === '__proto__' ? '["__proto__"]' : literal(key)}: ${variable}`,
  )
  const others = settings.slice(always.length).map(({ key, variable, condition }) => {
    const set =
      key === '__proto__'
        ? `${source.constant(setOwn)}(value, ${literal(key)}, ${variable})`
        : `value[${literal(key)}] = ${variable}`
    return condition === undefined ? `${set}\n` : `if (${condition}) ${set}\n`
  })
  return `const value = {${literals.join(', ')}}\n${others.join('')}`
}

/** The statements for what is not declared. */
function othersCode({ fields, rest }: ObjectShape, builder: ReaderBuilder): string {
  const { source, unknown } = builder
  const names = source.constant(new Set(fields.map(field => field.name)))
  const [keysOf, set] = [source.constant(Object.keys), source.constant(setOwn)]
  const each = (code: string) =>
    `for (const name of ${keysOf}(v)) {\nif (${names}.has(name)) continue\n${code}}\n`
  if (rest) {
    const { before, value } = builder.of(rest, 'item')
    return each(`const item = v[name]\n${before}${set}(value, name, ${value})\n`)
  }
  if (unknown === 'exclude') return ''
  // this loop does not make a list of the names; inherited properties are not fields
  if (unknown === 'raise') {
    return `for (const name in v) ${unless(`${names}.has(name) || !${source.constant(Object.hasOwn)}(v, name)`, builder)}`
  }
  // the name on the wire of one field may be the program's name of another
  const keys = source.constant(new Set(fields.map(field => field.key)))
  const checked = unless(`${source.constant(isJson)}(v[name])`, builder)
  return each(`${checked}if (!${keys}.has(name)) ${set}(value, name, v[name])\n`)
}
