import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lint } from '../../src/command/lint.js'
import { run } from './run.js'

const index = pathToFileURL(join(import.meta.dirname, '../../src/index.ts')).href
const koa = JSON.stringify(import.meta.resolve?.('koa') ?? 'koa')
const MODULE = `
import Koa from ${koa}
import { Api, apiKey, Blueprint, cache, etag, MethodView, open, operation, response, secure, uuid } from ${JSON.stringify(index)}
const key = apiKey('key', { in: 'header', name: 'X-Key', principal: () => 'me' })
const load = () => 'a'
class Pet extends MethodView {
  static get = operation(response(uuid), etag({ load, tag: () => 'W/"1"' }), cache({ maxAge: 86400, immutable: true }))
  static put = operation(response(uuid), etag({ load, tag: () => 'W/"1"' }), secure(key))
  static delete = operation(response({ code: 204 }), open())
  get() {}
  put() {}
  delete() {}
}
const pets = new Blueprint('pets').get('/pets/', operation(), () => []).route('/pets/:petId', Pet)
export const api = new Api(new Koa(), { OPENAPI_VERSION: '3.0.3' }).registerBlueprint(pets)
`

let folder: string
const at = (name: string) => join(folder, name)
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lint-'))
  writeFileSync(at('app.mjs'), MODULE)
  writeFileSync(at('clean.json'), JSON.stringify(documentOf({})))
})
afterAll(() => rmSync(folder, { recursive: true }))

const documentOf = (paths: object, rest: object = {}) => ({ openapi: '3.1.0', paths, ...rest })
const rules = (paths: object, rest: object = {}) =>
  lint(documentOf(paths, rest)).map(({ rule, operation }) => `${operation}: ${rule}`)
const secured = (...security: object[]) => ({ security, responses: {} })
const cached = (value: string) => ({
  responses: { 200: { headers: { 'Cache-Control': { description: `\`${value}\`` } } } },
})
const change = { responses: {} }

describe('koa-smorest lint', () => {
  it('exits with 1, and remarks on what is allowed and rarely meant', async () => {
    expect(await run('lint', at('app.mjs'))).toEqual({
      code: 1,
      out: [
        'GET /pets/',
        '     returns JSON that no codec describes: whatever the method returns is sent. Write response(codec)  [response-without-codec]',
        'GET /pets/',
        "     ends with a slash: for /pets, write route('')  [trailing-slash]",
        'GET /pets/{petId}',
        '     may be kept by shared caches for 86400 s, although PUT /pets/{petId} changes it: nobody sees the change until then  [long-public-cache]',
        'GET /pets/{petId}',
        '     is immutable, although PUT /pets/{petId} changes it  [immutable-can-change]',
        'GET /pets/{petId}',
        '     has a weak entity tag, which never matches in If-Match: PUT /pets/{petId} is always a 412  [weak-tag]',
        'DELETE /pets/{petId}',
        '     asks for no credentials, PUT /pets/{petId} for key  [security-differs]',
        '6 remarks',
        '',
      ].join('\n'),
      error: '',
    })
  })

  it('exits with 0 if there is nothing to remark on, and reads documents too', async () => {
    expect(await run('lint', at('clean.json'))).toEqual({ code: 0, out: 'no remarks\n', error: '' })
  })

  it('leaves out the rules of --skip, and refuses those that it does not have', async () => {
    const skip = 'trailing-slash,response-without-codec,security-differs,weak-tag,long-public-cache'
    const { code, out } = await run('lint', at('app.mjs'), '--skip', skip, '--format', 'json')
    expect({ code, out: JSON.parse(out) }).toEqual({
      code: 1,
      out: [
        {
          rule: 'immutable-can-change',
          operation: 'GET /pets/{petId}',
          text: 'is immutable, although PUT /pets/{petId} changes it',
        },
      ],
    })
    const all = await run('lint', at('app.mjs'), '--skip', `${skip},immutable-can-change`)
    expect(all).toEqual({ code: 0, out: 'no remarks\n', error: '' })
    const wrong = await run('lint', at('app.mjs'), '--skip', 'slash')
    expect(wrong.code).toBe(2)
    expect(wrong.error).toContain('--skip slash: the rules are security-differs, scopes-missing')
  })

  it('annotates a pull request on GitHub', async () => {
    const { out } = await run('lint', at('app.mjs'), '--format', 'github')
    expect(out.split('\n')[1]).toBe(
      `::warning file=${at('app.mjs')},title=trailing-slash::GET /pets/: ends with a slash: for /pets, write route('')`,
    )
  })
})

