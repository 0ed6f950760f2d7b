import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../../examples/pet-shop/app.js'
import { type Database, openDatabase, prepareDatabase } from '../../examples/pet-shop/database.js'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../examples/pet-shop/embedded-postgres.js'
import { STAFF, secrets } from './credentials.js'

const rex = { name: 'Rex', kind: 'dog', birthDate: '2026-03-09', price: '499.95' }
const ada = { name: 'Ada', email: 'ada@example.com', city: 'Cork' }

let folder: string
let postgres: EmbeddedPostgres
let database: Database
let server: Server

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-shop-spec-'))
  postgres = await startEmbeddedPostgres(folder)
  database = openDatabase(postgres.url)
  await prepareDatabase(database, () => undefined)
  server = createApp(database, { secrets, givesTokens: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterAll(async () => {
  server?.close()
  await database?.end()
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Sends a request; as one of the staff, unless `caller` has other header fields. */
async function send(
  method: string,
  path: string,
  body?: unknown,
  given: Record<string, string> = {},
  caller: Record<string, string> = STAFF,
) {
  const { port } = server.address() as AddressInfo
  const headers = { ...caller, ...given }
  const init =
    body === undefined
      ? { headers }
      : { headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) }
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...init })
  const text = await answer.text()
  return {
    status: answer.status,
    headers: answer.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}

describe('the pet shop', () => {
  it('pages and narrows its pets', async () => {
    const { status, headers, body } = await send(
      'GET',
      '/pets/?kind=cat&status=available&sort=price&page_size=3',
    )
    expect(status).toBe(200)
    expect(body).toHaveLength(3)
    expect(body[0]).toMatchObject({ kind: 'cat', status: 'available' })
    const [, next = ''] = /<([^>]+)>; rel="next"/.exec(headers.get('Link') ?? '') ?? []
    const { body: more } = await send('GET', `/pets/${next}`)
    const prices = [...body, ...more].map(({ price }) => Number(price))
    expect(prices).toEqual(prices.toSorted((one, other) => one - other))
    expect(new Set([...body, ...more].map(({ id }) => id)).size).toBe(6)
  })

  it('serves the same page as CSV, with its links', async () => {
    const { port } = server.address() as AddressInfo
    const get = (Accept: string) =>
      fetch(`http://127.0.0.1:${port}/pets/?kind=cat&page_size=2`, { headers: { Accept } })
    const response = await get('text/csv')
    const [columns, ...lines] = (await response.text()).split('\r\n')
    expect(response.headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('Link')).toContain('rel="next"')
    expect(columns).toBe('id,name,kind,breed,birthDate,price,status,tags,ownerId,version')
    const pets = (await (await get('application/json')).json()) as { name: string }[]
    expect(lines.map(line => line.split(',')[1])).toEqual([pets[0]?.name, pets[1]?.name, undefined])
    expect((await get('image/png')).status).toBe(406)
  })

  it('takes a pet in, changes it, and lets it go', async () => {
    const added = await send('POST', '/pets/', rex)
    expect(added.status).toBe(201)
    expect(added.body).toEqual({
      ...rex,
      id: expect.any(Number),
      breed: null,
      status: 'available',
      tags: [],
      ownerId: null,
      version: 1,
    })
    const path = added.headers.get('Location') ?? ''

    const tag = (await send('GET', path)).headers.get('ETag') ?? ''
    expect((await send('GET', path, undefined, { 'If-None-Match': tag })).status).toBe(304)
    expect((await send('PATCH', path, { status: 'sold', ownerId: 1 })).status).toBe(428)
    const changed = await send('PATCH', path, { status: 'sold', ownerId: 1 }, { 'If-Match': tag })
    expect(changed.body).toEqual({ ...added.body, status: 'sold', ownerId: 1, version: 2 })
    expect((await send('PUT', path, rex, { 'If-Match': tag })).status).toBe(412)

    expect(
      (await send('DELETE', path, undefined, { 'If-Match': changed.headers.get('ETag') ?? '' }))
        .status,
    ).toBe(204)
  })

  it('lets one of many writers of the same version win', async () => {
    const { headers } = await send('POST', '/pets/', rex)
    const path = headers.get('Location') ?? ''
    const tag = (await send('GET', path)).headers.get('ETag') ?? ''
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send('PUT', path, rex, { 'If-Match': tag })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(412)])
  })

  it('keeps a picture as it came', async () => {
    const { port } = server.address() as AddressInfo
    const { headers } = await send('POST', '/pets/', rex)
    const url = `http://127.0.0.1:${port}${headers.get('Location')}/picture`
    const form = (type: string) => {
      const data = new FormData()
      data.append('picture', new Blob([Uint8Array.of(0x89, 0, 0xff)], { type }), 'rex.png')
      return data
    }
    expect((await fetch(url)).status).toBe(404)
    expect(
      (await fetch(url, { method: 'PUT', body: form('text/html'), headers: STAFF })).status,
    ).toBe(204)
    const other = await fetch(url)
    const fields = ['Content-Type', 'Content-Disposition', 'X-Content-Type-Options'].map(name =>
      other.headers.get(name),
    )
    expect(fields).toEqual(['application/octet-stream', 'attachment', 'nosniff'])
    expect(
      (await fetch(url, { method: 'PUT', body: form('image/png'), headers: STAFF })).status,
    ).toBe(204)
    const picture = await fetch(url)
    expect([
      picture.headers.get('Content-Type'),
      ...new Uint8Array(await picture.arrayBuffer()),
    ]).toEqual(['image/png', 0x89, 0, 0xff])
    const tag = picture.headers.get('ETag') ?? ''
    expect((await fetch(url, { headers: { 'If-None-Match': tag } })).status).toBe(304)
    expect(
      (
        await fetch(url.replace(/\d+(?=\/picture)/, '9999999'), {
          method: 'PUT',
          body: form('image/png'),
          headers: STAFF,
        })
      ).status,
    ).toBe(404)
  })

  it('knows its owners and their pets', async () => {
    const added = await send('POST', '/owners/', ada)
    expect(added.body).toEqual({ ...ada, id: expect.any(Number), phone: null, version: 1 })
    const path = added.headers.get('Location') ?? ''
    await send('POST', '/pets/', { ...rex, ownerId: added.body.id, status: 'reserved' })
    expect((await send('GET', `${path}/pets`)).body).toMatchObject([
      { name: 'Rex', ownerId: added.body.id },
    ])
    expect((await send('POST', '/owners/', ada)).status).toBe(409)
    expect((await send('DELETE', path, undefined, { 'If-Match': '*' })).status).toBe(409)
    expect((await send('GET', '/owners/9007199254740991/pets')).status).toBe(404)
  })

  it('documents itself', async () => {
    const { status, body } = await send('GET', '/docs/openapi.json')
    expect(status).toBe(200)
    expect(Object.keys(body.paths)).toEqual([
      '/pets/',
      '/pets/export',
      '/pets/{petId}',
      '/pets/{petId}/picture',
      '/owners/',
      '/owners/{ownerId}',
      '/owners/{ownerId}/pets',
      '/orders/',
      '/orders/events',
      '/orders/{orderId}',
      '/subscriptions/',
      '/subscriptions/{subscriptionId}',
      '/tokens/',
    ])
    expect(Object.keys(body.paths['/owners/'].post.responses)).toEqual(
      expect.arrayContaining(['201', '409', '422', '503', 'default']),
    )
  })
})

