import type * as t from 'io-ts'
import { expect } from 'vitest'
import { decoderFor, UNFIT } from '../../../src/codec/compile/decode/decode.js'
import { writerFor } from '../../../src/codec/compile/encode/encode.js'
import {
  type DecodeOptions,
  decoderOf,
  Invalid,
  interpreter,
} from '../../../src/codec/decode/decode.js'
import {
  EncodeError,
  interpreter as encodeInterpreter,
  encoderOf,
  writerOf,
} from '../../../src/codec/encode/encode.js'
import { shapeOf } from '../../../src/codec/shape/shape-of.js'
import { asText } from './arbitrary.js'

/** A codec, and values that it may fit. */
export interface Case {
  readonly codec: t.Mixed
  readonly values: readonly unknown[]
}

/** How each codec is decoded. */
export const MANNERS: readonly Required<Omit<DecodeOptions, 'reuse'>>[] = [
  { wire: 'json', unknown: 'raise', whole: false },
  { wire: 'json', unknown: 'exclude', whole: true },
  { wire: 'json', unknown: 'include', whole: false },
  { wire: 'text', unknown: 'exclude', whole: false },
  { wire: 'text', unknown: 'raise', whole: false },
]
const NONE: ReadonlySet<unknown> = new Set()

/**
 * The compiled decoder answers what the interpreter does, in every manner, and leaves nothing to it
 * that fits.
 */
export function expectSameDecoding({ codec, values }: Case): void {
  const shape = shapeOf(codec)
  for (const manner of MANNERS) {
    const interpret = interpreter(shape, manner)
    const decode = decoderOf(codec, manner)
    const compiled = decoderFor(shape, manner, (part, wire = manner.wire) =>
      interpreter(part, { ...manner, wire }),
    )
    for (const value of values) {
      const input = manner.wire === 'text' ? asText(value) : value
      const expected = outcome(interpret, input)
      expectSame(outcome(decode, input), expected, objectsIn(input))
      // what fits is not left to the interpreter, what does not fit is
      if (compiled && 'value' in expected)
        expectSame(compiled(input) === UNFIT, expected.value instanceof Invalid, NONE)
    }
  }
}

/**
 * A decoder that may reuse what it is given returns an equal value, though the fields may be in
 * another order, and changes nothing of its input.
 */
export function expectSameReused({ codec, values }: Case): void {
  for (const value of values) {
    const text = jsonOf(value)
    if (text === undefined) continue
    const input = JSON.parse(text)
    expect(outcome(decoderOf(codec, { reuse: true }), input)).toEqual(
      outcome(decoderOf(codec), JSON.parse(text)),
    )
    expect(JSON.stringify(input)).toBe(text)
  }
}

/** Some values are not JSON. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** The compiled writer writes what the interpreter does, and leaves nothing to it that fits. */
export function expectSameText({ codec, values }: Case): void {
  const encode = encoderOf(codec)
  const write = writerOf(codec)
  const compiled = writerFor(shapeOf(codec), encodeInterpreter)
  for (const value of values) {
    const expected = outcome(given => JSON.stringify(encode(given)), value)
    expectSame(outcome(write, value), expected, NONE)
    if (compiled && 'value' in expected) expectSame(compiled(value), expected.value, NONE)
  }
}

type Outcome = { readonly value: unknown } | { readonly thrown: unknown }

function outcome(run: (value: unknown) => unknown, value: unknown): Outcome {
  try {
    return { value: run(value) }
  } catch (error) {
    return {
      thrown:
        error instanceof EncodeError
          ? { path: error.path, expected: error.expected, message: error.message }
          : String(error),
    }
  }
}

/** Shows the difference, if there is one. */
function expectSame(actual: unknown, expected: unknown, given: ReadonlySet<unknown>): void {
  if (!isSame(actual, expected, given)) expect([actual]).toBe([expected])
}

/**
 * Deeply the same: every leaf, prototype and key in its order; what is an object of the input in
 * one is the same object in the other.
 */
function isSame(actual: unknown, expected: unknown, given: ReadonlySet<unknown>): boolean {
  if (
    typeof actual !== 'object' ||
    typeof expected !== 'object' ||
    actual === null ||
    expected === null
  )
    return Object.is(actual, expected)
  if (given.has(expected) || given.has(actual)) return actual === expected
  if (Object.getPrototypeOf(actual) !== Object.getPrototypeOf(expected)) return false
  if (expected instanceof Date) return Object.is(expected.getTime(), (actual as Date).getTime())
  const [keys, others] = [Reflect.ownKeys(expected), Reflect.ownKeys(actual)]
  if (keys.length !== others.length) return false
  return keys.every(
    (key, index) =>
      key === others[index] && isSame(Reflect.get(actual, key), Reflect.get(expected, key), given),
  )
}

function objectsIn(value: unknown, found = new Set<unknown>()): ReadonlySet<unknown> {
  if (typeof value !== 'object' || value === null || found.has(value)) return found
  found.add(value)
  for (const inner of Object.values(value)) objectsIn(inner, found)
  return found
}
