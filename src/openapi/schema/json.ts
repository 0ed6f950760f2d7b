/** A JSON object whose inside is not known: documents hold what users wrote. */
export interface JsonObject {
  readonly [key: string]: unknown
}

/** Whether a value is an object with keys: no array, not null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A new object whose values are those of `object`, converted. What is no object stays as it is. */
export function mapValues(object: unknown, convert: (value: unknown, key: string) => unknown): unknown {
  // fromEntries defines its keys, so that `__proto__` is one like any other
  return isObject(object) ? Object.fromEntries(Object.entries(object).map(([key, value]) => [key, convert(value, key)])) : object
}

/** `object` without some of its keys. */
export function omit(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))
}

/** `object` with some of its keys only, in its own order. */
export function pick(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => keys.includes(key)))
}

/** Removes the keys whose value is undefined. */
export function defined<T extends object>(object: { [Key in keyof T]: T[Key] | undefined }): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T
}

/** Lays `over` on `base`: objects are merged key by key, anything else of `over` wins. Neither is changed. */
export function deepMerge(base: unknown, over: unknown): unknown {
  if (over === undefined) return base
  if (!isObject(base) || !isObject(over)) return over
  const merged = new Map(Object.entries(base))
  for (const [key, value] of Object.entries(over)) merged.set(key, deepMerge(merged.get(key), value))
  return Object.fromEntries(merged)
}

/** Whether two JSON values are equal; the order of keys does not count. */
export function isEqual(first: unknown, second: unknown): boolean {
  return first === second || JSON.stringify(first, sortedKeys) === JSON.stringify(second, sortedKeys)
}

function sortedKeys(_key: string, value: unknown): unknown {
  return isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value
}
