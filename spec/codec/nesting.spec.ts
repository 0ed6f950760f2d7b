import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf, Invalid } from '../../src/codec/decode/decode.js'
import { EncodeError, encoderOf, writerOf } from '../../src/codec/encode/encode.js'
import { cpuTime } from '../support/cpu-time.js'

const Chain = t.recursion(
  'Chain',
  (self: t.Mixed): t.Mixed => t.partial({ next: self, end: t.string }),
)

function chain(levels: number): unknown {
  let value: unknown = { end: 'x' }
  for (let level = 1; level < levels; level++) value = { next: value }
  return value
}

/** A union at each level of which two members want to look into the rest. */
const Fork = t.recursion(
  'Fork',
  (self: t.Mixed): t.Mixed =>
    t.union([
      t.type({ next: self, a: t.string }),
      t.type({ next: self, b: t.string }),
      t.type({ end: t.string }),
    ]),
)

function fork(levels: number, end: unknown): unknown {
  let value: unknown = { end }
  for (let level = 1; level < levels; level++) value = { next: value, b: 'b' }
  return value
}

describe('T17: recursions', () => {
  it('are as deep as a request can be, and much deeper ones are refused', () => {
    const decode = decoderOf(Chain)
    for (const levels of [1, 64, 65, 500]) expect(decode(chain(levels))).toEqual(chain(levels))
    for (const levels of [501, 3_000, 100_000])
      expect(JSON.stringify((decode(chain(levels)) as Invalid).errors)).toContain(
        'Nested more than 500 levels deep.',
      )
    expect(decode(chain(64))).toEqual(chain(64))
  })

  it('go out 500 levels deep, and deeper ones are an EncodeError', () => {
    expect(JSON.parse(writerOf(Chain)(chain(500)))).toEqual(chain(500))
    for (const levels of [501, 3_000, 100_000])
      expect(() => encoderOf(Chain)(chain(levels))).toThrow(EncodeError)
  })

  it('count together if they call each other', () => {
    const Odd: t.Mixed = t.recursion('Odd', (): t.Mixed => t.partial({ next: Even }))
    const Even: t.Mixed = t.recursion(
      'Even',
      (): t.Mixed => t.partial({ next: Odd, end: t.string }),
    )
    expect(decoderOf(Even)(chain(501))).toBeInstanceOf(Invalid)
    expect(decoderOf(Even)(chain(499))).toEqual(chain(499))
  })

  it('that are in themselves are an EncodeError at once', () => {
    const loop: Record<string, unknown> = {}
    loop.next = loop
    expect(() => encoderOf(Chain)(loop)).toThrow(EncodeError)
  })

  it('look at a value once, so that unions inside do not double the work at each level', () => {
    const start = cpuTime()
    expect(decoderOf(Fork)(fork(60, 1))).toBeInstanceOf(Invalid)
    expect(decoderOf(Fork)(fork(60, 'x'))).toEqual(fork(60, 'x'))
    expect(encoderOf(Fork)(fork(60, 'x'))).toEqual(fork(60, 'x'))
    expect(() => encoderOf(Fork)(fork(60, 1))).toThrow(EncodeError)
    expect(cpuTime() - start).toBeLessThan(1_000)
  })

  it('forget values between calls', () => {
    const decode = decoderOf(Chain)
    const value = { end: 'a' }
    expect(decode(value)).toEqual({ end: 'a' })
    value.end = 'b'
    expect(decode(value)).toEqual({ end: 'b' })
  })

  it('keep no value of a call, if they call each other as well', () => {
    const First: t.Mixed = t.recursion(
      'First',
      (): t.Mixed => t.union([t.strict({ next: Second }), t.strict({ next: Second, a: t.string })]),
    )
    const Second: t.Mixed = t.recursion(
      'Second',
      (): t.Mixed => t.union([t.strict({ next: First }), t.strict({ end: t.string })]),
    )
    const value = { next: { next: { next: { end: 'a' } } } }
    const inner = value.next.next.next
    expect(decoderOf(First)(value)).toEqual({ next: { next: { next: { end: 'a' } } } })
    expect(JSON.parse(writerOf(First)(value))).toEqual(value)
    expect(encoderOf(First)(value)).toEqual(value)
    inner.end = 'b'
    expect(decoderOf(First)(value)).toEqual({ next: { next: { next: { end: 'b' } } } })
    expect(encoderOf(First)(value)).toEqual({ next: { next: { next: { end: 'b' } } } })
    // what is met first by the inner recursion
    expect(decoderOf(Second)(inner)).toEqual({ end: 'b' })
    inner.end = 'c'
    expect(decoderOf(Second)(inner)).toEqual({ end: 'c' })
  })

  it('of lists end in a text, which is a list of one text', () => {
    const Lists = t.recursion('Lists', (self: t.Mixed): t.Mixed => t.array(self))
    const Either = t.recursion(
      'Either',
      (self: t.Mixed): t.Mixed => t.union([t.array(self), t.string]),
    )
    const decode = decoderOf(t.strict({ a: Lists }), { wire: 'text' })
    expect(decode({ a: 'x' })).toEqual(
      new Invalid({ a: { 0: ['Nested more than 500 levels deep.'] } }),
    )
    expect(decode({ a: ['x', 'y'] })).toBeInstanceOf(Invalid)
    expect(decoderOf(Either, { wire: 'text' })('x')).toBe('x')
    expect(decoderOf(Either, { wire: 'text' })(['x', 'y'])).toEqual(['x', 'y'])
  })
})
