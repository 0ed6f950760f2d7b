import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { breaking } from '../../src/breaking/breaking.js'
import { apiOf, operations, rootAttributes } from '../openapi/random-api.js'

const seed = Number(process.env.PROPERTY_SEED ?? Date.now() % 2 ** 31)
const runs = Number(process.env.DOCUMENT_RUNS ?? 30)

/** Lists whose order means nothing. */
const SETS = [
  'enum',
  'required',
  'type',
  'allOf',
  'anyOf',
  'oneOf',
  'parameters',
  'security',
  'tags',
  'servers',
  'examples',
  'schemes',
]

/** The document with its keys and such lists in another order. */
function shuffled(value: unknown, random: () => number, key = ''): unknown {
  const mixed = <T>(items: readonly T[]) =>
    items.map(item => [random(), item] as const).sort(([a], [b]) => a - b)
  if (Array.isArray(value)) {
    const items = value.map(item => shuffled(item, random))
    return SETS.includes(key) ? mixed(items).map(([, item]) => item) : items
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    mixed(Object.entries(value)).map(([, [name, inner]]) => [name, shuffled(inner, random, name)]),
  )
}

/** A small generator of numbers from 0 to 1, the same for the same seed. */
function numbersFrom(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

describe(`two ways to write a document (seed ${seed})`, () => {
  it('are no change: another order, another version', { timeout: 600_000 }, () => {
    let made = 0
    const sets = fc.uniqueArray(operations, {
      minLength: 1,
      maxLength: 4,
      selector: ({ method, path }) => method + path,
    })
    const property = fc.property(sets, rootAttributes, fc.nat(), (declared, attributes, order) => {
      const spec = apiOf(declared, attributes)?.spec
      if (!spec) return
      made += 1
      const [in30, in31] = [spec.toJSON('3.0.3'), spec.toJSON('3.1.0')]
      const random = numbersFrom(order)
      const pairs = {
        'another order': [in31, shuffled(in31, random)],
        'another order in 3.0': [in30, shuffled(in30, random)],
        'another version': [in30, in31],
      }
      for (const [name, [before, after]] of Object.entries(pairs)) {
        const found = { there: breaking(before, after), back: breaking(after, before) }
        if (found.there.length + found.back.length > 0)
          expect.fail(`${name}: ${JSON.stringify(found)} in ${JSON.stringify([before, after])}`)
      }
    })
    fc.assert(property, { seed, numRuns: runs })
    expect(made).toBeGreaterThan(runs / 3)
  })
})
