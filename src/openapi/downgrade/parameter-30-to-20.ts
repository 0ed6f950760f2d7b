import { isObject, type JsonObject, pick } from '../schema/json.js'
import type { Resolve } from './objects.js'
import { isNull, nullable, reference30To20, schema30To20 } from './schema-30-to-20.js'

/**
 * The keywords of a parameter, a header and the items of either in 2.0, which does not give them a
 * schema.
 */
const SIMPLE_KEYWORDS = [
  ...[
    'format',
    'default',
    'enum',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
  ],
  ...['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'uniqueItems'],
]

/** The context for the conversion of one path. */
export interface Scope20 {
  readonly resolve: Resolve
  /** To be told what is left out. */
  readonly lost: (what: string) => void
}

/** Parameters of 2.0, without those that it does not know. */
export function parameters30To20(parameters: unknown, scope: Scope20): unknown[] {
  if (!Array.isArray(parameters)) return []
  return parameters
    .flatMap(parameter => deepParameters(parameter, scope))
    .map(parameter => parameter30To20(parameter, scope))
    .filter(parameter => parameter !== undefined)
}

/**
 * The fields of an object in the style `deepObject`, which 2.0 does not know; else the parameter.
 */
function deepParameters(parameter: unknown, { resolve }: Scope20): readonly unknown[] {
  if (!isObject(parameter) || parameter.style !== 'deepObject') return [parameter]
  const { name, schema, required, style: _, ...rest } = parameter
  return deepFields(String(name), schema, required === true, resolve).map(field => ({
    ...rest,
    ...field,
  }))
}

interface DeepField {
  readonly name: string
  readonly schema: unknown
  readonly required: boolean
}

/** The values inside an object by their names in brackets: `created[gte]`. */
export function deepFields(
  name: string,
  schema: unknown,
  required: boolean,
  resolve: Resolve,
  depth = 0,
): readonly DeepField[] {
  const { type, properties, required: names = [] } = flattened(schema, resolve)
  if (type !== 'object' || depth === MOST_LEVELS) return [{ name, schema, required }]
  return Object.entries(isObject(properties) ? properties : {}).flatMap(([key, inner]) =>
    deepFields(
      `${name}[${key}]`,
      inner,
      required && Array.isArray(names) && names.includes(key),
      resolve,
      depth + 1,
    ),
  )
}

/** A recursion has no end. */
const MOST_LEVELS = 4

/**
 * A parameter of 2.0, which has the keywords of its schema in itself. Undefined for cookies, which
 * 2.0 does not know.
 */
export function parameter30To20(parameter: unknown, { resolve, lost }: Scope20): unknown {
  if (!isObject(parameter)) return parameter
  const target = typeof parameter.$ref === 'string' ? resolve(parameter.$ref) : parameter
  if (target.in === 'cookie') {
    lost(`the cookie ${target.name}`)
    return undefined
  }
  if (typeof parameter.$ref === 'string') return { $ref: reference30To20(parameter.$ref) }
  const { in: location, schema, content } = parameter
  if (location === 'body') return { ...parameter, schema: schema30To20(schema) }
  const extensions = Object.keys(parameter).filter(key => key.startsWith('x-'))
  const rest = pick(parameter, [
    'name',
    'in',
    'description',
    'required',
    'allowEmptyValue',
    ...extensions,
  ])
  if (schema === undefined && content === undefined) return parameter
  return { ...rest, ...simpleSchema(schema, resolve, collectionFormat(parameter)) }
}

/** A header of 2.0; one whose content is a document (JSON) is a string. */
export function header30To20(header: unknown, resolve: Resolve): unknown {
  if (!isObject(header)) return header
  if (typeof header.$ref === 'string') return header30To20(resolve(header.$ref), resolve)
  return { ...pick(header, ['description']), ...simpleSchema(header.schema, resolve, 'csv') }
}

/** A field of a form as a parameter. */
export function formField(
  name: string,
  schema: unknown,
  required: boolean,
  encoding: unknown,
  resolve: Resolve,
): JsonObject {
  const flat = flattened(schema, resolve)
  const joined = isObject(encoding) && encoding.explode === false
  const value =
    flat.format === 'binary' && flat.type === 'string'
      ? { type: 'file' }
      : simpleSchema(schema, resolve, joined ? 'csv' : 'multi')
  return { name, in: 'formData', required, ...pick(flat, ['description']), ...value }
}

/**
 * Keywords for a value that is a string on the wire: anything but a scalar or an array of scalars
 * is a string.
 */
function simpleSchema(schema: unknown, resolve: Resolve, format?: string): JsonObject {
  const flat = nullable(flattened(schema, resolve))
  const extensions = Object.keys(flat).filter(key => key.startsWith('x-'))
  const keywords = pick(flat, [...SIMPLE_KEYWORDS, ...extensions])
  if (flat.type === 'array')
    return {
      type: 'array',
      ...keywords,
      items: simpleSchema(flat.items, resolve),
      ...(format && { collectionFormat: format }),
    }
  const scalar =
    flat.type === 'integer' ||
    flat.type === 'number' ||
    flat.type === 'boolean' ||
    flat.type === 'string'
  return scalar
    ? { type: flat.type, ...keywords }
    : { type: 'string', ...pick(keywords, ['enum', ...extensions]) }
}

const DEEPEST = 16

/**
 * A schema with what it refers to and what it is composed of written out; of several alternatives
 * only the type that they share.
 */
export function flattened(schema: unknown, resolve: Resolve, depth = 0): JsonObject {
  if (!isObject(schema) || depth > DEEPEST) return {}
  const flatten = (inner: unknown) => flattened(inner, resolve, depth + 1)
  if (typeof schema.$ref === 'string') return flatten(resolve(schema.$ref))
  const { allOf, anyOf, oneOf, ...own } = schema
  const parts = Array.isArray(allOf) ? allOf.map(flatten) : []
  const alternatives = [anyOf, oneOf]
    .flatMap(list => (Array.isArray(list) ? list.map(flatten) : []))
    .filter(part => !isNull(part))
  const [first] = alternatives
  const shared =
    alternatives.length === 1
      ? first
      : alternatives.every(({ type }) => type === first?.type)
        ? pick(first ?? {}, ['type'])
        : {}
  return [...parts, shared ?? {}, own].reduce(joined, {})
}

function joined(first: JsonObject, second: JsonObject): JsonObject {
  const both = { ...first, ...second }
  if (isObject(first.properties) && isObject(second.properties))
    both.properties = { ...first.properties, ...second.properties }
  if (Array.isArray(first.required) && Array.isArray(second.required))
    both.required = [...first.required, ...second.required]
  return both
}

/** How the items of an array are joined, in the words of 2.0. */
function collectionFormat({ in: location, style, explode }: JsonObject): string {
  if (style === 'spaceDelimited') return 'ssv'
  if (style === 'pipeDelimited') return 'pipes'
  return location === 'query' && explode !== false ? 'multi' : 'csv'
}
