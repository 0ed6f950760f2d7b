// Published documents (@readme/oas-examples), written as applications of this library: what the two
// documents do not share is listed here, each with its reason.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type Koa from 'koa'
import { fetchOf } from 'koa-smorest/testing'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { describe, expect, it } from 'vitest'
import { fileUploads, formData } from '../../examples/contracts/forms-and-files.js'
import { linkExample } from '../../examples/contracts/link-example.js'
import { petstore } from '../../examples/contracts/petstore.js'
import { trainTravel } from '../../examples/contracts/train-travel.js'
import { breaking } from '../../src/breaking/breaking.js'

const { resolve } = createRequire(import.meta.url)

// biome-ignore lint/suspicious/noExplicitAny: a document is walked
function published(name: string): any {
  return JSON.parse(readFileSync(resolve(`@readme/oas-examples/${name}.json`), 'utf8'))
}

/** How often each kind of error is found: the rule, and the place without its status. */
function errors(before: unknown, after: unknown): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { level, rule, where } of breaking(before, after)) {
    const kind = `${rule}, ${where.replace(/ [45]\d\d| DEFAULT/, ' error').replace(/ 2\d\d/, '')}`
    if (level === 'ERR') counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

/** Kinds of errors with their number and their reason. */
type Listed = Readonly<Record<string, readonly [count: number, reason: string]>>

async function expectSame(
  app: Koa,
  theirs: unknown,
  { forward, back }: { readonly forward: Listed; readonly back: Listed },
): Promise<void> {
  const ours = await (await fetchOf(app)('http://api/openapi.json')).json()
  const counts = (listed: Listed) =>
    Object.fromEntries(Object.entries(listed).map(([kind, [count]]) => [kind, count]))
  expect({ forward: errors(theirs, ours), back: errors(ours, theirs) }).toEqual({
    forward: counts(forward),
    back: counts(back),
  })
}

const CLOSED = 'fields that are not declared are refused, so that no misspelt one is lost'
const XML = 'this library reads and writes JSON'
const BODIES = 'errors have a body, which is documented'
const UNEVALUATED =
  'in a response, unevaluatedProperties says nothing that the closed members do not'
const UNTYPED = 'the published schema has no type: object'
const UUID = 'a UUID is checked, and its pattern documented'
const SECONDS = 'Retry-After is always sent, in seconds'
const SIGNED = 'webhooks are signed'
const PAGES = 'the published links have parameters that the document does not list'
const SUCCESS = 'the published operation documents no success'

describe('the petstore', () => {
  const theirs = published('3.0/json/petstore')

  it('keeps the contract of the published document, but for what is listed', async () => {
    await expectSame(petstore('sesame', 'sesame key'), theirs, {
      forward: {
        'additional-properties-refused, request body application/json': [11, CLOSED],
        'additional-properties-refused, request body application/x-www-form-urlencoded': [
          1,
          CLOSED,
        ],
        'additional-properties-refused, request body multipart/form-data': [1, CLOSED],
        'media-type-removed, request body application/xml': [2, XML],
        'media-type-removed, response application/xml': [7, XML],
      },
      back: {
        'media-type-removed, response error application/json': [23, BODIES],
        'property-became-optional, response application/json': [2, 'defaults are always sent'],
        'success-status-removed, response': [11, SUCCESS],
      },
    })
  })

  it('takes the examples of the published document, and sends them', async () => {
    const send = fetchOf(petstore('sesame', 'sesame key'))
    const { id: _, ...properties } = theirs.components.schemas.Pet.properties
    const added = { name: properties.name.example, photoUrls: [properties.photoUrls.items.example] }
    const call = async (method: string, path: string, body?: unknown) => {
      const headers = {
        Authorization: 'Bearer sesame',
        api_key: 'sesame key',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      }
      const response = await send(`http://api${path}`, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      })
      const text = await response.text()
      return [response.status, text === '' ? undefined : JSON.parse(text)]
    }
    const pet = { id: 1, ...added, status: 'sold' }
    const order = { id: 7, petId: 1, quantity: 1, complete: false }
    expect([
      await call('POST', '/pet', { ...added, status: 'sold' }),
      await call('GET', '/pet/1'),
      await call('GET', '/pet/findByStatus?status=sold&status=pending'),
      await call('GET', '/store/inventory'),
      await call('POST', '/store/order', { id: 7, petId: 1, quantity: 1 }),
      await call('GET', '/store/order/7'),
      (await call('GET', '/store/order/11'))[0],
      (await call('GET', '/pet/2'))[0],
      await call('POST', '/user/createWithList', [{ username: 'user1', password: 'sesame' }]),
      await call('GET', '/user/login?username=user1&password=sesame'),
      await call('GET', '/user/logout'),
    ]).toEqual([
      [200, undefined],
      [200, pet],
      [200, [pet]],
      [200, { sold: 1 }],
      [200, order],
      [200, order],
      422,
      404,
      [200, undefined],
      [200, 'logged in as user1'],
      [200, undefined],
    ])
  })
})

