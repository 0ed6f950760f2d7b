import { isObject, type JsonObject, mapChanged } from './json.js'

/**
 * The keywords of JSON Schema (2020-12) that hold schemas: one, a list of them, or a map of them.
 */
const ONE = new Set([
  ...['items', 'additionalProperties', 'not', 'propertyNames', 'contains', 'if', 'then', 'else'],
  ...['unevaluatedItems', 'unevaluatedProperties', 'contentSchema'],
])
const LIST = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const MAP = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs'])

/**
 * The schema with those directly inside it converted; values (`enum`, `example`, `default`) and
 * extensions stay unchanged. If none changes, it is the schema itself.
 */
export function mapSubschemas(
  schema: JsonObject,
  convert: (schema: unknown) => unknown,
): JsonObject {
  return mapChanged(schema, (value, keyword) => {
    if (ONE.has(keyword)) return convert(value)
    if (LIST.has(keyword)) return Array.isArray(value) ? mapList(value, convert) : value
    return MAP.has(keyword) && isObject(value) ? mapChanged(value, convert) : value
  })
}

function mapList(
  list: readonly unknown[],
  convert: (schema: unknown) => unknown,
): readonly unknown[] {
  const converted = list.map(item => convert(item))
  return converted.some((item, index) => item !== list[index]) ? converted : list
}
