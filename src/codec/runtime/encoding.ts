import { isPlainObject } from '../shape/plain-object.js'
import type { Shape } from '../shape/shape.js'
import { type ErrorTree, withFault } from './decoding.js'
import { MAX_RECURSION, type Nesting } from './nesting.js'

/**
 * The reason why a value does not fit its codec, and its place. Returned within the encoders;
 * `encoderOf` throws it as an EncodeError.
 */
export class Unfit {
  constructor(
    readonly expected: string,
    /** Keys and indexes from the whole value to the part that does not fit. */
    readonly path: readonly (string | number)[] = [],
    /** The error that the codec itself threw. */
    readonly cause?: unknown,
  ) {}

  /** The same, seen from the value that has the part under this key. */
  under(key: string | number): Unfit {
    return new Unfit(this.expected, [key, ...this.path], this.cause)
  }
}

/** Returns a new JSON value, or an Unfit. */
export type Encode = (value: unknown) => unknown

/** The state that the encoders of one codec share. */
export interface EncoderBuilder {
  readonly nesting: Nesting
  /** Whether read-only fields are left out. */
  readonly writable: boolean
  /** Whether absent fields take their defaults; if not, they are left out. */
  readonly fillIn: boolean
  /** The encoder of a shape inside. */
  readonly of: (shape: Shape) => Encode
  /** The same without defaults, which shows how much of a value a member of a union keeps. */
  readonly withoutDefaults: () => EncoderBuilder
}

const NOT_JSON = new Unfit('a JSON value')

/** The JSON value that `JSON.stringify` makes of a value, as a copy. */
export function encodeJson(value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : NOT_JSON
  try {
    const text = textOf(value)
    return text === undefined ? NOT_JSON : JSON.parse(text)
  } catch (error) {
    // a cycle, a bigint, something nested too deeply, or a toJSON that throws
    return new Unfit('a JSON value', [], error)
  }
}

/** Writes any value as JSON; undefined if it cannot be written, for whatever reason. */
export function valueToJson(value: unknown): string | undefined {
  try {
    return textOf(value)
  } catch {
    return undefined
  }
}

/**
 * `JSON.stringify`, but undefined for a value that contains NaN or Infinity, which it would write
 * as null.
 */
function textOf(value: unknown): string | undefined {
  const text: string | undefined = JSON.stringify(value)
  return text?.includes('null') && hasInfinite(value) ? undefined : text
}

function hasInfinite(value: unknown): boolean {
  let found = false
  JSON.stringify(value, (_key, inner: unknown) => {
    found ||= typeof inner === 'number' && !Number.isFinite(inner)
    return inner
  })
  return found
}

const INFINITE = ['Must be a finite number.']
const TOO_DEEP = [`Nested more than ${MAX_RECURSION} levels deep.`]

/**
 * Finds parts of an input that could not be sent back: a number beyond the largest double, which
 * `JSON.parse` reads as Infinity, or a nesting too deep to be written. Undefined for all other
 * values, files included.
 */
export function jsonFaults(value: unknown, depth = 0): ErrorTree | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : INFINITE
  if (typeof value !== 'object' || value === null) return undefined
  if (depth === MAX_RECURSION) return TOO_DEEP
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const faults = jsonFaults(value[index], depth + 1)
      if (faults) return withFault(undefined, String(index), faults)
    }
    return undefined
  }
  if (!isPlainObject(value)) return undefined
  for (const key of Object.keys(value)) {
    const faults = jsonFaults(value[key], depth + 1)
    if (faults) return withFault(undefined, key, faults)
  }
  return undefined
}

/** Whether a value that came in can go out again. */
export function isJson(value: unknown): boolean {
  return jsonFaults(value) === undefined
}
