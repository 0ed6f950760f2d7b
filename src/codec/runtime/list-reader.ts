import type { Wire } from './decoding.js'

/**
 * Returns what finds the items of a list, or undefined for a value that is not a list. In text one value is a list of one, and a separator splits
 * a text; clients that repeat the name for each item (openapi-fetch) are understood as well, as nothing else can be meant.
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
