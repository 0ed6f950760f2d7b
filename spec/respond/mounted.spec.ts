import Koa from 'koa'
import { Api, Blueprint, operation } from 'koa-smorest'
import { expect, it } from 'vitest'
import { mount } from '../reference/mount.js'
import { serve } from '../support/client.js'

it('a method that a mounted app does not have is a 405, also if another app is mounted behind it', async () => {
  const inner = (name: string) => {
    const app = new Koa()
    new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(
      new Blueprint(name).get('/things', operation(), () => name),
    )
    return app
  }
  const request = await serve(
    new Koa().use(mount('/v1', inner('first'))).use(mount('', inner('second'))),
  )
  const found = []
  for (const [method, path] of [
    ['GET', '/v1/things'],
    ['GET', '/things'],
    ['DELETE', '/v1/things'],
    ['DELETE', '/things'],
    ['GET', '/v1/nothing'],
  ] as const) {
    const { status, headers } = await request(method, path)
    found.push(`${method} ${path} ${status} ${headers.get('Allow') ?? ''}`.trim())
  }
  expect(found).toEqual([
    'GET /v1/things 200',
    'GET /things 200',
    'DELETE /v1/things 405 OPTIONS, HEAD, GET',
    'DELETE /things 405 OPTIONS, HEAD, GET',
    'GET /v1/nothing 404',
  ])
})

it('a path that is malformed for a mounted app is a 400, also if another app is mounted behind it', async () => {
  const inner = (name: string, rule: string) => {
    const app = new Koa()
    new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(
      new Blueprint(name).get(rule, operation(), () => name),
    )
    return app
  }
  const request = await serve(
    new Koa().use(mount('/v1', inner('first', '/things/:id'))).use(mount('', inner('second', '/'))),
  )
  expect((await request('GET', '/v1/things/%ff')).status).toBe(400)
})
