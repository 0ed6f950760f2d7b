import { isUtf8 } from 'node:buffer'
import { Refusal } from '../failure.js'
import { PIECE, parseInPieces } from './json-pieces.js'
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  endOfString,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from './json-text.js'

/**
 * Reads a JSON text (RFC 8259). Not JSON, not UTF-8, nested deeper than `depth` levels, or with a `__proto__` anywhere: a
 * Refusal with 400. One byte order mark is skipped; nothing at all is `undefined`. Of repeated names the last wins. A promise of that where
 * the text is long.
 */
export function parseJson(body: Buffer | string, depth: number): unknown {
  if (typeof body !== 'string' && !isUtf8(body)) return refuse('Not valid UTF-8.')
  const read = body.toString()
  const text = read.charCodeAt(0) === 0xfeff ? read.slice(1) : read
  if (text === '') return undefined
  if (isDeeper(text, depth)) return refuse(`Nested deeper than ${depth} levels.`)
  if (namesPrototype(text)) return refuse('The name "__proto__" is not allowed.')
  if (text.length > PIECE) return parseInPieces(text).catch(invalid)
  try {
    return JSON.parse(text)
  } catch {
    return invalid()
  }
}

function invalid(): Refusal {
  return refuse('Invalid JSON body.')
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

// Each letter may be escaped. In JSON a quote that no backslash precedes and that a letter follows begins a string.
const PROTOTYPE =
  /(?<!\\)"(?:_|\\u005[fF]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[fF])(?:t|\\u0074)(?:o|\\u006[fF])(?:_|\\u005[fF]){2}"[ \t\r\n]*:/

/** Whether something in a text has the name `__proto__`, as far as it is JSON. */
function namesPrototype(text: string): boolean {
  return (text.includes('__proto__') || text.includes('\\u00')) && PROTOTYPE.test(text)
}

/** Whether a text is nested deeper, as far as it is JSON: a deep one would take much longer to parse. */
function isDeeper(text: string, depth: number): boolean {
  if (!hasMoreOpenings(text, depth)) return false
  let level = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) index = endOfString(text, index)
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      level += 1
      if (level > depth) return true
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) level -= 1
  }
  return false
}

function hasMoreOpenings(text: string, depth: number): boolean {
  let openings = 0
  for (const bracket of ['[', '{']) {
    for (let index = text.indexOf(bracket); index >= 0; index = text.indexOf(bracket, index + 1)) {
      openings += 1
      if (openings > depth) return true
    }
  }
  return false
}

function refuse(text: string): Refusal {
  return new Refusal(400, { message: text })
}
