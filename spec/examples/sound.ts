// The examples, and how `contract` tests them: each has nothing wrong.
import { createHmac, randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import * as t from 'io-ts'
import Koa from 'koa'
import { Api, Blueprint, operation, response } from 'koa-smorest'
import { type ContractOptions, fetchOf } from 'koa-smorest/testing'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { jobsApp } from '../../examples/agents/app.js'
import { streams } from '../../examples/contracts/callbacks-and-webhooks.js'
import { fileUploads, formData } from '../../examples/contracts/forms-and-files.js'
import { linkExample } from '../../examples/contracts/link-example.js'
import { mediaTypes } from '../../examples/contracts/media-types.js'
import { parametersStyle } from '../../examples/contracts/parameters-style.js'
import { petstore } from '../../examples/contracts/petstore.js'
import { security } from '../../examples/contracts/security.js'
import { trainTravel } from '../../examples/contracts/train-travel.js'
import { rateLimit } from '../../examples/own-features/rate-limit.js'
import { sunset } from '../../examples/own-features/sunset.js'
import { createApp } from '../../examples/port/app.js'
import { paymentsApp } from '../../examples/redis/app.js'
import { booksApi } from '../../examples/standard/app.js'
import { root } from '../architecture/source.js'
import { hasRedis, startRedis } from '../support/redis-server.js'
import type { Sound } from '../support/sound.js'

/** Creates an example. Each number has its own copy of what a module keeps in variables. */
type Create = (copy: number) => Sound | Promise<Sound>

const SECRET = 'sesame'
const ALL_DAY = 1_000_000

function of(api: Api, options: ContractOptions = {}): Sound {
  return { app: api.app, api, options }
}

/** An application that keeps its Api to itself. */
async function served(app: Koa, document: string, options: ContractOptions): Promise<Sound> {
  const described = (await (await fetchOf(app)(document)).json()) as object
  return { app, api: { spec: { toJSON: () => described } }, options }
}

/** Signs a webhook as Standard Webhooks does. */
const signed: NonNullable<ContractOptions['prepare']>[string] = ({ body, headers, ...others }) => {
  if (!body) return { ...others, headers, body }
  const text = 'text' in body ? body.text : JSON.stringify(body.value)
  const [id, time] = [randomUUID(), String(Math.floor(Date.now() / 1000))]
  const key = Buffer.from('c2VzYW1lIHNlc2FtZSBzZXNhbWU=', 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${time}.`).update(text).digest('base64')
  const added = {
    'webhook-id': id,
    'webhook-timestamp': time,
    'webhook-signature': `v1,${signature}`,
  }
  return {
    ...others,
    headers: { ...headers, ...added },
    body: { mediaType: body.mediaType, text },
  }
}

const OF_FEATURES: Readonly<Record<string, ContractOptions>> = {
  'etag.ts': { values: { noteId: [1] } },
  'merge-patch.ts': { values: { petId: [1] } },
  'secure.ts': { as: { token: ['ann-sesame', 'bob-sesame'], key: 'ann-sesame' } },
  'webhooks.ts': { prepare: { 'POST /hooks': signed } },
}

const features = Object.fromEntries(
  readdirSync(join(root, 'examples/features')).map((name): [string, Create] => [
    `features/${name}`,
    async copy => {
      process.env.PORT = '0'
      const { api, server } = (await import(
        /* @vite-ignore */ `${join(root, 'examples/features', name)}?${copy}`
      )) as { api: Api; server: Server }
      return { ...of(api, OF_FEATURES[name]), end: () => server.close() }
    },
  ]),
)

function links(): Sound {
  const owner = { username: 'ann', uuid: '7' }
  const pull = { id: 3, title: 'Mend', repository: { slug: 'koa', owner }, author: owner }
  return of(linkExample([pull]), { values: { username: ['ann'], slug: ['koa'], pid: ['3'] } })
}

/** Values in styles that `contract` does not write. */
function styles(): Sound {
  const inPaths = {
    'GET /anything/path': ['a', 'b,c', 'name,Rex'],
    'GET /anything/path/simple': ['a', 'b,c', 'name,Rex'],
    'POST /anything/path/simple': ['a', 'b,c', 'name=Rex'],
    'GET /anything/path/matrix': [';primitive=a', ';array=b,c', ';object=name,Rex'],
    'POST /anything/path/matrix': [';primitive=a', ';array=b;array=c', ';name=Rex'],
    'GET /anything/path/label': ['.a', '.b.c', '.name.Rex'],
    'POST /anything/path/label': ['.a', '.b.c', '.name=Rex'],
  }
  const names = ['primitive', 'array', 'object']
  const rule = names.map(name => `{${name}}`).join('/')
  const values = Object.entries(inPaths).flatMap(([path, texts]) =>
    names.map((name, index) => [`${path}/${rule} path.${name}`, [texts[index]]]),
  )
  return of(
    parametersStyle(() => undefined),
    {
      values: {
        ...Object.fromEntries(values),
        'GET /cookies cookie.object': ['name,Rex'],
        'GET /anything/headers header.object': ['name,Rex'],
        'GET /anything/headers/simple header.object': ['name,Rex'],
        'POST /anything/headers/simple header.object': ['name=Rex'],
        'GET /anything/query/form query.object': ['name,Rex'],
        'GET /anything/query/spaceDelimited query.array': ['b c'],
        'GET /anything/query/spaceDelimited query.object': ['name Rex'],
        'GET /anything/query/pipeDelimited query.array': ['b|c'],
        'GET /anything/query/pipeDelimited query.object': ['name|Rex'],
        'POST /anything/form-data/form form.object': ['foo,Rex'],
        'POST /anything/form-data/spaceDelimited form.array': ['b c'],
        'POST /anything/form-data/spaceDelimited form.object': ['foo Rex'],
        'POST /anything/form-data/pipeDelimited form.array': ['b|c'],
        'POST /anything/form-data/pipeDelimited form.object': ['foo|Rex'],
      },
    },
  )
}

function store(): Sound {
  const key = 'sesame key'
  const api = petstore(SECRET, key)
  const send = fetchOf(api.app)
  const Authorization = `Bearer ${SECRET}`
  const post = async (path: string, body: object) => {
    const headers = { 'Content-Type': 'application/json', Authorization }
    await send(`http://api${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  const reset = async () => {
    await post('/pet', { name: 'Rex', photoUrls: [], status: 'sold' })
    await post('/user', { username: 'ann', password: SECRET })
    await post('/store/order', { id: 1 })
  }
  // nothing else shows the id of a pet
  const petId = async () => {
    const found = await send('http://api/pet/findByStatus?status=sold', {
      headers: { Authorization },
    })
    return ((await found.json()) as { id: number }[]).map(({ id }) => id)
  }
  const reason = 'an order may have any id, of which the published document allows few in a path'
  return of(api, {
    reset,
    as: { petstore_auth: SECRET, api_key: key },
    values: {
      petId,
      orderId: [1],
      username: ['ann'],
      password: [SECRET],
    },
    skip: [
      {
        operation: 'GET /store/order/{orderId}',
        check: 'law: what is created can be read',
        reason,
      },
      { operation: 'DELETE /store/order/{orderId}', check: 'valid data refused', reason },
    ],
  })
}

function schemes(): Sound {
  const names = ['query', 'header', 'cookie'].map(place => `apiKey_${place}`)
  const flows = ['authorizationCode', 'clientCredentials', 'implicit', 'password']
  const tokens = ['bearer', 'bearer_jwt', 'oauth2', 'openIdConnect']
  const all = [...names, ...tokens, ...flows.map(flow => `oauth2_${flow}`)]
  return of(security(SECRET), {
    as: { ...Object.fromEntries(all.map(name => [name, SECRET])), basic: `ann:${SECRET}` },
    skip: [{ operation: 'POST /status/401', reason: 'it refuses everybody, as published' }],
  })
}

function trains(): Sound {
  const [oslo, rome] = [randomUUID(), randomUUID()]
  const station = { address: 'Main Street 1', timezone: 'Europe/Oslo' }
  const trip = { price: 50, bicycles_allowed: true, dogs_allowed: false }
  const trips = [
    { id: randomUUID(), origin: oslo, destination: rome, ...trip },
    { id: randomUUID(), origin: rome, destination: oslo, ...trip, dogs_allowed: true },
  ]
  const scopes: Readonly<Record<string, readonly string[]>> = {
    'sesame-write': ['read', 'write'],
    'sesame-read': ['read'],
    'sesame-none': [],
  }
  return of(
    trainTravel({
      scopesOf: token => scopes[token],
      limiter: new RateLimiterMemory({ points: ALL_DAY, duration: 60 }),
      stations: [
        { ...station, id: oslo, name: 'Oslo S', country_code: 'NO' },
        { ...station, id: rome, name: 'Roma Termini', country_code: 'IT' },
      ],
      trips,
      newId: randomUUID,
    }),
    {
      as: { OAuth2: Object.keys(scopes) },
      values: {
        origin: [oslo],
        destination: [rome],
        'POST /bookings json.trip_id': [...trips.map(({ id }) => id), randomUUID()],
      },
      normalises: {
        'POST /bookings/{bookingId}/payment json.source.number':
          'all but four characters are hidden',
      },
    },
  )
}

function jobs(): Promise<Sound> {
  const owners = new Map([
    ['ann-sesame', 'Ann'],
    ['bob-sesame', 'Bob'],
  ])
  return served(jobsApp(owners), '/docs/openapi.json', { as: { login: [...owners.keys()] } })
}

function port(): Promise<Sound> {
  const times = ['2026-01-01T10:00:00', '2026-01-02T10:00:00', '2026-01-03T10:00:00.5']
  const later = ['2026-02-01T10:00:00', '2026-02-02T10:00:00', '2026-02-03T10:00:00.5']
  return served(createApp(), '/openapi.json', {
    values: Object.fromEntries(
      ['POST /bookings/', 'PATCH /bookings/{bookingId}'].flatMap(name => [
        [`${name} json.starts`, times],
        [`${name} json.ends`, later],
      ]),
    ),
  })
}

function books(): Sound {
  const all = new Map<number, { id: number; title: string; tags: string[] }>()
  const reset = () => {
    all.clear()
    for (const id of [1, 2, 3]) all.set(id, { id, title: `Book ${id}`, tags: ['novel'] })
  }
  reset()
  return of(booksApi(new Koa(), all), { reset })
}

function ownFeatures(): Sound {
  const ends = sunset(new Date('2099-05-01'), { since: new Date('2026-11-01'), link: '/docs/v2' })
  const limited = rateLimit({ limit: ALL_DAY, window: 60 })
  const numbers = new Blueprint('numbers')
    .get('/ending', operation(ends, limited, response(t.number)), () => 1)
    .get('/few', operation(rateLimit({ limit: 5, window: 60 }), response(t.number)), () => 1)
  return of(new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(numbers))
}

async function payments(): Promise<Sound> {
  const redis = await startRedis()
  const app = paymentsApp(redis.client, async () => undefined, ALL_DAY)
  const reset = async () => void (await redis.client.flushall())
  return { ...(await served(app, '/docs/openapi.json', { reset })), end: () => redis.stop() }
}

export const examples: Readonly<Record<string, Create>> = {
  ...features,
  agents: jobs,
  'contracts/callbacks': () => of(streams(url => String(url.length))),
  'contracts/file uploads': () => of(fileUploads(() => undefined)),
  'contracts/form data': () =>
    of(formData(SECRET), { values: { client_secret: [SECRET, 'another'] } }),
  'contracts/links': links,
  'contracts/media types': () => of(mediaTypes({ name: 'Fluffy' })),
  'contracts/petstore': store,
  'contracts/security': schemes,
  'contracts/styles of parameters': styles,
  'contracts/train travel': trains,
  'own features': ownFeatures,
  port,
  ...(hasRedis && { redis: payments }),
  standard: books,
  tsoa: async copy => {
    const module = join(root, 'examples/tsoa/app.ts')
    const { api } = (await import(/* @vite-ignore */ `${module}?${copy}`)) as { api: Api }
    return of(api, { as: { key: SECRET } })
  },
}
