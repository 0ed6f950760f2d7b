// Published documents (@readme/oas-examples), written as applications of this library: what the two
// documents do not share is listed here, each with its reason.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Api } from 'koa-smorest'
import { fetchOf } from 'koa-smorest/testing'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { describe, expect, it } from 'vitest'
import {
  newPet,
  onData,
  streams,
  webhooks,
} from '../../examples/contracts/callbacks-and-webhooks.js'
import { fileUploads, formData } from '../../examples/contracts/forms-and-files.js'
import { linkExample } from '../../examples/contracts/link-example.js'
import { mediaTypes } from '../../examples/contracts/media-types.js'
import { parametersStyle } from '../../examples/contracts/parameters-style.js'
import { petstore } from '../../examples/contracts/petstore.js'
import { security } from '../../examples/contracts/security.js'
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
  { app }: Pick<Api, 'app'>,
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
const UNDESCRIBED = 'the published response has no schema'
const FRAGMENT = 'no request has the fragment of a path'
const FLAT = 'the fields of an exploded object are parameters themselves'
const NEEDED = 'a body with required fields is required'
const COOKIE = 'an exploded list does not fit into a cookie'
const RECEIVED = 'the response to a webhook is 204'

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
    const send = fetchOf(petstore('sesame', 'sesame key').app)
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
        'body-became-required, request body': [1, NEEDED],
      },
      back: { 'media-type-removed, response error application/json': [1, BODIES] },
    })
  })

  it('are taken, and answered with a token or 401', async () => {
    const send = fetchOf(formData('sesame').app)
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
    const send = fetchOf(fileUploads(sizes => received.push(sizes)).app)
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
    const ours = await (await fetchOf(linkExample([]).app)('http://api/openapi.json')).json()
    // biome-ignore lint/suspicious/noExplicitAny: documents are walked
    const linksOf = ({ paths, components }: any) => ({
      components: components.links,
      // biome-ignore lint/suspicious/noExplicitAny: documents are walked
      paths: Object.entries<any>(paths).map(([path, { get }]) => [path, get?.responses[200].links]),
    })
    expect(linksOf(ours)).toEqual(linksOf(theirs))
  })

  it('answers where its links lead', async () => {
    const send = fetchOf(linkExample([pull]).app)
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
    const send = fetchOf(railway(() => ids.shift() ?? booked.id).app)
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
    const send = fetchOf(railway(undefined, 3).app)
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

describe('the styles of parameters', () => {
  it('keep the contract of the published document, but for what is listed', async () => {
    await expectSame(
      parametersStyle(() => undefined),
      published('3.0/json/parameters-style'),
      {
        forward: {
          'additional-properties-refused, request body multipart/form-data': [8, CLOSED],
          'closed-property-removed, request body multipart/form-data': [1, FLAT],
          'operation-removed, ': [2, FRAGMENT],
          'parameter-removed, query parameter "object"': [2, FLAT],
          'parameter-serialization-changed, cookie parameter "array"': [1, COOKIE],
        },
        back: {
          'parameter-removed, query parameter "description"': [2, FLAT],
          'parameter-removed, query parameter "name"': [2, FLAT],
          'parameter-serialization-changed, cookie parameter "array"': [1, COOKIE],
        },
      },
    )
  })

  it('are read as OpenAPI writes them', async () => {
    const received: unknown[] = []
    const send = fetchOf(parametersStyle(given => received.push(given)).app)
    const get = async (path: string, headers = {}) =>
      (await send(`http://api${path}`, { headers })).status
    const post = async (path: string, fields: Readonly<Record<string, string>>) => {
      const body = new FormData()
      for (const [name, value] of Object.entries(fields)) body.set(name, value)
      return (await send(`http://api${path}`, { method: 'POST', body })).status
    }
    const sent = { primitive: 'a', array: 'b,c', object: 'name,Rex' }
    const { primitive, array, object } = sent
    const statuses = [
      await get('/cookies', { Cookie: `primitive=${primitive}; array=${array}; object=${object}` }),
      await get('/anything/headers', sent),
      await get(`/anything/path/${primitive}/${array}/${object}`),
      await get('/anything/path/matrix/;primitive=a/;array=b,c/;object=name,Rex'),
      await post('/anything/path/matrix/;primitive=a/;array=b;array=c/;name=Rex', {}),
      await get('/anything/path/label/.a/.b.c/.name.Rex'),
      await post('/anything/path/label/.a/.b.c/.name=Rex', {}),
      await get(`/anything/query/form?${new URLSearchParams(sent)}`),
      await get('/anything/query/spaceDelimited?array=b%20c&object=name%20Rex'),
      await get('/anything/query/pipeDelimited?array=b|c&object=name|Rex'),
      await get('/anything/query/deepObject?object[name]=Rex'),
      await post('/anything/form-data', { array: 'b', object: '{"foo":"Rex"}' }),
      await post('/anything/form-data/form', { array, object: 'foo,Rex' }),
      await post('/anything/form-data/deepObject', { array: 'b', 'object[foo]': 'Rex' }),
    ]
    expect(statuses).toEqual(statuses.map(() => 200))
    const all = { primitive: 'a', array: ['b', 'c'], object: { name: 'Rex' } }
    const { primitive: _, ...both } = all
    const foo = { foo: 'Rex' }
    expect(received).toEqual([
      ...[all, all, all, all, all, all, all, all, both, both, { object: { name: 'Rex' } }],
      { array: ['b'], object: foo },
      { array: ['b', 'c'], object: foo },
      { array: ['b'], object: foo },
    ])
  })

  it('are a 422 if something is in another style', async () => {
    const send = fetchOf(parametersStyle(() => undefined).app)
    const get = async (path: string) => (await send(`http://api/anything/${path}`)).status
    expect([
      await get('path/matrix/a/;array=b/;object=name,Rex'),
      await get('path/label/.a/.b/.nickname.Rex'),
      await get('query/pipeDelimited?object=name'),
      await get('query/deepObject?object=name'),
    ]).toEqual([422, 422, 422, 422])
  })
})

describe('security', () => {
  it('keeps the contract of the published document, but for what is listed', async () => {
    await expectSame(security('sesame'), published('3.0/json/security'), {
      forward: {},
      back: {
        'media-type-removed, response error application/json': [1, BODIES],
        'success-status-removed, response': [1, SUCCESS],
      },
    })
  })

  it('takes each kind of credentials, and nothing else', async () => {
    const send = fetchOf(security('sesame').app)
    const call = async (method: string, path: string, headers = {}) =>
      (await send(`http://api${path}`, { method, headers })).status
    const Authorization = 'Bearer sesame'
    const calls = [
      ['GET', '/anything/apiKey?apiKey=sesame', {}],
      ['POST', '/anything/apiKey', { Cookie: 'api_key=sesame' }],
      ['PUT', '/anything/apiKey', { 'X-API-KEY': 'sesame' }],
      ['POST', '/anything/basic', { Authorization: `Basic ${btoa('ann:sesame')}` }],
      ['POST', '/anything/bearer', { Authorization }],
      ['PUT', '/anything/bearer', { Authorization }],
      ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map(
        method => [method, '/anything/oauth2', { Authorization }] as const,
      ),
      ['POST', '/anything/openIdConnect', { Authorization }],
    ] as const
    for (const [method, path, headers] of calls)
      expect([
        await call(method, path, headers),
        await call(method, path.replace(/\?.*/, '')),
      ]).toEqual([200, 401])
    expect([
      await call('POST', '/anything/no-auth'),
      await call('GET', '/anything/optional-auth'),
      await call('GET', '/anything/optional-auth?apiKey=open'),
      await call('POST', '/status/401', { 'X-API-KEY': 'sesame' }),
    ]).toEqual([200, 200, 401, 401])
  })
})

describe('media types of responses', () => {
  const theirs = published('3.0/json/response-multiple-mediatypes')
  const paths = Object.keys(theirs.paths)
  const { content } = theirs.paths['/multiple-types-single-example'].post.responses[200]
  const cat = content['application/json'].examples.cat.value

  it('keep the contract of the published document, but for what is listed', async () => {
    await expectSame(mediaTypes(cat), theirs, {
      forward: {
        'additional-properties-refused, request body application/json': [2, CLOSED],
        'media-type-removed, response error application/xml': [4, XML],
      },
      back: {
        'format-added, request body application/json': [2, 'there is no format "string"'],
        'media-type-removed, response error application/json': [4, BODIES],
        'type-wider, response application/json': [8, UNDESCRIBED],
        'type-wider, response text/plain': [2, UNDESCRIBED],
      },
    })
  })

  it('are sent as published', async () => {
    const send = fetchOf(mediaTypes(cat).app)
    const seen: unknown[] = []
    for (const path of paths)
      for (const Accept of ['application/json', 'text/plain']) {
        const method = path.startsWith('/multiple') ? 'POST' : 'GET'
        const response = await send(`http://api${path}`, { method, headers: { Accept } })
        seen.push(response.headers.get('Content-Type') ?? '', await response.text())
      }
    const json = ['application/json; charset=utf-8', JSON.stringify(cat)]
    const plain = ['text/plain; charset=utf-8', content['text/plain'].examples.response.value]
    expect(seen).toEqual([json, plain, json, plain, json, json, json, json].flat())
  })
})

describe('callbacks', () => {
  it('keep the contract of the published document, but for what is listed', async () => {
    await expectSame(
      streams(() => '7'),
      published('3.0/json/callbacks'),
      {
        forward: {
          'media-type-removed, response application/json': [1, RECEIVED],
          'success-status-removed, response': [1, RECEIVED],
        },
        back: {
          'body-became-optional, request body': [1, 'a webhook is always sent with its event'],
          'parameter-removed, header parameter "webhook-id"': [1, SIGNED],
          'parameter-removed, header parameter "webhook-signature"': [1, SIGNED],
          'parameter-removed, header parameter "webhook-timestamp"': [1, SIGNED],
          'type-wider, response application/json': [1, UNTYPED],
        },
      },
    )
  })

  it('are sent to the URL that the request gave', async () => {
    const received: unknown[] = []
    const server = createServer(async (request, response) => {
      received.push([request.method, request.url, JSON.parse(await text(request))])
      response.writeHead(202).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const urls: string[] = []
    const send = fetchOf(streams(url => String(urls.push(url))).app)
    const query = new URLSearchParams({ callbackUrl: `http://127.0.0.1:${port}` })
    const subscribed = await send(`http://api/streams?${query}`, { method: 'POST' })
    const refused = await send('http://api/streams?callbackUrl=ftp://api', { method: 'POST' })
    const event = { userData: 'a' }
    const options = { secret: btoa('sesame'), allowPrivate: true }
    const { status } = await onData.send(`${urls[0]}/data`, event, options)
    server.close()
    expect([subscribed.status, refused.status, status, received]).toEqual([
      201,
      422,
      202,
      [['POST', '/data', event]],
    ])
  })
})

describe('webhooks', () => {
  it('keep the contract of the published document, but for what is listed', async () => {
    await expectSame(webhooks(), published('3.1/json/webhooks'), {
      forward: {
        'operation-removed, ': [1, 'a webhook is a POST'],
        'success-status-removed, response': [1, RECEIVED],
      },
      back: {
        'body-became-optional, request body': [1, 'a webhook is always sent with its event'],
        'parameter-removed, header parameter "webhook-id"': [1, SIGNED],
        'parameter-removed, header parameter "webhook-signature"': [1, SIGNED],
        'parameter-removed, header parameter "webhook-timestamp"': [1, SIGNED],
        'success-status-removed, response': [1, RECEIVED],
        'type-wider, request body application/json': [1, UNTYPED],
      },
    })
  })

  it('have payloads that fit the published schema', async () => {
    const options = { secret: btoa('sesame'), allowPrivate: true }
    const bad = newPet.send('http://127.0.0.1:1', { id: 1 } as never, options)
    await expect(bad).rejects.toThrow('name')
  })
})
