import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  int,
  isoDateTime,
  json,
  operation,
  RegistrationError,
  response,
  type SendOptions,
  secure,
  signed,
  struct,
  type WebhooksOf,
  webhook,
  wireName,
  writeOnly,
} from 'koa-smorest'
import { Webhook } from 'standardwebhooks'
import { afterAll, describe, expect, expectTypeOf, it } from 'vitest'
import { listen } from '../../support/client.js'

const secretOf = (text: string) => `whsec_${Buffer.from(text).toString('base64')}`
const [SECRET, NEXT] = [secretOf('sesame sesame sesame'), secretOf('another sesame')]

const JobEvent = struct(
  { id: int, at: wireName('changed_at', isoDateTime), token: writeOnly(t.string) },
  'JobEvent',
)
const jobChanged = webhook('job.changed', JobEvent, { summary: 'A job has changed' })
const EVENT = { id: 7, at: '2027-01-02T03:04:05Z', more: 'not declared' }

/** A subscriber that keeps what it is sent. */
const received: { headers: IncomingHttpHeaders; body: string; path: string }[] = []
const subscriber = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString()
  received.push({ headers: request.headers, body, path: String(request.url) })
  response.writeHead(202).end()
}).listen(0, '127.0.0.1')
await once(subscriber, 'listening')
afterAll(() => subscriber.close().closeAllConnections())
const URL_OF_IT = `http://127.0.0.1:${(subscriber.address() as AddressInfo).port}/hooks?of=ann`

async function sent(options: Partial<SendOptions> = {}) {
  received.length = 0
  const response = await jobChanged.send(URL_OF_IT, EVENT, {
    secret: SECRET,
    allowPrivate: true,
    ...options,
  })
  return { ...(received[0] as (typeof received)[0]), status: response.status }
}

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'it was sent',
    (error: Error) => error.message,
  )

