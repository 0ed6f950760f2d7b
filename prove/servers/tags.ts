import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { canonicalJson, tagOfData } from '../../src/features/etag/data-tag.js'
import { randomNumbers } from '../random.js'

// Tags random values, the same in every process, and tells what came of it.

/** What a process has found. */
export interface Tagged {
  readonly values: number
  /** A hash over all tags in their order. */
  readonly digest: string
  /** Values whose tag depends on the order of their names. */
  readonly orders: number
  /** Different values of one tag. */
  readonly collisions: number
  readonly malformed: number
  readonly vectors: readonly string[]
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

const random = randomNumbers(10)
const below = (limit: number) => Math.floor(random() * limit)
const NAMES = [
  'a',
  'b',
  'B',
  'id',
  'ı',
  'İ',
  'ä',
  'z',
  '1',
  '10',
  '2',
  '',
  '💩',
  '__proto__',
  'toString',
]
const TEXTS = [
  '',
  'a',
  'A',
  'ı',
  'i',
  'ß',
  '\ud800',
  '\ufffd',
  '1',
  'null',
  '2026-01-01',
  '\u0000',
  '💩',
  '"',
  '\\',
]
const NUMBERS = [0, 1, -1, 0.1, 1e21, 1e-7, 1.5, 100, Number.MAX_SAFE_INTEGER]

function value(depth: number): Json {
  const kind = below(depth > 0 ? 6 : 4)
  if (kind === 0) return [null, true, false][below(3)] as Json
  if (kind === 1)
    return below(2) ? (NUMBERS[below(NUMBERS.length)] as number) : random() * 10 ** below(20)
  if (kind < 4) return (TEXTS[below(TEXTS.length)] as string) + (below(2) ? below(1000) : '')
  if (kind === 4) return Array.from({ length: below(4) }, () => value(depth - 1))
  return Object.fromEntries(
    Array.from({ length: below(5) }, () => [NAMES[below(NAMES.length)], value(depth - 1)]),
  )
}

/** The same value with the names of its objects in another order. */
function reordered(json: Json, turn: (entries: [string, Json][]) => [string, Json][]): Json {
  if (Array.isArray(json)) return json.map(item => reordered(item, turn))
  if (typeof json !== 'object' || json === null) return json
  return Object.fromEntries(
    turn(Object.entries(json)).map(([name, inner]) => [name, reordered(inner, turn)]),
  )
}

const count = Number(process.argv[2])
const digest = createHash('sha256')
const seen = new Map<string, string>()
let [orders, collisions, malformed] = [0, 0, 0]
for (let index = 0; index < count; index++) {
  const json = value(4)
  const tag = tagOfData(json)
  const canonical = canonicalJson(json)
  digest.update(tag)
  if (tagOfData(reordered(json, entries => entries.reverse())) !== tag) orders += 1
  if (tagOfData(reordered(json, entries => [...entries.slice(1), ...entries.slice(0, 1)])) !== tag)
    orders += 1
  if ((seen.get(tag) ?? canonical) !== canonical) collisions += 1
  if (!/^"[\w-]{22}"$/.test(tag)) malformed += 1
  seen.set(tag, canonical)
}
const vectors = JSON.parse(
  readFileSync(new URL('../../spec/tag-vectors.json', import.meta.url), 'utf8'),
) as { data: Json }[]
const tagged: Tagged = {
  values: count,
  digest: digest.digest('hex'),
  orders,
  collisions,
  malformed,
  vectors: vectors.map(({ data }) => tagOfData(data)),
}
process.send?.(tagged)
