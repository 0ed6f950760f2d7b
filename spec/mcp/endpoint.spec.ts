import { EventEmitter, once } from 'node:events'
import { request } from 'node:http'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  apiKey,
  Blueprint,
  bearer,
  doc,
  open,
  operation,
  response,
  type Settings,
  secure,
} from 'koa-smorest'
import { mcp } from 'koa-smorest/mcp'
import { describe, expect, it } from 'vitest'
import { connected, served } from './connected.js'

const login = bearer('login', { realm: 'the shop', principal: () => ({ name: 'ann' }) })
const key = apiKey('key', { in: 'header', name: 'X-Key', principal: () => ({ name: 'bob' }) })
const session = apiKey('session', { in: 'cookie', name: 'sid', principal: () => ({ name: 'eve' }) })

async function urlOf(
  descriptors: readonly ReturnType<typeof operation>[],
  settings: Partial<Settings> = {},
  proxy = false,
): Promise<URL> {
  const app = new Koa({ proxy })
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0', ...settings })
  const blueprint = new Blueprint('jobs')
  for (const [index, descriptor] of descriptors.entries())
    blueprint.get(`/${index}` as '/', descriptor as never, (() => 'x') as never)
  api.registerBlueprint(blueprint)
  api.warn = () => undefined
  mcp(api, { path: '/mcp', tools: () => true })
  return served(app)
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const TYPES = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }

