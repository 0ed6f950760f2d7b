import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify, stripVTControlCharacters } from 'node:util'
import type ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Compiler,
  compilerOptions,
  faultsOf,
  lineOf,
  messageOf,
  programMaker,
} from '../support/compile.js'
import { comparison } from './paths.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const generated = join(here, 'generated')
const compiler = (name: string) =>
  join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin/tsc')

/** Writes what only these specs compile, under a name that nothing else compiles. */
async function generate(): Promise<void> {
  await mkdir(generated, { recursive: true })
  const config = '{ "extends": "../tsconfig.json", "include": ["*.ts"], "exclude": [] }'
  await writeFile(join(generated, 'tsconfig.json'), config)
  for (const [name, text] of await comparison()) await writeFile(join(generated, name), text)
}

/** What a compiler prints of a project. */
async function printed(name: string, project: string, ...options: string[]): Promise<string> {
  const args = [compiler(name), '--noEmit', ...options, '--project', project]
  const run = promisify(execFile)(process.execPath, args)
  return (await run.catch((error: { stdout: string }) => error)).stdout
}

describe('P7: the types', () => {
  beforeAll(generate)
  afterAll(() => rm(generated, { recursive: true, force: true }))

  // TypeScript 7 compiles them with everything else, in `npm run types`
  it.each(['typescript-5.9', 'typescript'])(
    'compile with exactly the expected errors (%s)',
    { timeout: 120_000 },
    async name => {
      expect(await printed(name, join(here, 'tsconfig.json'))).toBe('')
    },
  )

  it('name the method that is wrong, for each mistake of cases.ts', { timeout: 60_000 }, () => {
    const mistakes = mistakesIn('cases.ts')
    expect(mistakes).toHaveLength(6)
    for (const { mark, said } of mistakes)
      expect(said).toMatch(mark.match(/\w+\(\)/)?.[0] ?? /\w+\(\) does not match/)
  })

  it('say of each mistake what is expected and what is there, in the fields that differ', {
    timeout: 60_000,
  }, () => {
    const mistakes = mistakesIn('mistakes.ts')
    expect(mistakes.length).toBeGreaterThan(18)
    expectMarks(mistakes)
    expect(mistakes.filter(({ said }) => said.includes('exactOptionalPropertyTypes'))).toEqual([])
  })

  it('say of a schema of another library what to wrap it in', { timeout: 60_000 }, () => {
    const mistakes = mistakesIn('standard-cases.ts')
    expect(mistakes).toHaveLength(18)
    expectMarks(mistakes)
  })

  it('are, for a client, what openapi-typescript generates, but for what is listed', {
    timeout: 120_000,
  }, async () => {
    expect(await printed('typescript-7', generated)).toBe('')
  })

  // what is printed of an error: its message, the types that it comes from, and the line
  it.each(['typescript-5.9', 'typescript'])(
    'name the path and what is wrong in a call of a client, for each mistake of client-cases.ts (%s)',
    { timeout: 60_000 },
    name => {
      const version: Compiler = createRequire(import.meta.url)(name)
      const make = programMaker(compilerOptions('spec/types/tsconfig.json', version), version)
      const host = {
        getCurrentDirectory: () => here,
        getCanonicalFileName: (path: string) => path,
        getNewLine: () => '\n',
      }
      const mistakes = mistakesIn('client-cases.ts', make, fault =>
        version.formatDiagnosticsWithColorAndContext([fault], host),
      )
      expect(mistakes).toHaveLength(12)
      expectMarks(mistakes)
    },
  )

  it('name them on TypeScript 7 too', { timeout: 60_000 }, async () => {
    const { text, marks } = marked('client-cases.ts')
    const folder = join(generated, 'mistakes')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'client-cases.ts'), text)
    await writeFile(
      join(folder, 'tsconfig.json'),
      '{ "extends": "../../tsconfig.json", "include": ["*.ts"], "exclude": [] }',
    )
    const stdout = await printed('typescript-7', folder, '--pretty')
    const errors = Array.from(
      stripVTControlCharacters(stdout).matchAll(
        /^\S+:(\d+):\d+ - error [\s\S]*?(?=^\S+:\d+:\d+ - error |^Found )/gm,
      ),
    )
    expect(marks).toHaveLength(12)
    const said = (line: number) =>
      errors.flatMap(([block, at]) => (Number(at) === line + 1 ? block : [])).join('\n')
    expectMarks(marks.map(({ mark, line }) => ({ mark, said: said(line) })))
  })

  it('cost as much for each view, however many there are', { timeout: 120_000 }, () => {
    const [none = 0, few = 0, many = 0] = [0, 20, 80].map(count =>
      instantiationsOf(generatedViews(count)),
    )
    expect((many - none) / (few - none)).toBeLessThan(4.4)
  })
})

const makeProgram = programMaker(compilerOptions('spec/types/tsconfig.json'))

interface Mistake {
  /** What stands behind the mark: what is to be said, in parts. */
  readonly mark: string
  readonly said: string
}

function expectMarks(mistakes: readonly Mistake[]): void {
  for (const { mark, said } of mistakes)
    for (const part of mark.split(' && ')) expect(said).toContain(part)
}

/** A file without its marks, and where they stood: each marks the line after it. */
function marked(name: string): { text: string; marks: readonly { mark: string; line: number }[] } {
  const lines = readFileSync(join(here, name), 'utf8').split('\n')
  const marks = lines.flatMap((text, line) => {
    const [, mark] = /^\s*\/\/ @ts-expect-error (.*)$/.exec(text) ?? []
    return mark ? [{ mark, line: line + 1 }] : []
  })
  return { text: lines.join('\n').replaceAll('@ts-expect-error', ''), marks }
}

/** The marks of a file, and what the compiler says of the line after each. */
function mistakesIn(
  name: string,
  make = makeProgram,
  say: (fault: ts.Diagnostic) => string = fault => messageOf(fault),
): readonly Mistake[] {
  const { text, marks } = marked(name)
  const file = join(here, name)
  const faults = faultsOf(make(new Map([[file, text]])), file)
  return marks.map(({ mark, line }) => ({
    mark,
    said: stripVTControlCharacters(
      faults.flatMap(fault => (lineOf(fault) === line ? say(fault) : [])).join('\n'),
    ),
  }))
}

/** What a program costs the compiler, which finds nothing wrong with it. */
function instantiationsOf(text: string): number {
  const file = join(here, 'generated.ts')
  const program = makeProgram(new Map([[file, text]]))
  expect(faultsOf(program, file).map(fault => messageOf(fault))).toEqual([])
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
