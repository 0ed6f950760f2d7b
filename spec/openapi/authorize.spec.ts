import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as t from 'io-ts'
import {
  apiKey,
  Blueprint,
  basic,
  bearer,
  oauth2,
  openIdConnect,
  operation,
  response,
  secure,
} from 'koa-smorest'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser, launchBrowser } from '../pet-shop/browser.js'
import { serveBlueprints } from '../support/client.js'

let browser: Browser
let provider: Server
let page: Page
const complaints: string[] = []

/** One operation for each scheme; each returns what its credentials were. */
function schemesWith(tokenUrl: string) {
  const token = bearer('token', { principal: text => text })
  return {
    header: apiKey('header', { in: 'header', name: 'X-Key', principal: key => key }),
    query: apiKey('query', { in: 'query', name: 'key', principal: key => key }),
    password: basic('password', { principal: (user, password) => `${user}:${password}` }),
    token,
    person: oauth2('person', {
      flows: {
        authorizationCode: {
          authorizationUrl: new URL('/authorize', tokenUrl).href,
          tokenUrl,
          scopes: { read: 'to read' },
        },
      },
      token,
    }),
    // of an origin that no other scheme names: the page has to admit it for this one
    member: openIdConnect('member', {
      url: `http://localhost:${new URL(tokenUrl).port}/.well-known/openid-configuration`,
      token,
    }),
    machine: oauth2('machine', {
      flows: { clientCredentials: { tokenUrl, scopes: { read: 'to read' } } },
      token,
    }),
  }
}

beforeAll(async () => {
  if (!hasBrowser) return
  provider = createServer((request, response) => {
    const { pathname, searchParams, origin } = new URL(
      request.url ?? '/',
      `http://${request.headers.host}`,
    )
    if (pathname === '/.well-known/openid-configuration')
      return void response.writeHead(200, CORS).end(configurationOf(origin))
    if (pathname !== '/authorize')
      return void issueToken(request).then(text => response.writeHead(200, CORS).end(text))
    // whoever is asked there agrees at once
    const back = new URL(searchParams.get('redirect_uri') ?? '')
    back.search = String(
      new URLSearchParams({ code: 'agreed', state: searchParams.get('state') ?? '' }),
    )
    response.writeHead(302, { Location: back.href }).end()
  })
  await once(provider.listen(0, '127.0.0.1'), 'listening')
  // another origin than that of the page
  const schemes = schemesWith(`http://127.0.0.1:${(provider.address() as AddressInfo).port}/token`)
  const blueprint = new Blueprint('callers')
  for (const [name, scheme] of Object.entries(schemes))
    blueprint.get(
      `/${name}`,
      operation(`Who sends the ${name}`, secure(scheme), response(t.string)),
      (_, { principal }) => principal,
      {
        endpoint: name,
      },
    )
  const settings = {
    OPENAPI_VERSION: '3.1.0',
    OPENAPI_URL_PREFIX: '/docs',
    OPENAPI_SWAGGER_UI_PATH: '/',
  }
  const { port } = await serveBlueprints(blueprint, settings)
  browser = await launchBrowser()
  page = await browser.newPage({ viewport: { width: 1280, height: 1400 } })
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
  await page.goto(`http://127.0.0.1:${port}/docs/`)
})
afterAll(async () => {
  await browser?.close()
  provider?.close()
})

const CORS = {
  'Content-Type': 'application/json',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Requested-With',
}

/** What a provider of OpenID Connect says of itself (OpenID Connect Discovery 1.0, section 3). */
function configurationOf(issuer: string): string {
  const endpoints = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
  }
  return JSON.stringify({
    ...endpoints,
    grant_types_supported: ['authorization_code'],
    scopes_supported: ['openid', 'profile'],
  })
}

async function issueToken(request: IncomingMessage): Promise<string> {
  let form = ''
  for await (const chunk of request) form += chunk
  if (request.method !== 'POST') return ''
  const [, sent = ''] = (request.headers.authorization ?? '').split(' ')
  const fields = new URLSearchParams(form)
  // a machine names itself in Authorization, a browser in the form
  const client =
    Buffer.from(sent, 'base64').toString() || `${fields.get('client_id')}:${fields.get('code')}`
  return JSON.stringify({
    access_token: `${fields.get('grant_type')}-of-${client}`.replace(':', '-'),
    token_type: 'Bearer',
  })
}

/** The part of the dialog for a scheme; it is open afterwards. */
async function dialogOf(scheme: string): Promise<Locator> {
  await page.getByRole('button', { name: 'Authorize' }).first().click()
  return page
    .locator('.auth-container')
    .filter({ has: page.getByRole('heading', { name: new RegExp(`^${scheme}\\b`) }) })
}

async function apply(dialog: Locator): Promise<void> {
  await dialog
    .getByRole('button', { name: /Apply credentials|Apply given OAuth2 credentials/ })
    .click()
  await dialog.getByRole('button', { name: 'Remove authorization' }).waitFor()
  await dialog.locator('.btn-done').click()
}

/** Sends the operation of a scheme, and returns what it responded with. */
async function send(name: string): Promise<string> {
  const block = page
    .locator('.opblock')
    .filter({ has: page.getByText(`Who sends the ${name}`, { exact: true }) })
  await block.locator('.opblock-summary-control').click()
  await block.getByRole('button', { name: 'Try it out' }).click()
  await block.getByRole('button', { name: 'Execute' }).click()
  return block.locator('.live-responses-table .response pre').first().innerText()
}

describe.skipIf(!hasBrowser)('Authorize of Swagger UI', { timeout: 60_000 }, () => {
  it.each([
    ['header', 'a-key'],
    ['query', 'another key'],
    ['token', 'a.b.c'],
  ])('sends the %s', async (scheme, text) => {
    const dialog = await dialogOf(scheme)
    await dialog.locator('input').fill(text)
    await apply(dialog)
    expect(await send(scheme)).toBe(JSON.stringify(text))
  })

  it('sends name and password', async () => {
    const dialog = await dialogOf('password')
    await dialog.locator('input[name=username]').fill('ann')
    // sent as Latin-1
    await dialog.locator('input[name=password]').fill('pä:ss')
    await apply(dialog)
    expect(await send('password')).toBe('"ann:pä:ss"')
  })

  it('gets a token from the identity provider, which is another origin, and sends it', async () => {
    const dialog = await dialogOf('machine')
    await dialog.locator('input[id^=client_id]').fill('robot')
    await dialog.locator('input[id^=client_secret]').fill('secret')
    await apply(dialog)
    expect(await send('machine')).toBe('"client_credentials-of-robot-secret"')
  })

  it('sends a person to the identity provider, takes the code that comes back to the page, and sends the token', async () => {
    const dialog = await dialogOf('person')
    await dialog.locator('input[id^=client_id]').fill('browser')
    await dialog.locator('input[id^=client_secret]').fill('secret')
    await apply(dialog)
    expect(await send('person')).toBe('"authorization_code-of-browser-agreed"')
  })

  it('reads the configuration of a provider of OpenID Connect, goes there as with OAuth 2, and sends the token', async () => {
    const dialog = await dialogOf('member')
    await dialog.locator('input[id^=client_id]').fill('browser')
    await dialog.locator('input[id^=client_secret]').fill('secret')
    await apply(dialog)
    expect(await send('member')).toBe('"authorization_code-of-browser-agreed"')
  })

  it('is stopped by no rule of the page', () => {
    expect(complaints).toEqual([])
  })
})
