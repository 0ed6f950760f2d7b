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
 * The body of an error answer. `message` and `errors` are copied as plain JSON of at most 64 Ki characters and 32 levels, so
 * that nothing in them (cycles, BigInt, getters that throw) can keep the answer from being sent; what is beyond is cut off.
 */
export function errorBody(code: number, details: { readonly message?: string; readonly errors?: Errors } = {}): ErrorBody {
  const budget = { characters: CHARACTERS }
  const message = details.message == null ? undefined : take(String(details.message), budget)
  const errors = details.errors == null ? undefined : copy(details.errors, DEPTH, budget)
  return {
    code,
    status: STATUS_CODES[code] ?? 'Unknown',
    ...(message !== undefined && { message }),
    ...(errors !== undefined && { errors: errors as Errors }),
  }
}

interface Budget {
  characters: number
}

function take(text: string, budget: Budget): string {
  const taken = text.slice(0, Math.max(0, budget.characters))
  budget.characters -= taken.length
  return taken
}

function copy(value: unknown, depth: number, budget: Budget): unknown {
  budget.characters -= 4
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return value
  if (typeof value === 'function' || typeof value === 'symbol' || value === undefined) return undefined
  if (typeof value !== 'object') return take(String(value), budget)
  if (depth === 0) return undefined
  const target: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : Object.create(null)
  try {
    for (const key in value) {
      if (budget.characters <= 0) break
      if (!Object.hasOwn(value, key)) continue
      const item = copy((value as Record<string, unknown>)[key], depth - 1, budget)
      if (item === undefined) continue
      if (Array.isArray(target)) target.push(item)
      else target[take(key, budget)] = item
    }
  } catch {
    // A getter or a proxy that throws: what has been read is enough.
  }
  return target
}
