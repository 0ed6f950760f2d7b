import { textInJson } from '../../../http/json-string.js'
import { type Encode, Unfit, valueToJson } from '../../runtime/encoding.js'
import { MAX_RECURSION } from '../../runtime/nesting.js'
import { mayBeLeftOut } from '../../shape/object-shape.js'
import { isPlainObject } from '../../shape/plain-object.js'
import {
  type ByKind,
  type Field,
  forKind,
  literalsOf,
  type Shape,
  type ShapeOf,
} from '../../shape/shape.js'
import {
  areDisjoint,
  compiled,
  isRecursive,
  listTest,
  literal,
  NotCompilable,
  propertyOf,
  Source,
  typeTest,
} from '../source/source.js'

/**
 * Returns JSON, or undefined if the interpreter has to decide: the value does not match, or may
 * not.
 */
export type Write = (value: unknown) => string | undefined

/**
 * Code that writes one value. Fixed strings are not added one by one: the preceding one is part of
 * the expression, the following one is left to the caller.
 */
interface Writing {
  /** Statements that check the value, and leave the function if it does not fit. */
  readonly before: string
  /** The expression of a string: the fixed `prefix` and the value. */
  readonly text: (prefix: string) => string
  /** Fixed JSON that belongs to the value and is not written yet. */
  readonly after: string
}

/** The state that the writers of one codec share during compilation. */
interface WriterBuilder {
  readonly source: Source
  /** The encoder of a shape that is not compiled. */
  readonly interpret: (shape: Shape) => Encode
  /** The code for a value of the shape; `value` is an expression that may be evaluated twice. */
  readonly of: (shape: Shape, value: string) => Writing
  /** The name of the function that writes values of the shape. */
  readonly functionOf: (shape: Shape) => string
}

/** The statement that leaves a writer unless a condition holds. */
function unless(condition: string): string {
  return `if (!(${condition})) return\n`
}

/** Writes the string that an expression returns; undefined if the value does not match. */
function resultOf(expression: string, { source }: WriterBuilder): Writing {
  const text = source.variable()
  return {
    before: `const ${text} = ${expression}\n${unless(`${text} !== undefined`)}`,
    text: prefixed(text),
    after: '',
  }
}

/** The string of an expression after a fixed one. */
function prefixed(expression: string): (prefix: string) => string {
  return prefix => (prefix === '' ? expression : `${literal(prefix)} + ${expression}`)
}

/**
 * Compiles a shape to one function that writes values as JSON: the encoder's result as a string,
 * without building it first. Parts for which there is no code are left to the encoder that
 * `interpret` returns for them. Undefined if the interpreter has to do it all.
 */
export function writerFor(shape: Shape, interpret: (shape: Shape) => Encode): Write | undefined {
  const source = new Source()
  const builder: WriterBuilder = {
    source,
    interpret,
    of: (inner, value) => writingOf(inner, value, builder),
    functionOf: inner =>
      source.functionOf(inner, () => (forKind(BODIES, inner) ?? leafBody(inner))(builder)),
  }
  return compiled(() => source.make(builder.functionOf(shape)) as Write)
}

/** The code of a value: its own function, unless it is short. */
function writingOf(shape: Shape, value: string, builder: WriterBuilder): Writing {
  const inline = forKind(INLINE, shape, value, builder)
  if (inline) return inline
  return forKind(BODIES, shape)
    ? resultOf(`${builder.functionOf(shape)}(${value}, depth)`, builder)
    : interpreted(shape, value, builder)
}

