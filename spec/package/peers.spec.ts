import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, describe, expect, it } from 'vitest'
import { root } from '../architecture/source.js'

const folder = mkdtempSync(join(tmpdir(), 'koa-smorest-peers-'))
afterAll(() => rmSync(folder, { recursive: true }))

const APPLICATION = `
  import Koa from 'koa'
  import { Api, Blueprint, operation } from './src/index.js'
  const app = new Koa()
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0' })
  api.registerBlueprint(new Blueprint('a').get('/', operation(), () => null))`

/** Programs that need optional peers, and the line that each of them ends with. */
const PROGRAMS = {
  mcp: {
    code: `${APPLICATION}
      import { mcp } from './src/mcp/index.js'
      mcp(api, { path: '/mcp', tools: () => true })
      setInterval(() => undefined, 1000)`,
    peers: ['@modelcontextprotocol/server', 'light-my-request'],
    line: 'mcp() needs packages that are not installed: npm install @modelcontextprotocol/server light-my-request',
  },
  jwt: {
    code: `
      import { jwt } from './src/jwt/index.js'
      jwt('login', { issuer: null, audience: null, key: new Uint8Array(32) })
      setInterval(() => undefined, 1000)`,
    peers: ['jose'],
    line: 'jwt() needs packages that are not installed: npm install jose',
  },
  contract: {
    code: `${APPLICATION}
      import { contract } from './src/testing/index.js'
      await contract(app, api)`,
    peers: ['ajv', 'ajv-formats', 'fast-check'],
    line: 'contract() needs packages that are not installed: npm install --save-dev ajv ajv-formats fast-check light-my-request',
  },
  fetchOf: {
    code: `${APPLICATION}
      import { fetchOf } from './src/testing/index.js'
      await fetchOf(app)('/')`,
    peers: ['light-my-request'],
    line: 'fetchOf() needs packages that are not installed: npm install --save-dev light-my-request',
  },
}
type Name = keyof typeof PROGRAMS

/** Makes a folder where all packages are installed but for one. */
function folderWithout(missing: string, name: string): string {
  const modules = join(folder, name, missing.replace('/', '-'), 'node_modules')
  mkdirSync(modules, { recursive: true })
  const from = join(root, 'node_modules')
  const names = readdirSync(from).flatMap(name =>
    name.startsWith('@') ? readdirSync(join(from, name)).map(inner => `${name}/${inner}`) : name,
  )
  for (const name of names) {
    if (name === missing || name.startsWith('.')) continue
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(from, name), join(modules, name))
  }
  return dirname(modules)
}

describe.each(Object.keys(PROGRAMS) as Name[])('%s()', name => {
  const { code, peers, line } = PROGRAMS[name]
  it.each(peers)('ends with the line that installs what is missing, without %s', async missing => {
    const outdir = folderWithout(missing, name)
    await build({
      stdin: { contents: code, resolveDir: root },
      outdir,
      outExtension: { '.js': '.mjs' },
      // as the package is built
      splitting: true,
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    })
    const { status, stderr } = spawnSync(process.execPath, [join(outdir, 'stdin.mjs')], {
      encoding: 'utf8',
      timeout: 20_000,
    })
    expect(stderr).toContain(`Error: ${line}\n`)
    expect(status).toBe(1)
  })
})
