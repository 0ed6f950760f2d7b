import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../architecture/source.js'

/**
 * A row of docs/threats.md: its number, what is done about it, and the specs that show it (none:
 * the library does nothing about it).
 */
interface Threat {
  readonly number: string
  readonly happens: string
  readonly specs: readonly string[]
}

const page = readFileSync(join(root, 'docs/threats.md'), 'utf8')
const quoted = (text: string): readonly string[] => text.match(/(?<=`)[\w/-]+(?=`)/g) ?? []

const threats: readonly Threat[] = Array.from(
  page.matchAll(/^\| (T\d\d) \| (.+) \| (.+) \| (.+) \|$/gm),
  ([, number = '', , happens = '', specs = '']) => ({ number, happens, specs: quoted(specs) }),
)

/** A row of the properties below them. */
const properties = Array.from(
  page.matchAll(/^\| (P\d+) \| .+ \| (.+) \|$/gm),
  ([, number = '', specs = '']) => ({
    number,
    specs: quoted(specs),
  }),
)

/**
 * The threats and properties that titles name, each with the specs that do: a text in quotes
 * contains the number.
 */
function namedInTitles(): ReadonlyMap<string, readonly string[]> {
  const named = new Map<string, string[]>()
  for (const file of readdirSync(join(root, 'spec'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.spec.ts')) continue
    const titles =
      readFileSync(join(root, 'spec', file), 'utf8').match(/'[^'\n]*'|"[^"\n]*"|`[^`\n]*`/g) ?? []
    const numbers = new Set(titles.flatMap(title => title.match(/\b(?:T\d\d|P\d\d?)\b/g) ?? []))
    for (const number of numbers)
      named.set(number, [
        ...(named.get(number) ?? []),
        file.replaceAll('\\', '/').replace(/\.spec\.ts$/, ''),
      ])
  }
  return named
}

const named = namedInTitles()

describe('the list of threats', () => {
  it('is numbered from T01 to T80, without a gap', () => {
    const expected = Array.from(
      { length: 80 },
      (_, index) => `T${String(index + 1).padStart(2, '0')}`,
    )
    expect(threats.map(({ number }) => number)).toEqual(expected)
  })

  it('is where SECURITY.md says it is', () => {
    expect(readFileSync(join(root, 'SECURITY.md'), 'utf8')).toContain('(docs/threats.md)')
  })
})

it.each(threats)(
  '$number has the specs that the list gives it, or the reason why it has none',
  ({ number, happens, specs }) => {
    expect(named.get(number) ?? []).toEqual(expect.arrayContaining([...specs]))
    if (specs.length === 0)
      expect([named.has(number), happens]).toEqual([
        false,
        expect.stringMatching(/^not the library's: /),
      ])
  },
)

it('the properties are numbered from P1 to P11, without a gap', () => {
  expect(properties.map(({ number }) => number)).toEqual(
    Array.from({ length: 11 }, (_, index) => `P${index + 1}`),
  )
})

it.each(properties)('$number has the specs that the list gives it', ({ number, specs }) => {
  expect(specs).not.toEqual([])
  expect(named.get(number) ?? []).toEqual(expect.arrayContaining([...specs]))
})
