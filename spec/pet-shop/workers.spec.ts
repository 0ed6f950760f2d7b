import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STAFF } from './credentials.js'
import { type ShopProcess, startShop } from './shop-process.js'

const rex = { name: 'Rex', kind: 'dog', birthDate: '2026-03-09', price: '499.95' }

let folder: string
let shop: ShopProcess

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-shop-spec-'))
  shop = await startShop(folder, { WORKERS: '2', STOP_DELAY: '2' })
})

afterAll(async () => {
  await shop?.stop()
  await rm(folder, { recursive: true, force: true })
})

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** A request on a connection of its own, so that any of the workers may get it. */
async function send(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: unknown,
): Promise<Answer> {
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
  const init = body === undefined ? {} : { body: JSON.stringify(body) }
  const answer = await fetch(shop.url + path, {
    method,
    headers: { Connection: 'close', ...STAFF, ...type, ...headers },
    ...init,
  })
  return { status: answer.status, headers: answer.headers, body: await answer.text() }
}

function lineOf({ headers }: Answer) {
  return shop.lines.find(({ req }) => req?.id === headers.get('X-Request-Id'))
}

/**
 * Sends the same request until each worker has answered it; gives the answers by the worker's
 * process id.
 */
async function answersOfAll(path: string): Promise<Map<number, Answer>> {
  const answers = new Map<number, Answer>()
  await expect
    .poll(
      async () => {
        const answer = await send('GET', path)
        await expect.poll(() => lineOf(answer)).toBeDefined()
        answers.set(lineOf(answer)?.pid ?? 0, answer)
        return answers.size
      },
      // a worker that has to be started first compiles the whole shop
      { timeout: 40_000 },
    )
    .toBe(2)
  return answers
}

describe('a shop of two workers', () => {
  it('responds alike, tag and all, whichever of them is asked', async () => {
    for (const path of ['/pets/1', '/pets/?page_size=2', '/pets/1/picture', '/docs/openapi.json']) {
      const [one, other] = (await answersOfAll(path)).values()
      expect(other?.body).toBe(one?.body)
      expect(other?.headers.get('ETag')).toBe(one?.headers.get('ETag'))
    }
  })

  it('lets one of many writers of the same version win', async () => {
    const path = (await send('POST', '/pets/', {}, rex)).headers.get('Location') ?? ''
    const tag = (await send('GET', path)).headers.get('ETag') ?? ''
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => send('PUT', path, { 'If-Match': tag }, rex)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(412)])
    await expect
      .poll(() => new Set(answers.map(answer => lineOf(answer)?.pid)))
      .toHaveProperty('size', 2)
  })

  it('replaces a worker that dies', { timeout: 60_000 }, async () => {
    const [pid] = (await answersOfAll('/pets/1')).keys()
    process.kill(pid ?? 0, 'SIGKILL')
    await expect.poll(() => shop.lines.some(({ worker }) => worker === pid)).toBe(true)
    expect((await send('GET', '/pets/1')).status).toBe(200)
    expect([...(await answersOfAll('/pets/1')).keys()]).not.toContain(pid)
  })
})

describe('the log', () => {
  it('has one line for a request, under the id that the response carries', async () => {
    const answer = await send('GET', '/pets/?name=nobody')
    await expect.poll(() => lineOf(answer)).toBeDefined()
    const req = { id: answer.headers.get('X-Request-Id'), method: 'GET', url: '/pets/?name=nobody' }
    expect(shop.lines.filter(line => line.req?.id === req.id)).toEqual([
      expect.objectContaining({
        level: 'info',
        req,
        res: { statusCode: 200 },
        responseTime: expect.any(Number),
      }),
    ])
  })

  it.each([
    ['takes the id of a proxy', '7f3c.a:B-1', true],
    ['takes no id that would not be harmless in a log', 'a"b{}', false],
    ['takes no long id', 'x'.repeat(65), false],
  ])('%s', async (_, id, taken) => {
    const given = (await send('GET', '/pets/1', { 'X-Request-Id': id })).headers.get('X-Request-Id')
    expect(given).toMatch(taken ? id : /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/)
  })

  it('has the whole error of a 5xx; without its database the shop is not ready, but lives', async () => {
    const cluster = join(folder, 'cluster')
    const postmaster = Number.parseInt(await readFile(join(cluster, 'postmaster.pid'), 'utf8'), 10)
    // Out of its place, so that it is not started again before we have looked.
    await rename(cluster, `${cluster}.away`)
    process.kill(postmaster, 'SIGKILL')
    await expect.poll(async () => (await send('GET', '/health/ready')).status).toBe(503)
    expect((await send('GET', '/health/live')).status).toBe(200)

    const failed = await send('GET', '/pets/1')
    expect(failed.status).toBe(503)
    await expect
      .poll(() => lineOf(failed))
      .toMatchObject({
        level: 'error',
        res: { statusCode: 503 },
        err: {
          message: expect.stringContaining('The database is away'),
          stack: expect.stringContaining('unavailable.ts'),
        },
      })
    await rename(`${cluster}.away`, cluster)
    await expect
      .poll(async () => (await send('GET', '/health/ready')).status, { timeout: 10_000 })
      .toBe(200)
  })
})

describe('a shop that is told to stop', () => {
  it('says that it is not ready, responds to what it has accepted, and ends well', async () => {
    const body = JSON.stringify(rex)
    const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length, ...STAFF }
    const slow = request(`${shop.url}/pets/`, { method: 'POST', headers })
    const answered = once(slow, 'response')
    slow.write(body.slice(0, 10))
    await sleep(100)

    const stopped = shop.stop()
    await expect.poll(async () => (await send('GET', '/health/ready')).status).toBe(503)
    expect((await send('GET', '/health/live')).status).toBe(200)
    expect((await send('GET', '/pets/1')).status).toBe(200)
    slow.end(body.slice(10))
    const [answer] = await answered
    expect(answer.statusCode).toBe(201)
    answer.resume()

    await expect.poll(() => failure(send('GET', '/pets/1')), { timeout: 5000 }).toBeDefined()
    expect(await stopped).toBe(0)
    expect(existsSync(join(folder, 'cluster/postmaster.pid'))).toBe(false)
  })
})

function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    error => error,
  )
}
