import * as fc from 'fast-check'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf, Invalid } from '../../src/codec/decode/decode.js'
import { minimum } from '../../src/codec/define/bounds.js'
import { isoDate } from '../../src/codec/define/scalar/dates.js'
import { int } from '../../src/codec/define/scalar/scalars.js'
import { struct } from '../../src/codec/define/struct.js'
import { EncodeError, writerOf } from '../../src/codec/encode/encode.js'
import { faultsOf } from '../../src/codec/encode/faults.js'
import { optional, wireName, withDefault, writeOnly } from '../../src/codec/shape/object-shape.js'
import type { Shape } from '../../src/codec/shape/shape.js'
import { shapeOf } from '../../src/codec/shape/shape-of.js'
import { someInside } from '../../src/codec/traits/parts.js'
import { cases, seed } from '../properties/seed.js'
import { codecs, fittingInputs } from './arbitrary.js'

const numRuns = cases(500)

describe('a fault of a codec', () => {
  it('is a default that does not fit its field, with its place', () => {
    const Size = t.type({ width: withDefault(minimum(int, 1), 0) })
    expect(faultsOf(t.type({ sizes: t.array(Size) }), 'input')).toEqual([
      'the default of sizes[].width does not fit its codec, which expects a whole number (Must be at least 1.)',
    ])
    const merged = t.intersection([
      struct({ count: withDefault(int, 1) }),
      t.type({ count: minimum(int, 5) }),
    ])
    expect(faultsOf(merged, 'output')).toEqual([
      expect.stringContaining('the default of count does not fit'),
    ])
    expect(faultsOf(struct({ secret: writeOnly(withDefault(int, 0.5)) }), 'input')).toHaveLength(1)
  })

  it('is one name on the wire for two fields', () => {
    expect(
      faultsOf(struct({ a: wireName('x', int), b: optional(wireName('x', int)), c: int }), 'input'),
    ).toEqual([
      'the field a and another one are both called "x" on the wire: give one of them another wireName',
      'the field b and another one are both called "x" on the wire: give one of them another wireName',
    ])
    expect(faultsOf(struct({ a: wireName('b', int), b: wireName('a', int) }), 'input')).toEqual([])
  })

  it('is told each time, of a codec and of those that contain it, whatever in it is without fault', () => {
    const Sound = struct({ name: wireName('n', t.string) })
    const Wrong = struct({ sound: Sound, count: withDefault(int, 0.5) })
    expect(faultsOf(Sound, 'output')).toEqual([])
    const fault = (place: string) => [
      expect.stringContaining(`the default of ${place} does not fit`),
    ]
    expect(faultsOf(Wrong, 'output')).toEqual(fault('count'))
    expect(faultsOf(Wrong, 'output')).toEqual(fault('count'))
    expect(faultsOf(struct({ first: Sound, wrong: t.array(Wrong) }), 'output')).toEqual(
      fault('wrong[].count'),
    )
  })

  it('belongs to a direction: a union that loses fields coming in may be sound going out', () => {
    const Union = t.union([t.type({ a: int }), t.type({ a: int, b: int })])
    expect(faultsOf(Union, 'output')).toEqual([])
    expect(faultsOf(Union, 'input', 'raise')).toEqual([])
    expect(faultsOf(Union, 'input', 'exclude')).toHaveLength(1)
    expect(faultsOf(t.array(Union), 'input', 'exclude')).toHaveLength(1)
  })

  it('is none of a default that fits, is null, undefined or made anew', () => {
    const right = struct({
      a: withDefault(int, 1),
      b: withDefault(t.union([int, t.null]), null),
      c: withDefault(isoDate.asDate, new Date(0)),
      d: withDefault(int, () => 0.5),
      e: withDefault(t.union([int, t.undefined]), undefined),
      f: withDefault(t.array(int), () => []),
    })
    expect(faultsOf(right, 'input')).toEqual([])
    expect(faultsOf(right, 'output')).toEqual([])
  })
})

describe(`a union without faults (seed ${seed})`, () => {
  it('lets nothing out that the member does not declare whose value it is', {
    timeout: 600_000,
  }, () => {
    const closed = codecs({ depth: 2 }).filter(codec => !someInside(shapeOf(codec), isOpen))
    const cases = fc
      .tuple(closed, codecs({ depth: 2 }), fc.boolean())
      .chain(([codec, other, first]) =>
        fc.tuple(
          fc.constant(codec),
          fc.constant(unionOf(codec, other, first)),
          fittingInputs(codec),
        ),
      )
    let sent = 0
    const holds = ([codec, union, input]: readonly [t.Mixed, t.Mixed | undefined, unknown]) => {
      const value = decoderOf(codec, { unknown: 'exclude', whole: true })(input)
      if (value instanceof Invalid || !union || faultsOf(union, 'output').length > 0) return
      const text = textOf(union, withCanary(value))
      if (text === undefined) return
      sent += 1
      expect(text).not.toContain('canary')
    }
    void fc.assert(fc.property(cases, holds), { seed, numRuns })
    expect(sent).toBeGreaterThan(numRuns / 10)
  })
})

/** Whether a shape itself lets out fields that it does not name. */
function isOpen(shape: Shape): boolean {
  return (
    shape.kind === 'unknown' ||
    shape.kind === 'record' ||
    (shape.kind === 'object' && shape.rest !== undefined)
  )
}

function unionOf(codec: t.Mixed, other: t.Mixed, first: boolean): t.Mixed | undefined {
  try {
    return first ? t.union([codec, other]) : t.union([other, codec])
  } catch {
    // io-ts cannot build a union with a tag of objects with fields of inherited names
    return undefined
  }
}

function textOf(codec: t.Mixed, value: unknown): string | undefined {
  try {
    return writerOf(codec)(value)
  } catch (error) {
    if (error instanceof EncodeError) return undefined
    throw error
  }
}

/** The value with a field in each of its objects that nobody declares. */
function withCanary(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withCanary)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(
    [...Object.entries(value), ['undeclared', 'canary']].map(([key, inner]) => [
      key,
      withCanary(inner),
    ]),
  )
}
