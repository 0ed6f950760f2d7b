import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const here = fileURLToPath(new URL('.', import.meta.url))
const compiler = (name: string) => join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin/tsc')

describe('P7: the types', () => {
  // TypeScript 6 compiles them with everything else, in `npm run types`
  it.each(['typescript-5.9', 'typescript-7'])('compile with exactly the expected errors (%s)', { timeout: 60_000 }, async name => {
    const run = promisify(execFile)(process.execPath, [compiler(name), '--noEmit', '--project', join(here, 'tsconfig.json')])
    expect((await run.catch((error: { stdout: string }) => error)).stdout).toBe('')
  })

  it('name the method that is wrong, for each mistake of cases.ts', { timeout: 60_000 }, () => {
    const mistakes = mistakesIn('cases.ts')
    expect(mistakes).toHaveLength(6)
    for (const { mark, messages } of mistakes) expect(messages.join('\n')).toMatch(mark.match(/\w+\(\)/)?.[0] ?? /\w+\(\) does not match/)
  })

  it('say of each mistake what is expected and what is there, in the fields that differ', { timeout: 60_000 }, () => {
    const mistakes = mistakesIn('mistakes.ts')
    expect(mistakes.length).toBeGreaterThan(18)
    for (const { mark, messages } of mistakes) for (const part of mark.split(' && ')) expect(messages.join('\n')).toContain(part)
    expect(mistakes.filter(({ messages }) => messages.join().includes('exactOptionalPropertyTypes'))).toEqual([])
  })

  it('cost as much for each view, however many there are', { timeout: 120_000 }, () => {
    const [none = 0, few = 0, many = 0] = [0, 20, 80].map(count => instantiationsOf(generatedViews(count)))
    expect((many - none) / (few - none)).toBeLessThan(4.4)
  })
})

const options = ts.getParsedCommandLineOfConfigFile(
  join(here, 'tsconfig.json'),
  {},
  { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
)?.options as ts.CompilerOptions

/** What the programs have in common: the library, and the declarations of its dependencies. */
const parsed = new Map<string, ts.SourceFile | undefined>()

function programOf(file: string, text: string): ts.Program {
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (name, target) => {
    if (name === file) return ts.createSourceFile(name, text, target)
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, target))
    return parsed.get(name)
  }
  return ts.createProgram([file], options, host)
}

interface Mistake {
  /** What stands behind the mark. */
  readonly mark: string
  readonly messages: readonly string[]
}

/** The marked lines of a file, and what the compiler says of the line after each once the marks are gone. */
function mistakesIn(name: string): readonly Mistake[] {
  const file = join(here, name)
  const lines = readFileSync(file, 'utf8').split('\n')
  const program = programOf(file, lines.join('\n').replaceAll('@ts-expect-error', ''))
  const messages = program
    .getSemanticDiagnostics(program.getSourceFile(file))
    .map(diagnostic => ({ ...diagnostic, line: lineOf(diagnostic) }))
  return lines.flatMap((text, line) => {
    const [, mark] = /^\s*\/\/ @ts-expect-error (.*)$/.exec(text) ?? []
    const said = messages
      .filter(message => message.line === line + 1)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
    return mark ? [{ mark, messages: said }] : []
  })
}

function lineOf({ file, start = 0 }: ts.Diagnostic): number | undefined {
  return file?.getLineAndCharacterOfPosition(start).line
}

function instantiationsOf(text: string): number {
  const file = join(here, 'generated.ts')
  const program = programOf(file, text)
  expect(program.getSemanticDiagnostics(program.getSourceFile(file)).map(({ messageText }) => messageText)).toEqual([])
  return program.getInstantiationCount()
}

function generatedViews(count: number): string {
  const [head = ''] = readFileSync(join(here, 'cases.ts'), 'utf8').split('class Pets ')
  const view = (index: number) => `
class View${index} extends MethodView {
  static shared = operation(etag({ load: (ctx, { petId }) => store.get(petId), tag: pet => pet.version }))
  static get = operation('Find', query(PetFilter), response(Pet))
  get(ctx: Context, filter: PetFilter, { current }: { current: Pet }) { return current }
  static put = operation('Replace', json(NewPet), response(Pet))
  put(ctx: Context, pet: NewPet, { petId, current }: { petId: string; current: Pet }) { return store.replace(petId, pet, current.version) ?? abort(412) }
}
pets.route('/${index}/:petId<uuid>', View${index})`
  return head + Array.from({ length: count }, (_, index) => view(index)).join('')
}
