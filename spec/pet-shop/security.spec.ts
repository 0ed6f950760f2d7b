import { fetchOf } from 'koa-smorest/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccess, randomSecrets } from '../../examples/pet-shop/access.js'
import { createApp } from '../../examples/pet-shop/app.js'
import { openDatabase } from '../../examples/pet-shop/database.js'
import { readEnvironment } from '../../examples/pet-shop/environment.js'
import { describedOperations } from '../support/secured-operations.js'
import { STAFF, secrets } from './credentials.js'
import { type ServedShop, serveShop } from './served-shop.js'

const rex = { name: 'Rex', kind: 'dog', birthDate: '2026-03-09', price: '499.95' }

let shop: ServedShop
let customer: Record<string, string>
let employee: Record<string, string>

beforeAll(async () => {
  shop = await serveShop()
  customer = { Authorization: `Bearer ${await tokenOf({ name: 'Ann', isStaff: false })}` }
  employee = { Authorization: `Bearer ${await tokenOf({ name: 'Bob' })}` }
})
afterAll(() => shop?.close())

async function tokenOf(body: object): Promise<string> {
  const response = await send('POST', '/tokens/', {}, body)
  expect(response.headers.get('Cache-Control')).toBe('no-store')
  return response.body.token
}

async function send(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: object,
) {
  const json = body === undefined ? {} : { 'Content-Type': 'application/json' }
  const response = await fetch(shop.url + path, {
    method,
    headers: { ...json, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}

describe('whoever writes to the shop', () => {
  it('is one of the staff: by the key, or by a token of theirs', async () => {
    const { Authorization: _, ...nobody } = customer
    const statuses = { nobody: 401, customer: 403, employee: 201, staff: 201 }
    const callers = { nobody, customer, employee, staff: STAFF }
    for (const [name, status] of Object.entries(statuses))
      expect({
        name,
        status: (await send('POST', '/pets/', callers[name as keyof typeof callers], rex)).status,
      }).toEqual({ name, status })
  })

  it('is asked who they are, unless they want a token', async () => {
    const open = describedOperations((await send('GET', '/docs/openapi.json')).body).filter(
      ({ isSecured }) => !isSecured,
    )
    expect(open.filter(({ method }) => method !== 'GET').map(({ operation }) => operation)).toEqual(
      ['post /tokens/'],
    )
  })

  it('is told how to say who they are, and what is missing', async () => {
    expect((await send('POST', '/pets/', {}, rex)).headers.get('WWW-Authenticate')).toBe(
      'Bearer realm="login", ApiKey in="header", name="X-Key"',
    )
    expect((await send('POST', '/pets/', customer, rex)).headers.get('WWW-Authenticate')).toBe(
      'Bearer realm="login", error="insufficient_scope", scope="staff"',
    )
    expect(
      (await send('POST', '/pets/', { Authorization: 'Bearer x.y.z' }, rex)).headers.get(
        'WWW-Authenticate',
      ),
    ).toContain('error="invalid_token"')
  })

  it('has no luck with a token that another shop has signed', async () => {
    const token = await createAccess(randomSecrets()).sign({ name: 'Eve', isStaff: true })
    expect((await send('POST', '/pets/', { Authorization: `Bearer ${token}` }, rex)).status).toBe(
      401,
    )
  })

  it('is told of it as problem details, if they ask for them', async () => {
    const { headers, body } = await send(
      'POST',
      '/pets/',
      { Accept: 'application/problem+json' },
      rex,
    )
    expect(headers.get('Content-Type')).toBe('application/problem+json')
    expect(headers.get('Vary')).toBe('Accept')
    expect(body).toEqual({ type: 'about:blank', title: 'Unauthorized', status: 401 })
  })
})

describe('an owner', () => {
  it('has a telephone number for the staff, and for nobody else', async () => {
    const { body: staffs } = await send('GET', '/owners/?page_size=100', STAFF)
    expect(staffs).toHaveLength(48)
    for (const owner of staffs) expect(owner).toHaveProperty('phone')
    for (const caller of [{}, customer]) {
      const { body } = await send('GET', '/owners/?page_size=100', caller)
      expect(body).toEqual(staffs.map(({ phone: _, ...owner }: { phone: string }) => owner))
    }
  })

  it('has another entity tag for the staff, so that nobody is told "not modified" of what they were not shown', async () => {
    const [public_, staffs] = [
      await send('GET', '/owners/1'),
      await send('GET', '/owners/1', employee),
    ]
    expect(public_.headers.get('ETag')).not.toBe(staffs.headers.get('ETag'))
    expect((await send('GET', '/owners/1', customer)).headers.get('ETag')).toBe(
      public_.headers.get('ETag'),
    )
    const known = { 'If-None-Match': staffs.headers.get('ETag') ?? '' }
    expect((await send('GET', '/owners/1', known)).status).toBe(200)
    expect((await send('GET', '/owners/1', { ...STAFF, ...known })).status).toBe(304)
    expect(staffs.headers.get('Cache-Control')).toBe('private, no-cache')
  })

  it('is changed under the tag of what the staff were shown', async () => {
    const path = '/owners/2'
    const tagFor = async (caller: Record<string, string>) =>
      (await send('GET', path, caller)).headers.get('ETag') ?? ''
    const stale = await tagFor({})
    expect(
      (await send('PATCH', path, { ...STAFF, 'If-Match': stale }, { city: 'Cork' })).status,
    ).toBe(412)
    const changed = await send(
      'PATCH',
      path,
      { ...STAFF, 'If-Match': await tagFor(STAFF) },
      { phone: '+353 21 4960000' },
    )
    expect(changed.body.phone).toBe('+353 21 4960000')
    expect(changed.headers.get('ETag')).toBe(await tagFor(STAFF))
    // the number is not shown, but the version is
    expect(await tagFor({})).not.toBe(stale)
  })

  it('is read by nobody whose credentials are wrong', async () => {
    expect((await send('GET', '/owners/1', { 'X-Key': 'guess' })).status).toBe(401)
  })
})

describe('the doors of the shop', () => {
  const database = openDatabase('postgres://127.0.0.1:1/')
  const statusOf = async (
    options: Parameters<typeof createApp>[1],
    path: string,
    init: RequestInit,
  ) => (await fetchOf(createApp(database, options))(`http://shop${path}`, init)).status
  const json = (body: object): RequestInit => ({
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  })

  it('give tokens only if they are told to', async () => {
    expect(await statusOf({ givesTokens: true }, '/tokens/', json({ name: 'Eve' }))).toBe(200)
    expect(await statusOf({}, '/tokens/', json({ name: 'Eve' }))).toBe(404)
  })

  it('are shut to everybody if no secrets are given', async () => {
    expect(await statusOf({}, '/pets/', json({}))).toBe(401)
  })

  it('can be left open for tools that cannot send credentials, and are shut to wrong ones all the same', async () => {
    expect(await statusOf({ secrets, isOpen: true }, '/pets/', json({}))).toBe(422)
    const wrong = { ...json({}), headers: { Authorization: 'Bearer x' } }
    expect(await statusOf({ secrets, isOpen: true }, '/pets/', wrong)).toBe(401)
  })

  it('are never left open in production', () => {
    expect(readEnvironment({ SHOP_OPEN: '1' }).isOpen).toBe(true)
    expect(() => readEnvironment({ SHOP_OPEN: '1', NODE_ENV: 'production' })).toThrow(
      'SHOP_OPEN=1 lets everybody write',
    )
  })

  it('have no keys that could be guessed', () => {
    expect(() => readEnvironment({ SHOP_KEY: 'secret' })).toThrow(
      'SHOP_KEY has to have at least 16 characters',
    )
    expect(() => readEnvironment({ SHOP_TOKEN_SECRET: 'secret' })).toThrow(
      'SHOP_TOKEN_SECRET has to have at least 32 characters',
    )
  })
})
