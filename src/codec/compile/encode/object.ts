import { textInJson } from '../../../http/json-string.js'
import { mayBeLeftOut } from '../../shape/object-shape.js'
import { isPlainObject } from '../../shape/plain-object.js'
import type { Field, ObjectShape, RecordShape } from '../../shape/shape.js'
import { listTest, propertyOf } from '../source/expressions.js'
import { literal } from '../source/source.js'
import { unless, type WriterBuilder } from './writing.js'

/**
 * Whether the fields leave in the order in which they are declared: names that are whole numbers
 * come first in an object.
 */
export function isInOrder({ fields, rest }: ObjectShape): boolean {
  const names = fields.map(field => field.name)
  return (
    rest === undefined &&
    new Set(names).size === names.length &&
    !names.some(name => /^[0-9]+$/.test(name))
  )
}

/** The body of the function that writes an object: its declared fields, in their order. */
export function objectBody({ fields }: ObjectShape, builder: WriterBuilder): string {
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
export function hasAnyName({ domain }: RecordShape): boolean {
  return domain.kind === 'scalar' && domain.type === 'string' && !domain.test && !domain.conversion
}

/** The body of the function that writes a dictionary with any names. */
export function recordBody(shape: RecordShape, builder: WriterBuilder): string {
  const [isPlain, keysOf] = [
    builder.source.constant(isPlainObject),
    builder.source.constant(Object.keys),
  ]
  const name = `(s === '{' ? '"' : ',"') + ${builder.source.constant(textInJson)}(key)`
  const { before, text, after } = builder.of(shape.codomain, 'item')
  const entry = `const item = v[key]\nif (item === undefined) continue\n${before}s += ${name} + ${text('":')} + ${literal(after)}\n`
  return `${unless(`${isPlain}(v)`)}let s = '{'\nfor (const key of ${keysOf}(v)) {\n${entry}}\nreturn s + '}'\n`
}
