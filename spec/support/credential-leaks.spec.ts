import Koa from 'koa'
import { fetchOf } from 'koa-smorest/testing'
import { expect, it } from 'vitest'
import { listen, serve } from './client.js'
import { leakIn, MARK, searchError, takeLeaks } from './credential-leaks.js'
import { requestBytes, sendOne } from './wire.js'

/** A server that says what it was sent. */
const echo = () => {
  const app = new Koa()
  app.use(ctx => {
    if (ctx.path === '/field') ctx.set('X-Echo', ctx.get('X-Key'))
    ctx.body = ctx.path === '/body' ? { key: ctx.get('X-Key') } : {}
  })
  return app
}
const key = `${MARK}-key`

it.each<[string, () => unknown]>([
  ['written to the console', () => console.info('planted:', { nested: { key } })],
  ['written to a stream', () => process.stderr.write(`planted: ${key}\n`)],
  ['written as Basic', () => process.stdout.write(`planted: Basic ${btoa(`ann:${key}`)}\n`)],
  ['emitted', () => searchError(new Error('planted', { cause: { key } }))],
  [
    'returned in a body',
    async () => (await serve(echo()))('GET', '/body', { headers: { 'X-Key': key } }),
  ],
  [
    'returned in a header field',
    async () => (await serve(echo()))('GET', '/field', { headers: { 'X-Key': key } }),
  ],
  [
    'returned over a connection',
    async () => sendOne(await listen(echo()), requestBytes('GET', '/body', [`X-Key: ${key}`])),
  ],
  [
    'returned in memory',
    async () => (await fetchOf(echo())('/body', { headers: { 'X-Key': key } })).json(),
  ],
  [
    'accepted without a mark',
    async () => (await serve(echo()))('GET', '/', { headers: { 'X-Key': 'secret' } }),
  ],
])('a credential that is %s is found', async (_title, leak) => {
  await leak()
  expect(takeLeaks()).toEqual([expect.any(String)])
})

it('a credential is found in every spelling, wherever it stands', () => {
  const texts = ['', 'a', 'ab', 'ann:'].flatMap(before => [
    `${before}${key}`,
    btoa(`${before}${key}`),
    encodeURIComponent(`${before}${key}`),
  ])
  expect(texts.filter(text => leakIn(text) === undefined)).toEqual([])
  expect(
    leakIn(
      `Bearer ${[{ alg: 'HS256' }, { sub: 'ann' }, 'signature'].map(part => btoa(JSON.stringify(part)).replace(/=/g, '')).join('.')}`,
    ),
  ).toBeDefined()
  expect(leakIn('an error without any')).toBeUndefined()
})
