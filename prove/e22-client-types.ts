import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  callsOf,
  literalPathsOf,
  OPERATIONS_OF_A_RESOURCE,
  PATHS_OF_SERVER,
  serverOf,
} from '../spec/types/client-programs.js'
import { experiment, scale } from './experiment.js'

// What a typed client costs the compiler: 250, 500 and 1,000 operations with half as many calls
// through an interface that extends `PathsOf`, as the manual has it, against the server alone and
// the same calls over literal `paths`, all over the package's declarations, on TypeScript 6 and 7.
// One checker does it all, so that what is compared is work. The same through a type alias is told
// without a bound.

const root = fileURLToPath(new URL('..', import.meta.url))
const COMPILERS = ['typescript', 'typescript-7']
const OPERATIONS = [250, 500, 1000].map(count => Math.round(count / scale))

interface Cost {
  readonly seconds: number
  readonly instantiations: number
  readonly megabytes: number
}

await experiment('E22', 'types of clients', async scope => {
  await mkdir(join(root, 'node_modules/.cache'), { recursive: true })
  const folder = await mkdtemp(join(root, 'node_modules/.cache/client-types-'))
  scope.onEnd(() => rm(folder, { recursive: true, force: true }))
  await installPackage(folder)
  for (const compiler of COMPILERS) {
    const perOperation: number[] = []
    for (const operations of OPERATIONS) {
      const cost = await costsOf(
        compiler,
        folder,
        Math.round(operations / OPERATIONS_OF_A_RESOURCE),
      )
      const name = `${compiler}, ${operations} operations`
      const both = cost.server.seconds + cost.literal.seconds
      scope.figure(
        `${name}: seconds`,
        `${cost.whole.seconds} of ${cost.server.seconds} + ${cost.literal.seconds}; ${cost.alias.seconds} by alias`,
      )
      scope.figure(`${name}: time`, cost.whole.seconds / both, { atMost: 1.5 })
      scope.figure(
        `${name}: instantiations`,
        cost.whole.instantiations / (cost.server.instantiations + cost.literal.instantiations),
        {
          atMost: 1.5,
        },
      )
      scope.figure(
        `${name}: instantiations by alias`,
        cost.alias.instantiations / (cost.server.instantiations + cost.literal.instantiations),
      )
      scope.figure(`${name}: memory in MB`, cost.whole.megabytes, { atMost: 2000 })
      perOperation.push(cost.whole.instantiations / operations)
    }
    // with a part that is the same for any size, each operation costs less where there are more
    scope.figure(
      `${compiler}: instantiations of an operation, of 1,000 to 250`,
      (perOperation.at(-1) ?? 0) / (perOperation[0] ?? 1),
      {
        atMost: 1.2,
      },
    )
  }
})

async function costsOf(compiler: string, folder: string, resources: number) {
  const alias = PATHS_OF_SERVER.replace(/interface.*/, 'type Paths = PathsOf<typeof api>')
  await writeFile(join(folder, 'server.ts'), serverOf(resources))
  await writeFile(join(folder, 'client.ts'), callsOf(resources, PATHS_OF_SERVER))
  await writeFile(join(folder, 'alias.ts'), callsOf(resources, alias))
  await writeFile(join(folder, 'literal.ts'), callsOf(resources, literalPathsOf(resources)))
  return {
    server: await check(compiler, folder, ['server.ts']),
    literal: await check(compiler, folder, ['literal.ts']),
    whole: await check(compiler, folder, ['server.ts', 'client.ts']),
    alias: await check(compiler, folder, ['server.ts', 'alias.ts']),
  }
}

/** The package as it would be installed: its declarations behind its `exports`. */
async function installPackage(folder: string): Promise<void> {
  const installed = join(folder, 'node_modules/koa-smorest')
  await mkdir(installed, { recursive: true })
  const options = [
    '-p',
    'tsconfig.build.json',
    '--emitDeclarationOnly',
    '--outDir',
    join(installed, 'dist'),
  ]
  await promisify(execFile)(process.execPath, [binOf('typescript-7'), ...options], { cwd: root })
  await cp(join(root, 'package.json'), join(installed, 'package.json'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
}

function binOf(compiler: string): string {
  return join(
    dirname(createRequire(import.meta.url).resolve(`${compiler}/package.json`)),
    'bin/tsc',
  )
}

/**
 * The least that a compiler says of its own cost in two runs: what else the machine does adds to
 * it.
 */
async function check(compiler: string, folder: string, files: readonly string[]): Promise<Cost> {
  const costs = [
    await checkOnce(compiler, folder, files),
    await checkOnce(compiler, folder, files),
    await checkOnce(compiler, folder, files),
  ]
  return costs.reduce((least, cost) => (cost.seconds < least.seconds ? cost : least))
}

/** What a compiler says of its own cost; an error of the program is one of the experiment. */
async function checkOnce(
  compiler: string,
  folder: string,
  files: readonly string[],
): Promise<Cost> {
  const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    types: ['node'],
    skipLibCheck: true,
    noEmit: true,
    ...strict,
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const options = [
    '-p',
    folder,
    '--extendedDiagnostics',
    ...(compiler === 'typescript-7' ? ['--singleThreaded'] : []),
  ]
  const run = promisify(execFile)(process.execPath, [binOf(compiler), ...options], {
    maxBuffer: 2 ** 26,
  })
  const { stdout } = await run.catch(({ stdout }: { stdout: string }) => {
    throw new Error(stdout.slice(0, 2000))
  })
  const number = (name: string) => Number(new RegExp(`^${name}: +([\\d.]+)`, 'm').exec(stdout)?.[1])
  return {
    seconds: number('Check time'),
    instantiations: number('Instantiations'),
    megabytes: number('Memory used') / 1000,
  }
}
