import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { root } from '../architecture/source.js'

describe('the reference', () => {
  it.each([
    ['index.ts', 'operation'],
    ['client/index.ts', 'conditional'],
    ['testing/index.ts', 'contract'],
    ['jwt.ts', 'jwt'],
    ['kysely.ts', 'rows'],
  ])('says of every public name of %s what it promises', { timeout: 60_000 }, (path, name) => {
    const { names, undocumented } = exportsOf(join(root, 'src', path))
    expect(undocumented).toEqual([])
    expect(names).toContain(name)
  })
})

/** The names that a module of ours exports, and those without a doc comment. What other packages declare is theirs to document. */
function exportsOf(path: string): { names: string[]; undocumented: string[] } {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config.config, { ...ts.sys, readDirectory: () => [] }, root)
  // names and comments need no library, which is most of what there is to read
  const program = ts.createProgram([path], { ...options, noLib: true, types: [] })
  const checker = program.getTypeChecker()
  const module = checker.getSymbolAtLocation(program.getSourceFile(path) as ts.SourceFile) as ts.Symbol
  const exported = checker.getExportsOfModule(module)

  const undocumented = exported.filter(name => {
    const symbol = name.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(name) : name
    return isOurs(symbol) && symbol.getDocumentationComment(checker).length === 0
  })
  return { names: exported.map(({ name }) => name), undocumented: undocumented.map(({ name }) => name) }
}

function isOurs({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some(declaration => declaration.getSourceFile().fileName.startsWith(join(root, 'src')))
}
