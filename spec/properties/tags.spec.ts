import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { canonicalJson, tagOfData, tagText } from '../../src/features/etag/data-tag.js'
import { entityTagOf } from '../../src/http/entity-tag.js'
import { cases, PATIENCE, seed } from './seed.js'

const vectors = JSON.parse(
  readFileSync(new URL('../tag-vectors.json', import.meta.url), 'utf8'),
) as { data: unknown; tag: string }[]

/** JSON, as it comes out of a database; -0 and 0 are one number there. */
const json = fc
  .jsonValue({ maxDepth: 3 })
  .map(value => JSON.parse(JSON.stringify(value)) as unknown)
/** Two values, often close to each other. */
const pairs = fc.oneof(
  fc.tuple(json, json),
  json.chain(value => fc.tuple(fc.constant(value), changed(value))),
)

/** The value with one leaf changed, or something added. */
function changed(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null)
    return fc.constantFrom<unknown>(null, 'x', 1, true, [value], { a: value })
  const entries = Object.entries(value)
  if (entries.length === 0)
    return fc.constantFrom<unknown>([null], { a: null }, Array.isArray(value) ? {} : [])
  const rebuilt = (all: [string, unknown][]) =>
    Array.isArray(value) ? all.map(([, item]) => item) : Object.fromEntries(all)
  return fc.nat(entries.length - 1).chain(index => {
    const [name, inner] = entries[index] as [string, unknown]
    return changed(inner).map(other =>
      rebuilt(entries.map((entry, at) => (at === index ? [name, other] : entry))),
    )
  })
}

/** The same data with the names of all objects the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [name, reversed(inner)])
  return Object.fromEntries(entries.reverse())
}

describe(`P4: a tag (seed ${seed})`, () => {
  const numRuns = cases(700)

  it(
    'is equal exactly if the data are',
    () => {
      const holds = ([left, right]: [unknown, unknown]) => {
        expect(tagOfData(left) === tagOfData(right)).toBe(
          canonicalJson(left) === canonicalJson(right),
        )
      }
      void fc.assert(fc.property(pairs, holds), { seed, numRuns })
    },
    PATIENCE,
  )

  it(
    'does not depend on the order of names, and is a strong entity tag',
    () => {
      const holds = (value: unknown) => {
        expect(tagOfData(reversed(value))).toBe(tagOfData(value))
        expect(tagOfData(value)).toMatch(/^"[\w-]{22}"$/)
      }
      void fc.assert(fc.property(json, holds), { seed, numRuns })
    },
    PATIENCE,
  )

  it(
    'of encoded data does not depend on what the codec leaves out',
    () => {
      const Named = t.strict({ name: t.string })
      const holds = (name: string, more: unknown) => {
        expect(tagText({ name, more }, Named)).toBe(tagText({ name }, Named))
      }
      void fc.assert(fc.property(fc.string(), json, holds), { seed, numRuns })
    },
    PATIENCE,
  )

  it(
    'differs for texts that differ in one character',
    () => {
      const unit = fc.oneof(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        fc.constantFrom('\ud800', '\udfff', '\ufffd'),
      )
      const holds = (before: string, one: string, other: string, after: string) => {
        fc.pre(one !== other)
        expect(entityTagOf(before + one + after)).not.toBe(entityTagOf(before + other + after))
      }
      void fc.assert(fc.property(fc.string(), unit, unit, fc.string(), holds), { seed, numRuns })
    },
    PATIENCE,
  )

  it.each(vectors)(
    'of $data is $tag, in every process and release of this major version',
    ({ data, tag }) => {
      expect(tagOfData(data)).toBe(tag)
    },
  )
})