const post = (url: URL, headers: Readonly<Record<string, string>> = {}, body: unknown = LIST) =>
  fetch(url, {
    method: 'POST',
    headers: { ...TYPES, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

/** The status of a request with a Host of its own, which fetch does not send. */
const statusOf = (url: URL, headers: Readonly<Record<string, string>>) =>
  new Promise<number | undefined>((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { ...TYPES, ...headers } }, received => {
      received.resume()
      resolve(received.statusCode)
    })
    sent.on('error', reject).end(JSON.stringify(LIST))
  })

describe('the endpoint of tools', () => {
  it('takes POST alone, JSON alone, and no more of it than other operations', async () => {
    const url = await urlOf([operation(response(t.string))])
    const get = await fetch(url)
    expect([get.status, get.headers.get('Allow')]).toEqual([405, 'OPTIONS, POST'])
    expect({
      listed: (await post(url)).status,
      delete: (await fetch(url, { method: 'DELETE' })).status,
      malformed: (await post(url, {}, '{')).status,
      empty: (await post(url, {}, '')).status,
      otherwise: (await post(url, {}, '1')).status,
      type: (await post(url, { 'Content-Type': 'text/plain' })).status,
      long: (await post(url, {}, { ...LIST, params: { x: 'x'.repeat(2 ** 20) } })).status,
    }).toEqual({
      listed: 200,
      delete: 405,
      malformed: 400,
      empty: 400,
      otherwise: 400,
      type: 415,
      long: 413,
    })
  })

  it('refuses pages of other origins', async () => {
    const url = await urlOf([operation(response(t.string))])
    const { host, port } = url
    const found = await Promise.all(
      [
        { Origin: `http://${host}` },
        { Origin: '' },
        { Origin: 'https://evil.example' },
        { Origin: `http://evil.example:${port}` },
        { Origin: `http://127.0.0.1:${Number(port) + 1}` },
        { Origin: 'null' },
        { Origin: 'file://' },
        // the page of a name that has been made to lead here
        { Origin: `http://evil.example:${port}`, Host: `evil.example:${port}` },
        { Origin: `http://localhost:${port}`, Host: `localhost:${port}` },
        { Host: `evil.example:${port}` },
      ].map(headers => statusOf(url, headers)),
    )
    expect(found).toEqual([200, 200, 403, 403, 403, 403, 403, 403, 200, 200])
  })

  it('leaves the names that lead to it to a proxy, if there is one', async () => {
    const url = await urlOf([operation(response(t.string))], {}, true)
    const Host = `shop.example:${url.port}`
    expect([
      await statusOf(url, { Host, Origin: `http://${Host}` }),
      await statusOf(url, { Host, Origin: 'http://evil.example' }),
      await statusOf(url, { 'X-Forwarded-Host': 'shop.example', Origin: 'https://shop.example' }),
    ]).toEqual([200, 403, 200])
  })

  it('has no streams that stay open: tools never change', async () => {
    const url = await urlOf([operation(response(t.string))])
    const about = (name: string) => `io.modelcontextprotocol/${name}`
    const received = await post(
      url,
      { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' },
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: {
          _meta: {
            [about('protocolVersion')]: '2026-07-28',
            [about('clientInfo')]: { name: 'spec', version: '1' },
            [about('clientCapabilities')]: {},
          },
          notifications: { toolsListChanged: true },
        },
      },
    )
    expect(await received.json()).toMatchObject({
      error: { message: 'Subscription limit reached' },
    })
  })

  it('may have no tools', async () => {
    expect((await post(await urlOf([]))).status).toBe(200)
  })

  it('asks for credentials if every tool needs them, with the challenges of all', async () => {
    const secured = operation(secure(login), response(t.string))
    const url = await urlOf([secured, operation(secure(key), response(t.string)), secured])
    const refused = await post(url, { Cookie: 'sid=sesame' })
    expect([refused.status, refused.headers.get('WWW-Authenticate')]).toEqual([
      401,
      'Bearer realm="the shop", ApiKey in="header", name="X-Key"',
    ])
    await expect(connected(url)).rejects.toThrow('the server requires authorization (HTTP 401)')
    expect([
      (await post(url, { Authorization: 'Bearer ann-sesame' })).status,
      (await post(url, { 'X-Key': 'bob-sesame' })).status,
    ]).toEqual([200, 200])
  })

  it.each([
    ['open', operation(open(), response(t.string))],
    ['optionally secured', operation(secure(login, { optional: true }), response(t.string))],
  ])('asks for none if a tool is %s', async (_what, other) => {
    const url = await urlOf([operation(secure(login), response(t.string)), other])
    expect((await post(url)).status).toBe(200)
  })

  it('asks for credentials that come in cookies, too, which are never enough', async () => {
    const url = await urlOf([operation(secure(session), response(t.string))])
    expect((await post(url, { Cookie: 'sid=eve-sesame' })).status).toBe(401)
  })

  it('is open to API_REQUIRE_SECURITY: its tools say who may call them', async () => {
    const url = await urlOf([operation(open(), response(t.string))], { API_REQUIRE_SECURITY: true })
    expect((await post(url)).status).toBe(200)
  })

  it('never makes one credential of two', async () => {
    const url = await urlOf([
      operation(doc({ operationId: 'read' }), secure(login), response(t.string)),
    ])
    const call = { ...LIST, method: 'tools/call', params: { name: 'read', arguments: {} } }
    const twice = ['Bearer ann-sesame', 'Bearer bob-sesame']
    const text = await new Promise<string>((resolve, reject) => {
      const headers = { ...TYPES, Authorization: twice }
      const sent = request(url, { method: 'POST', headers }, async received => {
        resolve(Buffer.concat(await received.toArray()).toString())
      })
      sent.on('error', reject).end(JSON.stringify(call))
    })
    expect(text).toContain('"isError":true')
  })

  it('ends a call when its client has gone', async () => {
    const app = new Koa()
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' })
    const news = new EventEmitter()
    const [started, ended] = [once(news, 'started'), once(news, 'ended')]
    const errors: unknown[] = []
    app.on('error', error => errors.push(error))
    const wait = operation(doc({ operationId: 'wait' }), response(t.string))
    const blueprint = new Blueprint('jobs').get('/wait', wait, (_ctx, { signal }) => {
      news.emit('started')
      return new Promise<string>((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          news.emit('ended', signal.aborted)
          reject(signal.reason)
        }),
      )
    })
    api.registerBlueprint(blueprint)
    mcp(api, { path: '/mcp', tools: () => true })
    const { client } = await connected(await served(app))
    const leaving = new AbortController()
    const call = client.callTool({ name: 'wait', arguments: {} }, { signal: leaving.signal })
    await started
    leaving.abort()
    await expect(call).rejects.toThrow()
    const aborted = await ended
    await client.listTools()
    expect([aborted, errors]).toEqual([[true], []])
  })

  it('is named like the Api', async () => {
    const url = await urlOf([operation(response(t.string))], {
      API_TITLE: 'Shop',
      API_VERSION: '7',
    })
    const { client } = await connected(url)
    expect(client.getServerVersion()).toEqual({ name: 'Shop', version: '7' })
  })
})
