import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from './run.js'

const index = pathToFileURL(join(import.meta.dirname, '../../src/index.ts')).href
const MODULE = `
import Koa from ${JSON.stringify(import.meta.resolve?.('koa') ?? 'koa')}
import { Api, apiKey, Blueprint, MethodView, basic, deprecated, open, anyOf, operation, response, secure, uuid } from ${JSON.stringify(index)}
const key = apiKey('key', { in: 'header', name: 'X-Key', principal: () => 'me' })
const login = basic('login', { principal: name => name })
class Pets extends MethodView {
  static get = operation(response(uuid), open())
  static post = operation(response(uuid, { code: 201 }), secure(anyOf(key, login)))
  static query = operation(response(uuid), deprecated({ since: '2026-11-01' }))
  get() {}
  post() {}
  query() {}
}
export const api = new Api(new Koa(), { OPENAPI_VERSION: '3.0.3' }).registerBlueprint(new Blueprint('pets').route('/pets/', Pets))
`

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'routes-'))
  writeFileSync(join(folder, 'app.mjs'), MODULE)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('koa-smorest routes', () => {
  it('lists the operations with their security and statuses', async () => {
    const { code, out } = await run('routes', join(folder, 'app.mjs'))
    expect({ code, out }).toEqual({
      code: 0,
      out: [
        'METHOD  PATH    OPERATION                SECURITY      STATUSES',
        'GET     /pets/  Pets_get                 open          200 default',
        'POST    /pets/  Pets_post                key or login  201 400 401 default',
        'QUERY   /pets/  Pets_query (deprecated)  -             200 default',
        '',
      ].join('\n'),
    })
  })

  it('writes them as JSON for programs', async () => {
    const { out } = await run('routes', join(folder, 'app.mjs'), '--format', 'json')
    expect(JSON.parse(out)[1]).toEqual({
      method: 'POST',
      path: '/pets/',
      operationId: 'Pets_post',
      security: 'key or login',
      statuses: ['201', '400', '401', 'default'],
      deprecated: false,
    })
  })
})