describe('send', () => {
  it('posts the event, encoded by its codec, and returns the response', async () => {
    const { headers, body, status, path } = await sent({ id: 'msg_1' })
    const { host, connection, ...own } = headers
    expect({ own, body, status, path }).toEqual({
      own: {
        'content-type': 'application/json',
        'content-length': '44',
        'user-agent': 'koa-smorest',
        'webhook-id': 'msg_1',
        'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
        'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}=$/),
      },
      body: '{"id":7,"changed_at":"2027-01-02T03:04:05Z"}',
      status: 202,
      path: '/hooks?of=ann',
    })
  })

  it('signs so that the library of Standard Webhooks verifies it, and nothing else', async () => {
    const { headers, body } = await sent()
    const verify = (secret: string, text: string) => () =>
      new Webhook(secret).verify(text, headers as Record<string, string>)
    expect(verify(SECRET, body)()).toEqual(JSON.parse(body))
    expect(verify(SECRET, `${body} `)).toThrow('No matching signature found')
    expect(verify(NEXT, body)).toThrow('No matching signature found')
  })

  it('signs with each of several secrets', async () => {
    const { headers, body } = await sent({ secret: [SECRET, NEXT.slice('whsec_'.length)] })
    for (const secret of [SECRET, NEXT])
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(
        JSON.parse(body),
      )
  })

  it('gives each event an id of its own', async () => {
    const [first, second] = [await sent(), await sent()]
    const ids = [first, second].map(({ headers }) => String(headers['webhook-id']))
    expect([new Set(ids).size, ids.every(id => /^msg_[\w-]{36}$/.test(id))]).toEqual([2, true])
  })

  it('is understood by signed', async () => {
    const partner = signed('partner', { secret: [NEXT, SECRET] })
    const Received = struct({ id: int, changed_at: t.string }, 'Received')
    const events: unknown[] = []
    const hooks = new Blueprint('hooks').post(
      '/hooks',
      operation(secure(partner), json(Received), response({ code: 204 })),
      (_ctx, event) => void events.push(event),
    )
    const app = new Koa()
    new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(hooks)
    const url = `http://127.0.0.1:${await listen(app)}/hooks`
    const statuses = []
    for (const secret of [SECRET, secretOf('a third sesame')])
      statuses.push((await jobChanged.send(url, EVENT, { secret, allowPrivate: true })).status)
    expect([statuses, events]).toEqual([
      [204, 401],
      [{ id: 7, changed_at: '2027-01-02T03:04:05Z' }],
    ])
  })

  it.each<[string, Partial<Record<keyof SendOptions, unknown>>, string]>([
    [
      'no secret',
      { secret: undefined },
      'secret must be a string or a list of strings, none of them empty, not undefined',
    ],
    [
      'an empty secret',
      { secret: '' },
      'secret must be a string or a list of strings, none of them empty, not ""',
    ],
    [
      'no secrets',
      { secret: [] },
      'secret must be a string or a list of strings, none of them empty, not a list',
    ],
    [
      'an empty secret among others',
      { secret: [SECRET, ''] },
      'secret must be a string or a list of strings, none of them empty, not a list',
    ],
    [
      'a secret that is not base64',
      { secret: [SECRET, 'sesame!'] },
      'secret must be base64, with or without "whsec_"',
    ],
    [
      'a secret of nothing',
      { secret: 'whsec_' },
      'secret must be base64, with or without "whsec_"',
    ],
    [
      'an id with a line break',
      { id: 'a\r\nb' },
      'id must be a string of visible ASCII characters, not "a\\r\\nb"',
    ],
    [
      'no time',
      { timeout: '0s' },
      'timeout must be milliseconds or a string such as "24h" or "30m", not "0s"',
    ],
    [
      'an unknown option',
      { retries: 3 } as never,
      'there is no option "retries", the options are secret, id, timeout, allowPrivate',
    ],
  ])('refuses %s, without sending', async (_title, options, message) => {
    expect(await errorOf(sent(options as never))).toBe(`webhook("job.changed").send: ${message}`)
    expect(received).toEqual([])
  })

  it('refuses an event that does not fit, without sending, and names the field', async () => {
    received.length = 0
    const options = { secret: SECRET, allowPrivate: true }
    expect(await errorOf(jobChanged.send(URL_OF_IT, { ...EVENT, id: '7' } as never, options))).toBe(
      'webhook("job.changed").send: the event does not fit its codec at id: expected a whole number',
    )
    expect(received).toEqual([])
  })

  it.each([
    [
      'localhost',
      'http://localhost:PORT/',
      /^webhook\("job.changed"\).send: \S+, an address of localhost, is not a public address/,
    ],
    ['a loopback address', 'http://127.0.0.1:PORT/', /send: 127.0.0.1 is not a public address/],
    [
      'another protocol',
      'ftp://127.0.0.1:PORT/',
      /send: the URL must begin with http: or https:, not with ftp:/,
    ],
    ['a relative URL', '/hooks', /send: the URL must be an absolute one/],
  ])('refuses %s, which subscribers may have chosen', async (_title, url, message) => {
    received.length = 0
    const target = url.replace('PORT', new URL(URL_OF_IT).port)
    expect(await errorOf(jobChanged.send(target, EVENT, { secret: SECRET }))).toMatch(message)
    expect(received).toEqual([])
  })

  it('rejects when the time is over, and has no secret in its message', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const options = { secret: SECRET, timeout: '50ms', allowPrivate: true } as const
    expect(await errorOf(jobChanged.send(`http://127.0.0.1:${port}`, EVENT, options))).toBe(
      'webhook("job.changed").send: there was no response within 50 ms',
    )
    silent.close().closeAllConnections()
  })
})

