import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { type Decoder, decoderOf, Invalid } from '../../src/codec/decode/decode.js'
import { decoderInTurns } from '../../src/codec/decode/turns.js'
import { message } from '../../src/codec/define/message.js'
import { refine } from '../../src/codec/define/refine.js'
import { cpuTime } from '../support/cpu-time.js'

const MIB = 1024 * 1024
/** A list of so many copies of a JSON value as 1 MiB has room for, of which the last may be another. */
function listOf(item: string, last = item): unknown {
  const items = Array<string>(Math.floor(MIB / (item.length + 1))).fill(item)
  return JSON.parse(`[${[...items.slice(1), last].join(',')}]`)
}

function dictionary(last = '1'): unknown {
  return JSON.parse(
    `{${Array.from({ length: MIB / 10 }, (_, index) => `"k${index}":1`).join(',')},"last":${last}}`,
  )
}

const Fields = t.strict({ a: t.number })
const Checked = refine(t.strict({ a: message(t.number, 'A number.') }), ({ a }) =>
  a < 10 ? undefined : { a: ['Too large.'] },
)
const [First, Second, ...Others] = Array.from({ length: 10 }, (_, index) =>
  t.strict({ [`f${index}`]: t.number }),
)
const TenMembers = t.union([First as t.Mixed, Second as t.Mixed, ...Others])
const Tree: t.Mixed = t.recursion('Tree', (self: t.Mixed) =>
  t.union([t.strict({ l: self, r: self }), t.strict({ l: self }), Fields]),
)
const tree = (levels: number): unknown =>
  levels === 0 ? { a: 1 } : { l: tree(levels - 1), r: tree(levels - 1) }

const LONG: Readonly<Record<string, readonly [t.Mixed, unknown]>> = {
  'a list of objects': [t.array(Fields), listOf('{"a":1}')],
  'a list whose last object is bad': [t.array(Fields), listOf('{"a":1}', '{}')],
  'a list of empty objects': [t.array(t.strict({})), listOf('{}')],
  'nested lists': [t.array(t.array(t.array(t.number))), listOf('[[]]', '1')],
  'a list of checked objects': [t.array(Checked), listOf('{"a":1}', '{"a":11}')],
  'a union of ten members': [t.array(TenMembers), listOf('{"f9":1}', '{"f9":"1"}')],
  'a union around a long list': [
    t.union([t.array(t.string), t.array(Checked), t.array(Fields)]),
    listOf('{"a":11}'),
  ],
  'a recursion': [Tree, tree(14)],
  'a dictionary': [t.record(t.string, t.number), dictionary()],
  'a dictionary whose last entry is bad': [t.record(t.string, t.number), dictionary('"x"')],
  'any object': [t.UnknownRecord, dictionary()],
  anything: [t.unknown, listOf('[[{}]]')],
}

describe('a long value', () => {
  it.each(Object.entries(LONG))(
    'is decoded in turns of the event loop: %s',
    { retry: 3 },
    async (_name, [codec, value]) => {
      const decode = decoderInTurns(codec)
      await decode(value)
      // the better of two, as other specs run beside it; undivided it takes hundreds
      const [first, second] = [await longestTurn(decode, value), await longestTurn(decode, value)]
      // V8 lists 100,000 names at once, which takes 20 ms, or more than 50 on a machine that is busy with something else
      const listing = timeOf(input => Object.keys(input as object), value)
      expect(Math.min(first.longest, second.longest)).toBeLessThan(Math.max(50, 2 * listing))
      expect(first.decoded).toEqual(decoderOf(codec)(value))
    },
  )

  it('is decoded once where it is bad at its end', { retry: 3 }, () => {
    const decode = decoderOf(t.array(TenMembers))
    const [good, bad] = [listOf('{"f9":1}'), listOf('{"f9":1}', '{"f9":"1"}')]
    timeOf(decode, bad)
    expect(timeOf(decode, bad)).toBeLessThan(4 * timeOf(decode, good) + 10)
    expect((decode(bad) as Invalid).errors).toEqual({
      [(bad as unknown[]).length - 1]: { f9: ['Not a number.'] },
    })
  })

  it('reports what a codec throws', async () => {
    const Broken = refine(t.array(Fields), () => {
      throw new Error('broken')
    })
    await expect(Promise.resolve(listOf('{"a":1}')).then(decoderInTurns(Broken))).rejects.toThrow(
      'broken',
    )
  })

  it('does not mix with another one that is decoded meanwhile', async () => {
    const decode = decoderInTurns(Tree, {}, { long: 3, deep: 2, parts: 1, time: 0 })
    const values = [tree(6), { l: tree(5) }, { l: { a: 'x' } }]
    expect(await Promise.all(values.map(decode))).toEqual(values.map(decoderOf(Tree)))
  })
})

describe('what is wrong with a value', () => {
  it('is collected until there is more than is shown, at any depth', () => {
    const decode = decoderOf(t.array(t.array(t.array(t.number))))
    const { errors } = decode(Array(60).fill(Array(60).fill(Array(60).fill('x')))) as Invalid
    expect(JSON.stringify(errors).match(/Not a number/g)).toHaveLength(51)
  })
})

describe('unions inside of unions', () => {
  const nested = (levels: number): t.Mixed => {
    if (levels === 0) return t.strict({ x: t.string })
    const inner = nested(levels - 1)
    return t.union(
      [t.strict({ n: inner, a: t.number }, 'A'), t.strict({ n: inner, b: t.number }, 'B')],
      'Nested',
    )
  }
  const valueFor = (levels: number, x: unknown): unknown =>
    levels === 0 ? { x } : { n: valueFor(levels - 1, x), b: 1 }

  it('are decoded once a level, as each of their members would look into the next', () => {
    for (const wrap of [
      (codec: t.Mixed) => codec,
      (codec: t.Mixed) => refine(codec, () => undefined),
      (codec: t.Mixed) => message(codec, 'No.'),
    ]) {
      const decode = decoderOf(wrap(nested(40)))
      expect(timeOf(decode, valueFor(40, 'x'))).toBeLessThan(500)
      expect(decode(valueFor(40, 'x'))).toEqual(valueFor(40, 'x'))
      expect(decode(valueFor(40, 1))).toBeInstanceOf(Invalid)
    }
  })
})

function timeOf(decode: Decoder, value: unknown): number {
  const start = cpuTime()
  decode(value)
  return cpuTime() - start
}

/** In ms of CPU time. */
async function longestTurn(
  decode: Decoder,
  value: unknown,
): Promise<{ longest: number; decoded: unknown }> {
  let isDone = false
  let longest = 0
  let start = [cpuTime(), performance.now()] as const
  // garbage is collected by other threads as well, and other processes take time too
  const finish = () => {
    longest = Math.max(longest, Math.min(cpuTime() - start[0], performance.now() - start[1]))
  }
  const decoding = Promise.resolve(decode(value)).finally(() => {
    isDone = true
  })
  while (!isDone) {
    finish()
    start = [cpuTime(), performance.now()]
    await new Promise(setImmediate)
  }
  finish()
  return { longest, decoded: await decoding }
}
