import { describe, expect, it } from 'vitest'
import { documentationPages, documentPath, type Page, type PageSettings } from '../../src/openapi/pages/pages.js'

const content = { title: 'Pet shop', version: '3.1.0' }
const both: PageSettings = { OPENAPI_URL_PREFIX: 'docs', OPENAPI_SWAGGER_UI_PATH: '/', OPENAPI_REDOC_PATH: 'redoc' }

function html(settings: PageSettings, path: string, shown = content): Page & { body: string } {
  const page = documentationPages(settings, shown).pages.find(found => found.path === path)
  if (page?.body === undefined) throw new Error(`no page ${path}`)
  return { ...page, body: page.body }
}

const policy = (page: Page) => page.headers['Content-Security-Policy'] ?? ''
const urls = (page: Page) => [...(page.body ?? '').matchAll(/(?:src|href|data-document|spec-url)="([^"]*)"/g)].map(match => match[1])

describe('documentPath', () => {
  it('puts one slash around the prefix, whatever is there', () => {
    for (const prefix of ['docs', '/docs', 'docs/', '/docs/'])
      expect(documentPath({ OPENAPI_URL_PREFIX: prefix })).toBe('/docs/openapi.json')
    for (const prefix of ['', '/']) expect(documentPath({ OPENAPI_URL_PREFIX: prefix, OPENAPI_JSON_PATH: 'spec.json' })).toBe('/spec.json')
  })

  it('is nowhere without a prefix', () => {
    expect(documentPath({})).toBeNull()
    expect(documentPath({ OPENAPI_URL_PREFIX: null })).toBeNull()
  })
})

describe('documentationPages', () => {
  it('serves what the settings ask for', () => {
    expect(documentationPages({ ...both, OPENAPI_URL_PREFIX: null }, content).pages).toEqual([])
    expect(documentationPages({ OPENAPI_URL_PREFIX: '/docs' }, content).pages).toEqual([])
    expect(documentationPages(both, content).pages.map(({ path }) => path)).toEqual([
      '/docs/',
      '/docs/assets/swagger-ui-initializer.js',
      '/docs/assets/swagger-ui-bundle.js',
      '/docs/assets/swagger-ui.css',
      '/docs/redoc',
      '/docs/assets/redoc.standalone.js',
    ])
  })

  it('has relative URLs only, by the root of the application, so that a mount changes nothing', () => {
    for (const page of documentationPages(both, content).pages.filter(({ body }) => body?.startsWith('<'))) {
      for (const url of urls(page).filter(found => found !== 'data:,')) {
        expect(new URL(url ?? '', `http://host/mount${page.path}`).href).toMatch(
          /^http:\/\/host\/mount\/docs\/(?:openapi\.json|assets\/[\w.-]+)$/,
        )
      }
    }
    expect(html(both, '/docs/redoc').body).toContain('../docs/openapi.json')
    expect(html({ OPENAPI_URL_PREFIX: '/', OPENAPI_REDOC_PATH: 'redoc' }, '/redoc').body).toContain('"./openapi.json"')
  })

  it.each(['3.2.0', '3.0.3', '2.0'])('gives ReDoc the document in 3.1 where the served one is in %s', version => {
    const shown = { ...content, version }
    expect(html(both, '/docs/redoc', shown).body).toContain('"../docs/openapi.json?openapi=3.1"')
    expect(html(both, '/docs/', shown).body).toContain('docs/openapi.json"')
  })

  it('has no inline script and asks nobody else for anything', () => {
    for (const path of ['/docs/', '/docs/redoc']) {
      const page = html(both, path)
      expect(page.body).not.toMatch(/<script(?![^>]* src=)/)
      expect(page.body).not.toMatch(/\son\w+=|https?:/)
      expect(policy(page)).toMatch(/default-src 'none'; script-src 'self'; /)
      expect(policy(page)).toContain("frame-ancestors 'none'")
      expect(page.headers).toMatchObject({ 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' })
    }
    expect(policy(html(both, '/docs/'))).not.toContain('unsafe')
  })

  it('gives scripts their charset, without which a browser may not read them', () => {
    const scripts = documentationPages(both, content).pages.filter(({ path }) => path.endsWith('.js'))
    expect(new Set(scripts.map(({ contentType }) => contentType))).toEqual(new Set(['text/javascript; charset=utf-8']))
  })

  it('escapes what the application says (T53)', () => {
    const { body } = html(both, '/docs/', { ...content, title: '</title><script>alert("1")</script>&' })
    expect(body.match(/<script/g)).toHaveLength(2)
    expect(body).toContain('<title>&#60;/title&#62;&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;&#38;</title>')
  })

  it('offers "Try it out" for the methods that the settings name', () => {
    const methods = (given?: string[]) =>
      /data-methods="([^"]*)"/.exec(
        html({ ...both, ...(given && { OPENAPI_SWAGGER_UI_SUPPORTED_SUBMIT_METHODS: given }) }, '/docs/').body,
      )?.[1]
    expect(methods()).toBe('get put post delete options head patch trace query')
    expect(methods(['get', 'POST'])).toBe('get post')
    expect(methods([])).toBe('')
  })

  it('lets "Try it out" speak to the servers of the document', () => {
    const servers = [{ url: 'https://api.example.com/v1' }, { url: '/v2' }, { url: 'https://{region}.example.com' }]
    const [page] = documentationPages(both, { ...content, servers }).pages
    expect(page && policy(page)).toContain("connect-src 'self' https://api.example.com;")
  })
})