describe('what the database could not take', () => {
  it.each([
    ['a NUL character', { ...rex, name: 'R\u0000x' }],
    ['a year before there were years', { ...rex, birthDate: '0000-01-01' }],
    ['a price with too many digits', { ...rex, price: '1'.repeat(30) }],
    ['an owner who is not there', { ...rex, ownerId: 9007199254740991 }],
  ])('is refused in a body: %s', async (_, body) => {
    expect((await send('POST', '/pets/', body)).status).toBe(422)
  })

  it.each([
    'name=%00',
    'tag=%00',
    'minPrice=1e99',
    'bornAfter=0000-01-01',
    'owner=9007199254740993',
  ])('is refused in a query: %s', async search => {
    expect((await send('GET', `/pets/?${search}`)).status).toBe(422)
  })

  it('is found nowhere: the largest number of all', async () => {
    expect((await send('GET', '/pets/9007199254740991')).status).toBe(404)
  })

  it('is too far away: a page that nobody needs', async () => {
    expect((await send('GET', '/owners/?page=10000')).body).toEqual([])
    expect((await send('GET', '/owners/?page=10001')).status).toBe(422)
  })
})

describe('a shop whose database is away', () => {
  it('says so, and goes on by itself', async () => {
    await postgres.stop()
    const { status, headers, body } = await send('GET', '/pets/1')
    expect({ status, retryAfter: headers.get('Retry-After') }).toEqual({
      status: 503,
      retryAfter: '2',
    })
    expect(body).toEqual({
      code: 503,
      status: 'Service Unavailable',
      message: 'The database is away. Please try again in a moment.',
    })
    postgres = await startEmbeddedPostgres(folder)
    expect((await send('GET', '/pets/1')).status).toBe(200)
  })
})
