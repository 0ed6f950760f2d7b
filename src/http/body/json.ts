import { isUtf8 } from 'node:buffer'
import { Refusal } from '../failure.js'

/**
 * Parses JSON (RFC 8259). Returns a Refusal with 400 if it is not JSON, not UTF-8, nested deeper
 * than `depth` levels, or has a `__proto__` anywhere. One byte order mark is skipped; an empty
 * string is `undefined`. If a name is repeated, the last one wins.
 */
export function parseJson(body: Buffer | string, depth: number): unknown {
  if (typeof body !== 'string' && !isUtf8(body)) return refuse('Not valid UTF-8.')
  const read = body.toString()
  const text = read.charCodeAt(0) === 0xfeff ? read.slice(1) : read
  if (text === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return refuse('Invalid JSON body.')
  }
  return checkJson(value, depth)
}

/** Returns a parsed value, or a Refusal if it is nested too deeply or has a `__proto__`. */
export function checkJson(value: unknown, depth: number): unknown {
  const fault = faultIn(value, depth)
  return fault === undefined ? value : refuse(fault)
}

/** Says what is wrong with a value that may be nested `left` levels deep. */
function faultIn(value: unknown, depth: number, left = depth): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (left === 0) return `Nested deeper than ${depth} levels.`
  if (Array.isArray(value)) {
    for (const item of value) {
      const fault = faultIn(item, depth, left - 1)
      if (fault !== undefined) return fault
    }
    return undefined
  }
  for (const name in value) {
    if (name === '__proto__') return 'The name "__proto__" is not allowed.'
    const fault = faultIn((value as Record<string, unknown>)[name], depth, left - 1)
    if (fault !== undefined) return fault
  }
  return undefined
}

function refuse(text: string): Refusal {
  return new Refusal(400, { message: text })
}
