import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import Koa from 'koa'
import { Api, Blueprint, idempotent, type Outcome, operation, response } from 'koa-smorest'
import { redisStore } from 'koa-smorest/redis'
import { fetchOf } from 'koa-smorest/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

// CI has none: the rest of what a store promises is shown on PostgreSQL, in spec/pet-shop/orders
const hasServer = spawnSync('redis-server', ['--version']).status === 0

const OUTCOME: Outcome = {
  status: 201,
  headers: [['Location', '/x']],
  body: 'text',
  failed: false,
}

it('refuses options that it does not know, and leases that are over before a method is', () => {
  const refused = [{ prefx: 'x' }, { prefix: 1 }, { lease: '999ms' }, { lease: 0 }].map(options => {
    try {
      return redisStore({} as never, options as never)
    } catch (error) {
      return (error as Error).message
    }
  })
  expect(refused).toEqual([
    'redisStore(): there is no option "prefx", did you mean "prefix"?',
    'redisStore(): prefix must be a string, not 1',
    'redisStore(): lease must be milliseconds or a string such as "24h" or "30m", of at least a second, not "999ms"',
    'redisStore(): lease must be milliseconds or a string such as "24h" or "30m", of at least a second, not 0',
  ])
})

it.each([
  [undefined, 'undefined'],
  ['redis://localhost', '"redis://localhost"'],
])('refuses %j, which is not a client', (client, shown) => {
  expect(() => redisStore(client as never)).toThrow(
    new TypeError(`redisStore(): its first argument must be a client of ioredis, not ${shown}`),
  )
})

describe.skipIf(!hasServer)('the store in Redis (skipped without a redis-server)', () => {
  let server: ChildProcess
  let port: number
  let client: Redis
  const start = () => {
    const args = ['--port', String(port), '--save', '', '--bind', '127.0.0.1']
    server = spawn('redis-server', args, { stdio: 'ignore' })
  }
  const stop = async () => {
    server.kill('SIGKILL')
    await new Promise(done => server.once('exit', done))
  }
  beforeAll(async () => {
    port = await freePort()
    start()
    client = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 50 })
    client.on('error', () => undefined)
    await client.ping()
  })
  afterAll(async () => {
    client.disconnect()
    await stop()
  })

  const store = () => redisStore(client, { lease: '1s' })
  const begin = async (key: string, keepMs = 60_000) => {
    const begun = await store().begin(key, 'fingerprint', keepMs)
    if (begun.state !== 'fresh') throw new Error(begun.state)
    return begun.run
  }

  it.each([['text'], [Buffer.from([0, 255])], [null], ['\u0000ä'], [''], [Buffer.alloc(0)]])(
    'keeps an outcome until its time is over: %j',
    async body => {
      const key = randomUUID()
      const run = await begin(key)
      expect(await store().begin(key, 'other', 1)).toEqual({ state: 'running', retryAfter: 1 })
      expect(await store().finish(run, { ...OUTCOME, body })).toBe(true)
      expect(await store().begin(key, 'other', 1)).toEqual({
        state: 'done',
        fingerprint: 'fingerprint',
        outcome: { ...OUTCOME, body },
      })
      expect(await client.pttl(`idempotent:${key}`)).toSatisfy(
        (left: number) => left > 50_000 && left <= 60_000,
      )
    },
  )

  it('lets a key be used again once it is released, or its outcome has expired', async () => {
    await store().release(await begin('released'))
    await store().finish(await begin('released', 1), OUTCOME)
    while (await client.exists('idempotent:released')) await sleep(5)
    await store().release(await begin('released'))
    expect(await client.exists('idempotent:released')).toBe(0)
  })

  it('renews the lease while the method runs', async () => {
    const run = await begin('long')
    await sleep(1500)
    expect((await store().begin('long', 'fingerprint', 1)).state).toBe('running')
    expect(await store().finish(run, OUTCOME)).toBe(true)
  })

  it('keeps nothing of a run whose key another one has by now, and does not release it', async () => {
    const first = await begin('lost')
    await client.del('idempotent:lost')
    const second = await begin('lost')
    expect(await store().finish(first, OUTCOME)).toBe(false)
    await store().release(first)
    expect(await store().finish(second, { ...OUTCOME, body: 'second' })).toBe(true)
    expect(await store().finish(second, OUTCOME)).toBe(false)
  })

  it('leaves a key free that was taken only after its request had been given up', async () => {
    server.kill('SIGSTOP')
    await expect(store().begin('late', 'fingerprint', 60_000)).rejects.toThrow('2000 ms')
    server.kill('SIGCONT')
    await client.ping()
    await store().release(await begin('late'))
  })

  it('carries out a request once, and is a 503 with Retry-After while Redis is away', async () => {
    let orders = 0
    const blueprint = new Blueprint('orders').post(
      '/orders',
      operation(idempotent({ store: store(), required: true }), response({ code: 204 })),
      () => void orders++,
    )
    const app = new Koa()
    app.silent = true
    new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)
    const order = async () => {
      const { status, headers } = await fetchOf(app)('http://shop.test/orders', {
        method: 'POST',
        headers: { 'Idempotency-Key': 'order-1' },
      })
      return [status, headers.get('Idempotency-Replayed'), headers.get('Retry-After')]
    }
    expect(await Promise.all([order(), order()])).toContainEqual([204, null, null])
    expect(await order()).toEqual([204, 'true', null])
    await stop()
    expect(await order()).toEqual([503, null, '1'])
    start()
    // it has kept nothing on a disk
    while ((await order())[0] !== 204) await sleep(20)
    expect(orders).toBe(2)
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise(done => server.once('listening', done))
  const { port } = server.address() as { port: number }
  await new Promise(done => server.close(done))
  return port
}