/** The code of short values, which is written where the value is. */
const INLINE: Partial<ByKind<[value: string, builder: WriterBuilder], Writing>> = {
  /** Writes a scalar, with every check of its encoder. */
  scalar(shape, value, { source }) {
    const wire = source.variable()
    const converted = shape.conversion
      ? `${source.constant(shape.conversion.encode)}(${value})`
      : value
    const test = shape.test ? ` && ${source.constant(shape.test)}(${wire}) === undefined` : ''
    return {
      before: `const ${wire} = ${converted}\n${unless(typeTest(shape.type, wire, source) + test)}`,
      ...textOf(shape.type, wire, source),
    }
  },
  /** Writes one of some fixed values: their JSON is made in advance. */
  literal({ values }, value, { source }) {
    const index = source.variable()
    const indexes = source.constant(new Map(values.map((fixed, at) => [fixed, at])))
    return {
      before: `const ${index} = ${indexes}.get(${value})\n${unless(`${index} !== undefined`)}`,
      text: prefix =>
        `${source.constant(values.map(fixed => prefix + JSON.stringify(fixed)))}[${index}]`,
      after: '',
    }
  },
  /** Writes a value by the base codec, if the value satisfies the predicate. */
  constrained(shape, value, builder) {
    const base = builder.of(shape.base, value)
    return {
      ...base,
      before: base.before + unless(`${builder.source.constant(shape.holds)}(${value})`),
    }
  },
  refined: (shape, value, builder) => builder.of(shape.base, value),
  unknown: (_shape, value, builder) =>
    resultOf(`${builder.source.constant(valueToJson)}(${value})`, builder),
}

/**
 * The bodies of functions, if there is code for all that is between the braces or brackets of the
 * shape.
 */
const BODIES: Partial<ByKind<[], ((builder: WriterBuilder) => string) | undefined>> = {
  array: shape => builder => arrayBody(shape, builder),
  tuple: shape => builder => tupleBody(shape, builder),
  object: shape => (isInOrder(shape) ? builder => objectBody(shape, builder) : undefined),
  record: shape => (hasAnyName(shape) ? builder => recordBody(shape, builder) : undefined),
  union: shape => (isDecided(shape) ? builder => unionBody(shape, builder) : undefined),
  recursion: shape => builder => recursionBody(shape.target(), builder),
}

const leafBody = (shape: Shape) => (builder: WriterBuilder) => {
  const { before, text, after } = writingOf(shape, 'v', builder)
  return `${before}return ${text('')} + ${literal(after)}\n`
}

function recursionBody(target: Shape, { functionOf }: WriterBuilder): string {
  const level = `if (typeof v === 'object' && v !== null) {\nif (depth === ${MAX_RECURSION}) return\ndepth += 1\n}\n`
  return `${level}return ${functionOf(target)}(v, depth)\n`
}

function interpreted(shape: Shape, value: string, builder: WriterBuilder): Writing {
  // recursions are counted in one place: in what is compiled, or in what is interpreted
  if (isRecursive(shape)) throw new NotCompilable()
  const encode = builder.interpret(shape)
  const write: Write = given => {
    const wire = encode(given)
    return wire instanceof Unfit ? undefined : JSON.stringify(wire)
  }
  return resultOf(`${builder.source.constant(write)}(${value})`, builder)
}

/** The body of the function that writes a list. */
function arrayBody(shape: ShapeOf<'array'>, builder: WriterBuilder): string {
  const item = itemOf(shape.item, builder)
  const text = `i === 0 ? ${item.text('[')} : ${item.text(`${item.after},`)}`
  const loop = `for (let i = 0; i < v.length; i++) {\nconst item = v[i]\n${item.before}s += ${text}\n}\n`
  return `${unless(listTest('v', builder.source))}if (v.length === 0) return '[]'\nlet s = ''\n${loop}return s + ${literal(`${item.after}]`)}\n`
}

/** The body of the function that writes a list whose places have their own types. */
function tupleBody({ items }: ShapeOf<'tuple'>, builder: WriterBuilder): string {
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

function textOf(
  type: ShapeOf<'scalar'>['type'],
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
      // a string plus -0 ends with 0, as in JSON
      return { text: prefix => `${literal(prefix)} + ${wire}`, after: '' }
  }
}

/**
 * Returns whether at most one member can fit a value. If two can, the encoder compares how much of
 * it each keeps.
 */
function isDecided(shape: ShapeOf<'union'>): boolean {
  return shape.discriminator !== undefined || areDisjoint(shape.members, 'output')
}

/**
 * The body of the function that writes a union that is decided by its discriminator, or by the JSON
 * type of the value.
 */
