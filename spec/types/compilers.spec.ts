import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify, stripVTControlCharacters } from 'node:util'
import openapiTypescript, { astToString } from 'openapi-typescript'
import type ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createShop } from '../../examples/pet-shop/app.js'
import { createTypedReference } from '../reference/application.js'
import {
  type Compiler,
  compilerOptions,
  faultsOf,
  lineOf,
  messageOf,
  programMaker,
} from '../support/compile.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const generated = join(here, 'generated')
const compiler = (name: string) =>
  join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin/tsc')

/**
 * Where `PathsOf` and openapi-typescript differ: uploads, and what the generator cannot know or the
 * compiler cannot see.
 */
const COMPARISON = `
import type { PathsOf } from 'koa-smorest'
import type { createShop } from '../../../examples/pet-shop/app.js'
import type { createTypedReference } from '../../reference/application.js'
import type { Outdated, Unexpected } from '../difference.js'
import type { paths as ReferencePaths } from './reference.js'
import type { paths as ShopPaths } from './shop.js'

type Shop = PathsOf<ReturnType<typeof createShop>['api']>
type ShopMay =
  | ' /pets/{petId}/picture put requestBody content multipart/form-data picture'
  // a field that is only written: the generator has one type for both directions
  | \` /subscriptions/\${string} content application/json\${'' | '[]'} secret\`
  // streams, whose items the generator does not know
  | ' /pets/export get responses 200 content application/jsonl'
  | ' /orders/events get responses 200 content text/event-stream'
type Reference = PathsOf<ReturnType<typeof createTypedReference>>
type ReferenceMay =
  // uploads
  | \` /args/files\${string} requestBody content multipart/form-data \${string}\`
  // fields that are only written: the generator has one type for both directions
  | \`\${string} content application/json\${'' | '[]'} \${'secret' | 'hidden'}\`
  // a schema that is written by hand
  | \`\${string} content application/json\${'' | '[]'} label\`
  // an error that is described by hand
  | \` /responses/documented get responses 404 content\${string}\`
  // parameters that are documented by hand
  | \` /docs-only/shared/{shared_id} \${string}query\${string}\`
  // what a prepareResponseContent makes, and class attributes
  | \` /wrapped/thing \${string} application/json\${string}\`
  | \` /pages-\${'named' | 'none'}/list/{total} \${string} headers\`

export const differs: never = undefined as never as Unexpected<Shop, ShopPaths, ShopMay> | Unexpected<Reference, ReferencePaths, ReferenceMay>
export const outdated: never = undefined as never as Outdated<Shop, ShopPaths, ShopMay> | Outdated<Reference, ReferencePaths, ReferenceMay>
`

/**
 * What stands in `generated` while the compilers run: the paths that openapi-typescript makes, and
 * their comparison with ours.
 */
async function generatePaths(): Promise<void> {
  const documents = {
    shop: createShop({} as never).api.spec.toJSON(),
    reference: createTypedReference().spec.toJSON(),
  }
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
  it.each(['typescript-5.9', 'typescript-7'])(
    'compile with exactly the expected errors (%s)',
    { timeout: 120_000 },
    async name => {
      const run = promisify(execFile)(process.execPath, [
        compiler(name),
        '--noEmit',
        '--project',
        join(here, 'tsconfig.json'),
      ])
      expect((await run.catch((error: { stdout: string }) => error)).stdout).toBe('')
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
    expect(mistakes).toHaveLength(10)
    expectMarks(mistakes)
  })

  it('are, for a client, what openapi-typescript generates, but for what is listed (TypeScript 6)', {
    timeout: 120_000,
  }, () => {
    const file = join(generated, 'compare.ts')
    expect(
      faultsOf(makeProgram(new Map([[file, COMPARISON]])), file).map(fault => messageOf(fault)),
    ).toEqual([])
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
    const run = promisify(execFile)(process.execPath, [
      compiler('typescript-7'),
      '--noEmit',
      '--pretty',
      '--project',
      folder,
    ])
    const { stdout } = await run.catch((error: { stdout: string }) => error)
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
