import Koa from 'koa'
import { Api } from 'koa-smorest'
import { multipart } from 'koa-smorest/client'
import { fetchOf } from 'koa-smorest/testing'
import createClient from 'openapi-fetch'
import { describe, expect, it } from 'vitest'
import { type ShopPaths, shop } from './shop.js'

function open() {
  const app = new Koa()
  new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(shop(new Map()))
  return createClient<ShopPaths>({ baseUrl: 'http://shop.test', fetch: fetchOf(app) })
}

describe('multipart', () => {
  it('sends the fields and files of a typed body', async () => {
    const pictures = [new File(['one'], 'a.png'), new File(['two'], 'b.png'), new Blob(['three'])]
    const { data, error } = await open().PUT('/pets/{id}/picture', {
      params: { path: { id: 1 } },
      body: { title: 'Größe', tags: ['a', 'b'], large: true, pictures },
      bodySerializer: multipart,
    })
    expect(error).toBeUndefined()
    expect(data).toEqual({
      title: 'Größe',
      tags: ['a', 'b'],
      large: true,
      pictures: [
        ['a.png', 'one'],
        ['b.png', 'two'],
        ['blob', 'three'],
      ],
    })
  })

  it('leaves out undefined, sends objects as JSON, passes a form on', () => {
    const sent = multipart({ a: undefined, b: [undefined, 1], c: { d: null }, e: '' })
    expect([...sent]).toEqual([
      ['b', '1'],
      ['c', '{"d":null}'],
      ['e', ''],
    ])
    expect(multipart(sent)).toBe(sent)
  })

  it('throws for null, which would be lost', () => {
    expect(() => multipart({ title: null })).toThrow(new TypeError('A form has no null: title'))
  })
})

it('list() in a query is read as openapi-fetch sends it, a name for each item', async () => {
  const urls: string[] = []
  const client = open()
  client.use({ onRequest: ({ request }) => void urls.push(new URL(request.url).search) })
  const query = { ids: [3, 1, 2], kinds: ['a b', 'c'] }
  expect((await client.GET('/pets/search', { params: { query } })).data).toEqual(query)
  expect((await client.GET('/pets/search', { params: { query: { ids: [3] } } })).data).toEqual({
    ids: [3],
  })
  expect(urls).toEqual(['?ids=3&ids=1&ids=2&kinds=a%20b&kinds=c', '?ids=3'])
})
