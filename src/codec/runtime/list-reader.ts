import type { Wire } from './decoding.js'

/**
 * Returns a function that lists the items of a value, or undefined for a value that is not a list.
 * On a text wire one value is a list of one, and a separator splits a string. Clients that repeat
 * the name for each item (openapi-fetch) are understood as well.
 */
export function listReader(
  wire: Wire,
  separator?: string,
): (input: unknown) => readonly unknown[] | undefined {
  if (wire === 'json') return input => (Array.isArray(input) ? input : undefined)
  if (separator === undefined) return input => (Array.isArray(input) ? input : [input])
  const split = (text: unknown) =>
    typeof text === 'string' ? (text === '' ? [] : text.split(separator)) : [text]
  return input =>
    Array.isArray(input)
      ? input.flatMap(split)
      : typeof input === 'string'
        ? split(input)
        : undefined
}
