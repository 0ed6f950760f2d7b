// Long values are decoded in turns of the event loop, as long JSON is parsed: other requests are served in between.
import type * as t from 'io-ts'
import { shapeOf } from '../shape/shape-of.js'
import { type DecodeOptions, type Decoder, decoderOf, settingsOf, stepwise } from './decode.js'
import { isLong, type TurnLimits, Turns } from './pace.js'

/**
 * `decoderOf` for values of any length. Returns a promise for a long value; it rejects with what a codec or a predicate of the user throws.
 */
export function decoderInTurns(
  codec: t.Mixed,
  options: DecodeOptions = {},
  limits?: TurnLimits,
): Decoder {
  const decode = decoderOf(codec, options)
  return value => (isLong(value, limits) ? decodeLong(value) : decode(value))

  async function decodeLong(value: unknown): Promise<unknown> {
    const turns = new Turns(limits)
    const run = stepwise(shapeOf(codec), settingsOf(options), turns)(value)
    for (;;) {
      await new Promise(setImmediate)
      turns.begin()
      const { done, value: decoded } = run.next()
      if (done) return decoded
    }
  }
}
