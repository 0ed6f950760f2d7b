import { isObject } from '../openapi/schema/json.js'

/** One place where two documents differ: a JSON pointer, and what stands there; `undefined` is nothing. */
export interface Difference {
  readonly pointer: string
  readonly before: unknown
  readonly after: unknown
}

/** Where two JSON values differ, as deep as both have something there. The order of keys does not count, that of items does. */
export function differences(before: unknown, after: unknown, pointer = ''): Difference[] {
  const [first, second] = [entriesOf(before), entriesOf(after)]
  if (!first || !second || Array.isArray(before) !== Array.isArray(after))
    return before === after ? [] : [{ pointer, before, after }]
  const keys = [...new Set([...first.keys(), ...second.keys()])]
  return keys.flatMap(key =>
    differences(
      first.get(key),
      second.get(key),
      `${pointer}/${key.replace(/~/g, '~0').replace(/\//g, '~1')}`,
    ),
  )
}

function entriesOf(value: unknown): Map<string, unknown> | undefined {
  if (Array.isArray(value)) return new Map(value.map((item, index) => [String(index), item]))
  return isObject(value) ? new Map(Object.entries(value)) : undefined
}
