/** A JSON object of unknown content: documents contain what users wrote. */
export interface JsonObject {
  readonly [key: string]: unknown
}

/**
 * The methods that have a field of their own in a Path Item (OpenAPI 3.2, section 4.8); any other
 * is under its name beside them.
 */
export const METHODS: readonly string[] = [
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
  'trace',
  'query',
]

/** Returns whether a value is an object: not an array, not null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Returns a new object with converted values; anything that is not an object is returned unchanged.
 */
export function mapValues(
  object: unknown,
  convert: (value: unknown, key: string) => unknown,
): unknown {
  if (!isObject(object)) return object
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, convert(value, key)]),
  )
}

/** Returns the value if it is an object, otherwise an empty one. */
export function objectIn(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** `object` without some of its keys. */
export function omit(object: JsonObject, keys: readonly string[]): JsonObject {
  return filtered(object, key => !keys.includes(key))
}

/** `object` with some of its keys only, in its own order. */
export function pick(object: JsonObject, keys: readonly string[]): JsonObject {
  return filtered(object, key => keys.includes(key))
}

/** The same, with its extensions (`x-…`). */
export function pickKnown(object: JsonObject, keys: readonly string[]): JsonObject {
  return filtered(object, key => keys.includes(key) || key.startsWith('x-'))
}

function filtered(object: JsonObject, isKept: (key: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => isKept(key)))
}

/**
 * Merges `over` into `base`: objects key by key, anything else of `over` wins. Neither is changed.
 */
export function deepMerge(base: unknown, over: unknown): unknown {
  if (over === undefined) return base
  if (!isObject(base) || !isObject(over)) return over
  const merged = new Map(Object.entries(base))
  for (const [key, value] of Object.entries(over))
    merged.set(key, deepMerge(merged.get(key), value))
  return Object.fromEntries(merged)
}

/** Returns whether two JSON values are equal; the order of keys does not count. */
export function isEqual(first: unknown, second: unknown): boolean {
  return first === second || canonical(first) === canonical(second)
}

/** Writes JSON with sorted keys, so that equal values give equal strings; `''` for undefined. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, sortedKeys) ?? ''
}

function sortedKeys(_key: string, value: unknown): unknown {
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
}

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
 * extensions stay unchanged.
 */
export function mapSubschemas(
  schema: JsonObject,
  convert: (schema: unknown) => unknown,
): JsonObject {
  const each = (value: unknown) => convert(value)
  return mapValues(schema, (value, keyword) => {
    if (ONE.has(keyword)) return convert(value)
    if (LIST.has(keyword)) return Array.isArray(value) ? value.map(each) : value
    return MAP.has(keyword) ? mapValues(value, each) : value
  }) as JsonObject
}
