import { join, relative, sep } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { parseSource, root } from '../architecture/source.js'

describe('declarations', { timeout: 60_000 }, () => {
  const { files, faults } = declarations(['src/index.ts', 'examples/pet-shop/app.ts'])

  it('can be emitted, those of an application too: every type in them can be named', () => {
    expect(faults).toEqual([])
    expect([...files.keys()]).toEqual(expect.arrayContaining(['src/index.d.ts', 'examples/pet-shop/pet-views.d.ts']))
  })

  it('of the package never load koa-body, which would declare its global types in every application', () => {
    const packages = [...files].filter(([path]) => path.startsWith('src/')).flatMap(([path, text]) => parseSource(path, text).imports)
    expect(packages.map(({ specifier }) => specifier)).not.toContain('koa-body')
    expect(packages.length).toBeGreaterThan(0)
  })
})

/** What the compiler emits for files and all that they import, by path below the root, and what it has against that. */
function declarations(paths: readonly string[]): { files: ReadonlyMap<string, string>; faults: string[] } {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config.config, { ...ts.sys, readDirectory: () => [] }, root)
  const entries = paths.map(path => join(root, path))
  const program = ts.createProgram(entries, { ...options, noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: root })
  const files = new Map<string, string>()
  program.emit(undefined, (path, text) => files.set(relative(root, path).split(sep).join('/'), text))
  const faults = program.getDeclarationDiagnostics().map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
  return { files, faults }
}
