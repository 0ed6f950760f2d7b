import Koa from 'koa'
import { contract, fetchOf } from 'koa-smorest/testing'
import { expect, it } from 'vitest'
import { booksApi, booksApp } from '../../examples/standard/app.js'

it('serves the books, and refuses what does not fit their schemas', async () => {
  const send = fetchOf(booksApp())
  const call = async (path: string, body?: object) => {
    const headers = { 'Content-Type': 'application/json' }
    const init = body && { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await send(`http://api/books/${path}`, init)
    return [response.status, await response.json()]
  }
  const emma = { id: 1, title: 'Emma', published: '1815-12-23', tags: ['novel'] }
  const added = { id: 2, title: 'Persuasion', tags: [] }
  expect([
    await call('?tag=novel&since=1800-01-01'),
    await call('', { title: 'Persuasion' }),
    await call('2'),
    await call('?sort=title&page_size=1'),
  ]).toEqual([
    [200, [emma]],
    [201, added],
    [200, added],
    [200, [emma]],
  ])
  expect(await call('', { title: '' })).toMatchObject([
    422,
    { errors: { json: { title: [expect.stringContaining('Too small')] } } },
  ])
  expect((await call('?since=soon'))[0]).toBe(422)
})

it('does what its document says', async () => {
  const app = new Koa()
  const books = new Map<number, { id: number; title: string; tags: string[] }>()
  const reset = () => {
    books.clear()
    for (const id of [1, 2, 3]) books.set(id, { id, title: `Book ${id}`, tags: ['novel'] })
  }
  reset()
  const { failures } = await contract(app, booksApi(app, books), { runs: 10, reset })
  expect(failures).toEqual([])
})
