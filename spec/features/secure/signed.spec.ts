// Signatures of webhooks, with the vectors that their senders publish.
import { createHmac } from 'node:crypto'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  body,
  bytes,
  form,
  int,
  json,
  operation,
  rawBody,
  response,
  type SignedOptions,
  secure,
  signed,
  struct,
} from 'koa-smorest'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { mount } from '../../reference/mount.js'
import { serve, serveBlueprints } from '../../support/client.js'

const SECRET = `whsec_${Buffer.from('sesame sesame sesame sesame').toString('base64')}`
const Scan = struct({ file: int }, 'Scan')
const BODY = '{"file":7}'

/** An operation that takes signed JSON, one that takes signed forms, and one that takes anything. */
async function receiving(options: SignedOptions) {
  const scheme = signed('partner', options)
  const hooks = new Blueprint('hooks')
    .post(
      '/json',
      operation(secure(scheme), json(Scan, { limits: { json: 20 } }), response({ code: 204 })),
      () => undefined,
    )
    .post(
      '/form',
      operation(
        secure(scheme),
        form(struct({ token: t.string }), { unknown: 'exclude' }),
        response({ code: 204 }),
      ),
      () => undefined,
      { endpoint: 'f' },
    )
    .post(
      '/any',
      operation(secure(scheme), response(t.string)),
      async (ctx, { principal }) => `${principal}:${await rawBody(ctx)}`,
      { endpoint: 'a' },
    )
  const { request, api } = await serveBlueprints(hooks)
  const send = async (path: string, body: string, headers: Record<string, string>) => {
    const type = path === '/form' ? 'application/x-www-form-urlencoded' : 'application/json'
    return (await request('POST', path, { body, headers: { 'Content-Type': type, ...headers } }))
      .status
  }
  return { send, request, api }
}

const at = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: 1000 * seconds })
afterEach(() => {
  vi.useRealTimers()
})

/** What a sender of Standard Webhooks sends, by their own library. */
function standard(body: string, { secret = SECRET, time = new Date(), id = 'msg_1' } = {}) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(time.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, time, body),
  }
}

