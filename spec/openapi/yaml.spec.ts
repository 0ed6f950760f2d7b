import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { toYaml } from '../../src/openapi/document/yaml.js'
import { cases, PATIENCE, seed } from '../properties/seed.js'

/**
 * Texts that are something else to a reader of YAML, or would end what they stand in, in some place
 * or other.
 */
const PITFALLS = [
  ...[
    '',
    ' ',
    'a ',
    ' a',
    '- a',
    '-',
    '? a',
    '?',
    ': a',
    'a:',
    'a: b',
    'a:b',
    'a #b',
    'a#b',
    '#a',
    '&a',
    '*a',
    '!a',
    '|',
    '>',
    '%a',
    '@a',
    '`a',
  ],
  ...[
    'null',
    'Null',
    '~',
    'true',
    'TRUE',
    'yes',
    'No',
    'on',
    'OFF',
    'y',
    'N',
    '<<',
    '=',
    '---',
    '...',
    '--- a',
    '{',
    '}',
    '[a]',
    ',',
    '"',
    "'",
  ],
  ...[
    '1',
    '-1',
    '1.5',
    '1e3',
    '0x1F',
    '0o17',
    '017',
    '1_000',
    '12:30:45',
    '.inf',
    '-.inf',
    '.nan',
    '3.1.0',
    '1.2.3.4',
    '01.02.03',
    '1.2.',
    '2026-11-21',
    '2026-11-21T00:00:00Z',
  ],
  ...[
    'a\nb',
    'a\n',
    'a\n\n',
    'a\nb\n',
    'a\nb\n\n',
    '\na',
    ' a\nb',
    'a\n b\n\n  c',
    'a\n \nb',
    'a\r\nb',
    'a\tb',
    '\ta\nb',
    'a\n\tb',
    'a\n---\nb',
  ],
  ...[
    'é',
    '\u0000',
    '\u0007',
    '\u007f',
    '\u0085',
    '\u00a0',
    '\u2028',
    '\u2029',
    '\ufeff',
    '\ufffe',
    '\ud800',
    '🐈\nb',
    'a\\nb',
    '\\',
    '\u0085\nb',
  ],
  ...[
    '#/components/schemas/Pet',
    '/pets/{petId}',
    '$ref',
    'https://shop.example/',
    'application/json; charset=utf-8',
    '200',
    '__proto__',
  ],
]
const text = fc.oneof(
  fc.constantFrom(...PITFALLS),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('a', ' ', '\n', ':', '#', '-', '"', "'", '0', '\t') }),
)
const { json } = fc.letrec(tie => ({
  json: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(number => number + 0),
    fc.integer(),
    fc.constantFrom(true, false, null),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(text, tie('json'), { maxKeys: 4 }),
  ),
}))

describe.each(['1.1', '1.2'] as const)(
  'YAML is what it was made of, to a reader of YAML %s',
  version => {
    const read = (yaml: string): unknown =>
      parse(yaml, { version, uniqueKeys: true, merge: version === '1.1' })

    it.each(PITFALLS)('for the text %j, wherever it stands', text => {
      const values = [
        text,
        [text],
        [[text]],
        { [text]: text },
        { a: [{ [text]: [text], b: text }, text] },
      ]
      for (const value of values) expect(read(toYaml(value))).toEqual(value)
    })

    it(`whatever that is (seed ${seed})`, { timeout: PATIENCE }, () => {
      fc.assert(
        fc.property(json, value => {
          expect(read(toYaml(value))).toEqual(JSON.parse(JSON.stringify(value)))
        }),
        { seed, numRuns: cases(1000) },
      )
    })
  },
)

describe('YAML', () => {
  it('is written as people write it', () => {
    const document = {
      openapi: '3.1.0',
      info: { title: 'Pets', version: '1', description: 'All pets.\n\nAnd their owners.\n' },
      tags: [],
      paths: {
        '/pets/{id}': {
          get: { responses: { 200: { $ref: '#/components/responses/Pet' } }, tags: ['Pets', 'no'] },
        },
      },
      servers: [{ url: 'https://shop.example/', variables: {} }],
    }
    expect(toYaml(document)).toBe(`openapi: 3.1.0
info:
  title: Pets
  version: "1"
  description: |
    All pets.

    And their owners.
tags: []
paths:
  /pets/{id}:
    get:
      responses:
        "200":
          $ref: "#/components/responses/Pet"
      tags:
        - Pets
        - "no"
servers:
  - url: https://shop.example/
    variables: {}
`)
  })

  it('has what JSON has: nothing of what is undefined, and the JSON of what makes one', () => {
    const value = {
      a: undefined,
      b: [undefined, Number.NaN],
      c: new Date(0),
      d: -0,
      e: 1e21,
      f: () => 1,
    }
    expect(parse(toYaml(value))).toEqual(JSON.parse(JSON.stringify(value)))
    expect(parse(toYaml(value), { version: '1.1' })).toEqual(JSON.parse(JSON.stringify(value)))
  })
})
