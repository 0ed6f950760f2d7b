/**
 * Compiles and runs the README's first example in a folder where the package is installed as its
 * users install it: `tsx scripts/try-package.ts FOLDER`. Then tries each subpath: without optional
 * peers, with all of them, and with each of its own hidden, when it has to end with a message that
 * has the line that installs it. Says what is wrong and exits with 1, or is silent.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript'
import { root } from '../spec/architecture/source.js'
import { examplesOf, startExamples } from '../spec/readme/example.js'
import { readPages } from '../spec/readme/page.js'

const folder = resolve(process.argv[2] ?? '.')
const [example] = readPages(root).flatMap(examplesOf)
if (example === undefined) throw new Error('The README has no example that listens on port 3000')

const API = `
import Koa from 'koa'
import * as t from 'io-ts'
import { Api, Blueprint, operation, response } from 'koa-smorest'
const app = new Koa()
const greeting = new Blueprint('greeting').get('/', operation(response(t.string)), () => 'hello')
const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(greeting)
`

/** A program that uses a subpath. */
interface Subpath {
  readonly code: string
  /** The optional peers without which it does not run. */
  readonly peers: readonly string[]
  /** Whether only Node says that one is missing, without the line (docs/decisions/0041). */
  readonly isNamedByNode?: boolean
}

const SUBPATHS: Readonly<Record<string, Subpath>> = {
  client: { code: `import { conditional } from 'koa-smorest/client'\nconditional()`, peers: [] },
  csv: {
    code: `import { csv } from 'koa-smorest/csv'\ncsv().write([{ id: 1 }])`,
    peers: ['csv-stringify'],
    isNamedByNode: true,
  },
  jwt: {
    code: `import { jwt } from 'koa-smorest/jwt'
jwt('login', { issuer: null, audience: null, key: new Uint8Array(32) })`,
    peers: ['jose'],
  },
  kysely: { code: `import 'koa-smorest/kysely'`, peers: ['kysely'], isNamedByNode: true },
  mcp: {
    code: `${API}import { mcp } from 'koa-smorest/mcp'\nmcp(api, { path: '/mcp', tools: () => true })`,
    peers: ['@modelcontextprotocol/server', 'light-my-request'],
  },
  postgres: { code: `import 'koa-smorest/postgres'`, peers: [] },
  redis: { code: `import 'koa-smorest/redis'`, peers: [] },
  standard: {
    code: `import * as t from 'io-ts'\nimport { standard } from 'koa-smorest/standard'\nstandard(t.string)`,
    peers: [],
  },
  testing: {
    code: `${API}import { contract, fetchOf } from 'koa-smorest/testing'
await fetchOf(app)('http://api/')
await contract(app, api, { runs: 1 })`,
    peers: ['ajv', 'ajv-formats', 'fast-check', 'light-my-request'],
  },
}

const examples = startExamples(folder)
const faults = [
  ...typeFaults(example.code.text),
  ...(await examples.faultsOf(example)),
  ...Object.keys(SUBPATHS).flatMap(name => peerFaults(name, SUBPATHS[name]?.peers ?? [])),
]
await examples.end()
installPeers()
for (const [name, { peers }] of Object.entries(SUBPATHS)) {
  faults.push(...peerFaults(name, []))
  for (const peer of peers) faults.push(...without(peer, () => peerFaults(name, [peer])))
}
if (faults.length > 0) {
  console.error(faults.join('\n'))
  process.exitCode = 1
}

/** Installs the optional peers of all subpaths, in the versions that the specs use. */
function installPeers(): void {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const peers = new Set(Object.values(SUBPATHS).flatMap(({ peers }) => peers))
  const packages = [...peers].map(peer => `${peer}@${devDependencies[peer]}`)
  execFileSync('npm', ['install', '--loglevel=error', ...packages], { cwd: folder })
}

/** Calls with one package hidden. */
function without<Result>(peer: string, call: () => Result): Result {
  const path = join(folder, 'node_modules', peer)
  const hidden = join(folder, 'hidden')
  renameSync(path, hidden)
  try {
    return call()
  } finally {
    renameSync(hidden, path)
  }
}

/** A subpath runs, or ends with a message that names one of the missing packages. */
function peerFaults(name: string, missing: readonly string[]): string[] {
  const program = join(folder, 'subpath.js')
  const { code = '', isNamedByNode } = SUBPATHS[name] ?? {}
  writeFileSync(program, code)
  const { status, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' })
  if (missing.length === 0)
    return status === 0 ? [] : [`koa-smorest/${name} does not run: ${stderr}`]
  const [line = ''] = isNamedByNode
    ? (stderr.match(/Cannot find package .*/) ?? [])
    : (stderr.match(/needs packages that are not installed: npm install .*/) ?? [])
  if (status !== 0 && missing.some(peer => line.includes(peer))) return []
  return [`koa-smorest/${name} without ${missing.join(', ')} exits with ${status}: ${stderr}`]
}

/**
 * What the compiler says under the strictest settings, the package's declarations and all that they
 * bring in included.
 */
function typeFaults(code: string): string[] {
  const file = join(folder, 'example.ts')
  writeFileSync(file, code)
  const program = ts.createProgram([file], {
    ...{
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      types: ['node'],
      noEmit: true,
    },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    typeRoots: [join(folder, 'node_modules/@types')],
  })
  const host = {
    getCurrentDirectory: () => folder,
    getCanonicalFileName: (name: string) => name,
    getNewLine: () => '\n',
  }
  return ts.getPreEmitDiagnostics(program).map(diagnostic => ts.formatDiagnostic(diagnostic, host))
}
