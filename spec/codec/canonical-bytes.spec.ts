import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalBytes, Incomparable } from '../../src/codec/runtime/canonical-bytes.js'
import { cases, seed } from '../properties/seed.js'

const bytesOf = (value: unknown) => canonicalBytes(value, []).toString('latin1')

class Point {
  constructor(readonly x: unknown) {}
}
class Secret {
  #text: string
  constructor(text: string) {
    this.#text = text
  }
  get length() {
    return this.#text.length
  }
}

/** Few different leaves, so that equal values are drawn often. */
const value = fc.letrec(tie => ({
  any: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    fc.constantFrom<unknown>(null, undefined, true, 0, 1, '', '1', ',', '1:1', 'null', 1n, new Date(0), new Date(1), new Uint8Array([1])),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'a=1:1', '{'), tie('any'), { maxKeys: 3 }),
    fc.array(tie('any'), { maxLength: 2 }).map(items => new Set(items)),
    fc.array(fc.tuple(fc.constantFrom('a', 'b'), tie('any')), { maxLength: 2 }).map(entries => new Map(entries)),
    tie('any').map(x => new Point(x)),
  ),
})).any

/** An absent field is the same as one without a value, to a codec; the order of a set or map counts, as it does in a list. */
function comparable(one: unknown): unknown {
  if (Array.isArray(one)) return one.map(comparable)
  if (one instanceof Set || one instanceof Map) return [one.constructor.name, [...one].map(comparable)]
  if (one instanceof Point) return ['Point', comparable(one.x)]
  if (typeof one !== 'object' || one === null || one instanceof Date || ArrayBuffer.isView(one)) return one
  const fields = Object.entries(one).flatMap(([name, field]) => (field === undefined ? [] : [[name, comparable(field)] as const]))
  return { fields: Object.fromEntries(fields) }
}

describe(`the canonical bytes of a value (seed ${seed})`, () => {
  it('are equal for two values just where these are equal', () => {
    fc.assert(
      fc.property(value, value, (one, other) => {
        expect(bytesOf(one) === bytesOf(other)).toBe(isDeepStrictEqual(comparable(one), comparable(other)))
      }),
      { seed, numRuns: cases(4000) },
    )
  })

  it('tell texts apart by every character, however long they are, and those that are not well-formed', () => {
    for (const length of [1, 128, 129, 20_000]) {
      const texts = ['a', 'ä', '\u{1f600}'.slice(0, 1), '\u{1f600}'.slice(1), '\ufffd', '\u0100', '\0'].map(
        one => one + 'x'.repeat(length - 1),
      )
      expect(new Set(texts.map(bytesOf)).size).toBe(texts.length)
      expect(texts.map(bytesOf)).toEqual(texts.map(bytesOf))
    }
  })

  it('are equal for what is equal to a program: zeros, and whatever is not a number', () => {
    expect([bytesOf(-0), bytesOf(Number.NaN)]).toEqual([bytesOf(0), bytesOf(0 * Number.POSITIVE_INFINITY)])
    expect(bytesOf(0)).not.toBe(bytesOf(Number.NaN))
  })

  it('do not depend on the order of fields', () => {
    expect(bytesOf({ a: 1, b: { c: 2, d: 3 } })).toBe(bytesOf({ b: { d: 3, c: 2 }, a: 1 }))
  })

  it('are not made of what nobody can compare', () => {
    for (const one of [new Secret('a'), () => 1, Symbol('a'), [new Secret('a')]]) expect(() => bytesOf(one)).toThrow(Incomparable)
  })

  it('have the text that a class makes of itself', () => {
    const named = (text: string) => ({ toJSON: () => text })
    expect(bytesOf(new URL('http://a/'))).not.toBe(bytesOf(new URL('http://b/')))
    expect(bytesOf(Object.assign(new Point(1), named('a')))).not.toBe(bytesOf(Object.assign(new Point(1), named('b'))))
  })
})
