import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { toYaml } from '../openapi/document/yaml.js'
import { choiceOf, type Options, type Output, UsageError } from './usage.js'

/** The root of this package: sources and chunks of the build are both two folders below it. */
const PACKAGE = fileURLToPath(new URL('../../', import.meta.url))

const RUNTIME = ['@godaddy/terminus', 'fp-ts', 'io-ts', 'koa', 'pino', 'pino-http']
const TOOLS = [
  ...[
    '@types/koa',
    '@types/node',
    'ajv',
    'ajv-formats',
    'fast-check',
    'light-my-request',
    'tsx',
    'typescript',
  ],
]
/** The packages that a project needs besides, by its database. */
const DATABASES = {
  none: { runtime: [], tools: [] },
  postgres: { runtime: ['kysely', 'pg'], tools: ['@types/pg'] },
} as const

/**
 * Makes a project in a folder that is empty or does not exist: an API with its tests, its document
 * and what it needs to be deployed. Resolves to the exit code. Refuses any other folder, and a name
 * that npm refuses, before it writes anything.
 */
export async function newProject(
  target: string,
  options: Options,
  { out }: Output,
): Promise<number> {
  const database = choiceOf('database', options.database, ['none', 'postgres'])
  const folder = resolve(target)
  const name = basename(folder)
  checkName(name)
  checkEmpty(folder, target)

  const files = new Map([...filesOf('common'), ...filesOf(database)])
  for (const [path, text] of files) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, textOf(path, text, name, database))
  }
  const here = relative(process.cwd(), folder)
  const next = [
    ...(here ? [`cd ${here}`] : []),
    'npm install',
    ...(database === 'postgres' ? ['export DATABASE_URL=postgres://…'] : []),
    'npm start',
  ]
  out(`${name} is made, in ${folder}\n\n  ${next.join('\n  ')}`)
  return 0
}

/** The templates of a folder, by their path in the project: `_gitignore` becomes `.gitignore`. */
function filesOf(templates: string): [string, string][] {
  const folder = join(PACKAGE, 'templates/new', templates)
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => {
      const file = join(entry.parentPath, entry.name)
      const parts = relative(folder, file).split(sep)
      // npm leaves .gitignore out of packages
      return [parts.map(part => part.replace(/^_/, '.')).join('/'), readFileSync(file, 'utf8')]
    })
}

function textOf(
  path: string,
  text: string,
  name: string,
  database: keyof typeof DATABASES,
): string {
  // a name such as 1e5 needs quotes in YAML
  if (path === 'openapi.yaml') {
    const document = parse(text)
    return toYaml({ ...document, info: { ...document.info, title: name } })
  }
  const named = text.replaceAll('my-api', name)
  if (path !== 'package.json') return named
  const { runtime, tools } = DATABASES[database]
  const dependencies = versionsOf([...RUNTIME, ...runtime])
  const manifest = {
    ...JSON.parse(named),
    dependencies: { ...dependencies, 'koa-smorest': `^${ownManifest().version}` },
    devDependencies: versionsOf([...TOOLS, ...tools]),
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

interface Manifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

function ownManifest(): Manifest {
  return JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))
}

/** The versions that this package is tested with. */
function versionsOf(names: readonly string[]): Record<string, string> {
  const { dependencies, devDependencies } = ownManifest()
  const range = (name: string) => dependencies[name] ?? `^${devDependencies[name]}`
  return Object.fromEntries([...names].sort().map(name => [name, range(name)]))
}

/** The names that npm accepts for new packages, without a scope. */
function checkName(name: string): void {
  const refused = isBuiltin(name) || name === 'node_modules' || name === 'favicon.ico'
  if (!refused && name.length <= 214 && /^[a-z0-9~-][a-z0-9._~-]*$/.test(name)) return
  throw new UsageError(
    `npm refuses ${JSON.stringify(name)} as the name of a package: it must be in small letters, digits and -, and must not be a module of Node`,
  )
}

function checkEmpty(folder: string, target: string): void {
  if (!existsSync(folder)) return
  let entries: string[]
  try {
    entries = readdirSync(folder)
  } catch {
    throw new UsageError(`${target} must be a folder, or must not exist yet`)
  }
  const found = entries.filter(entry => entry !== '.git')
  if (found.length > 0)
    throw new UsageError(`${target} must be empty, and has ${found.slice(0, 3).join(', ')}`)
}
