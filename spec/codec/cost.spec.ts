import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf } from '../../src/codec/decode/decode.js'
import { message, refine } from '../../src/codec/define/refine.js'
import { parseJson } from '../../src/http/body/body.js'
import { millisecondsFor } from '../http/timing.js'

// In `npm run prove` the largest body by default, and the multiples that SECURITY.md states, with a
// slack of two. Here a smaller one, and only what is out of all proportion.
const isLarge = process.env.PROPERTY_RUNS !== undefined
const SIZE = (isLarge ? 1024 : 48) * 1024
const ROOM = isLarge ? 5 : 40

const A = t.strict({ a: t.number })
const strict = (index: number) => t.strict({ [`f${index}`]: t.number })
const partial = (index: number) => t.exact(t.partial({ [`f${index}`]: t.number }))
const unionOf = (make: (index: number) => t.Mixed) =>
  t.union([make(0), make(1), ...Array.from({ length: 8 }, (_, index) => make(index + 2))])
const Kinds = t.union([
  t.strict({ kind: t.literal('a'), a: t.number }),
  t.strict({ kind: t.literal('b'), b: t.number }),
])
const Json = t.recursion(
  'Json',
  (self: t.Mixed): t.Mixed => t.union([t.number, t.array(self), t.record(t.string, self)]),
)
const Tree = t.recursion(
  'Tree',
  (self: t.Mixed): t.Mixed => t.union([t.strict({ l: self, r: self }), t.strict({ l: self }), A]),
)

/** Codecs by how many times `JSON.parse` of the same text they may take. */
const CODECS: Readonly<Record<string, readonly [t.Mixed, number]>> = {
  numbers: [t.array(t.number), 4],
  texts: [t.array(t.string), 4],
  objects: [t.array(A), 4],
  'objects with a check': [t.array(refine(A, () => undefined)), 4],
  'objects with a message': [t.array(message(A, 'An A.')), 4],
  'open objects': [t.array(t.type({})), 4],
  'a tuple': [t.tuple([t.number, t.number]), 4],
  'nested lists': [t.array(t.array(t.array(t.number))), 4],
  'one object': [A, 4],
  'a dictionary': [t.record(t.string, t.number), 4],
  'a dictionary of lists': [t.record(t.string, t.array(t.number)), 4],
  anything: [t.unknown, 4],
  'an intersection': [t.array(t.intersection([A, t.partial({ b: t.string })])), 4],
  'a union with a discriminator': [t.array(Kinds), 4],
  'a union of ten': [t.array(unionOf(strict)), 10],
  'a union of ten with optional fields': [t.array(unionOf(partial)), 10],
  'a union of ten at the top': [unionOf(partial), 10],
  'a union of lists': [
    t.union([t.array(t.string), t.array(t.type({ a: t.number })), t.array(A)]),
    4,
  ],
  'a recursion over a union': [Json, 25],
  'a recursion over a union of objects': [Tree, 25],
}

const ITEMS = [
  '1',
  '"x"',
  'null',
  '{}',
  '[]',
  '[[]]',
  '{"a":1}',
  '{"f9":1}',
  '{"kind":"b","b":1}',
  '{"l":{"a":1},"r":{"a":1}}',
  `${'{"l":'.repeat(40)}{"a":1}${'}'.repeat(40)}`,
  `${'['.repeat(40)}1${']'.repeat(40)}`,
]

function repeated(item: (index: number) => string): string[] {
  const texts: string[] = []
  for (let size = 0; size < SIZE; size += (texts.at(-1) as string).length + 1)
    texts.push(item(texts.length))
  return texts
}

const BODIES: Readonly<Record<string, string>> = Object.fromEntries([
  ...ITEMS.flatMap(item => {
    const list = repeated(() => item)
    return [
      [`[${item},…]`, `[${list}]`],
      [`[${item},…,true]`, `[${list},true]`],
      [`[${item},…,{}]`, `[${list},{}]`],
    ]
  }),
  ['names', `{${repeated(index => `"k${index}":1`)}}`],
  ['names, the last value bad', `{${repeated(index => `"k${index}":1`)},"z":true}`],
  ['names of lists', `{${repeated(index => `"k${index}":[]`)}}`],
  ['a list of one object with many names', `[{${repeated(index => `"k${index}":1`)}}]`],
  ['objects with a name each', `[${repeated(index => `{"k${index}":1}`)}]`],
])

describe('decoding a body', () => {
  it.each(Object.entries(CODECS))(
    'takes at most so many times what JSON.parse takes, accepted or refused: %s',
    (_name, [codec, times]) => {
      const decode = decoderOf(codec)
      const slow: Record<string, number> = {}
      for (const [name, text] of Object.entries(BODIES)) {
        const value: unknown = JSON.parse(text)
        const limit = () => 2 * times * millisecondsFor(() => JSON.parse(text)) + ROOM
        const start = process.cpuUsage()
        decode(value)
        const { user, system } = process.cpuUsage(start)
        // what else the machine does, and the compiler of V8, are left out
        if ((user + system) / 1000 < ROOM) continue
        const cost = millisecondsFor(() => decode(value))
        if (cost > limit()) slow[name] = cost / limit()
      }
      expect(slow).toEqual({})
    },
  )

  it('asks for the names of an object once, however many members of a union do not know them', () => {
    let listed = 0
    const names = Array.from({ length: 200 }, (_, index) => [`k${index}`, 1])
    const value = new Proxy(Object.fromEntries(names), {
      ownKeys(target) {
        listed += 1
        return Reflect.ownKeys(target)
      },
    })
    decoderOf(unionOf(partial))(value)
    // the compiled decoder, and the interpreter that says what is wrong
    expect(listed).toBe(2)
  })

  it('decodes a member of a union only if the value has its type and its required fields', () => {
    let decoded = 0
    const counted = t.refinement(t.array(t.number), () => {
      decoded += 1
      return true
    })
    const codec = t.recursion(
      'Counted',
      (self: t.Mixed): t.Mixed =>
        t.union([
          t.type({ items: counted, missing: t.string }),
          t.type({ items: counted, next: self }),
          t.type({ items: t.array(t.number), end: t.string }),
        ]),
    )
    decoderOf(codec, { unknown: 'exclude' })({ items: [], end: 'x' })
    expect(decoded).toBe(0)
  })
})

describe('checking the depth of a body', () => {
  it.each([
    ['open brackets', '['.repeat(SIZE)],
    ['lists in lists', '['.repeat(SIZE / 2) + ']'.repeat(SIZE / 2)],
    ['objects in objects', `${'{"a":'.repeat(SIZE / 6)}1${'}'.repeat(SIZE / 6)}`],
    ['empty lists', `[${repeated(() => '[]')}]`],
  ])('takes at most three times what JSON.parse takes: %s', (_name, text) => {
    const parse = millisecondsFor(() => {
      try {
        JSON.parse(text)
      } catch {}
    })
    expect(millisecondsFor(() => parseJson(text, 64))).toBeLessThan(3 * parse + ROOM)
  })
})
