import { Unfit } from './encoding.js'

const NOT_JSON = new Unfit('a JSON value')

/** The JSON value that `JSON.stringify` makes of a value, as a copy. */
export function encodeJson(value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : NOT_JSON
  try {
    const text: string | undefined = JSON.stringify(value)
    return text === undefined ? NOT_JSON : JSON.parse(text)
  } catch (error) {
    // a cycle, a bigint, something nested too deeply, or a toJSON that throws
    return new Unfit('a JSON value', [], error)
  }
}
