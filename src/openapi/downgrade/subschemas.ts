import { isObject, type JsonObject, mapValues } from '../schema/json.js'

/** Where a JSON Schema (2020-12) holds others: one, a list of them, or a map of them. */
const ONE = new Set([
  ...['items', 'additionalProperties', 'not', 'propertyNames', 'contains', 'if', 'then', 'else'],
  ...['unevaluatedItems', 'unevaluatedProperties', 'contentSchema'],
])
const LIST = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const MAP = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs'])

/** The schema with those directly inside it converted; values (`enum`, `example`, `default`) and extensions stay as they are. */
export function mapSubschemas(schema: JsonObject, convert: (schema: unknown) => unknown): JsonObject {
  return mapValues(schema, (value, keyword) => {
    if (ONE.has(keyword)) return convert(value)
    if (LIST.has(keyword)) return Array.isArray(value) ? value.map(convert) : value
    return MAP.has(keyword) && isObject(value) ? mapValues(value, convert) : value
  }) as JsonObject
}
