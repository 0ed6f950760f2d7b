import { STATUS_CODES } from 'node:http'
import type { Errors } from './failure.js'

/** What every error answer holds, as JSON. `status` is the reason phrase of the code. */
export interface ErrorBody {
  readonly code: number
  readonly status: string
  readonly message?: string
  readonly errors?: Errors
}

const DEPTH = 32
const CHARACTERS = 64 * 1024

/**
 * The body of an error answer, an `ErrorBody` as JSON text. Of `message` and `errors` it has at most 64 Ki characters and 32
 * levels, written value by value, so that nothing in them (cycles, BigInt, getters that throw) can keep the answer from being
 * sent; what is beyond is cut off.
 */
export function errorText(code: number, { message, errors }: { readonly message?: string; readonly errors?: Errors } = {}): string {
  const budget = { characters: CHARACTERS }
  let text = `{"code":${code},"status":${JSON.stringify(STATUS_CODES[code] ?? 'Unknown')}`
  if (message != null) text += `,"message":${quote(String(message), budget)}`
  const errorsText = errors == null ? undefined : textOf(errors, DEPTH, budget)
  if (errorsText !== undefined) text += `,"errors":${errorsText}`
  return `${text}}`
}

interface Budget {
  characters: number
}

/** As much of a text as there is left of the budget, as JSON. */
function quote(text: string, budget: Budget): string {
  const taken = text.slice(0, Math.max(0, budget.characters))
  budget.characters -= taken.length
  return JSON.stringify(taken)
}

/** A value as JSON text; `undefined` where JSON has no such value. */
function textOf(value: unknown, depth: number, budget: Budget): string | undefined {
  budget.characters -= 4
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return String(value)
  if (typeof value === 'function' || typeof value === 'symbol' || value === undefined) return undefined
  if (typeof value !== 'object') return quote(String(value), budget)
  return depth === 0 ? undefined : textOfEntries(value, depth - 1, budget)
}

function textOfEntries(value: object, depth: number, budget: Budget): string {
  let isList = false
  let text = ''
  try {
    isList = Array.isArray(value)
    for (const key in value) {
      if (budget.characters <= 0) break
      if (!Object.hasOwn(value, key)) continue
      const item = textOf((value as Record<string, unknown>)[key], depth, budget)
      if (item === undefined) continue
      text += `${text && ','}${isList ? '' : `${quote(key, budget)}:`}${item}`
    }
  } catch {
    // A getter or a proxy that throws: what has been read is enough.
  }
  return isList ? `[${text}]` : `{${text}}`
}
