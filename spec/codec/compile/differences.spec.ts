import * as fc from 'fast-check'
import * as Either from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderFor } from '../../../src/codec/compile/decode/decode.js'
import { writerFor } from '../../../src/codec/compile/encode/encode.js'
import { writerOf } from '../../../src/codec/encode/encode.js'
import { shapeOf } from '../../../src/codec/shape/shape-of.js'
import { seed, cases as times } from '../../properties/seed.js'
import { PLAIN_KEYS, pairs } from '../arbitrary.js'
import { oddCodecs, oddValues } from './arbitrary.js'
import { type Case, expectSameDecoding, expectSameReused, expectSameText, MANNERS } from './same.js'

/** How many comparisons, of all kinds together. */
const comparisons = times(8_000)

const VALUES = 8
const LONG = 1_000_000

describe(`compiled codecs (seed ${seed})`, () => {
  it(
    'decode as the interpreter does: the same values, identities, order of keys and errors',
    { timeout: LONG },
    () =>
      fc.assert(fc.property(cases(), expectSameDecoding), {
        seed,
        numRuns: Math.ceil((comparisons * 0.6) / (VALUES * MANNERS.length)),
      }),
  )

  it('decode to an equal value if they may return the input itself', { timeout: LONG }, () =>
    fc.assert(fc.property(cases(), expectSameReused), {
      seed,
      numRuns: Math.ceil((comparisons * 0.1) / VALUES),
    }),
  )

  it(
    'write the text that the interpreter writes, and refuse what it refuses',
    { timeout: LONG },
    () =>
      fc.assert(fc.property(cases(), expectSameText), {
        seed,
        numRuns: Math.ceil((comparisons * 0.3) / VALUES),
      }),
  )

  it('write what io-ts encodes', { timeout: LONG }, () =>
    fc.assert(fc.property(pairs({ keys: PLAIN_KEYS, grammar: 'strict' }), expectIoTs), {
      seed,
      numRuns: Math.ceil(comparisons * 0.1),
    }),
  )

  it('are compiled, nearly all of them', () => {
    const sample = fc.sample(oddCodecs(), { numRuns: 300, seed })
    const readers = sample.filter(codec =>
      decoderFor(
        shapeOf(codec),
        { wire: 'json', unknown: 'raise', whole: false },
        () => value => value,
      ),
    )
    const writers = sample.filter(codec => writerFor(shapeOf(codec), () => value => value))
    expect(readers.length).toBeGreaterThan(0.8 * sample.length)
    expect(writers.length).toBeGreaterThan(0.8 * sample.length)
  })
})

function cases(): fc.Arbitrary<Case> {
  return oddCodecs().chain(codec => {
    const values = fc.array(oddValues(codec), { minLength: VALUES, maxLength: VALUES })
    return values.map(given => ({
      codec,
      values: given,
      [fc.toStringMethod]: () => `${codec.name} <- ${fc.stringify(given)}`,
    }))
  })
}

function expectIoTs({ codec, input }: { readonly codec: t.Mixed; readonly input: unknown }): void {
  const decoded = codec.decode(input)
  if (Either.isRight(decoded))
    expect(JSON.parse(writerOf(codec)(decoded.right))).toEqual(
      JSON.parse(JSON.stringify(codec.encode(decoded.right))),
    )
}
