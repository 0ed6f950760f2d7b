import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const LAST_ROW = 80
const rows = Array.from({ length: LAST_ROW }, (_, index) => `T${String(index + 1).padStart(2, '0')}`)
const notOurs = JSON.parse(readFileSync(new URL('not-ours.json', import.meta.url), 'utf8')) as object
const specs = fileURLToPath(new URL('..', import.meta.url))

/** The rows that titles name: a text in quotes holds the number. */
function namedRows(): ReadonlySet<string> {
  const files = readdirSync(specs, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.spec.ts'))
  const sources = files.map(file => readFileSync(`${specs}/${file}`, 'utf8'))
  const titles = sources.flatMap(source => source.match(/'[^'\n]*'|"[^"\n]*"|`[^`\n]*`/g) ?? [])
  return new Set(titles.flatMap(title => title.match(/\bT\d\d\b/g) ?? []))
}

const named = namedRows()

it.each(rows)('%s of the threats has a test that names it, or stands in not-ours.json with the reason why it has none', row => {
  const isListed = Object.hasOwn(notOurs, row)
  expect([named.has(row), isListed]).toEqual([!isListed, isListed])
})