function unionBody({ discriminator, members }: ShapeOf<'union'>, builder: WriterBuilder): string {
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

/**
 * Whether the fields leave in the order in which they are declared: names that are whole numbers
 * come first in an object.
 */
function isInOrder({ fields, rest }: ShapeOf<'object'>): boolean {
  const names = fields.map(field => field.name)
  return (
    rest === undefined &&
    new Set(names).size === names.length &&
    !names.some(name => /^[0-9]+$/.test(name))
  )
}

/** The body of the function that writes an object: its declared fields, in their order. */
function objectBody({ fields }: ShapeOf<'object'>, builder: WriterBuilder): string {
  const code = new FieldsCode(builder)
  for (const field of fields) if (field.access !== 'write') code.add(field)
  return `${unless(`typeof v === 'object' && v !== null && !${listTest('v', builder.source)}`)}let s = ''\n${code.finish()}`
}

/** The statements that add field after field to the string `s`. */
class FieldsCode {
  #code = ''
  /** Fixed JSON that is not written yet. */
  #pending = '{'
  /** Whether there is a field before the next one; undefined if that depends on the value. */
  #isPreceded: boolean | undefined = false

  constructor(readonly builder: WriterBuilder) {}

  add(field: Field): void {
    const { source } = this.builder
    const given = source.variable()
    const property = propertyOf(field.key, source)
    const fallback = field.constant?.value
    this.#code +=
      fallback === undefined
        ? `const ${given} = ${property}\n`
        : `let ${given} = ${property}\nif (${given} === undefined) ${given} = ${source.constant(fallback)}\n`
    if (mayBeLeftOut(field)) this.#addOptional(field, given)
    else this.#addRequired(field, given)
  }

  finish(): string {
    return `${this.#code}return s + ${literal(`${this.#pending}}`)}\n`
  }

  #addRequired({ name, shape }: Field, given: string): void {
    const { before, text, after } = this.builder.of(shape, given)
    this.#code += `${unless(`${given} !== undefined`)}${before}s += ${this.#textAfterComma(name, text)}\n`
    this.#pending = after
    this.#isPreceded = true
  }

  #addOptional({ name, shape }: Field, given: string): void {
    const { before, text, after } = this.builder.of(shape, given)
    this.#flush()
    const rest = after === '' ? '' : `s += ${literal(after)}\n`
    this.#code += `if (${given} !== undefined) {\n${before}s += ${this.#textAfterComma(name, text)}\n${rest}}\n`
    this.#isPreceded ||= undefined
  }

  #textAfterComma(name: string, text: (prefix: string) => string): string {
    const prefix = `${JSON.stringify(name)}:`
    if (this.#isPreceded === undefined) return `s === '{' ? ${text(prefix)} : ${text(`,${prefix}`)}`
    return text(this.#pending + (this.#isPreceded ? ',' : '') + prefix)
  }

  #flush(): void {
    if (this.#pending !== '') this.#code += `s += ${literal(this.#pending)}\n`
    this.#pending = ''
  }
}

/** Returns whether every name is in the domain and is sent unchanged. */
function hasAnyName({ domain }: ShapeOf<'record'>): boolean {
  return domain.kind === 'scalar' && domain.type === 'string' && !domain.test && !domain.conversion
}

/** The body of the function that writes a dictionary with any names. */
function recordBody(shape: ShapeOf<'record'>, builder: WriterBuilder): string {
  const [isPlain, keysOf] = [
    builder.source.constant(isPlainObject),
    builder.source.constant(Object.keys),
  ]
  const name = `(s === '{' ? '"' : ',"') + ${builder.source.constant(textInJson)}(key)`
  const { before, text, after } = builder.of(shape.codomain, 'item')
  const entry = `const item = v[key]\nif (item === undefined) continue\n${before}s += ${name} + ${text('":')} + ${literal(after)}\n`
  return `${unless(`${isPlain}(v)`)}let s = '{'\nfor (const key of ${keysOf}(v)) {\n${entry}}\nreturn s + '}'\n`
}