describe('security', () => {
  it('is remarked on if writes of one path ask for different credentials', () => {
    const [key, login] = [secured({ key: [] }), secured({ login: [] })]
    expect(rules({ '/pets': { get: change, post: key, delete: login } })).toEqual([
      'POST /pets: security-differs',
      'DELETE /pets: security-differs',
    ])
    expect(rules({ '/pets': { post: key, delete: secured({ key: [] }, {}) } })).toEqual([
      'DELETE /pets: security-differs',
    ])
    expect(
      rules({ '/pets': { get: change, post: key, put: key }, '/shops': { post: login } }),
    ).toEqual([])
    const inherited = { security: [{ key: [] }] }
    expect(rules({ '/pets': { post: change, put: key } }, inherited)).toEqual([])
  })

  it('is remarked on if a write needs no scope, and one of its siblings does', () => {
    const [all, write] = [secured({ login: [] }), secured({ login: ['pets:write'] })]
    expect(rules({ '/pets': { post: write }, '/pets/{id}': { put: write, delete: all } })).toEqual([
      'DELETE /pets/{id}: scopes-missing',
    ])
    expect(rules({ '/pets': { post: write }, '/shops': { post: all } })).toEqual([])
    expect(rules({ '/pets': { get: all, post: write } })).toEqual([])
    const admin = secured({ login: ['pets:admin'] })
    expect(rules({ '/pets/{id}': { put: write, delete: admin } })).toEqual([])
  })
})

describe('caching', () => {
  const at60 = (value: string, method = 'put') =>
    rules({ '/pets': { get: cached(value), [method]: change } })

  it('is remarked on if shared caches keep for an hour what can change', () => {
    expect(at60('max-age=3600')).toEqual(['GET /pets: long-public-cache'])
    expect(at60('max-age=60, s-maxage=86400', 'delete')).toEqual(['GET /pets: long-public-cache'])
    for (const harmless of ['max-age=3599', 'private, max-age=86400', 'no-cache, max-age=86400'])
      expect(at60(harmless)).toEqual([])
    expect(at60('max-age=86400', 'post')).toEqual([])
    expect(rules({ '/pets': { get: cached('max-age=86400') } })).toEqual([])
  })

  it('is remarked on if what a PUT or PATCH changes is immutable', () => {
    expect(at60('immutable, max-age=60')).toEqual(['GET /pets: immutable-can-change'])
    expect(at60('immutable, max-age=60', 'patch')).toEqual(['GET /pets: immutable-can-change'])
    expect(at60('immutable, max-age=60', 'delete')).toEqual([])
  })
})

describe('a response', () => {
  const returning = (content: object, status = 200) =>
    rules({ '/pets': { get: { responses: { [status]: { content } } } } })

  it('is remarked on if its JSON has no codec', () => {
    expect(returning({ 'application/json': {} })).toEqual(['GET /pets: response-without-codec'])
    expect(returning({ 'application/hal+json': {} })).toEqual(['GET /pets: response-without-codec'])
    expect(returning({ 'application/json': { schema: {} } })).toEqual([])
    expect(returning({ 'application/pdf': {} })).toEqual([])
    expect(returning({ 'application/json': {} }, 404)).toEqual([])
  })
})

describe('a path', () => {
  it('is remarked on once if it ends with a slash, and is not the root', () => {
    expect(rules({ '/pets/': { get: change, post: change }, '/': { get: change } })).toEqual([
      'GET /pets/: trailing-slash',
    ])
  })
})
