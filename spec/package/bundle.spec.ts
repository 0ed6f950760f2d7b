import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import Koa from 'koa'
import { Api } from 'koa-smorest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../architecture/source.js'
import { notes } from './bundled/notes.js'

/** The flags of the manual's commands, by their format. */
const commands =
  readFileSync(join(root, 'docs/deploying.md'), 'utf8').match(/^npx esbuild .*$/gm) ?? []
const folder = mkdtempSync(join(tmpdir(), 'koa-smorest-bundle-'))

afterAll(() => rmSync(folder, { recursive: true }))

describe.each(['cjs', 'esm'] as const)(
  'an application that esbuild has bundled as %s',
  { timeout: 30_000 },
  format => {
    const file = join(folder, `app.${format === 'cjs' ? 'cjs' : 'mjs'}`)
    let withAssets: Running
    let without: Running

    beforeAll(async () => {
      await build({
        ...optionsOf(commands.find(command => command.includes(`--format=${format}`)) ?? ''),
        outfile: file,
      })
      cpSync(join(root, 'dist/assets'), join(folder, 'assets'), { recursive: true })
      ;[withAssets, without] = await Promise.all([
        start(file, { ASSETS_FOLDER: 'assets' }),
        start(file, {}),
      ])
    })
    afterAll(() => Promise.all([withAssets?.stop(), without?.stop()]))

    it('serves its operations, with every kind of body', async () => {
      expect(await (await fetch(`${without.url}/notes/`)).json()).toEqual([
        { id: 1, text: 'Feed the cat' },
      ])
      const note = { id: 2, text: 'Feed the dog' }
      const sent = await fetch(`${without.url}/notes/`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
        body: gzipSync(JSON.stringify(note)),
      })
      expect({ status: sent.status, body: await sent.json() }).toEqual({ status: 201, body: note })
      const form = new FormData()
      form.set('file', new Blob(['attached']), 'a.txt')
      const attached = await fetch(`${without.url}/notes/attachments`, {
        method: 'POST',
        body: form,
      })
      expect({ status: attached.status, body: await attached.json() }).toEqual({
        status: 200,
        body: 'attached',
      })
    })

    it('has the document that it has unbundled', async () => {
      const api = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(notes)
      expect(await (await fetch(`${without.url}/docs/openapi.json`)).json()).toEqual(
        api.spec.toJSON(),
      )
    })

    it.each(['/docs/', '/docs/redoc'])(
      'serves %s with its files from the folder of the settings',
      async page => {
        const response = await fetch(withAssets.url + page)
        expect(response.status).toBe(200)
        for (const [, url = ''] of (await response.text()).matchAll(
          /(?:src|href)="(?!data:)([^"]+)"/g,
        )) {
          expect((await fetch(new URL(url, withAssets.url + page))).status, url).toBe(200)
        }
        expect(withAssets.complaints()).toBe('')
      },
    )

    it.each(['/docs/', '/docs/redoc'])(
      'says at its start, and in the log for each request, what %s lacks without them',
      async page => {
        const before = without.complaints()
        for (const name of ['swagger-ui-bundle.js', 'redoc.standalone.js']) {
          expect(before).toMatch(
            new RegExp(
              `^${name} is not in .*dist/assets and name the copy in OPENAPI_ASSETS_FOLDER`,
              'm',
            ),
          )
        }
        const response = await fetch(without.url + page)
        expect({ status: response.status, body: await response.json() }).toEqual({
          status: 500,
          body: { code: 500, status: 'Internal Server Error' },
        })
        await expect
          .poll(() => without.complaints().slice(before.length))
          .toContain('OPENAPI_ASSETS_FOLDER')
      },
    )
  },
)

/** esbuild's options, as its command takes them. */
function optionsOf(command: string) {
  const flags = new Map(
    Array.from(command.matchAll(/--([\w:-]+)(?:=("[^"]*"|\S+))?/g), ([, name = '', value]) => [
      name,
      value?.replace(/^"|"$/g, '') ?? true,
    ]),
  )
  const known = [
    'bundle',
    'minify',
    'keep-names',
    'platform',
    'target',
    'format',
    'outfile',
    'banner:js',
  ]
  expect([...flags.keys()].filter(name => !known.includes(name))).toEqual([])
  const banner = flags.get('banner:js')
  return {
    entryPoints: [join(root, 'spec/package/bundled/app.ts')],
    bundle: flags.has('bundle'),
    minify: flags.has('minify'),
    keepNames: flags.has('keep-names'),
    platform: flags.get('platform') as 'node',
    target: flags.get('target') as string,
    format: flags.get('format') as 'cjs' | 'esm',
    ...(banner !== undefined && { banner: { js: banner as string } }),
    logLevel: 'error' as const,
  }
}

interface Running {
  readonly url: string
  /** What it has written on its standard error. */
  complaints(): string
  stop(): Promise<void>
}

/** Runs a bundle in its folder, where there is no `node_modules`. */
async function start(file: string, env: Record<string, string>): Promise<Running> {
  const child = spawn(process.execPath, [file], {
    cwd: folder,
    env: { ...env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text
  })
  const exited = once(child, 'exit')
  const port = await Promise.race([once(child.stdout.setEncoding('utf8'), 'data'), exited])
  if (child.exitCode !== null) throw new Error(`The bundle does not start:\n${complaints}`)
  return {
    url: `http://127.0.0.1:${String(port[0]).trim()}`,
    complaints: () => complaints,
    stop: async () => {
      child.kill()
      await exited
    },
  }
}
