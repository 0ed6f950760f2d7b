import {
  isObject,
  type JsonObject,
  mapSubschemas,
  objectIn,
  omit,
  pick,
  pickKnown,
} from '../schema/json.js'
import type { Resolve } from './objects.js'

/**
 * The keywords of a parameter, a header and the items of either in 2.0, which does not give them a
 * schema.
 */
const SIMPLE_KEYWORDS = [
  ...['format', 'default', 'enum', 'multipleOf', 'minimum', 'maximum'],
  ...['exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength', 'pattern'],
  ...['minItems', 'maxItems', 'uniqueItems'],
]

/** The keywords of a Schema Object of OpenAPI 2.0. */
export const KEYWORDS_20: readonly string[] = [
  ...SIMPLE_KEYWORDS,
  ...['$ref', 'title', 'description', 'type', 'example', 'readOnly', 'allOf', 'discriminator'],
  ...['xml', 'externalDocs', 'properties', 'required', 'additionalProperties'],
  ...['minProperties', 'maxProperties', 'items'],
]

/**
 * Converts a schema of OpenAPI 3.0 to 2.0. `nullable` becomes `x-nullable`. 2.0 does not have
 * choices: for `anyOf` and `oneOf` only the type that all alternatives share remains, and the whole
 * is under `x-anyOf` or `x-oneOf`. Write-only, deprecated and `not` cannot be expressed, and
 * read-only properties cannot be required.
 */
export function schema30To20(schema: unknown): unknown {
  if (!isObject(schema)) return schema
  const inner = mapSubschemas(schema, schema30To20)
  const spelled =
    typeof schema.$ref === 'string' ? { ...inner, $ref: reference30To20(schema.$ref) } : inner
  const converted = [nullable, choices, discriminator, required].reduce(
    (result, step) => step(result),
    spelled,
  )
  return pickKnown(converted, KEYWORDS_20)
}

/** The same reference, as 2.0 spells it. */
export function reference30To20($ref: unknown): string {
  return String($ref)
    .replace(/^#\/components\/schemas\//, '#/definitions/')
    .replace(/^#\/components\/(responses|parameters)\//, '#/$1/')
}

function nullable(schema: JsonObject): JsonObject {
  const { default: fallback, enum: values, ...rest } = schema
  const present =
    Array.isArray(values) && values.length > 1 ? values.filter(value => value !== null) : values
  return {
    ...rest,
    ...(values !== undefined && { enum: present }),
    ...(fallback !== undefined && fallback !== null && { default: fallback }),
    ...(schema.nullable === true && { 'x-nullable': true }),
  }
}

/**
 * `null` as an alternative becomes `x-nullable`; a single remaining alternative replaces the
 * choice.
 */
function choices(schema: JsonObject): JsonObject {
  const keyword = Array.isArray(schema.anyOf) ? 'anyOf' : 'oneOf'
  const all = schema[keyword]
  if (!Array.isArray(all)) return schema
  const rest = omit(schema, [keyword])
  const present = all.filter(member => !isNull(member))
  const withNull = { ...rest, ...(present.length < all.length && { 'x-nullable': true }) }
  const [only] = present
  if (present.length === 1)
    return { ...withNull, allOf: [...((rest.allOf as unknown[]) ?? []), only] }
  const types = new Set(present.map(member => (isObject(member) ? member.type : undefined)))
  const [type] = types
  return {
    ...(types.size === 1 && type !== undefined && { type }),
    ...withNull,
    [`x-${keyword}`]: present,
  }
}

/** Returns whether a schema accepts null only. */
function isNull(schema: unknown): boolean {
  return (
    isObject(schema) && Array.isArray(schema.enum) && schema.enum.every(value => value === null)
  )
}

/**
 * A discriminator of 2.0 is the name of a property beside it; a choice has no property beside it.
 */
function discriminator(schema: JsonObject): JsonObject {
  const { discriminator: given, ...rest } = schema
  return isObject(given) && isObject(schema.properties)
    ? { ...rest, discriminator: given.propertyName }
    : rest
}

/**
 * "Properties marked as readOnly being true SHOULD NOT be in the required list" (OpenAPI 2.0,
 * Schema Object).
 */
function required(schema: JsonObject): JsonObject {
  const { required: names, ...rest } = schema
  const { properties } = schema
  if (!Array.isArray(names) || !isObject(properties)) return schema
  const left = names.filter(name => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    return !(isObject(property) && property.readOnly === true)
  })
  return left.length > 0 ? { ...rest, required: left } : rest
}

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
  return Object.entries(objectIn(properties)).flatMap(([key, inner]) =>
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
  const rest = pickKnown(parameter, ['name', 'in', 'description', 'required', 'allowEmptyValue'])
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
  const keywords = pickKnown(flat, SIMPLE_KEYWORDS)
  if (flat.type === 'array')
    return {
      type: 'array',
      ...keywords,
      items: simpleSchema(flat.items, resolve),
      ...(format && { collectionFormat: format }),
    }
  return ['integer', 'number', 'boolean', 'string'].includes(flat.type as string)
    ? { type: flat.type, ...keywords }
    : { type: 'string', ...pickKnown(keywords, ['enum']) }
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
