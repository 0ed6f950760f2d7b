import * as fc from 'fast-check'
import * as Either from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf, Invalid, type Unknown } from '../../src/codec/decode/decode.js'
import { cases, seed } from '../properties/seed.js'
import { PLAIN_KEYS, pairs } from './arbitrary.js'

const numRuns = cases(700)
const keys = PLAIN_KEYS

describe(`io-ts is the referee of its own codecs (seed ${seed})`, () => {
  it('where unknown fields are included, for codecs that keep them', () => {
    void fc.assert(
      fc.property(pairs({ keys, grammar: 'type' }), ({ codec, input }) =>
        expectAgreement(codec, input, 'include'),
      ),
      { numRuns, seed },
    )
  })

  it('where unknown fields are excluded, for codecs that strip them', () => {
    void fc.assert(
      fc.property(pairs({ keys, grammar: 'strict' }), ({ codec, input }) =>
        expectAgreement(codec, input, 'exclude'),
      ),
      { numRuns, seed },
    )
  })
})

function expectAgreement(codec: t.Mixed, input: unknown, unknown: Unknown): void {
  const before = JSON.stringify(input)
  const ours = decoderOf(codec, { unknown })(input)
  const theirs = codec.decode(input)
  expect(JSON.stringify(input)).toBe(before)
  if (Either.isLeft(theirs)) expect(ours).toBeInstanceOf(Invalid)
  else expect(ours).toEqual(theirs.right)
}
