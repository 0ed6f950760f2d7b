import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const [THREATS, PROPERTIES] = [80, 10]
const rows = Array.from({ length: THREATS }, (_, index) => `T${String(index + 1).padStart(2, '0')}`)
const properties = Array.from({ length: PROPERTIES }, (_, index) => `P${index + 1}`)
const notOurs = JSON.parse(readFileSync(new URL('not-ours.json', import.meta.url), 'utf8')) as object
const specs = fileURLToPath(new URL('..', import.meta.url))

/** The threats and properties that titles name: a text in quotes holds the number. */
function namedInTitles(): ReadonlySet<string> {
  const files = readdirSync(specs, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.spec.ts'))
  const sources = files.map(file => readFileSync(`${specs}/${file}`, 'utf8'))
  const titles = sources.flatMap(source => source.match(/'[^'\n]*'|"[^"\n]*"|`[^`\n]*`/g) ?? [])
  return new Set(titles.flatMap(title => title.match(/\b(?:T\d\d|P\d\d?)\b/g) ?? []))
}

const named = namedInTitles()

it.each(rows)('%s of the threats has a test that names it, or stands in not-ours.json with the reason why it has none', row => {
  const isListed = Object.hasOwn(notOurs, row)
  expect([named.has(row), isListed]).toEqual([!isListed, isListed])
})

it.each(properties)('the property %s has a test that names it', property => {
  expect(named.has(property)).toBe(true)
})
