import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, describe, expect, it } from 'vitest'
import { root } from '../architecture/source.js'

// where packages are found
const cache = join(root, 'node_modules/.cache')
mkdirSync(cache, { recursive: true })
const folder = mkdtempSync(join(cache, 'mcp-'))
afterAll(() => rmSync(folder, { recursive: true }))

const PROGRAM = `
  import Koa from 'koa'
  import { Api, Blueprint, operation } from './src/index.js'
  import { mcp } from './src/mcp/index.js'
  const api = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' })
  api.registerBlueprint(new Blueprint('a').get('/', operation(), () => null))
  mcp(api, { path: '/mcp', tools: () => true })
  console.log('started')`

/** Runs a program that calls mcp() where one of its packages is not installed. */
async function runWithout(missing: string) {
  const outfile = join(folder, `${missing.replace('/', '-')}.mjs`)
  await build({
    stdin: { contents: PROGRAM, resolveDir: root },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    plugins: [
      {
        name: 'packages are where they are, but for one',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^[^.]/ }, ({ path }) => ({
            path: path === missing ? `${path}-missing` : path,
            external: true,
          })),
      },
    ],
  })
  return spawnSync(process.execPath, [outfile], { encoding: 'utf8' })
}

describe('mcp()', () => {
  it.each(['@modelcontextprotocol/server', 'light-my-request'])(
    'ends the process with the line that installs what is missing, without %s',
    async missing => {
      const { status, stdout, stderr } = await runWithout(missing)
      expect([status, stdout]).toEqual([1, 'started\n'])
      expect(stderr).toContain(
        'mcp() needs packages that are not installed: npm install @modelcontextprotocol/server light-my-request',
      )
    },
  )
})
