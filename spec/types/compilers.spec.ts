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
  it.each(['typescript-5.9', 'typescript', 'typescript-7'])(
    'compile with exactly the expected errors (%s)',
    { timeout: 60_000 },
    async name => {
      const run = promisify(execFile)(process.execPath, [compiler(name), '--noEmit', '--project', join(here, 'tsconfig.json')])
      expect((await run.catch((error: { stdout: string }) => error)).stdout).toBe('')
    },
  )

  it('say which method is wrong, and what it is given or must return', { timeout: 60_000 }, () => {
    const messages = messagesWithoutMarks(join(here, 'cases.ts'))
    expect(messages).toHaveLength(6)
    const put =
      '"put() does not match its descriptor: after ctx it is given": [{ name: string; kind: "cat" | "dog"; }, { petId: number; current: '
    expect(messages[0]).toContain(put)
    expect(messages[1]).toContain(
      '"post() does not match its descriptor: after ctx it is given": [{ name: string; kind: "cat" | "dog"; }, {}]',
    )
    expect(messages[2]).toContain('"get() does not match its descriptor: it must return": { id: string;')
    expect(messages[5]).toContain('"get() does not match its descriptor: after ctx it is given": [{ id: string; }]')
  })

  it('cost as much for each view, however many there are', { timeout: 120_000 }, () => {
    const [none = 0, few = 0, many = 0] = [0, 40, 160].map(count => instantiationsOf(generatedViews(count)))
    expect((many - none) / (few - none)).toBeLessThan(4.4)
  })
})

const options = ts.getParsedCommandLineOfConfigFile(
  join(here, 'tsconfig.json'),
  {},
  { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
)?.options as ts.CompilerOptions

function programOf(file: string, text: string): ts.Program {
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (name, target) => (name === file ? ts.createSourceFile(name, text, target) : getSourceFile(name, target))
  return ts.createProgram([file], options, host)
}

function messagesWithoutMarks(file: string): string[] {
  const text = readFileSync(file, 'utf8').replaceAll('@ts-expect-error', '')
  return ts.getPreEmitDiagnostics(programOf(file, text)).map(({ messageText }) =>
    // the compiler's order of a union is its own affair
    ts.flattenDiagnosticMessageText(messageText, '\n').replaceAll('"dog" | "cat"', '"cat" | "dog"'),
  )
}

function instantiationsOf(text: string): number {
  const program = programOf(join(here, 'generated.ts'), text)
  expect(ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText)).toEqual([])
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