describe('the source of the pages', () => {
  const script = (settings: PageSettings, path: string) => /<script src="([^"]*)"/.exec(html({ ...both, ...settings }, path).body)?.[1]

  it('is a CDN where a version is given', () => {
    expect(script({ OPENAPI_SWAGGER_UI_VERSION: '3.24.2' }, '/docs/')).toBe(
      'https://cdnjs.cloudflare.com/ajax/libs/swagger-ui/3.24.2/swagger-ui-bundle.js',
    )
    expect(script({ OPENAPI_REDOC_VERSION: 'next' }, '/docs/redoc')).toBe(
      'https://cdn.jsdelivr.net/npm/redoc@next/bundles/redoc.standalone.js',
    )
    for (const version of ['latest', 'v1.22.3']) {
      expect(script({ OPENAPI_REDOC_VERSION: version }, '/docs/redoc')).toBe(
        `https://rebilly.github.io/ReDoc/releases/${version}/redoc.min.js`,
      )
    }
  })

  it('is what a URL says, a folder or a script, before any version', () => {
    const OPENAPI_SWAGGER_UI_VERSION = '3.24.2'
    for (const OPENAPI_SWAGGER_UI_URL of [
      'https://cdn.example/ui',
      'https://cdn.example/ui/',
      'https://cdn.example/ui/swagger-ui-bundle.js',
    ]) {
      expect(script({ OPENAPI_SWAGGER_UI_URL, OPENAPI_SWAGGER_UI_VERSION }, '/docs/')).toBe('https://cdn.example/ui/swagger-ui-bundle.js')
    }
    expect(script({ OPENAPI_REDOC_URL: '/static/redoc.js' }, '/docs/redoc')).toBe('/static/redoc.js')
  })

  it('is admitted by the Content-Security-Policy, and nothing else is', () => {
    const page = html({ ...both, OPENAPI_REDOC_URL: 'https://cdn.example/redoc.js' }, '/docs/redoc')
    expect(policy(page)).toContain("script-src 'self' https://cdn.example;")
  })

  it.each(['javascript:alert(1)', '//evil.example/x', 'data:text/javascript,1', 'https://a.example/"><script>', '../x'])(
    'is never %s (T54)',
    url => {
      expect(() => documentationPages({ ...both, OPENAPI_REDOC_URL: url }, content)).toThrow(/OPENAPI_REDOC_URL/)
      expect(() => documentationPages({ ...both, OPENAPI_SWAGGER_UI_URL: url }, content)).toThrow(/OPENAPI_SWAGGER_UI_URL/)
    },
  )

  it('cannot be changed by a version, which is used as it is given', () => {
    const page = html({ ...both, OPENAPI_REDOC_VERSION: '"><script>alert(1)</script>' }, '/docs/redoc')
    expect(page.body.match(/<script/g)).toHaveLength(1)
    expect(policy(page)).toContain("script-src 'self' https://cdn.jsdelivr.net;")
  })

  it('is warned of where it may change at any time (T58)', () => {
    expect(documentationPages({ ...both, OPENAPI_REDOC_VERSION: 'latest' }, content).warnings).toHaveLength(1)
    expect(documentationPages({ ...both, OPENAPI_REDOC_VERSION: '2.5.0' }, content).warnings).toEqual([])
  })

  it.each(['/docs/../x', 'a b', '"x"', 'a//b', '?x'])('stands below a plain path, which %s is not', path => {
    expect(() => documentationPages({ ...both, OPENAPI_SWAGGER_UI_PATH: path }, content)).toThrow(/OPENAPI_SWAGGER_UI_PATH/)
    expect(() => documentPath({ OPENAPI_URL_PREFIX: path })).toThrow(/OPENAPI_URL_PREFIX/)
  })
})
