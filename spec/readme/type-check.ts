import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import ts from 'typescript'
import { checkModules, type Fault } from '../support/compile.js'
import type { Block, Page } from './page.js'

/** The text of a block as a module of its own; `offset` lines of it stand before the block's. */
interface Module {
  readonly block: Block
  readonly text: string
  readonly offset: number
}

/**
 * What TypeScript says of the `ts` blocks of pages, under the project's own settings, as `page:line
 * message`. A block that begins with an import is a module, and `./api.js` is the first module of
 * its page. Any other continues the last module above it, in a scope of its own, and sees all names
 * of the package.
 */
export async function typeFaults(root: string, pages: readonly Page[]): Promise<string[]> {
  const names = exportedNames(readFileSync(join(root, 'src/index.ts'), 'utf8'))
  const modules = new Map(
    pages
      .flatMap(({ blocks }) => modulesOf(blocks, names))
      .map(module => [`${module.block.page}.${module.block.line}.ts`, module]),
  )
  const faults = await checkModules(
    new Map(Array.from(modules, ([path, { text }]) => [path, text])),
  )
  return [...modules].flatMap(([path, module]) =>
    (faults.get(path) ?? []).flatMap(fault => faultOf(module, fault)),
  )
}

function modulesOf(blocks: readonly Block[], names: readonly string[]): Module[] {
  let above = ''
  let api = ''
  return blocks.flatMap(block => {
    if (block.language !== 'ts') return []
    if (/^import /m.test(block.text)) {
      above = block.text.replaceAll("'./api.js'", `'./${api}'`)
      api ||= `${basename(block.page)}.${block.line}.js`
      return [{ block, text: `${above}\nexport {}\n`, offset: 0 }]
    }
    const missing = names.filter(name => mentions(block.text, name) && !mentions(above, name))
    const before = `${above}\nimport { ${missing.join(', ')} } from 'koa-smorest'\n{\n`
    const text = `${before}${block.text.replaceAll(/^export (?=\w)/gm, '')}\n}\n`
    return [{ block, text, offset: before.split('\n').length - 1 }]
  })
}

function mentions(text: string, name: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(text)
}

/** The names that a module exports, all of them in lists. */
function exportedNames(text: string): string[] {
  const { statements } = ts.createSourceFile('index.ts', text, ts.ScriptTarget.Latest)
  return statements.flatMap(statement =>
    ts.isExportDeclaration(statement) &&
    statement.exportClause &&
    ts.isNamedExports(statement.exportClause)
      ? statement.exportClause.elements.map(({ name }) => name.text)
      : [],
  )
}

function faultOf({ block, offset }: Module, { line, message }: Fault): string[] {
  // What stands before the block has been checked as a block itself.
  return line < offset ? [] : [`${block.page}:${block.line + line - offset} ${message}`]
}