describe('form data', () => {
  it('keep the contract of the published document, but for what is listed', async () => {
    await expectSame(formData('sesame'), published('3.0/json/form-data'), {
      forward: {
        'additional-properties-refused, request body application/x-www-form-urlencoded': [
          1,
          CLOSED,
        ],
      },
      back: { 'media-type-removed, response error application/json': [1, BODIES] },
    })
  })

  it('are taken, and answered with a token or 401', async () => {
    const send = fetchOf(formData('sesame'))
    const token = async (client_secret: string) => {
      const body = new URLSearchParams({ client_id: 'ann', client_secret, scope: '7' })
      const response = await send('http://api/anything', { method: 'POST', body })
      return [response.status, response.ok ? await response.json() : undefined]
    }
    expect([await token('sesame'), await token('open')]).toEqual([
      [200, { access_token: 1, token_type: 'bearer', expires_in: 3600 }],
      [401, undefined],
    ])
  })
})

describe('file uploads', () => {
  it('keep the contract of the published document, but for what is listed', async () => {
    await expectSame(
      fileUploads(() => undefined),
      published('3.0/json/file-uploads'),
      {
        forward: {
          'additional-properties-refused, request body multipart/form-data': [1, CLOSED],
        },
        back: {},
      },
    )
  })

  it('are taken alone, beside fields, and as a list', async () => {
    const received: (readonly number[])[] = []
    const send = fetchOf(fileUploads(sizes => received.push(sizes)))
    const [one, many] = [new FormData(), new FormData()]
    one.set('orderId', '1')
    one.set('documentFile', new Blob(['12345']), 'a.txt')
    many.append('filename', new Blob(['1']), 'a.txt')
    many.append('filename', new Blob(['12']), 'b.txt')
    const requests = [
      ['POST', 'image-png', new Blob(['123'], { type: 'image/png' })],
      ['POST', 'multipart-formdata', one],
      ['PUT', 'multipart-formdata', many],
    ] as const
    const statuses: number[] = []
    for (const [method, path, body] of requests)
      statuses.push((await send(`http://api/anything/${path}`, { method, body })).status)
    expect({ statuses, received }).toEqual({
      statuses: [200, 200, 200],
      received: [[3], [5], [1, 2]],
    })
  })
})

describe('the example of links', () => {
  const theirs = published('3.0/json/link-example')
  const owner = { username: 'ann', uuid: '7' }
  const pull = { id: 3, title: 'Mend', repository: { slug: 'koa', owner }, author: owner }

  it('keeps the contract of the published document', async () => {
    await expectSame(linkExample([]), theirs, { forward: {}, back: {} })
  })

  it('has the links of the published document', async () => {
    const ours = await (await fetchOf(linkExample([]))('http://api/openapi.json')).json()
    // biome-ignore lint/suspicious/noExplicitAny: documents are walked
    const linksOf = ({ paths, components }: any) => ({
      components: components.links,
      // biome-ignore lint/suspicious/noExplicitAny: documents are walked
      paths: Object.entries<any>(paths).map(([path, { get }]) => [path, get?.responses[200].links]),
    })
    expect(linksOf(ours)).toEqual(linksOf(theirs))
  })

  it('answers where its links lead', async () => {
    const send = fetchOf(linkExample([pull]))
    const get = async (path: string) => (await send(`http://api/2.0/${path}`)).json()
    const merge = await send('http://api/2.0/repositories/ann/koa/pullrequests/3/merge', {
      method: 'POST',
    })
    expect([
      await get('users/ann'),
      await get('repositories/ann'),
      await get('repositories/ann/koa'),
      await get('repositories/ann/koa/pullrequests'),
      await get('repositories/ann/koa/pullrequests/3'),
      merge.status,
    ]).toEqual([owner, [pull.repository], pull.repository, [pull], pull, 204])
  })
})