describe('registerWebhook', () => {
  const apiOf = (version: string) => {
    const api = new Api(new Koa(), { OPENAPI_VERSION: version, API_TITLE: 'Jobs' })
    api.warn = () => undefined
    return api
  }

  it('documents the request, with the component of its codec', () => {
    const api = apiOf('3.1.0').registerWebhook(jobChanged)
    const { webhooks, components, paths } = api.spec.toJSON()
    const header = (name: string, description: string, type = 'string') => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type },
    })
    expect({ webhooks, components, paths }).toEqual({
      webhooks: {
        'job.changed': {
          post: {
            summary: 'A job has changed',
            security: [],
            parameters: [
              header(
                'webhook-id',
                'Names the event: it is the same whenever the event is sent again',
              ),
              header(
                'webhook-timestamp',
                'When the request was signed, in seconds since 1970',
                'integer',
              ),
              header(
                'webhook-signature',
                'HMAC-SHA-256 of id, time and body, as Standard Webhooks specifies',
              ),
            ],
            requestBody: {
              required: true,
              content: {
                'application/json': { schema: { $ref: '#/components/schemas/JobEvent' } },
              },
            },
            responses: {
              204: { description: 'The event has arrived. Any other 2xx has the same meaning' },
            },
          },
        },
      },
      components: {
        schemas: {
          JobEvent: {
            type: 'object',
            additionalProperties: false,
            properties: {
              id: expect.objectContaining({ type: 'integer' }),
              changed_at: { type: 'string', format: 'date-time' },
              token: { type: 'string', writeOnly: true },
            },
            required: ['id', 'changed_at'],
          },
        },
      },
      paths: {},
    })
  })

  it('is x-webhooks in 3.0 and 2.0, with their components', () => {
    const api = apiOf('3.1.0').registerWebhook(jobChanged)
    const [in30, in20] = ['3.0.3', '2.0'].map(version => api.spec.toJSON(version)) as never as [
      { 'x-webhooks': object; components: { schemas: object } },
      { 'x-webhooks': object; definitions: object },
    ]
    expect([Object.keys(in30.components.schemas), Object.keys(in20.definitions)]).toEqual([
      ['JobEvent'],
      ['JobEvent'],
    ])
    expect([in30, in20]).toEqual([expect.not.objectContaining({ webhooks: 1 }), expect.anything()])
    expect(in30['x-webhooks']).toMatchObject({
      'job.changed': {
        post: {
          requestBody: {
            content: { 'application/json': { schema: { $ref: '#/components/schemas/JobEvent' } } },
          },
        },
      },
    })
    expect(in20['x-webhooks']).toMatchObject({
      'job.changed': {
        post: {
          parameters: expect.arrayContaining([
            {
              in: 'body',
              name: 'body',
              required: true,
              schema: { $ref: '#/definitions/JobEvent' },
            },
          ]),
        },
      },
    })
  })

  it('tells clients what they are sent', () => {
    const jobs = new Blueprint('jobs').get('/jobs', operation(response(t.string)), () => '')
    const api = apiOf('3.1.0').registerBlueprint(jobs).registerWebhook(jobChanged)
    const both = api.registerWebhook(webhook('job.removed', t.number))
    expectTypeOf<WebhooksOf<typeof both>>().toEqualTypeOf<{
      readonly 'job.changed': { id: number; changed_at: string }
      readonly 'job.removed': number
    }>()
    expectTypeOf<WebhooksOf<Api>>().toEqualTypeOf<Record<never, never>>()
    expect(Object.keys(both.spec.toJSON().webhooks as object)).toEqual([
      'job.changed',
      'job.removed',
    ])
  })

  const registering = (api: Api, word: unknown) => () => api.registerWebhook(word as never)

  it('refuses a second webhook of a name, and the same one twice', () => {
    const api = apiOf('3.1.0').registerWebhook(jobChanged)
    for (const word of [webhook('job.changed', t.string), jobChanged])
      expect(registering(api as never, word)).toThrow(
        new RegistrationError('Webhook "job.changed"', [
          'another webhook of this Api has its name',
        ]),
      )
  })

  it('refuses a codec with faults, and one that cannot be documented, and adds nothing', () => {
    const api = apiOf('3.1.0')
    const twins = struct({ a: wireName('x', int), b: wireName('x', int) })
    expect(registering(api, webhook('twins', twins))).toThrow(
      /^Webhook "twins" cannot be registered:\n {2}- .*both called "x" on the wire/,
    )
    expect(
      registering(
        api,
        webhook('any', new t.Type<string>('Opaque', t.string.is, t.success as never, t.identity)),
      ),
    ).toThrow(/^Webhook "any" cannot be registered:/)
    expect(registering(api, { name: 'any' })).toThrow(
      new TypeError('registerWebhook() takes the result of webhook(…), not an object'),
    )
    expect(api.spec.toJSON()).not.toHaveProperty('webhooks')
  })

  it('lists the tags of webhooks', () => {
    const warnings: string[] = []
    const api = apiOf('3.1.0')
    api.warn = text => void warnings.push(text)
    api.registerWebhook(webhook('a', t.string, { tags: ['events'], deprecated: true }))
    expect(api.spec.toJSON().webhooks).toMatchObject({
      a: { post: { tags: ['events'], deprecated: true } },
    })
    expect(warnings).toEqual([
      'The tag "events" of POST a is described nowhere: list it in the tags of API_SPEC_OPTIONS',
    ])
  })
})

it.each<[string, readonly unknown[], string]>([
  ['an empty name', ['', t.string], 'webhook(""): the name must be a string that is not empty'],
  [
    'no codec',
    ['a'],
    'webhook("a") takes a codec, such as t.string, not undefined. Do two modules import each other? t.recursion refers to what comes later',
  ],
  [
    'an unknown option',
    ['a', t.string, { sumary: 'A' }],
    'webhook("a"): there is no option "sumary", did you mean "summary"?',
  ],
])('webhook refuses %s', (_title, given, message) => {
  expect(() => (webhook as (...given: unknown[]) => unknown)(...given)).toThrow(
    new TypeError(message),
  )
})
