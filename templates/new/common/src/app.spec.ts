import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { contract, fetchOf } from 'koa-smorest/testing'
import { api, app } from './app.js'
import { store } from './store.js'

before(() => store.open())
after(() => store.close())

test('a task is added once under its title', async () => {
  await store.clear()
  const fetch = fetchOf(app)
  const add = () =>
    fetch('http://api.test/tasks', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"title":"Feed the cat"}',
    })
  const added = await add()
  assert.equal(added.status, 201)
  const task = await fetch(
    new URL(added.headers.get('Location') ?? '', added.url || 'http://api.test'),
  )
  assert.deepEqual(await task.json(), { id: 1, title: 'Feed the cat', done: false, version: 1 })
  assert.equal((await add()).status, 409)
})

test('the API does what its document says', async () => {
  const { failures } = await contract(app, api, { reset: () => store.clear() })
  assert.deepEqual(failures, [])
})
