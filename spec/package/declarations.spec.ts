import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { root } from '../architecture/source.js'

describe('declarations', { timeout: 60_000 }, () => {
  it('of the package need none of its private dependencies, whose types an application would inherit', () => {
    const { text, faults } = declarationsOf('src/index.ts')
    expect(faults).toEqual([])
    expect(text).toContain('Blueprint')
    expect(text).not.toMatch(/koa-body|vitest/)
  })

  it('of an application can be emitted: every type in them can be named', () => {
    const { text, faults } = declarationsOf('examples/pet-shop/app.ts')
    expect(faults).toEqual([])
    expect(text).toContain('petBlueprint')
  })
})

function declarationsOf(file: string): { text: string; faults: string[] } {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config.config, { ...ts.sys, readDirectory: () => [] }, root)
  const program = ts.createProgram([join(root, file)], { ...options, noEmit: false, declaration: true, emitDeclarationOnly: true })
  let text = ''
  program.emit(undefined, (_, written) => {
    text += written
  })
  const faults = program.getDeclarationDiagnostics().map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
  return { text, faults }
}
