import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { boundedErrors, decoderOf, type ErrorTree, Invalid } from '../../src/codec/decode/decode.js'
import { countMessages, mergeErrors } from '../../src/codec/runtime/decoding.js'
import { cpuTime } from '../support/cpu-time.js'

const shown = (errors: ErrorTree) => JSON.parse(JSON.stringify(boundedErrors(new Invalid(errors))))
const MORE = ['There is more wrong than is shown here.']

describe('boundedErrors', () => {
  it('shows few errors as they are', () => {
    expect(shown({ a: ['x', 'y'], b: { 0: ['z'] } })).toEqual({ a: ['x', 'y'], b: { 0: ['z'] } })
  })

  it('puts a list at the root under _schema', () => {
    expect(shown(['Not an object.'])).toEqual({ _schema: ['Not an object.'] })
  })

  it('shows fifty messages, and says where there are more', () => {
    const errors = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, ['x']]))
    expect(shown(errors(50))).toEqual(errors(50))
    expect(shown(errors(51))).toEqual({ ...errors(50), _schema: MORE })
    expect(shown({ a: errors(60), b: errors(60) })).toEqual({ a: errors(50), _schema: MORE })
  })

  it('T22: has about 8 kB at most, whatever a request holds', () => {
    const names = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`${index}${'x'.repeat(1000)}`, 1]),
    )
    const inputs = [
      names,
      { ['k'.repeat(900_000)]: 1 },
      Array.from({ length: 100_000 }, () => names),
    ]
    for (const codec of [t.type({}), t.array(t.type({}))]) {
      const decode = decoderOf(codec)
      for (const input of inputs) {
        const start = cpuTime()
        const invalid = decode(input) as Invalid
        expect(JSON.stringify(boundedErrors(invalid)).length).toBeLessThan(10_000)
        expect(cpuTime() - start).toBeLessThan(500)
      }
    }
  })

  it('cuts long names, and leaves out what is too long', () => {
    expect(shown({ ['k'.repeat(200)]: ['x'] })).toEqual({ [`${'k'.repeat(100)}…`]: ['x'] })
    const long = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`f${index}`, ['x'.repeat(500)]]),
    )
    expect(Object.keys(shown(long))).toHaveLength(16)
    expect(shown(long)).toMatchObject({ _schema: MORE })
  })

  it('has fields of any name', () => {
    const errors = decoderOf(t.type({}))(JSON.parse('{"__proto__":1,"constructor":1}')) as Invalid
    expect(JSON.stringify(boundedErrors(errors))).toBe(
      '{"__proto__":["Unknown field."],"constructor":["Unknown field."]}',
    )
  })
})

describe('trees of errors', () => {
  it('are merged field by field', () => {
    expect(mergeErrors(['a'], ['a', 'b'])).toEqual(['a', 'b'])
    expect(mergeErrors({ a: ['x'], b: ['y'] }, { b: ['z'], c: ['w'] })).toEqual({
      a: ['x'],
      b: ['y', 'z'],
      c: ['w'],
    })
    expect(mergeErrors(['x'], { a: ['y'] })).toEqual({ _schema: ['x'], a: ['y'] })
  })

  it('are counted by their messages', () => {
    expect(countMessages({ a: ['x', 'y'], b: { 0: ['z'] } })).toBe(3)
  })
})
