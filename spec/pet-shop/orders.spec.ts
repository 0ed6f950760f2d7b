import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresStore } from 'koa-smorest/postgres'
import { fetchOf } from 'koa-smorest/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccess } from '../../examples/pet-shop/access.js'
import { createApp } from '../../examples/pet-shop/app.js'
import { type Database, openDatabase, prepareDatabase } from '../../examples/pet-shop/database.js'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../examples/pet-shop/embedded-postgres.js'
import { STAFF, secrets } from './credentials.js'

let folder: string
let postgres: EmbeddedPostgres
let database: Database
/** Two processes' worth of the shop: they share nothing but the database. */
let shops: readonly ReturnType<typeof fetchOf>[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-shop-orders-'))
  postgres = await startEmbeddedPostgres(folder)
  database = openDatabase(postgres.url)
  await prepareDatabase(database, () => undefined)
  shops = [1, 2].map(() =>
    fetchOf(createApp(database, { secrets, ordersPerMinute: 10, workers: 2 })),
  )
})
afterAll(async () => {
  await database?.end()
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(() => database.query('DELETE FROM limits'))

interface Sent {
  readonly key?: string
  readonly body?: object
  readonly caller?: Record<string, string>
  readonly shop?: number
}

async function order({
  key = randomUUID(),
  body = { kind: 'fish', ownerId: 1 },
  caller = STAFF,
  shop = 0,
}: Sent = {}) {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': `"${key}"`, ...caller }
  const response = await shops[shop]?.('http://shop/orders/', {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  return {
    status: response?.status,
    headers: response?.headers ?? new Headers(),
    body: JSON.parse((await response?.text()) || 'null'),
  }
}

async function read(path: string, caller: Record<string, string>) {
  const response = await shops[0]?.(`http://shop${path}`, { headers: caller })
  return { status: response?.status, body: JSON.parse((await response?.text()) || 'null') }
}

const countOrders = async () =>
  (await database.query('SELECT count(*) AS count FROM orders')).rows[0].count as number

describe('an order', () => {
  it('reserves a pet, and can be read where its Location says', async () => {
    const { status, headers, body } = await order()
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: expect.any(Number),
        kind: 'fish',
        ownerId: 1,
        petId: expect.any(Number),
        price: expect.stringMatching(/\.95$/),
        orderedAt: expect.stringMatching(/\.\d{6}Z$/),
      },
    })
    expect((await read(headers.get('Location') ?? '', STAFF)).body).toEqual(body)
    expect((await read(`/pets/${body.petId}`, {})).body).toMatchObject({
      kind: 'fish',
      status: 'reserved',
      ownerId: 1,
    })
  })

  it('that is sent again, even to another process, is the same order', async () => {
    const before = await countOrders()
    const key = randomUUID()
    const [first, second] = [await order({ key }), await order({ key, shop: 1 })]
    expect(second.body).toEqual(first.body)
    expect({
      status: second.status,
      idempotencyReplayed: second.headers.get('Idempotency-Replayed'),
    }).toEqual({
      status: 201,
      idempotencyReplayed: 'true',
    })
    expect(second.headers.get('Location')).toBe(first.headers.get('Location'))
    expect(await countOrders()).toBe(before + 1)
  })

  it('that is sent to all processes at once is placed once', async () => {
    const before = await countOrders()
    const key = randomUUID()
    const sent = await Promise.all(
      Array.from({ length: 8 }, (_, index) => order({ key, shop: index % 2 })),
    )
    for (const { status, headers } of sent)
      expect([status, headers.has('Retry-After')]).toEqual(
        status === 409 ? [409, true] : [201, false],
      )
    expect(await countOrders()).toBe(before + 1)
    expect((await order({ key })).body).toEqual(sent.find(({ status }) => status === 201)?.body)
  })

  it('keeps its key from another order', async () => {
    const key = randomUUID()
    await order({ key })
    expect((await order({ key, body: { kind: 'cat', ownerId: 1 } })).status).toBe(422)
  })

  it('for nobody whom the shop knows takes nothing from the shelf, and is refused again', async () => {
    const [before, key] = [(await read('/pets/?kind=cat&status=available', {})).body, randomUUID()]
    for (const replayed of [null, 'true']) {
      const { status, headers, body } = await order({
        key,
        body: { kind: 'cat', ownerId: 999_999 },
      })
      expect({ status, idempotencyReplayed: headers.get('Idempotency-Replayed') }).toEqual({
        status: 422,
        idempotencyReplayed: replayed,
      })
      expect(body.errors.json.ownerId).toEqual(['There is no owner with this number.'])
    }
    expect((await read('/pets/?kind=cat&status=available', {})).body).toEqual(before)
  })

  it('of a kind that is sold out is a declared problem', async () => {
    await database.query("UPDATE pets SET status = 'sold' WHERE kind = 'reptile'")
    const { status, headers, body } = await order({
      body: { kind: 'reptile', ownerId: 1 },
      caller: { ...STAFF, Accept: 'application/problem+json' },
    })
    expect({ status, contentType: headers.get('Content-Type') }).toEqual({
      status: 409,
      contentType: 'application/problem+json',
    })
    expect(body).toEqual({
      type: '/problems/out-of-stock',
      title: 'No such pet is left',
      status: 409,
      kind: 'reptile',
    })
  })

  it('is seen by who placed it, and by the staff', async () => {
    const [ann, eve] = await Promise.all(
      ['Ann', 'Eve'].map(async name => ({
        Authorization: `Bearer ${await createAccess(secrets).sign({ name, isStaff: false })}`,
      })),
    )
    const { body, headers } = await order({ caller: ann as never })
    const path = headers.get('Location') ?? ''
    expect((await read('/orders/', ann as never)).body).toEqual([body])
    expect((await read('/orders/', eve as never)).body).toEqual([])
    expect(
      [await read(path, ann as never), await read(path, eve as never)].map(({ status }) => status),
    ).toEqual([200, 404])
    expect((await read('/orders/', STAFF)).body[0]).toEqual(body)
    expect((await read('/orders/', {})).status).toBe(401)
  })

  it('counts against one budget of its caller, whichever process is asked, while those of others go on', async () => {
    const sent = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        order({ shop: index % 2, body: { kind: 'bird', ownerId: 2 } }),
      ),
    )
    expect(sent.filter(({ status }) => status !== 429)).toHaveLength(10)
    expect(sent.find(({ status }) => status === 429)?.headers.get('Retry-After')).toMatch(/^\d+$/)
    const other = {
      Authorization: `Bearer ${await createAccess(secrets).sign({ name: 'Bob', isStaff: true })}`,
    }
    expect((await order({ caller: other })).headers.get('RateLimit')).toMatch(
      /^"orders";r=9;t=\d+$/,
    )
  })
})

