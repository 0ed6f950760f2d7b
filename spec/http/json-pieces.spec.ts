import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readJson } from '../../src/http/body/body.js'
import { parseInPieces } from '../../src/http/body/json-pieces.js'
import { cases, PATIENCE, seed } from '../properties/seed.js'
import { post, serverReading } from './server.js'

/** What a parser makes of a text: the value as text, so that the order of names counts, or that it is refused. */
const outcomeOf = async (parse: () => unknown) => {
  try {
    return JSON.stringify(await parse())
  } catch (error) {
    return (error as Error).name
  }
}

const texts = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '[', ']', '{', '}', ',', ':', '\n', 'ü', '\u2028'),
  maxLength: 8,
})
const names = fc.oneof(fc.constantFrom('a', 'b', '0', '1', ''), texts)
const values = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 5 },
    texts,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constant(null),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 5 }),
  object: fc.array(fc.tuple(names, tie('value')), { maxLength: 5 }).map(entries => ({ entries })),
})).value
const spaces = fc.constantFrom('', '', '', ' ', '\n\t ', '\r\n')

/** Writes values as JSON, with names that stand there twice. */
function write(value: unknown, space: string): string {
  if (Array.isArray(value))
    return `[${space}${value.map(item => write(item, space)).join(`${space},${space}`)}${space}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const { entries } = value as { entries: readonly (readonly [string, unknown])[] }
  const members = entries.map(
    ([name, member]) => `${JSON.stringify(name)}${space}:${space}${write(member, space)}`,
  )
  return `{${space}${members.join(`${space},${space}`)}${space}}`
}

const changes = fc.array(
  fc.tuple(
    fc.nat(),
    fc.nat({ max: 2 }),
    fc.constantFrom('', ',', ':', '[', ']', '{', '}', '"', '\\', '1', '-', ' ', 'x', '""'),
  ),
  {
    maxLength: 2,
  },
)

function change(text: string, edits: readonly (readonly [number, number, string])[]): string {
  return edits.reduce((changed, [at, length, put]) => {
    const index = at % (changed.length + 1)
    return changed.slice(0, index) + put + changed.slice(index + length)
  }, text)
}

describe(`a JSON text that is parsed in pieces (seed ${seed})`, () => {
  it(
    'is what JSON.parse makes of it, and refused where JSON.parse refuses it',
    { timeout: PATIENCE },
    () =>
      fc.assert(
        fc.asyncProperty(
          values,
          spaces,
          changes,
          fc.integer({ min: 1, max: 30 }),
          async (value, space, edits, length) => {
            const text = change(`${space}${write(value, space)}${space}`, edits)
            expect(await outcomeOf(() => parseInPieces(text, length))).toBe(
              await outcomeOf(() => JSON.parse(text)),
            )
          },
        ),
        { seed, numRuns: cases(1200) },
      ),
  )

  it('is read from a request, and refused as a short one is', async () => {
    const { url } = await serverReading(async ctx => readJson(ctx))
    const list = Array.from({ length: 40_000 }, (_, index) => ({ [`name ${index}`]: index }))
    const text = JSON.stringify(list)
    expect(await post(url, 'application/json', text)).toEqual({ status: 200, value: list })
    for (const bad of [
      text.slice(0, -1),
      `${text}]`,
      text.replace('20000}', '20000'),
      text.replace('20000}', '20000},'),
    ]) {
      expect(await post(url, 'application/json', bad)).toEqual({
        status: 400,
        code: 400,
        errors: { json: ['Invalid JSON body.'] },
      })
    }
  })

  it('lets others run meanwhile', async () => {
    const text = `[${Array.from({ length: 60_000 }, (_, index) => `{"k${index}":1}`).join(',')}]`
    let turns = 0
    let isDone = false
    const count = () => {
      turns += 1
      if (!isDone) setImmediate(count)
    }
    count()
    await parseInPieces(text)
    isDone = true
    expect(turns).toBeGreaterThan(10)
  })
})
