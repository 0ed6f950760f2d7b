import * as t from 'io-ts'
import { Blueprint, checkEtag, etag, operation, response, struct } from 'koa-smorest'
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
