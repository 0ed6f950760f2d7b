import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingPeers } from '../../src/command/contract.js'
import { run } from './run.js'

const at = (path: string) =>
  JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../', path)).href)
const moduleOf = (rest: string) => `
import Koa from ${at('node_modules/koa/lib/application.js')}
import { Api, Blueprint, operation, path, query, response, struct, int, altResponse } from ${at('src/index.ts')}
const numbers = new Blueprint('numbers')
numbers.get('/double', operation(query(struct({ of: int })), response(int), altResponse(418)), (ctx, { of }) => (of > 1000 && BROKEN ? ctx.throw(409) : of))
export const app = new Koa()
app.silent = true
export const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(numbers)
${rest}
`

let folder: string
const write = (name: string, rest: string) => {
  writeFileSync(
    join(folder, name),
    `const BROKEN = ${name.startsWith('broken')}\n${moduleOf(rest)}`,
  )
  return join(folder, name)
}
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'contract-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('koa-smorest contract', () => {
  it('exits with 0 if the application keeps to its document, and says what was not seen', async () => {
    const module = write(
      'fine.mjs',
      `export const contract = { reset: () => undefined, unreachable: { 'GET /double 418': 'there is no teapot' } }`,
    )
    const { code, out, error } = await run('contract', module, '--runs', '5')
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(out).toMatch(/^NOT SEEN +STATUS +REASON\nGET \/double +418 +there is no teapot\n/)
    expect(out).toMatch(/FAILURES +REQUESTS +OPERATIONS +RESPONSES\n0 +\d+ +100\.0 % +100\.0 %\n$/)
  })

  it('finds what a CommonJS module exports, if Node does not know the names', async () => {
    const inner = write('inner.mjs', '')
    const module = join(folder, 'common.cjs')
    writeFileSync(
      module,
      `const inner = import(${JSON.stringify(pathToFileURL(inner).href)})
       module.exports = { app: inner.then(({ app }) => app), api: inner.then(({ api }) => api), contract: { reset: () => undefined, runs: 2 } }`,
    )
    const { code, out, error } = await run('contract', module)
    expect({ code, error, out }).toEqual({
      code: 0,
      error: '',
      out: expect.stringMatching(/^NOT SEEN/),
    })
  })

  it('exits with 1 if it does not, with the request that shows it', async () => {
    const module = write('broken.mjs', 'export const contract = { reset: () => undefined }')
    const { code, out } = await run('contract', module, '--runs', '40', '--seed', '3')
    expect(code).toBe(1)
    expect(out).toMatch(/^OPERATION +CHECK +STATUS +MESSAGE\nGET \/double +\S.*409.*\n {4}curl /)
  })

  it('refuses what it cannot undo, unless it may write', async () => {
    const module = write('without.mjs', '')
    const { code, error } = await run('contract', module)
    expect({ code, error }).toEqual({
      code: 2,
      error: expect.stringMatching(/export contract = \{ reset: .*--writes/),
    })
    expect((await run('contract', module, '--writes', '--runs', '2')).code).toBe(0)
  })

  it.each([
    ['no app', 'export const app = 1', '', 'exports no Koa application as "app" (it exports app)'],
    [
      'no Api',
      `export const app = { callback() {} }`,
      '',
      'exports no Api as "api" (it exports app)',
    ],
    [
      'a number that is none',
      `export const app = { callback() {} }, api = { spec: { toJSON() {} } }`,
      '--runs=many',
      '--runs many: write a whole number',
    ],
  ])('exits with 2 and says what to do: %s', async (_case, text, option, message) => {
    const module = join(folder, `${message.length}.mjs`)
    writeFileSync(module, text)
    const { code, error } = await run(
      'contract',
      module,
      '--writes',
      ...(option === '' ? [] : [option]),
    )
    expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining(message) })
  })

  it('names the packages that are missing', () => {
    const resolve = (name: string) => {
      if (name.startsWith('ajv')) throw new Error('not found')
      return name
    }
    expect(missingPeers(resolve)).toEqual(['ajv', 'ajv-formats'])
  })
})
