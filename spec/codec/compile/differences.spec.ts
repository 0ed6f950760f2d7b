import * as fc from 'fast-check'
import * as Either from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderFor, writerFor } from '../../../src/codec/compile/compile.js'
import { UNFIT } from '../../../src/codec/compile/reading.js'
import { type DecodeOptions, decoderOf, Invalid, interpreter } from '../../../src/codec/decode.js'
import { EncodeError, encoderOf, writerOf } from '../../../src/codec/encode.js'
import { shapeOf } from '../../../src/codec/shape-of.js'
import { PLAIN_KEYS, pairs } from '../arbitrary.js'
import { asText, oddCodecs, oddValues } from './arbitrary.js'

/** How many comparisons, of all kinds together. */
const comparisons = Number(process.env.PROPERTY_RUNS ?? 20_000)
const seed = Number(process.env.PROPERTY_SEED ?? Date.now() % 2 ** 31)

const MANNERS: readonly Required<DecodeOptions>[] = [
  { wire: 'json', unknown: 'raise', whole: false },
  { wire: 'json', unknown: 'exclude', whole: true },
  { wire: 'json', unknown: 'include', whole: false },
  { wire: 'text', unknown: 'exclude', whole: false },
  { wire: 'text', unknown: 'raise', whole: false },
]
const VALUES = 4
const LONG = 1_000_000

describe(`compiled codecs (seed ${seed})`, () => {
  it('decode as the interpreter does: the same values, identities, order of keys and errors', { timeout: LONG }, () =>
    fc.assert(fc.property(cases(), expectSameDecoding), { seed, numRuns: Math.ceil((comparisons * 0.6) / (VALUES * MANNERS.length)) }),
  )

  it('write the text that the interpreter writes, and refuse what it refuses', { timeout: LONG }, () =>
    fc.assert(fc.property(cases(), expectSameText), { seed, numRuns: Math.ceil((comparisons * 0.3) / VALUES) }),
  )

  it('write what io-ts encodes', { timeout: LONG }, () =>
    fc.assert(fc.property(pairs({ keys: PLAIN_KEYS, grammar: 'strict' }), expectIoTs), { seed, numRuns: Math.ceil(comparisons * 0.1) }),
  )

  it('are compiled, nearly all of them', () => {
    const sample = fc.sample(oddCodecs(), { numRuns: 300, seed })
    const readers = sample.filter(codec => decoderFor(shapeOf(codec), MANNERS[0] as Required<DecodeOptions>, () => value => value))
    const writers = sample.filter(codec => writerFor(shapeOf(codec), () => value => value))
    expect(readers.length).toBeGreaterThan(0.8 * sample.length)
    expect(writers.length).toBeGreaterThan(0.8 * sample.length)
  })
})

interface Case {
  readonly codec: t.Mixed
  readonly values: readonly unknown[]
}

function cases(): fc.Arbitrary<Case> {
  return oddCodecs().chain(codec => {
    const values = fc.array(oddValues(codec), { minLength: VALUES, maxLength: VALUES })
    return values.map(given => ({ codec, values: given, [fc.toStringMethod]: () => `${codec.name} <- ${fc.stringify(given)}` }))
  })
}

function expectSameDecoding({ codec, values }: Case): void {
  const shape = shapeOf(codec)
  for (const manner of MANNERS) {
    const interpret = interpreter(shape, manner)
    const decode = decoderOf(codec, manner)
    const compiled = decoderFor(shape, manner, (part, wire = manner.wire) => interpreter(part, { ...manner, wire }))
    for (const value of values) {
      const input = manner.wire === 'text' ? asText(value) : value
      const expected = outcome(interpret, input)
      expectSame(outcome(decode, input), expected, objectsIn(input))
      // what fits is not left to the interpreter, what does not fit is
      if (compiled && 'value' in expected) expect(compiled(input) === UNFIT).toBe(expected.value instanceof Invalid)
    }
  }
}

function expectSameText({ codec, values }: Case): void {
  const encode = encoderOf(codec)
  const write = writerOf(codec)
  for (const value of values) {
    const expected = outcome(given => JSON.stringify(encode(given)), value)
    expect(outcome(write, value)).toEqual(expected)
  }
}

function expectIoTs({ codec, input }: { readonly codec: t.Mixed; readonly input: unknown }): void {
  const decoded = codec.decode(input)
  if (Either.isRight(decoded))
    expect(JSON.parse(writerOf(codec)(decoded.right))).toEqual(JSON.parse(JSON.stringify(codec.encode(decoded.right))))
}

type Outcome = { readonly value: unknown } | { readonly thrown: unknown }

function outcome(run: (value: unknown) => unknown, value: unknown): Outcome {
  try {
    return { value: run(value) }
  } catch (error) {
    return { thrown: error instanceof EncodeError ? { path: error.path, expected: error.expected, message: error.message } : String(error) }
  }
}

/** Deeply the same: every leaf, prototype and key in its order; what is an object of the input in one is the same object in the other. */
function expectSame(actual: unknown, expected: unknown, given: ReadonlySet<unknown>): void {
  if (typeof expected !== 'object' || expected === null || given.has(expected) || given.has(actual)) {
    if (!Object.is(actual, expected)) expect(actual).toBe(expected)
    return
  }
  expect(typeof actual).toBe('object')
  expect(Object.getPrototypeOf(actual)).toBe(Object.getPrototypeOf(expected))
  expect(String(expected instanceof Date && expected.getTime())).toBe(String(actual instanceof Date && actual.getTime()))
  const keys = Reflect.ownKeys(expected)
  expect(Reflect.ownKeys(actual as object)).toEqual(keys)
  for (const key of keys) expectSame(Reflect.get(actual as object, key), Reflect.get(expected, key), given)
}

function objectsIn(value: unknown, found = new Set<unknown>()): ReadonlySet<unknown> {
  if (typeof value !== 'object' || value === null || found.has(value)) return found
  found.add(value)
  for (const inner of Object.values(value)) objectsIn(inner, found)
  return found
}
