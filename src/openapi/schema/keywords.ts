import type { SchemaObject, SchemaObjectType } from 'openapi3-ts/oas31'
import { defined } from '../../options.js'
import { isEqual } from './json.js'

/** The larger of two lower bounds holds, and the smaller of two upper bounds. */
const LOWER = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'])
const UPPER = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'])

/** The type of values that a keyword speaks of; those of other types it lets pass. */
const TYPES: readonly (readonly [RegExp, SchemaObjectType])[] = [
  [/^(?:minLength|maxLength|pattern|format)$/, 'string'],
  [/^(?:multipleOf|(?:exclusiveM|m)(?:in|ax)imum)$/, 'number'],
  [/^(?:minItems|maxItems|uniqueItems)$/, 'array'],
  [/^(?:minProperties|maxProperties)$/, 'object'],
]

/**
 * `schema` and `keywords` both hold, for values of the type that the keywords speak of: the
 * stricter of two bounds is kept, what cannot be joined goes to `allOf`.
 */
export function constrain(schema: SchemaObject, keywords: SchemaObject): SchemaObject {
  if (Object.keys(keywords).length === 0) return schema
  if (schema.type === undefined) return all(schema, { ...typeOf(keywords), ...keywords })
  const joined = new Map<string, unknown>(Object.entries(schema))
  const apart: [string, unknown][] = []
  for (const [keyword, value] of Object.entries(keywords)) {
    const earlier = joined.get(keyword)
    if (earlier === undefined || isEqual(earlier, value)) joined.set(keyword, value)
    else if (LOWER.has(keyword)) joined.set(keyword, Math.max(Number(earlier), Number(value)))
    else if (UPPER.has(keyword)) joined.set(keyword, Math.min(Number(earlier), Number(value)))
    else if (keyword === 'type' && earlier === 'number' && value === 'integer')
      joined.set(keyword, value)
    else if (keyword !== 'type' || value !== 'number' || earlier !== 'integer')
      apart.push([keyword, value])
  }
  // generators take a branch without a type for a value of any type
  if (apart.length > 0)
    joined.set('allOf', [
      ...(schema.allOf ?? []),
      { type: joined.get('type'), ...Object.fromEntries(apart) },
    ])
  return Object.fromEntries(withoutLooserBounds(joined))
}

/** Drops the looser one of an inclusive and an exclusive bound. */
function withoutLooserBounds(keywords: Map<string, unknown>): Map<string, unknown> {
  const [least, above] = [keywords.get('minimum'), keywords.get('exclusiveMinimum')]
  const [most, below] = [keywords.get('maximum'), keywords.get('exclusiveMaximum')]
  if (typeof least === 'number' && typeof above === 'number')
    keywords.delete(above >= least ? 'minimum' : 'exclusiveMinimum')
  if (typeof most === 'number' && typeof below === 'number')
    keywords.delete(below <= most ? 'maximum' : 'exclusiveMaximum')
  return keywords
}

function all(first: SchemaObject, second: SchemaObject): SchemaObject {
  return Object.keys(first).length === 0 ? second : { allOf: [first, second] }
}

function typeOf(keywords: SchemaObject): SchemaObject {
  const type = TYPES.find(([pattern]) =>
    Object.keys(keywords).some(keyword => pattern.test(keyword)),
  )?.[1]
  return type ? { type } : {}
}

/** The schema of the values of `schema`, or `null`. */
export function nullable(schema: SchemaObject): SchemaObject {
  const { type, values, rest } = choiceOf(schema)
  const composed = [schema.$ref, schema.allOf, schema.anyOf, schema.oneOf, schema.not].some(
    keyword => keyword !== undefined,
  )
  if (type === 'null' || Object.keys(schema).length === 0) return schema
  if (typeof type === 'string' && !composed)
    return { ...defined({ type: [type, 'null'], enum: values && [...values, null] }), ...rest }
  if (values && !composed) return { enum: [...values, null], ...rest }
  if (schema.anyOf && Object.keys(schema).length === 1)
    return { anyOf: [...schema.anyOf, { type: 'null' }] }
  return { anyOf: [schema, { type: 'null' }] }
}

/** A schema for what any of `schemas` accepts; choices of values are joined to one. */
export function anyOf(schemas: readonly SchemaObject[]): SchemaObject {
  const distinct = schemas.filter(
    (schema, index) => schemas.findIndex(other => isEqual(other, schema)) === index,
  )
  if (distinct.length === 1) return distinct[0] as SchemaObject
  const values = distinct.map(fixedValues)
  return values.every(list => list !== undefined) ? oneOfValues(values.flat()) : { anyOf: distinct }
}

/** The type and the fixed values of a schema, and its other keywords. */
function choiceOf({ type, const: constant, enum: several, ...rest }: SchemaObject) {
  const values: readonly unknown[] | undefined =
    several ?? (constant === undefined ? undefined : [constant])
  return { type, values, rest }
}

/** The values of a schema that is nothing but a choice of values. */
function fixedValues(schema: SchemaObject): readonly unknown[] | undefined {
  const { values, rest } = choiceOf(schema)
  return Object.keys(rest).length === 0 ? values : undefined
}

/**
 * A schema for one of some fixed values: `const` for one, `enum` for more, with the type that they
 * have in common.
 */
export function oneOfValues(values: readonly unknown[]): SchemaObject {
  if (values.length === 0) return { not: {} }
  const types = [...new Set(values.map(value => typeof value))]
  const [type] = types
  const common =
    types.length === 1 && (type === 'string' || type === 'number' || type === 'boolean')
      ? { type }
      : {}
  return values.length === 1
    ? { ...common, const: values[0] }
    : { ...common, enum: [...new Set(values)] }
}
