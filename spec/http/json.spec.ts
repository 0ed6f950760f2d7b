import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkJson, parseJson } from '../../src/http/body/body.js'
import { Refusal } from '../../src/http/failure.js'
import { cases, seed } from '../properties/seed.js'

const numRuns = cases(1000)
const DEPTH = 5

/** Texts that are, hold or look like the name that is not allowed. */
const texts = fc.oneof(
  fc.constantFrom(
    '__proto__',
    '"__proto__"',
    '__proto__":',
    'a"__proto__',
    '\\',
    '\\"',
    '__PROTO__',
    '{"__proto__":1}',
    '[[[[[[',
    '"',
    '',
  ),
  fc.string({ unit: fc.constantFrom('_', 'p', '"', '\\', ':', '[', '{', ' ') }),
)
const names = fc.oneof(fc.constant('__proto__'), texts)
const values = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: DEPTH + 1 },
    texts,
    fc.integer(),
    fc.constant(null),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 3 }),
  object: fc
    .array(fc.tuple(names, tie('value')), { maxLength: 3 })
    .map(entries => Object.fromEntries(entries)),
})).value

/** Writes JSON with some letters escaped and white space where it may be. */
function spell(value: unknown, decide: () => boolean): string {
  const text = JSON.stringify(value, null, decide() ? 1 : 0)
  return text.replace(/[_a-zA-Z](?=[^"\\]*")/g, (letter, at: number) =>
    text[at - 1] !== '\\' && !isLiteral(text, at) && decide() ? escaped(letter) : letter,
  )
}

/** Whether a letter is of `null`, `true` or `false`: not in a string. */
function isLiteral(text: string, at: number): boolean {
  let inString = false
  for (let index = 0; index < at; index++) {
    if (text[index] === '\\') index += 1
    else if (text[index] === '"') inString = !inString
  }
  return !inString
}

const escaped = (letter: string) => `\\u00${letter.charCodeAt(0).toString(16)}`

describe(`parseJson (seed ${seed})`, () => {
  it('refuses by the text what a walk through the value would refuse, and nothing else', () => {
    let refused = 0
    const agrees = (value: unknown, choices: readonly boolean[]) => {
      let next = 0
      const text = spell(value, () => choices[next++ % choices.length] ?? false)
      const expected = checkJson(JSON.parse(text), DEPTH)
      const parsed = parseJson(text, DEPTH)
      if (expected instanceof Refusal) refused += 1
      expect(parsed instanceof Refusal, text).toBe(expected instanceof Refusal)
      if (!(parsed instanceof Refusal)) expect(parsed).toEqual(JSON.parse(text))
    }
    void fc.assert(
      fc.property(values, fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), agrees),
      { seed, numRuns },
    )
    expect(refused).toBeGreaterThan(numRuns / 50)
  })

  it.each([
    '{"a\\"__proto__":1}',
    '["__proto__",":"]',
    '{"a":"\\"__proto__\\":"}',
    '{"__PROTO__":1}',
    '{"a\\\\":"__proto__"}',
  ])('takes %s', text => {
    expect(parseJson(text, DEPTH)).toEqual(JSON.parse(text))
  })

  it.each([
    '{"__proto__":1}',
    '{"__proto__" \n:1}',
    '[{"a":{"\\u005f\\u005Fprot\\u006f_\\u005f":null}}]',
  ])('T01, T02: refuses %s', text => {
    expect(parseJson(text, DEPTH)).toBeInstanceOf(Refusal)
  })
})
