import { createServer, type Server } from 'node:http'
import Koa from 'koa'
import { Api } from 'koa-smorest'
import type { ClientOptions } from 'openapi-fetch'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser, launchBrowser } from '../pet-shop/browser.js'
import { seed } from '../properties/seed.js'
import { rivals, type Tally, type Task } from './rivals.js'
import { rivalsInBrowser } from './rivals-in-browser.js'
import { shop } from './shop.js'
import { listening, weakeningProxy } from './weakening-proxy.js'

const PETS = 50
/**
 * As many as in `npm run prove`; in a browser, which costs most, fewer changes of fewer pets, so
 * that as many of them meet.
 */
const NODE = { changes: 500, pets: PETS }
const CHROMIUM = { changes: 150, pets: 10 }

/** The shop with fifty pets, on another origin than the page. */
async function openShop() {
  const pets = new Map(
    Array.from({ length: PETS }, (_, index) => [
      index + 1,
      { id: index + 1, name: 'new', count: 0, version: 0 },
    ]),
  )
  const app = new Koa()
  app.use(async (ctx, next) => {
    ctx.set('Access-Control-Allow-Origin', '*')
    ctx.set('Access-Control-Expose-Headers', 'ETag, Link, X-Pagination, Retry-After')
    if (ctx.method !== 'OPTIONS') return next()
    ctx.set('Access-Control-Allow-Methods', 'GET, PUT')
    ctx.set(
      'Access-Control-Allow-Headers',
      'Content-Type, If-Match, If-None-Match, Idempotency-Key',
    )
    ctx.set('Access-Control-Max-Age', '600')
    ctx.status = 204
  })
  new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(shop(pets))
  const server = createServer(app.callback())
  const url = await listening(server)
  const proxy = await weakeningProxy(url)
  servers.push(server)
  proxies.push(proxy)
  const total = () => [...pets.values()].reduce((sum, { count }) => sum + count, 0)
  return { url, weakUrl: proxy.url, total }
}

const servers: Server[] = []
const proxies: { close(): void }[] = []
let browser: Browser | undefined

beforeAll(async () => {
  if (hasBrowser) browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  for (const proxy of proxies) proxy.close()
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

/** On another port, so that all they send goes to another origin. */
async function inBrowser(options: ClientOptions, task: Task): Promise<Tally> {
  const page = createServer((_, response) =>
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Pets</title>'),
  )
  servers.push(page)
  return await rivalsInBrowser(browser as Browser, options, task, `${await listening(page)}/`)
}

describe(`two clients that change the same pets (PROPERTY_SEED=${seed})`, () => {
  it.each([
    ['in Node', NODE, rivals],
    ...(hasBrowser ? [['in Chromium, on another origin', CHROMIUM, inBrowser] as const] : []),
  ] as const)(
    'lose no change behind a proxy that weakens tags, and no 412 is a false one: %s',
    async (_, { changes, pets }, change) => {
      const { weakUrl, total } = await openShop()
      const tally = await change({ baseUrl: weakUrl }, { way: 'shop', changes, pets, seed })
      expect({ ...tally, total: total() }).toEqual({
        acknowledged: changes,
        total: changes,
        stale: expect.any(Number),
        falselyStale: 0,
        weakTags: expect.any(Number),
        fromMemory: expect.any(Number),
      })
      // or they would prove nothing
      expect(tally.stale).toBeGreaterThan(0)
      expect(tally.fromMemory).toBeGreaterThan(changes / 20)
      expect(tally.weakTags).toBeGreaterThan(changes)
    },
    60_000,
  )
})
