import { isObject, type JsonObject, omit, pick } from '../schema/json.js'
import { mapSubschemas } from '../schema/subschemas.js'

/** The keywords of a Schema Object of OpenAPI 2.0. */
const KEYWORDS_20 = [
  ...[
    '$ref',
    'title',
    'description',
    'type',
    'format',
    'enum',
    'default',
    'example',
    'readOnly',
    'allOf',
    'discriminator',
    'xml',
    'externalDocs',
  ],
  ...[
    'properties',
    'required',
    'additionalProperties',
    'minProperties',
    'maxProperties',
    'items',
    'minItems',
    'maxItems',
    'uniqueItems',
  ],
  ...[
    'multipleOf',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'minLength',
    'maxLength',
    'pattern',
  ],
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
  const extensions = Object.keys(converted).filter(key => key.startsWith('x-'))
  return pick(converted, [...KEYWORDS_20, ...extensions])
}

/** The same reference, as 2.0 spells it. */
export function reference30To20($ref: unknown): string {
  return String($ref)
    .replace(/^#\/components\/schemas\//, '#/definitions/')
    .replace(/^#\/components\/(responses|parameters)\//, '#/$1/')
}

export function nullable(schema: JsonObject): JsonObject {
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
export function isNull(schema: unknown): boolean {
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