describe('the store of outcomes', () => {
  const outcome = {
    status: 201,
    headers: [['Location', '/x']] as [string, string][],
    body: 'text',
    failed: false,
  }
  const store = () => postgresStore(database)
  const begin = async (key: string, keepMs = 60_000) => {
    const begun = await store().begin(key, 'fingerprint', keepMs)
    if (begun.state !== 'fresh') throw new Error(begun.state)
    return begun.run
  }

  it('keeps what the method wrote and the outcome together', async () => {
    const run = await begin('together')
    await run.transaction.query("UPDATE pets SET name = 'Together' WHERE id = 1")
    expect((await database.query('SELECT name FROM pets WHERE id = 1')).rows[0].name).not.toBe(
      'Together',
    )
    expect(await store().begin('together', 'fingerprint', 1000)).toEqual({
      state: 'running',
      retryAfter: 1,
    })
    expect(await store().finish(run, outcome)).toBe(true)
    expect((await database.query('SELECT name FROM pets WHERE id = 1')).rows[0].name).toBe(
      'Together',
    )
    expect(await store().begin('together', 'fingerprint', 1000)).toEqual({
      state: 'done',
      fingerprint: 'fingerprint',
      outcome,
    })
  })

  it('keeps nothing of a run that is released, and only the outcome of one that failed', async () => {
    for (const [key, end] of [
      ['released', (run: Awaited<ReturnType<typeof begin>>) => store().release(run)],
      [
        'failed',
        (run: Awaited<ReturnType<typeof begin>>) =>
          store().finish(run, { ...outcome, status: 409, failed: true }),
      ],
    ] as const) {
      const run = await begin(key)
      await run.transaction.query('UPDATE pets SET name = $1 WHERE id = 2', [key])
      await end(run)
      expect((await database.query('SELECT name FROM pets WHERE id = 2')).rows[0].name).not.toBe(
        key,
      )
    }
    expect((await store().begin('failed', 'fingerprint', 1000)).state).toBe('done')
    await store().release(await begin('released'))
  })

  it('keeps bytes as bytes, and nothing if there is nothing', async () => {
    for (const body of [Buffer.from([0, 255]), null, '\u0000ä']) {
      const key = randomUUID()
      await store().finish(await begin(key), { ...outcome, body })
      expect(await store().begin(key, 'fingerprint', 1000)).toMatchObject({ outcome: { body } })
    }
  })

  it('gives a connection back whatever happens, also if the database cut it in the middle', async () => {
    for (let round = 0; round < 12; round++) {
      const run = await begin(`cut ${round}`)
      const { rows } = await database.query(
        "SELECT pid FROM pg_stat_activity WHERE state = 'idle in transaction'",
      )
      for (const { pid } of rows) await database.query('SELECT pg_terminate_backend($1)', [pid])
      await expect(store().finish(run, outcome)).rejects.toThrow()
    }
    expect(await countOrders()).toBeGreaterThan(0)
  })

  it('deletes what has expired, and lets its key be used again', async () => {
    await store().finish(await begin('old', 1), outcome)
    const old = await begin('old')
    expect(
      (await database.query("SELECT count(*) AS count FROM outcomes WHERE key = 'old'")).rows[0]
        .count,
    ).toBe(0)
    await store().finish(old, outcome)
    expect((await store().begin('old', 'fingerprint', 1000)).state).toBe('done')
  })
})