describe('a request that is signed', () => {
  it('as Standard Webhooks does is accepted, whose library signs it', async () => {
    const { send } = await receiving({ secret: SECRET })
    const headers = standard(BODY)
    expect([
      await send('/json', BODY, headers),
      await send('/json', BODY, {
        ...headers,
        'webhook-signature': `v1a,x v1,AAAA ${headers['webhook-signature']}`,
      }),
      await send('/json', BODY, { ...headers, 'webhook-id': 'msg_2' }),
      await send('/json', '{"file":8}', headers),
      await send(
        '/json',
        BODY,
        standard(BODY, { secret: `whsec_${Buffer.from('other sesame').toString('base64')}` }),
      ),
    ]).toEqual([204, 204, 401, 401, 401])
  })

  it('as Svix does is accepted, under the names of its header fields', async () => {
    const { send, api } = await receiving({ secret: SECRET, format: 'svix' })
    const svix = (fields: object) =>
      Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [name.replace('webhook', 'svix'), value]),
      )
    expect([
      await send('/json', BODY, svix(standard(BODY))),
      await send('/json', '{"file":8}', svix(standard(BODY))),
      await send('/json', BODY, svix(standard(BODY, { time: new Date(Date.now() - 301_000) }))),
      await send('/json', BODY, standard(BODY)),
    ]).toEqual([204, 401, 401, 401])
    expect(api.spec.toJSON()).toMatchObject({
      components: { securitySchemes: { partner: { in: 'header', name: 'svix-signature' } } },
    })
    expect(() => signed('partner', { secret: 'sesame!', format: 'svix' })).toThrow('base64')
  })

  it('as GitHub documents is accepted', async () => {
    const { send } = await receiving({ secret: "It's a Secret to Everybody", format: 'github' })
    const signature = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
    expect([
      await send('/any', 'Hello, World!', { 'X-Hub-Signature-256': `sha256=${signature}` }),
      await send('/any', 'Hello, World?', { 'X-Hub-Signature-256': `sha256=${signature}` }),
      await send('/any', 'Hello, World!', { 'X-Hub-Signature-256': signature }),
    ]).toEqual([200, 401, 401])
  })

  it('as Slack documents is accepted, and its form is read', async () => {
    at(1531420618)
    const { send } = await receiving({
      secret: '8f742231b10e8888abcd99yyyzzz85a5',
      format: 'slack',
    })
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c'
    const headers = {
      'X-Slack-Request-Timestamp': '1531420618',
      'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    }
    expect([await send('/form', body, headers), await send('/form', `${body}x`, headers)]).toEqual([
      204, 401,
    ])
  })

  it('as Stripe documents is accepted: the time, a dot and the body, v1 alone', async () => {
    const { send } = await receiving({ secret: 'whsec_sesame', format: 'stripe' })
    const time = Math.floor(Date.now() / 1000)
    const mac = createHmac('sha256', 'whsec_sesame').update(`${time}.${BODY}`).digest('hex')
    const field = (value: string) => ({ 'Stripe-Signature': value })
    expect([
      await send('/json', BODY, field(`t=${time},v1=${'0'.repeat(64)},v1=${mac},v0=1`)),
      await send('/json', BODY, field(`t=${time},v0=${mac}`)),
      await send('/json', BODY, field(`t=${time + 1},v1=${mac}`)),
    ]).toEqual([204, 401, 401])
  })

  it('in a form of its own is accepted', async () => {
    const { send } = await receiving({
      secret: 'sesame',
      format: ({ headers, body, method, url }) =>
        headers['x-mac'] === undefined
          ? undefined
          : { bytes: `${method} ${url} ${body}`, signatures: [String(headers['x-mac'])] },
    })
    const mac = createHmac('sha256', 'sesame').update(`POST /json ${BODY}`).digest('base64')
    expect([
      await send('/json', BODY, { 'X-Mac': mac }),
      await send('/json', BODY, { 'X-Mac': mac.toLowerCase() }),
      await send('/json', BODY, {}),
    ]).toEqual([204, 401, 401])
  })

  it('in a form of its own with its URL is accepted under a mount, too', async () => {
    const scheme = signed('partner', {
      secret: 'sesame',
      format: ({ url, headers }) => ({ bytes: url, signatures: [String(headers['x-mac'])] }),
    })
    const app = new Koa()
    new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(
      new Blueprint('hooks').post(
        '/hook',
        operation(secure(scheme), response({ code: 204 })),
        () => {},
      ),
    )
    const request = await serve(new Koa().use(mount('/v1', app)))
    const mac = createHmac('sha256', 'sesame').update('/v1/hook?a=1').digest('hex')
    const { status } = await request('POST', '/v1/hook?a=1', { headers: { 'X-Mac': mac } })
    expect(status).toBe(204)
  })

  it('by any of several secrets is accepted, while they are rotated', async () => {
    const { send } = await receiving({ secret: ['old sesame', 'new sesame'], format: 'github' })
    const by = (secret: string) => ({
      'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(BODY).digest('hex')}`,
    })
    const statuses = []
    for (const secret of ['old sesame', 'new sesame', 'sesame', ''])
      statuses.push(await send('/json', BODY, by(secret)))
    expect(statuses).toEqual([204, 204, 401, 401])
  })

  it.each([
    [-301, 401],
    [-300, 204],
    [300, 204],
    [301, 401],
  ])('%i seconds from now is %i', async (offset, status) => {
    at(1_800_000_000)
    const { send } = await receiving({ secret: SECRET })
    const time = new Date(1000 * (1_800_000_000 + offset))
    expect(await send('/json', BODY, standard(BODY, { time }))).toBe(status)
  })

  it('at a time that is not of digits alone is refused', async () => {
    at(1_800_000_000)
    const { send } = await receiving({ secret: 'sesame', format: 'stripe' })
    const statuses = []
    for (const time of ['1800000000', '1.8e9', '+1800000000', '0x6b49d200', '']) {
      const mac = createHmac('sha256', 'sesame').update(`${time}.${BODY}`).digest('hex')
      statuses.push(await send('/json', BODY, { 'Stripe-Signature': `t=${time},v1=${mac}` }))
    }
    expect(statuses).toEqual([204, 401, 401, 401, 401])
  })
})

