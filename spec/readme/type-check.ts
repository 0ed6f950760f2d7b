import { join } from 'node:path'
import ts from 'typescript'
import type { Block, Page } from './page.js'

/** The text of a block as a module of its own; `offset` lines of it stand before the block's. */
interface Module {
  readonly block: Block
  readonly text: string
  readonly offset: number
}

/**
 * What TypeScript says of the `ts` blocks of pages, under the project's own settings, as `page:line message`. A block that begins
 * with an import is a module. Any other continues the last module above it, in a scope of its own, and sees all names of the package.
 */
export function typeFaults(root: string, pages: readonly Page[]): string[] {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config.config, { ...ts.sys, readDirectory: () => [] }, root)
  const library = ts.createProgram([join(root, 'src/index.ts')], options)
  const names = exportedNames(library)
  const modules = new Map<string, Module>()
  for (const module of pages.flatMap(({ blocks }) => modulesOf(blocks, names))) {
    modules.set(join(root, `${module.block.page}.${module.block.line}.ts`), module)
  }

  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = path => modules.has(path) || fileExists.call(host, path)
  host.readFile = path => modules.get(path)?.text ?? readFile.call(host, path)
  host.getSourceFile = (path, languageVersion, ...rest) => {
    const module = modules.get(path)
    return module ? ts.createSourceFile(path, module.text, languageVersion) : getSourceFile.call(host, path, languageVersion, ...rest)
  }
  const program = ts.createProgram([...modules.keys()], options, host, library)
  return [...modules].flatMap(([path, module]) => {
    const file = program.getSourceFile(path)
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
    return found.flatMap(diagnostic => faultOf(module, diagnostic))
  })
}

function modulesOf(blocks: readonly Block[], names: readonly string[]): Module[] {
  let above = ''
  return blocks.flatMap(block => {
    if (block.language !== 'ts') return []
    if (/^import /m.test(block.text)) {
      above = block.text
      return [{ block, text: `${block.text}\nexport {}\n`, offset: 0 }]
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

function exportedNames(program: ts.Program): string[] {
  const checker = program.getTypeChecker()
  const index = program.getRootFileNames().map(name => program.getSourceFile(name))[0]
  const symbol = index && checker.getSymbolAtLocation(index)
  return symbol ? checker.getExportsOfModule(symbol).map(({ name }) => name) : []
}

function faultOf({ block, offset }: Module, { file, start = 0, messageText }: ts.Diagnostic): string[] {
  const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) - offset
  // What stands before the block has been checked as a block itself.
  return line < 0 ? [] : [`${block.page}:${block.line + line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`]
}
