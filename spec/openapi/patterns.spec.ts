import fc from 'fast-check'
import { isRight } from 'fp-ts/Either'
import * as t from 'io-ts'
import * as library from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { createShop } from '../../examples/pet-shop/app.js'
import { Schemas } from '../../src/openapi/schema/schemas.js'

// Tools read patterns with the regular expressions of their own language, and mocks write texts by
// them.

/**
 * Lookarounds, named groups, flags, references to a group and classes of Unicode: what RE2 (Go) or
 * the `regex` of Rust do not have.
 */
const NOT_EVERYWHERE = /\(\?(?!:)|\\[1-9kpPbBuc]/

/** The codecs for texts that the library exports, `isoDate.asDate` and the like included. */
const codecs = Object.entries(library).flatMap(([name, value]): [string, t.Mixed][] => {
  if (!(value instanceof t.Type)) return []
  return [
    [name, value],
    ...('asDate' in value ? [[`${name}.asDate`, value.asDate] as [string, t.Mixed]] : []),
  ]
})
const patterns = codecs.flatMap(([name, codec]): [string, t.Mixed, string][] => {
  const schema = new Schemas().of(codec, { direction: 'input', unknown: 'raise', where: name })
  return 'pattern' in schema && schema.pattern ? [[name, codec, schema.pattern]] : []
})

function patternsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'pattern' in value && typeof value.pattern === 'string' ? [value.pattern] : []
  return [...own, ...Object.values(value).flatMap(patternsIn)]
}

describe('the patterns of a document', () => {
  it('are understood by the regular expressions of every language', () => {
    const written = [
      ...patterns.map(([, , pattern]) => pattern),
      ...patternsIn(createShop({} as never).api.spec.toJSON()),
    ]
    expect(written.filter(pattern => NOT_EVERYWHERE.test(pattern))).toEqual([])
    expect(written.length).toBeGreaterThan(20)
  })

  // the name of an e-mail address has at most 64 characters, which its pattern leaves to the format
  it.each(patterns)('describe only what is accepted: %s', (_, codec, pattern) => {
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: 60 }), text =>
        isRight(codec.decode(text)),
      ),
    )
  })

  it('do not say again what a format says: a mock would write days that do not exist', () => {
    const schemaOf = (codec: t.Mixed) =>
      new Schemas().of(codec, { direction: 'output', unknown: 'raise', where: 'here' })
    expect(
      [library.isoDate, library.isoDateTime, library.isoDateTime.asDate].map(schemaOf),
    ).toEqual([
      { type: 'string', format: 'date' },
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'date-time' },
    ])
  })
})
