import * as t from 'io-ts'
import { Blueprint, MethodView, operation, query, response } from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'
import { requestBytes, sendBytes } from '../support/wire.js'
import { serveThreats } from './served.js'

const { port, request } = await serveThreats()

const EVIL = '</script><script>alert(1)</script><!-- \u2028 "\' &'

class Evil extends MethodView {
  static get = operation(
    `${EVIL}\n\n${EVIL}`,
    query(t.partial({ [EVIL.replace(/\s/g, '')]: t.string })),
    response(t.string, { description: EVIL }),
  )
  get() {
    return EVIL
  }
}
const evil = new Blueprint(EVIL, { urlPrefix: '/evil', description: EVIL })
evil.route('/', Evil)

const DOCUMENTED = {
  OPENAPI_URL_PREFIX: '/docs',
  OPENAPI_SWAGGER_UI_PATH: '/',
  OPENAPI_REDOC_PATH: '/redoc',
}
const hostile = await serveBlueprints(evil, {
  ...DOCUMENTED,
  API_TITLE: EVIL,
  API_VERSION: EVIL,
  DEBUG: false,
  TESTING: false,
})
const PAGES = ['/docs/', '/docs/redoc'] as const

/** The start tags of a page, as a parser of HTML sees them, where attributes are quoted. */
const elements = (html: string) =>
  [...html.matchAll(/<([a-z]+)((?:\s+[\w-]+(?:="[^"]*")?)*)\s*\/?>/gi)].map(
    ([, name, attributes]) => `${name}${attributes}`,
  )

describe('a documentation page', () => {
  it.each(PAGES)(
    'has no other elements, whatever markup the names in the document contain: %s (T53)',
    async path => {
      const [ours, theirs] = await Promise.all([request('GET', path), hostile.request('GET', path)])
      const scripts = (html: string) =>
        elements(html).filter(element => element.startsWith('script'))
      expect(scripts(theirs.text)).toEqual(scripts(ours.text))
      expect(elements(theirs.text).length).toBe(elements(ours.text).length)
      expect(theirs.text).not.toContain('alert(1)</script>')
    },
  )

  it('reads its document as JSON, which no browser takes for a page (T53)', async () => {
    const { headers, body } = await hostile.request('GET', '/docs/openapi.json')
    expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8')
    expect(body.info.title).toBe(EVIL)
  })

  it.each([
    ['OPENAPI_URL_PREFIX', '/docs"onload="x'],
    ['OPENAPI_JSON_PATH', '../openapi.json'],
    ['OPENAPI_SWAGGER_UI_URL', 'javascript:alert(1)'],
    ['OPENAPI_REDOC_URL', 'https://cdn.example/"><script>alert(1)</script>'],
    ['OPENAPI_REDOC_URL', '//evil.example/x.js'],
    ['OPENAPI_REDOC_PATH', 'a b'],
  ])('is refused at start with the setting %s: %s (T54)', async (setting, value) => {
    await expect(serveBlueprints(evil, { ...DOCUMENTED, [setting]: value })).rejects.toThrow(
      setting,
    )
  })

  it('has no other scripts if a version contains markup (T54)', async () => {
    const { request } = await serveBlueprints(evil, {
      ...DOCUMENTED,
      OPENAPI_SWAGGER_UI_VERSION: '"><script>alert(1)</script>',
    })
    const { text, headers } = await request('GET', '/docs/')
    expect(text).not.toContain('<script>')
    expect(headers.get('Content-Security-Policy')).not.toMatch(/script-src[^;]*(\*|unsafe)/)
  })

  it.each(PAGES)(
    'reflects nothing of the Host and X-Forwarded header fields: %s (T55)',
    async path => {
      const plain = await sendBytes(port, requestBytes('GET', path, ['Connection: close']))
      for (const line of [
        'X-Forwarded-Host: "><script>alert(1)</script>',
        'X-Forwarded-Proto: javascript',
        'X-Forwarded-Prefix: //evil.example',
        'Referer: https://evil.example',
      ]) {
        expect(
          (await sendBytes(port, requestBytes('GET', path, [line, 'Connection: close'])))[0]?.text,
        ).toBe(plain[0]?.text)
      }
      const bytes = `GET ${path} HTTP/1.1\r\nHost: evil.example:x@"><script>\r\nConnection: close\r\n\r\n`
      expect((await sendBytes(port, bytes))[0]?.text).toBe(plain[0]?.text)
    },
  )

  it('redirects to its path with a slash by a relative URL (T55)', async () => {
    const [answer] = await sendBytes(
      port,
      'GET /docs HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n',
    )
    expect({ status: answer?.status, location: answer?.headers.get('location') }).toEqual({
      status: 308,
      location: ['./docs/'],
    })
  })

  it('loads its own document, whatever its query says (T56)', async () => {
    const own = await request('GET', '/docs/')
    expect(
      (
        await request(
          'GET',
          '/docs/?url=https://evil.example/x.json&configUrl=https://evil.example/c.json',
        )
      ).text,
    ).toBe(own.text)
    for (const [, source = ''] of own.text.matchAll(/<script src="([^"]+)"/g)) {
      const { text } = await request('GET', new URL(source, 'http://x/docs/').pathname)
      expect(text).not.toMatch(/queryConfigEnabled['"]?\s*:\s*(true|!0)/)
    }
  })

  it.each(PAGES)('may load what it needs, and nothing else: %s (T57)', async path => {
    const { headers, text } = await request('GET', path)
    const policy = headers.get('Content-Security-Policy') ?? ''
    for (const directive of [
      "default-src 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "form-action 'none'",
      "script-src 'self'",
    ]) {
      expect(policy).toContain(directive)
    }
    expect(policy).not.toMatch(/script-src[^;]*unsafe/)
    expect({
      contentTypeOptions: headers.get('X-Content-Type-Options'),
      referrerPolicy: headers.get('Referrer-Policy'),
    }).toEqual({
      contentTypeOptions: 'nosniff',
      referrerPolicy: 'no-referrer',
    })
    expect(text).not.toMatch(/<script(?![^>]* src=)|\son\w+=/)
  })
})

it('the document has nothing of the machine that it was made on (T59)', async () => {
  const { text } = await request('GET', '/docs/openapi.json')
  for (const secret of [
    process.cwd(),
    process.env.HOME ?? '/root',
    process.version,
    'node_modules',
    'function',
    '=>',
  ])
    expect(text).not.toContain(secret)
})
