import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fetchOf } from 'koa-smorest/testing'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp } from '../../examples/pet-shop/app.js'
import { type Database, openDatabase, prepareDatabase } from '../../examples/pet-shop/database.js'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../examples/pet-shop/embedded-postgres.js'
import { Sender } from '../../examples/pet-shop/outbox.js'
import { STAFF, secrets } from './credentials.js'

const SECRET = `whsec_${Buffer.from('sesame sesame sesame sesame').subarray(0, 24).toString('base64')}`

let folder: string
let postgres: EmbeddedPostgres
let database: Database
let shop: ReturnType<typeof fetchOf>
let sender: Sender

/** What the subscriber was sent, and how it responds. */
let received: { id: string; body: unknown }[] = []
let status = 204
const subscriber = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const headers = request.headers as Record<string, string>
  const body = new Webhook(SECRET).verify(Buffer.concat(chunks).toString(), headers)
  received.push({ id: String(headers['webhook-id']), body })
  response.writeHead(status).end()
})

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-shop-outbox-'))
  postgres = await startEmbeddedPostgres(folder)
  database = openDatabase(postgres.url)
  await prepareDatabase(database, () => undefined)
  shop = fetchOf(createApp(database, { secrets }))
  sender = new Sender(database, { allowPrivate: true })
  subscriber.listen(0, '127.0.0.1')
  await once(subscriber, 'listening')
})
afterAll(async () => {
  subscriber.close().closeAllConnections()
  await database?.end()
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  await database.query('DELETE FROM subscriptions')
  received = []
  status = 204
})

async function send(method: string, path: string, body?: object) {
  const response = await shop(`http://shop${path}`, {
    method,
    headers: {
      ...STAFF,
      ...(body && { 'Content-Type': 'application/json' }),
      'Idempotency-Key': `"${randomUUID()}"`,
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: JSON.parse(text || 'null') }
}

const url = () => `http://127.0.0.1:${(subscriber.address() as AddressInfo).port}/hooks`
const subscribe = () => send('POST', '/subscriptions/', { url: url(), secret: SECRET })
const order = (ownerId = 1) => send('POST', '/orders/', { kind: 'fish', ownerId })
const outbox = async () =>
  (await database.query('SELECT attempts, due > now() AS waits FROM outbox ORDER BY due')).rows
const makeDue = () => database.query('UPDATE outbox SET due = now()')

describe('a subscription', () => {
  it('can be read where its Location says, without its secret, until it is deleted', async () => {
    const { status, headers, body } = await subscribe()
    const path = headers.get('Location') ?? ''
    expect([status, body]).toEqual([201, { id: expect.any(Number), url: url() }])
    expect((await send('GET', path)).body).toEqual(body)
    expect((await send('GET', '/subscriptions/')).body).toEqual([body])
    expect((await send('DELETE', path)).status).toBe(204)
    expect([(await send('GET', path)).status, (await send('DELETE', path)).status]).toEqual([
      404, 404,
    ])
  })
})

describe('an order that is placed', () => {
  it('is sent to each subscriber, signed, once', async () => {
    await subscribe()
    await subscribe()
    const { body } = await order()
    expect([await sender.sendNext(), await sender.sendNext(), await sender.sendNext()]).toEqual([
      true,
      true,
      false,
    ])
    expect(received.map(({ body }) => body)).toEqual([body, body])
    expect(new Set(received.map(({ id }) => id)).size).toBe(2)
    expect(await outbox()).toEqual([])
  })

  it('is sent to nobody if it is refused', async () => {
    await subscribe()
    expect((await order(999_999)).status).toBe(422)
    expect(await outbox()).toEqual([])
  })

  it('is sent by one of several processes', async () => {
    await subscribe()
    await order()
    const sent = await Promise.all(Array.from({ length: 4 }, () => sender.sendNext()))
    expect([sent.filter(Boolean).length, received.length]).toEqual([1, 1])
  })

  it('is sent again later, with the same id, until it has arrived', async () => {
    await subscribe()
    await order()
    status = 503
    await sender.sendNext()
    expect([await sender.sendNext(), await outbox()]).toEqual([
      false,
      [{ attempts: 1, waits: true }],
    ])
    await makeDue()
    status = 200
    await sender.sendNext()
    const [first, second] = received
    expect([second, received.length, await outbox()]).toEqual([first, 2, []])
  })

  it('is kept, and not sent again, after twelve attempts', async () => {
    await subscribe()
    await order()
    await database.query('UPDATE outbox SET attempts = 11')
    status = 500
    expect(await sender.sendNext()).toBe(true)
    await makeDue()
    expect([await sender.sendNext(), await outbox()]).toEqual([
      false,
      [{ attempts: 12, waits: false }],
    ])
  })

  it('is not sent to who has unsubscribed', async () => {
    const { headers } = await subscribe()
    await order()
    await send('DELETE', headers.get('Location') ?? '')
    expect([await sender.sendNext(), received]).toEqual([false, []])
  })

  it('is not sent into the network of the shop, unless that is allowed', async () => {
    await subscribe()
    await order()
    await new Sender(database, { allowPrivate: false }).sendNext()
    expect([received, await outbox()]).toEqual([[], [{ attempts: 1, waits: true }]])
  })
})

it('a sender sends until it is stopped, and lets the last event end', async () => {
  await subscribe()
  await order()
  const stop = new AbortController()
  const arrived = once(subscriber, 'request')
  const running = sender.run(stop.signal, error => expect(error).toBe(undefined))
  await arrived
  stop.abort()
  await running
  expect([received.length, await outbox()]).toEqual([1, []])
})
