import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseSource, root } from '../architecture/source.js'
import { compilerOptions, messageOf } from '../support/compile.js'

const SUBPATHS = [
  ...[
    'client/index',
    'csv',
    'jwt/index',
    'kysely',
    'mcp/index',
    'postgres',
    'redis',
    'standard/index',
  ],
  'testing/index',
]
const emitted = declarations([
  'src/index.ts',
  ...SUBPATHS.map(path => `src/${path}.ts`),
  'examples/pet-shop/app.ts',
])

describe('declarations of the package', () => {
  it('can be emitted, those of an application too: every type in them can be named', () => {
    expect(emitted.faults).toEqual([])
    expect([...emitted.files.keys()]).toEqual(
      expect.arrayContaining(['src/index.d.ts', 'examples/pet-shop/pet-views.d.ts']),
    )
  })

  it('never load koa-body, which would declare its global types in every application', () => {
    const packages = [...emitted.files]
      .filter(([path]) => path.startsWith('src/'))
      .flatMap(([path, text]) => parseSource(path, text).imports)
    expect(packages.map(({ specifier }) => specifier)).not.toContain('koa-body')
    expect(packages.length).toBeGreaterThan(0)
  })
})

/**
 * Megabytes that a compiler may take for the library: a type that is written out without end takes
 * gigabytes.
 */
const MEMORY = 600
const SECONDS = 60

describe('declarations of a library on top of the package', () => {
  let folder: string

  beforeAll(async () => {
    folder = await installedPackage(emitted.files)
    await cp(fileURLToPath(new URL('library', import.meta.url)), folder, { recursive: true })
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it.each(['typescript-5.9', 'typescript', 'typescript-7'])(
    `are emitted in ${SECONDS} s and ${MEMORY} MB, and are enough to use it (%s)`,
    { timeout: 3 * SECONDS * 1000 },
    async compiler => {
      const out = `out-${compiler}`
      const library = await compile(
        compiler,
        folder,
        { declaration: true, emitDeclarationOnly: true, outDir: out },
        ['codecs.ts', 'helpers.ts', 'operations.ts'],
      )
      expect(library.output).toBe('')
      expect(library.memory).toBeLessThan(MEMORY)
      await cp(join(folder, 'main.ts'), join(folder, out, 'main.ts'))
      const program = await compile(compiler, join(folder, out), { noEmit: true }, ['main.ts'])
      expect(program.output).toBe('')
      expect(await readFile(join(folder, out, 'helpers.d.ts'), 'utf8')).toContain('OutputOf<Item>')
    },
  )
})

/**
 * What the compiler emits for files and all that they import, by path below the root, and what it
 * has against that.
 */
function declarations(paths: readonly string[]): {
  files: ReadonlyMap<string, string>
  faults: string[]
} {
  const entries = paths.map(path => join(root, path))
  const program = ts.createProgram(entries, {
    ...compilerOptions(),
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: root,
  })
  const files = new Map<string, string>()
  program.emit(undefined, (path, text) =>
    files.set(relative(root, path).split(sep).join('/'), text),
  )
  const faults = program.getDeclarationDiagnostics().map(fault => messageOf(fault))
  return { files, faults }
}

/**
 * A folder in whose `node_modules` the package is, as it would be installed: its declarations
 * behind its `exports`.
 */
async function installedPackage(files: ReadonlyMap<string, string>): Promise<string> {
  // below the project, where its dependencies are found
  const cache = join(root, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'library-'))
  const installed = join(folder, 'node_modules/koa-smorest')
  for (const [path, text] of files) {
    if (!path.startsWith('src/')) continue
    const target = join(installed, path.replace(/^src/, 'dist'))
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, text)
  }
  await cp(join(root, 'package.json'), join(installed, 'package.json'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  return folder
}

/** Runs a compiler as a process of its own: what it printed, and its memory in MB. */
async function compile(
  compiler: string,
  folder: string,
  options: Readonly<Record<string, unknown>>,
  files: readonly string[],
): Promise<{ output: string; memory: number }> {
  const strict = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    extendedDiagnostics: true,
  }
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    types: ['node'],
    skipLibCheck: true,
    rootDir: '.',
    ...strict,
    ...options,
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const tsc = join(
    dirname(createRequire(import.meta.url).resolve(`${compiler}/package.json`)),
    'bin/tsc',
  )
  const run = promisify(execFile)(
    process.execPath,
    [`--max-old-space-size=${MEMORY}`, tsc, '--project', folder],
    {
      timeout: SECONDS * 1000,
    },
  )
  const { stdout } = await run.catch((error: { stdout: string; killed?: boolean }) =>
    error.killed ? { stdout: 'took too long' } : error,
  )
  const memory = Number(/^Memory used: +(\d+)K/m.exec(stdout)?.[1]) / 1000
  return { output: stdout.replace(/^Files: [\s\S]*/m, '').trim(), memory }
}
