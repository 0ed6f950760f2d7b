import * as t from 'io-ts'
import { Blueprint, checkEtag, etag, MethodView, operation, response, struct } from 'koa-smorest'
import { expect, it, onTestFinished, vi } from 'vitest'
import { serveBlueprints } from '../support/client.js'

const Pet = struct({ name: t.string }, 'Pet')
const pet = { name: 'Rex' }

it('checkEtag() warns once in a method that changes nothing, and never in one that does', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  onTestFinished(() => warn.mockRestore())
  const checked = operation(etag(Pet), response(Pet))
  const views = new Blueprint('views')
    .get('/', checked, ctx => {
      checkEtag(ctx, pet)
      return pet
    })
    .put('/', checked, ctx => {
      checkEtag(ctx, pet)
      return pet
    })
  const { request } = await serveBlueprints(views)
  const { status, headers } = await request('GET', '/')
  const tag = headers.get('ETag') as string
  expect(status).toBe(200)
  expect((await request('PUT', '/', { headers: { 'If-Match': tag } })).status).toBe(200)
  expect((await request('GET', '/', { headers: { 'If-Match': '"other"' } })).status).toBe(412)
  expect(warn.mock.calls.map(([text]) => String(text))).toEqual([
    expect.stringMatching(/\(GET \/\): checkEtag\(\) has no use in GET$/),
  ])
})

it.each<readonly [what: string, options: object]>([
  ['a tag that throws', { tag: ({ changed }: Row) => changed.toISOString() }],
  ['no tag', { tag: ({ changed }: Row) => Number(changed) }],
  ['a view that throws', { view: ({ name, changed }: Row) => ({ name, at: changed.getTime() }) }],
])('a write that returns less than load keeps its status with %s', async (_what, options) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  onTestFinished(() => warn.mockRestore())
  const load = () => ({ name: 'Rex', changed: new Date(0) })
  class Pets extends MethodView {
    static override shared = operation(
      etag({ load, requireIfMatch: false, ...options } as object as Loading),
    )
    static get = operation(response(Pet))
    get() {
      return pet
    }
    static put = operation(response(Pet))
    put() {
      return pet
    }
  }
  for (const settings of [
    { DEBUG: true, TESTING: false },
    { DEBUG: false, TESTING: true },
  ]) {
    const checked = await serveBlueprints(new Blueprint('views').route('/', Pets), settings)
    expect((await checked.request('PUT', '/')).status).toBe(500)
    expect(checked.errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^Pets\.put .*: etag\(\) cannot make a tag of what the method returned/,
      ),
    ])
  }
  const { request, errors } = await serveBlueprints(new Blueprint('views').route('/', Pets), {
    DEBUG: false,
    TESTING: false,
  })
  const { status, headers } = await request('PUT', '/')
  expect([status, headers.get('ETag'), errors]).toEqual([200, null, []])
  expect(warn.mock.lastCall?.[0]).toContain(
    'so the response has none: return what load would return now, or null from tag',
  )
})

interface Row {
  readonly name: string
  readonly changed: Date
}
type Loading = { load: () => Row; tag: (row: Row) => string }
