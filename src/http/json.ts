import { isUtf8 } from 'node:buffer'
import { Refusal } from './failure.js'

/**
 * Reads a JSON text (RFC 8259). Not JSON, not UTF-8, nested deeper than `depth` levels, or with a `__proto__` anywhere: a
 * Refusal with 400. One byte order mark is skipped; nothing at all is `undefined`. Of repeated names the last wins.
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
  return isSuspect(text, depth) ? checkJson(value, depth) : value
}

/** Checks what somebody else has parsed: the value, or a Refusal as `parseJson` gives it for depth and `__proto__`. */
export function checkJson(value: unknown, depth: number): unknown {
  let level: object[] = isObject(value) ? [value] : []
  for (let left = depth; level.length > 0; left--) {
    if (left === 0) return refuse(`Nested deeper than ${depth} levels.`)
    const next: object[] = []
    for (const item of level) {
      if (Array.isArray(item)) {
        for (const inner of item) if (isObject(inner)) next.push(inner)
        continue
      }
      for (const name in item) {
        if (name === '__proto__') return refuse('The name "__proto__" is not allowed.')
        const inner = (item as Record<string, unknown>)[name]
        if (isObject(inner)) next.push(inner)
      }
    }
    level = next
  }
  return value
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Most texts cannot hold what `checkJson` looks for, and need no walk through their value. */
function isSuspect(text: string, depth: number): boolean {
  if (text.includes('__proto__') || (text.includes('\\u00') && /\\u00[567]/.test(text))) return true
  let openings = 0
  for (const bracket of ['[', '{']) {
    for (let index = text.indexOf(bracket); index >= 0; index = text.indexOf(bracket, index + 1)) {
      if (++openings > depth) return true
    }
  }
  return false
}

function refuse(text: string): Refusal {
  return new Refusal(400, { message: text })
}
