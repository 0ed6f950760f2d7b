import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/** The repository's root folder. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** One import, export-from, `import()` or `import('…')` type of a source file. */
export interface Import {
  readonly specifier: string
  /** The imported file's path below `src/`, for a relative specifier. */
  readonly target?: string
  /** `type`: nothing is left of it at run time; `lazy`: an `import()` expression. */
  readonly manner: 'static' | 'type' | 'lazy'
}

/** A TypeScript file as the architecture spec sees it. */
export interface Source {
  /** Below `src/`, with `/` on every system. */
  readonly path: string
  /** Lines that are neither blank nor of a comment. */
  readonly linesOfCode: number
  readonly imports: readonly Import[]
  /** How often the type `any` is written. */
  readonly anys: number
  /** The right sides of `instanceof`. */
  readonly instanceOfs: readonly string[]
}

/** Every TypeScript file below `src/`. */
export function readSources(): readonly Source[] {
  const folder = join(root, 'src')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts'))
    .map(path =>
      parseSource(
        relative(folder, join(folder, path)).split(sep).join('/'),
        readFileSync(join(folder, path), 'utf8'),
      ),
    )
}

/** What `text`, standing at `path` below `src/`, looks like from outside. */
export function parseSource(path: string, text: string): Source {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true)
  const imports: Import[] = []
  const instanceOfs: string[] = []
  let anys = 0

  const visit = (node: ts.Node): void => {
    const found = importOf(node)
    if (found) imports.push(targeted(path, found))
    if (node.kind === ts.SyntaxKind.AnyKeyword) anys++
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword)
      instanceOfs.push(node.right.getText())
    ts.forEachChild(node, visit)
  }
  visit(file)
  return {
    path,
    linesOfCode: text.split('\n').filter(line => !/^\s*(?:$|\/\/|\/\*|\*)/.test(line)).length,
    imports,
    anys,
    instanceOfs,
  }
}

function importOf(node: ts.Node): Import | undefined {
  // A clause whose every name is marked `type` still loads its module under verbatimModuleSyntax:
  // only `import type` does not.
  if (ts.isImportDeclaration(node))
    return named(
      node.moduleSpecifier,
      node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword,
    )
  if (ts.isExportDeclaration(node) && node.moduleSpecifier)
    return named(node.moduleSpecifier, node.isTypeOnly)
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
    return named(node.argument.literal, true)
  const lazy =
    ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
      ? node.arguments[0]
      : undefined
  // What is computed is a module of the application, not one of ours.
  if (lazy && ts.isStringLiteral(lazy)) return { specifier: lazy.text, manner: 'lazy' }
  return undefined
}

function named(specifier: ts.Node, typeOnly: boolean): Import {
  return {
    specifier: ts.isStringLiteral(specifier) ? specifier.text : specifier.getText(),
    manner: typeOnly ? 'type' : 'static',
  }
}

function targeted(from: string, found: Import): Import {
  if (!found.specifier.startsWith('.')) return found
  return { ...found, target: posix.join(dirname(from), found.specifier).replace(/\.js$/, '.ts') }
}
