import { isJson } from '../../runtime/json-value.js'
import { recordKeyReader } from '../../runtime/record-key.js'
import { isPlainObject, setOwn } from '../../shape/plain-object.js'
import type { Field, ObjectShape, RecordShape } from '../../shape/shape.js'
import { propertyOf } from '../source/expressions.js'
import { literal, type Source } from '../source/source.js'
import { type ReaderBuilder, unless } from './reading.js'

/**
 * The body of the function that decodes an object: its fields in their order, then what is not
 * declared.
 */
export function objectBody(shape: ObjectShape, builder: ReaderBuilder): string {
  const fields = shape.fields.map(field => fieldCode(field, builder))
  const code = fields.map(({ before }) => before).join('')
  const decoded = fields.flatMap(field => field.set ?? [])
  return `${plainObject(builder)}${code}${valueCode(decoded, builder.source)}${othersCode(shape, builder)}return value\n`
}

/** The body of the function that decodes a dictionary. */
export function recordBody(shape: RecordShape, builder: ReaderBuilder): string {
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
      set: { key, variable: value },
    }
  }
  const variable = source.variable()
  const decode = `let ${variable}\nif (${given} !== undefined) {\n${before}${variable} = ${value}\n}`
  if (!field.fallback)
    return {
      before: `${read}${decode}\n`,
      set: { key, variable, condition: `${given} !== undefined` },
    }
  return {
    before: `${read}${decode} else ${variable} = ${source.constant(field.fallback)}()\n`,
    set: { key, variable },
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
