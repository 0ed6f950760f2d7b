import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { drawArchitecture } from '../architecture/picture.js'
import { parseSource, readSources, root } from '../architecture/source.js'

const read = (path: string) => readFileSync(join(root, path), 'utf8')

describe('the page on the architecture', () => {
  it('has a picture of the imports as they are; npm run architecture draws it again', {
    timeout: 60_000,
  }, () => {
    expect(read('docs/architecture.svg')).toBe(drawArchitecture(readSources()))
  })

  it('names files and folders that exist', () => {
    const named = read('docs/architecture.md').match(/(?<=`)(?:src|spec)\/[\w./-]+(?=`)/g) ?? []
    expect(named.filter(path => !existsSync(join(root, path)))).toEqual([])
    expect(named.length).toBeGreaterThan(20)
  })
})

describe('the picture', () => {
  it('has what imports above what is imported, and marks the imports that others explain', () => {
    const picture = drawArchitecture([
      parseSource('index.ts', "import './mount/api.js'\nimport './http/query.js'"),
      parseSource('mount/api.ts', "import type { Body } from '../http/body/body.js'"),
      parseSource('http/query.ts', ''),
      parseSource('http/body/body.ts', "import '../query.js'"),
    ])
    expect(picture.match(/(?<=class="unit"[^>]*>)[^<]+/g)).toEqual(['index.ts', 'mount/', 'http/'])
    expect(picture.match(/(?<=class="room"[^>]*>)[^<]+/g)).toEqual(['body/'])
    const arrows = Array.from(
      picture.matchAll(/<title>(\S+ imports \S+)<\/title><path class="(\w+)"/g),
      ([, arrow, kind]) => [arrow, kind],
    )
    expect(Object.fromEntries(arrows)).toEqual({
      'index.ts imports mount/': 'import',
      'index.ts imports http/': 'implied',
      'mount/ imports http/': 'import',
    })
  })
})
