import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf } from '../../../src/codec/decode/decode.js'
import { list, nullable } from '../../../src/codec/define/list.js'
import { isoDateTime } from '../../../src/codec/define/scalar/dates.js'
import { int } from '../../../src/codec/define/scalar/scalars.js'
import { struct } from '../../../src/codec/define/struct.js'
import { writerOf } from '../../../src/codec/encode/encode.js'
import {
  optional,
  readOnly,
  wireName,
  withDefault,
  writeOnly,
} from '../../../src/codec/shape/object-shape.js'
import { expectSameDecoding, expectSameText } from './same.js'

const A = t.type({ kind: t.literal('a'), a: int })
const B = t.type({ kind: t.literal('b'), b: int })
const Tree: t.Mixed = t.recursion(
  'Tree',
  (self: t.Mixed): t.Mixed => t.strict({ left: nullable(self), right: t.union([self, t.null]) }),
)
const Marked = struct({
  first: optional(int),
  id: readOnly(int),
  secret: writeOnly(t.string),
  size: withDefault(int, 1),
  token: wireName('X', t.string),
})

const inherits = Object.assign(
  Object.create(Object.assign(Object.create(null), { extra: 1, a: 1 })),
  { kind: 'a' },
)
const tree = { left: { left: null, right: null }, right: null }
const long = 'a long text of plain letters and then '

/** A foreign codec that takes what is absent, which in a list it must not be asked about. */
const Maybe: t.Mixed = new t.Type<unknown>(
  'Maybe',
  (_value): _value is unknown => true,
  t.success,
  value => value ?? null,
)

const CASES: readonly (readonly [t.Mixed, ...unknown[]])[] = [
  [t.number, Number.NaN, Number.POSITIVE_INFINITY, -0, 1e21, 5e-324, 0.1],
  [int, -0, 1.5, 2 ** 53, '-0'],
  [
    t.string,
    '',
    '"',
    '\\',
    '\n',
    '\u007f',
    '\u2028',
    '💩',
    '\ud83d',
    `${long}"`,
    `${long}\\`,
    `${long}\u0007`,
    `${long}💩`,
    `${long}\udca9`,
    long,
  ],
  [
    t.union([A, B]),
    { kind: 'a', a: 1 },
    { kind: 'b', b: 1 },
    { kind: 'b', a: 1, b: 2 },
    { kind: 'c' },
    { kind: 'a', b: 1 },
    inherits,
    null,
  ],
  [
    A,
    { kind: 'a', a: 1, extra: 1 },
    { kind: 'a', a: undefined },
    { kind: 'a', a: 1, b: undefined },
    inherits,
    ['a'],
    Object.assign([], { kind: 'a', a: 1 }),
  ],
  [
    t.record(t.string, int),
    JSON.parse('{"b":1,"1":2,"__proto__":3}'),
    new Map(),
    { a: undefined },
    inherits,
  ],
  [t.type({ b: int, 2: int, 1: int }), { 1: 1, 2: 2, b: 3 }],
  [
    nullable(isoDateTime.asDate),
    null,
    new Date(0),
    new Date(Number.NaN),
    new Date(1e15),
    '2020-01-01T00:00:00Z',
  ],
  [t.union([t.strict({ a: int }), t.strict({ a: int, b: int })]), { a: 1, b: 2 }, { a: 1 }],
  [t.tuple([int, t.unknown]), [1, 2], [1], [1, 2, 3], [1, undefined]],
  [t.array(t.unknown), new Array(2), [undefined], [{ toJSON: () => 'json' }]],
  [t.array(Maybe), [1, undefined], [undefined], [null]],
  [
    t.type({ a: Maybe, b: t.tuple([Maybe]) }),
    { a: undefined, b: [1] },
    { a: 1, b: [undefined] },
    { a: 1, b: [1] },
  ],
  [list(int), [1, 2], '1,2', '', '1,', ['1']],
  [
    Marked,
    { size: 2, X: 'x', secret: 'y' },
    { id: 1, token: 'x' },
    { id: 1, X: 'x' },
    { first: undefined, id: 1, size: 1, token: 'x', secret: 's' },
  ],
  [
    t.partial({ a: int, b: t.string }),
    {},
    { a: 1 },
    { b: 'b' },
    { a: 1, b: 'b' },
    { b: undefined },
  ],
  [t.record(t.keyof({ a: null, b: null }), int), { a: 1, b: 2 }, { a: 1, b: 2, c: 3 }],
  [
    t.intersection([t.type({ a: int }), t.record(t.string, int)]),
    { a: 1, c: 2, 0: 3 },
    { a: 1, c: 'c' },
  ],
  [
    t.intersection([struct({ a: wireName('b', int) }), t.partial({ c: int })]),
    { b: 1, a: 2 },
    { b: 1, c: 2 },
  ],
  [
    t.brand(
      t.string,
      (text): text is t.Branded<string, { readonly Word: symbol }> => text.length > 1,
      'Word',
    ),
    'a',
    'ab',
  ],
  [Tree, tree, { left: tree, right: tree }, { left: tree }],
]

describe('what a compiler gets wrong', () => {
  it('is what the interpreter returns all the same', () => {
    for (const [codec, ...values] of CASES) {
      expectSameDecoding({ codec, values })
      expectSameText({ codec, values })
    }
  })

  it('a codec that makes a new one each time it is looked into is interpreted, and so ends', () => {
    const endless = (): t.Mixed =>
      t.recursion('Endless', () => t.strict({ next: t.array(endless()) }))
    const value = { next: [{ next: [{ next: [] }] }] }
    expect(decoderOf(endless())(value)).toEqual(value)
    expect(writerOf(endless())(value)).toBe(JSON.stringify(value))
  })
})