describe('the body of a signed request', () => {
  it('is judged after its signature, and read within the limit of the operation', async () => {
    const { send } = await receiving({ secret: SECRET })
    const long = JSON.stringify({ file: 10 ** 15, x: 1 })
    expect([
      await send('/json', 'no JSON', standard(BODY)),
      await send('/json', 'no JSON', standard('no JSON')),
      await send('/json', '{"file":"x"}', standard('{"file":"x"}')),
      await send('/json', long, standard(long)),
      await send('/json', long, {}),
    ]).toEqual([401, 400, 422, 413, 401])
  })

  it('is what the method reads, with the name of the scheme as principal', async () => {
    const { request } = await receiving({ secret: SECRET })
    const { json } = {
      json: JSON.parse(
        (await request('POST', '/any', { body: BODY, headers: standard(BODY) })).text,
      ),
    }
    expect(json).toBe(`partner:${BODY}`)
  })
})

it.each([
  ['bytes', bytes({ maxSize: 8 })],
  ['body', body(bytes({ maxSize: 8 }), json(Scan, { limits: { json: 4 } }))],
  ['body in another order', body(json(Scan, { limits: { json: 4 } }), bytes({ maxSize: 8 }))],
])('%s: more bytes than it takes are a 413 in a signed request too', async (_name, argument) => {
  const scheme = signed('partner', { secret: SECRET })
  const hooks = new Blueprint('hooks').post(
    '/',
    operation(secure(scheme), argument, response({ code: 204 })),
    () => undefined,
  )
  const { request } = await serveBlueprints(hooks)
  const send = async (text: string) => {
    const headers = { 'Content-Type': 'application/octet-stream', ...standard(text) }
    return (await request('POST', '/', { body: text, headers })).status
  }
  expect([await send('12345678'), await send('123456789')]).toEqual([204, 413])
})

it('the 401 has a challenge, and the document the field', async () => {
  const { request, api } = await receiving({ secret: SECRET, description: 'Signed by the partner' })
  const { status, headers } = await request('POST', '/json', { body: BODY })
  const { components } = api.spec.toJSON() as unknown as { components: { securitySchemes: object } }
  expect([status, headers.get('WWW-Authenticate'), components.securitySchemes]).toEqual([
    401,
    'Signature header="webhook-signature"',
    {
      partner: {
        type: 'apiKey',
        in: 'header',
        name: 'webhook-signature',
        description: 'Signed by the partner',
      },
    },
  ])
})

it.each<[string, object, string]>([
  [
    'a secret that is missing',
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
    { secret: ['sesame', ''] },
    'secret must be a string or a list of strings, none of them empty, not a list',
  ],
  [
    'a secret that is not base64',
    { secret: 'sesame!' },
    'secret must be base64, with or without "whsec_"',
  ],
  ['a secret of nothing', { secret: 'whsec_' }, 'secret must be base64, with or without "whsec_"'],
  [
    'an unknown format',
    { secret: 'c2VzYW1l', format: 'gitlab' },
    'format must be "standard", "svix", "github", "stripe", "slack" or a function, not "gitlab"',
  ],
])('%s throws at start, and no message has it', (_title, options, message) => {
  expect(() => signed('partner', options as never)).toThrow(
    new TypeError(`signed("partner"): ${message}`),
  )
})
