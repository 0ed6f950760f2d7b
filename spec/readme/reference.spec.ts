import { join } from 'node:path'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'
import { root } from '../architecture/source.js'
import { compilerOptions } from '../support/compile.js'

/** The modules that the package exports, and a name of each. */
const MODULES = {
  'index.ts': 'operation',
  'client/index.ts': 'conditional',
  'testing/index.ts': 'contract',
  'csv.ts': 'csv',
  'jwt/index.ts': 'jwt',
  'kysely.ts': 'rows',
  'mcp/index.ts': 'mcp',
  'postgres.ts': 'postgresStore',
  'redis.ts': 'redisStore',
  'standard/index.ts': 'std',
}

describe('the reference', () => {
  let found: ReadonlyMap<string, Exports>
  beforeAll(() => {
    found = exportsOf(Object.keys(MODULES).map(path => join(root, 'src', path)))
  }, 60_000)

  it.each(Object.entries(MODULES))(
    'says of every public name of %s what it promises',
    (path, name) => {
      const { names, undocumented } = found.get(join(root, 'src', path)) as Exports
      expect(undocumented).toEqual([])
      expect(names).toContain(name)
    },
  )
})

/** The names that a module of ours exports, and those without a doc comment. */
interface Exports {
  readonly names: readonly string[]
  readonly undocumented: readonly string[]
}

/** What other packages declare is theirs to document. */
function exportsOf(paths: readonly string[]): ReadonlyMap<string, Exports> {
  // names and comments need no library, which is most of what there is to read
  const program = ts.createProgram(paths, { ...compilerOptions(), noLib: true, types: [] })
  const checker = program.getTypeChecker()
  const undocumented = (name: ts.Symbol) => {
    const symbol = name.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(name) : name
    return isOurs(symbol) && symbol.getDocumentationComment(checker).length === 0
  }
  return new Map(
    paths.map(path => {
      const module = checker.getSymbolAtLocation(
        program.getSourceFile(path) as ts.SourceFile,
      ) as ts.Symbol
      const exported = checker.getExportsOfModule(module)
      return [
        path,
        {
          names: exported.map(({ name }) => name),
          undocumented: exported.filter(undocumented).map(({ name }) => name),
        },
      ]
    }),
  )
}

function isOurs({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some(declaration =>
    declaration.getSourceFile().fileName.startsWith(join(root, 'src')),
  )
}
