import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import openapiTypescript, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createShop } from '../../examples/pet-shop/app.js'
import { createTypedReference } from '../reference/application.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const generated = join(here, 'generated')
const compiler = (name: string) => join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin/tsc')

/** Where `PathsOf` and openapi-typescript differ: uploads, and what the generator cannot know or the compiler cannot see. */
const COMPARISON = `
import type { PathsOf } from 'koa-smorest'
import type { createShop } from '../../../examples/pet-shop/app.js'
import type { createTypedReference } from '../../reference/application.js'
import type { Outdated, Unexpected } from '../difference.js'
import type { paths as ReferencePaths } from './reference.js'
import type { paths as ShopPaths } from './shop.js'

type Shop = PathsOf<ReturnType<typeof createShop>['api']>
type ShopMay = ' /pets/{petId}/picture put requestBody content multipart/form-data picture'
type Reference = PathsOf<ReturnType<typeof createTypedReference>>
type ReferenceMay =
  // uploads
  | \` /args/files\${string} requestBody content multipart/form-data \${string}\`
  // fields that are only written: the generator has one type for both directions
  | \`\${string} content application/json\${'' | '[]'} \${'secret' | 'hidden'}\`
  // a schema that is written by hand
  | \`\${string} content application/json\${'' | '[]'} label\`
  // parameters that are documented by hand
  | \` /docs-only/shared/{shared_id} \${string}query\${string}\`
  // what a prepareResponseContent makes, and class attributes
  | \` /wrapped/thing \${string} application/json\${string}\`
  | \` /pages-\${'named' | 'none'}/list/{total} \${string} headers\`

export const differs: never = undefined as never as Unexpected<Shop, ShopPaths, ShopMay> | Unexpected<Reference, ReferencePaths, ReferenceMay>
export const outdated: never = undefined as never as Outdated<Shop, ShopPaths, ShopMay> | Outdated<Reference, ReferencePaths, ReferenceMay>
`

/** What stands in `generated` while the compilers run: the paths that openapi-typescript makes, and their comparison with ours. */
async function generatePaths(): Promise<void> {
  const documents = { shop: createShop({} as never).api.spec.toJSON(), reference: createTypedReference().spec.toJSON() }
  await mkdir(generated, { recursive: true })
  for (const [name, document] of Object.entries(documents)) {
    const nodes = await openapiTypescript(document as never, { defaultNonNullable: false })
    await writeFile(join(generated, `${name}.ts`), astToString(nodes))
  }
  await writeFile(join(generated, 'compare.ts'), COMPARISON)
}

describe('P7: the types', () => {
  beforeAll(generatePaths)
  afterAll(() => rm(generated, { recursive: true, force: true }))

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

  it('are, for a client, what openapi-typescript generates, but for what is listed (TypeScript 6)', { timeout: 120_000 }, () => {
    const file = join(generated, 'compare.ts')
    const program = programOf(file, COMPARISON)
    const faults = program.getSemanticDiagnostics(program.getSourceFile(file))
    expect(faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([])
  })

  it('name what is wrong in a call of a client, for each mistake of client-cases.ts', { timeout: 60_000 }, () => {
    const mistakes = mistakesIn('client-cases.ts')
    expect(mistakes).toHaveLength(12)
    for (const { mark, messages } of mistakes) expect(messages.join('\n')).toContain(mark)
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