describe('the train travel API', () => {
  const theirs = published('3.1/json/train-travel')
  const { paths } = theirs
  // biome-ignore lint/suspicious/noExplicitAny: a document is walked
  const exampleOf = ({ responses }: any, code = 200) =>
    responses[code].content['application/json'].example
  const stations = exampleOf(paths['/stations'].get).data
  const trips = exampleOf(paths['/trips'].get).data
  const booked = exampleOf(paths['/bookings'].post, 201)
  const railway = (newId = () => booked.id, points = 99) =>
    trainTravel({
      scopesOf: token => ({ 'sesame-read': ['read'], 'sesame-write': ['read', 'write'] })[token],
      limiter: new RateLimiterMemory({ points, duration: 60 }),
      stations,
      trips,
      newId,
    })

  it('keeps the contract of the published document, but for what is listed', async () => {
    await expectSame(railway(), theirs, {
      forward: {
        'additional-properties-refused, request body application/json': [4, CLOSED],
        'constraint-removed, response application/json': [2, UNEVALUATED],
        'media-type-removed, request body application/xml': [1, XML],
        'media-type-removed, response error application/problem+xml': [38, 'errors are JSON'],
        'pattern-added, path parameter "bookingId"': [3, UUID],
        'pattern-added, query parameter "destination"': [1, UUID],
        'pattern-added, query parameter "origin"': [1, UUID],
        'pattern-added, request body application/json': [1, UUID],
        'success-status-removed, response': [1, 'the response to a webhook is 204'],
        'type-changed, response error header Retry-After': [7, SECONDS],
        'type-narrower, request body application/json': [1, UNTYPED],
      },
      back: {
        'body-became-optional, request body': [1, 'a webhook is always sent with its event'],
        'constraint-added, request body application/json': [2, UNEVALUATED],
        'header-became-optional, response error header Retry-After': [7, SECONDS],
        'parameter-removed, header parameter "webhook-id"': [1, SIGNED],
        'parameter-removed, header parameter "webhook-signature"': [1, SIGNED],
        'parameter-removed, header parameter "webhook-timestamp"': [1, SIGNED],
        'parameter-removed, query parameter "limit"': [3, PAGES],
        'parameter-removed, query parameter "page"': [3, PAGES],
        'property-became-optional, response application/json': [3, 'a page always has its rows'],
        'property-became-optional, response error application/problem+json': [
          60,
          'the type, title and status of a problem are always sent',
        ],
        'success-status-removed, response': [1, 'the response to a webhook is 204'],
        'type-changed, response error header Retry-After': [7, SECONDS],
        'type-wider, response application/json': [1, UNTYPED],
        'type-wider, response error application/problem+json': [38, UNTYPED],
      },
    })
  })

  it('takes the examples of the published document, and sends them', async () => {
    const ids = [booked.id, '2e3b4f5a-6b7c-8d9e-0f1a-2b3c4d5e6f7a']
    // the published booking is of a trip that is not among the published trips
    const { id: _, links: __, ...wanted } = { ...booked, trip_id: trips[0].id }
    const send = fetchOf(railway(() => ids.shift() ?? booked.id))
    const call = async (method: string, path: string, body?: unknown) => {
      const response = await send(`http://api${path}`, {
        method,
        headers: {
          Authorization: 'Bearer sesame-write',
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      })
      const text = await response.text()
      return [response.status, text === '' ? undefined : JSON.parse(text)]
    }
    const base = theirs.servers[0].url
    const made = { ...booked, trip_id: trips[0].id }
    const { post: pay } = paths['/bookings/{bookingId}/payment']
    const sent = pay.requestBody.content['application/json'].examples.Card.value
    const paid = pay.responses[200].content['application/json'].examples.Card.value
    // the published example shows the code, which is write-only, and leaves the city out
    const { cvc: ___, ...source } = { ...paid.source, address_city: sent.source.address_city }
    const search = new URLSearchParams(
      paths['/trips'].get.parameters.flatMap(({ name, example }: Record<string, string>) =>
        example ? [[name, example]] : [],
      ),
    )
    const found = await call('GET', `/trips?${search}`)
    expect([
      await call('GET', '/stations?page=2&limit=1'),
      [found[0], found[1].data],
      await call('POST', '/bookings', wanted),
      await call('GET', `/bookings/${booked.id}`),
      (await call('POST', '/bookings', wanted))[0],
      await call('POST', `/bookings/${booked.id}/payment`, sent),
      await call('DELETE', `/bookings/${booked.id}`),
      await call('GET', `/bookings/${booked.id}`),
    ]).toEqual([
      [
        200,
        {
          data: [stations[1]],
          links: {
            self: `${base}/stations?page=2&limit=1`,
            prev: `${base}/stations?page=1&limit=1`,
          },
        },
      ],
      [200, trips],
      [201, made],
      [200, made],
      409,
      [200, { ...paid, source, links: { booking: `${base}/bookings/${booked.id}` } }],
      [204, undefined],
      [404, { type: 'about:blank', title: 'Not Found', status: 404 }],
    ])
  })

  it('negotiates, limits and authorizes as published', async () => {
    const send = fetchOf(railway(undefined, 3))
    const get = async (path: string, headers: Record<string, string>, method = 'GET') => {
      const response = await send(`http://api${path}`, { method, headers })
      return [response.status, response.headers.get('Content-Type'), await response.text()]
    }
    const Authorization = 'Bearer sesame-read'
    const [station] = stations
    const links = `${theirs.servers[0].url}/stations`
    const [first, forbidden, unauthorized, tooMany] = [
      await get('/stations?limit=1', { Authorization, Accept: 'application/xml' }),
      await get(`/bookings/${booked.id}`, { Authorization }, 'DELETE'),
      await get('/bookings', {}),
      await get('/bookings', { Authorization }),
    ]
    expect({ first, statuses: [forbidden, unauthorized, tooMany].map(one => one[0]) }).toEqual({
      first: [
        200,
        'application/xml',
        `<data><stations><station>${Object.entries(station)
          .map(([name, value]) => `<${name}>${value}</${name}>`)
          .join(
            '',
          )}</station></stations><links><self>${links}?page=1&#38;limit=1</self><next>${links}?page=2&#38;limit=1</next></links></data>`,
      ],
      statuses: [403, 401, 429],
    })
  })
})
