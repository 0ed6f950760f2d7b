import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Exchange } from '../../src/feature-api/exchange.js'
import { tagOfText } from '../../src/features/etag/data-tag.js'
import { entityTagOf } from '../../src/http/entity-tag.js'
import { bytesOf, LONG_TEXT } from '../../src/http/text-bytes.js'

const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\ud800', 'é', '💩', '\u2028'),
)

describe('the bytes of a text', () => {
  it('are its UTF-8, with what follows it', () => {
    return fc.assert(
      fc.property(texts, texts, (text, suffix) => {
        expect(bytesOf(text, suffix)).toEqual(Buffer.from(text + suffix))
      }),
    )
  })

  it('have the entity tag of the text, however long it is, and what else counts', () => {
    return fc.assert(
      fc.property(
        texts,
        texts,
        fc.constantFrom(0, LONG_TEXT - 5, LONG_TEXT, 3 * LONG_TEXT),
        (text, suffix, length) => {
          const exchange = new Exchange({} as never, {}, {})
          exchange.writer = () => text + 'x'.repeat(length)
          expect(tagOfText(exchange, suffix)).toBe(entityTagOf(exchange.text + suffix))
          if (exchange.bytes) expect(exchange.bytes).toEqual(Buffer.from(exchange.text as string))
        },
      ),
    )
  })
})
