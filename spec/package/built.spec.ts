import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { options } from '../../scripts/bundle.js'
import { root } from '../architecture/source.js'

const { exports: subpaths, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

describe('what the package is built of', () => {
  let outputs: Metafile['outputs']
  let texts: readonly string[]

  beforeAll(async () => {
    const { metafile, outputFiles } = await build({ ...options, write: false, metafile: true })
    outputs = metafile.outputs
    texts = outputFiles.filter(({ path }) => path.endsWith('.js')).map(({ text }) => text)
  })

  /** What is loaded with a file, the file included; other packages by their names. */
  const loadedBy = (path: string, found = new Set<string>()): Set<string> => {
    found.add(path)
    for (const imported of outputs[path]?.imports ?? [])
      if (imported.kind === 'import-statement' && !found.has(imported.path))
        loadedBy(imported.path, found)
    return found
  }
  const packagesOf = (path: string) =>
    [...loadedBy(path)]
      .filter(name => !name.startsWith('dist/') && !name.startsWith('node:'))
      .sort()

  it('has a file for every subpath and for the command', () => {
    const files = [
      ...Object.values(subpaths).flatMap(paths => (paths as { default?: string }).default ?? []),
      bin['koa-smorest'],
    ]
    expect(files.filter(file => !(file.replace('./', '') in outputs))).toEqual([])
    expect(files.length).toBe(options.entryPoints.length)
  })

  it('holds each source once, so that a class is the same one whatever it is imported from', () => {
    const sources = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs))
    expect(sources.filter((source, index) => sources.indexOf(source) !== index)).toEqual([])
  })

  it('loads what an application needs at its start and nothing else: the rest is loaded when it is first used', () => {
    expect(packagesOf('dist/index.js')).toEqual([
      '@koa/router',
      'io-ts',
      'koa',
      'koa-compose',
      'koa-etag',
    ])
    expect(packagesOf('dist/client/index.js')).toEqual([])
    expect(
      [...loadedBy('dist/index.js')].filter(path => path.startsWith('dist/')).length,
    ).toBeLessThan(20)
    const size = [...loadedBy('dist/client/index.js')].reduce(
      (sum, path) => sum + (outputs[path]?.bytes ?? 0),
      0,
    )
    expect(size).toBeLessThan(20_000)
  })

  it('loads of the optional peers the one that a subpath is about', () => {
    const own = (path: string) =>
      packagesOf(path).filter(name => !packagesOf('dist/index.js').includes(name))
    expect({
      testing: own('dist/testing/index.js'),
      csv: own('dist/csv.js'),
      jwt: own('dist/jwt/index.js'),
      kysely: own('dist/kysely.js'),
      mcp: own('dist/mcp/index.js'),
      postgres: own('dist/postgres.js'),
      redis: own('dist/redis.js'),
      standard: own('dist/standard/index.js'),
    }).toEqual({
      csv: ['csv-stringify/sync'],
      kysely: ['kysely'],
      // the others are loaded on use, so that the message about a missing one has the line
      testing: [],
      jwt: [],
      mcp: [],
      postgres: [],
      redis: [],
      standard: [],
    })
  })

  it('leaves the classes of its public face their names', () => {
    const names = outputs['dist/index.js']?.exports ?? []
    const renamed = texts.flatMap(text =>
      Array.from(text.matchAll(/\bclass _(\w+)/g), ([, name = '']) => name),
    )
    expect(renamed.filter(name => names.includes(name))).toEqual([])
  })
})
