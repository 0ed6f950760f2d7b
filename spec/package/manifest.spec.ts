import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../architecture/source.js'

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

describe('the package', () => {
  it('exports what the build makes of a source that exists', () => {
    const built = [manifest.exports, manifest.bin ?? {}].flatMap(paths).filter(path => path.startsWith('./dist/'))
    const sources = built.map(path => path.replace('./dist/', 'src/').replace(/(?:\.d\.ts|\.js)$/, '.ts'))
    expect(sources.filter(path => !existsSync(join(root, path)))).toEqual([])
    expect(sources).toContain('src/index.ts')
  })

  it('is ESM only, for the Node that can require() it and reads QUERY requests', () => {
    expect(manifest.type).toBe('module')
    expect(JSON.stringify(manifest.exports)).not.toContain('require')
    expect(manifest.engines.node).toBe('^20.20.0 || >=22.2.0')
  })

  it('leaves koa, io-ts and fp-ts to the application, from the first version of each that will do', () => {
    expect(Object.keys(manifest.peerDependencies).sort()).toEqual(['fp-ts', 'io-ts', 'koa'])
    // Before 3.1.2 ctx.hostname could be forged (CVE-2026-27959).
    expect(manifest.peerDependencies.koa).toBe('^3.1.2')
  })

  it('pins what it is built and tested with', () => {
    const versions = Object.entries<string>({ ...manifest.dependencies, ...manifest.devDependencies })
    expect(versions.filter(([, version]) => !/^(?:npm:.+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([])
  })
})

function paths(tree: unknown): string[] {
  return typeof tree === 'string' ? [tree] : Object.values(tree as object).flatMap(paths)
}
