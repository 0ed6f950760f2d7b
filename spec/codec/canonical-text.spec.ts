import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalText, Incomparable } from '../../src/codec/runtime/canonical-text.js'
import { cases, seed } from '../properties/seed.js'

const textOf = (value: unknown) => canonicalText(value, [])

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
    fc.constantFrom<unknown>(
      null,
      undefined,
      true,
      0,
      1,
      '',
      '1',
      ',',
      '1:1',
      'null',
      1n,
      new Date(0),
      new Date(1),
      new Uint8Array([1]),
    ),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'a=1:1', '{'), tie('any'), { maxKeys: 3 }),
    fc.array(tie('any'), { maxLength: 2 }).map(items => new Set(items)),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b'), tie('any')), { maxLength: 2 })
      .map(entries => new Map(entries)),
    tie('any').map(x => new Point(x)),
  ),
})).any

/**
 * An absent field is the same as one without a value, to a codec; the order of a set or map counts,
 * as it does in a list.
 */
function comparable(one: unknown): unknown {
  if (Array.isArray(one)) return one.map(comparable)
  if (one instanceof Set || one instanceof Map)
    return [one.constructor.name, [...one].map(comparable)]
  if (one instanceof Point) return ['Point', comparable(one.x)]
  if (typeof one !== 'object' || one === null || one instanceof Date || ArrayBuffer.isView(one))
    return one
  const fields = Object.entries(one).flatMap(([name, field]) =>
    field === undefined ? [] : [[name, comparable(field)] as const],
  )
  return { fields: Object.fromEntries(fields) }
}

describe(`the canonical text of a value (seed ${seed})`, () => {
  it('is equal for two values if and only if they are equal', () => {
    fc.assert(
      fc.property(value, value, (one, other) => {
        expect(textOf(one) === textOf(other)).toBe(
          isDeepStrictEqual(comparable(one), comparable(other)),
        )
      }),
      { seed, numRuns: cases(4000) },
    )
  })

  it('differs for texts that differ in one character, whatever their length, lone surrogates included', () => {
    for (const length of [1, 128, 129, 20_000]) {
      const texts = [
        'a',
        'ä',
        '\u{1f600}'.slice(0, 1),
        '\u{1f600}'.slice(1),
        '\ufffd',
        '\u0100',
        '\0',
      ].map(one => one + 'x'.repeat(length - 1))
      expect(new Set(texts.map(textOf)).size).toBe(texts.length)
      expect(texts.map(textOf)).toEqual(texts.map(textOf))
    }
  })

  it('is equal for 0 and -0, and for NaN, but not for 0 and NaN', () => {
    expect([textOf(-0), textOf(Number.NaN)]).toEqual([
      textOf(0),
      textOf(0 * Number.POSITIVE_INFINITY),
    ])
    expect(textOf(0)).not.toBe(textOf(Number.NaN))
  })

  it('does not depend on the order of fields', () => {
    expect(textOf({ a: 1, b: { c: 2, d: 3 } })).toBe(textOf({ b: { d: 3, c: 2 }, a: 1 }))
  })

  it('is refused for values that cannot be compared', () => {
    for (const one of [new Secret('a'), () => 1, Symbol('a'), [new Secret('a')]])
      expect(() => textOf(one)).toThrow(Incomparable)
  })

  it('contains the text that an instance of a class writes itself', () => {
    const named = (text: string) => ({ toJSON: () => text })
    expect(textOf(new URL('http://a/'))).not.toBe(textOf(new URL('http://b/')))
    expect(textOf(Object.assign(new Point(1), named('a')))).not.toBe(
      textOf(Object.assign(new Point(1), named('b'))),
    )
  })
})
