import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import {
  documentationPages,
  documentPath,
  type Page,
  type PageSettings,
} from '../../src/openapi/pages/pages.js'

const content = { title: 'Pet shop', version: '3.1.0' }
const both: PageSettings = {
  OPENAPI_URL_PREFIX: 'docs',
  OPENAPI_SWAGGER_UI_PATH: '/',
  OPENAPI_REDOC_PATH: 'redoc',
}

function html(settings: PageSettings, path: string, shown = content): Page & { body: string } {
  const page = documentationPages(settings, shown).pages.find(found => found.path === path)
  if (page?.body === undefined) throw new Error(`no page ${path}`)
  return { ...page, body: page.body }
}

const unversioned = (path: string) => path.replace(/\.[\w-]{12}(?=\.\w+$)/, '')
const policy = (page: Page) => page.headers['Content-Security-Policy'] ?? ''
const urls = (page: Page) =>
  [...(page.body ?? '').matchAll(/(?:src|href|data-document)="([^"]*)"/g)].map(match => match[1])

describe('documentPath', () => {
  it('puts one slash around the prefix, whatever is there', () => {
    for (const prefix of ['docs', '/docs', 'docs/', '/docs/'])
      expect(documentPath({ OPENAPI_URL_PREFIX: prefix })).toBe('/docs/openapi.json')
    for (const prefix of ['', '/'])
      expect(documentPath({ OPENAPI_URL_PREFIX: prefix, OPENAPI_JSON_PATH: 'spec.json' })).toBe(
        '/spec.json',
      )
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
    expect(documentationPages(both, content).pages.map(({ path }) => unversioned(path))).toEqual([
      '/docs/',
      '/docs/assets/swagger-ui-initializer.js',
      '/docs/assets/swagger-ui-bundle.js',
      '/docs/assets/swagger-ui.css',
      '/docs/assets/swagger-ui-page.css',
      '/docs/oauth2-redirect.html',
      '/docs/assets/oauth2-redirect.js',
      '/docs/redoc',
      '/docs/assets/redoc-initializer.js',
      '/docs/assets/redoc.standalone.js',
    ])
  })

  it('names files by their content and has them kept for a year; the pages that name them are asked for again', () => {
    for (const { path, headers } of documentationPages(both, content).pages) {
      const isAsset = path.startsWith('/docs/assets/')
      expect(path !== unversioned(path)).toBe(isAsset)
      expect(headers['Cache-Control']).toBe(
        isAsset ? 'public, max-age=31536000, immutable' : 'no-cache',
      )
    }
  })

  it('has relative URLs only, by the root of the application, so that a mount changes nothing', () => {
    for (const page of documentationPages(both, content).pages.filter(({ body }) =>
      body?.startsWith('<'),
    )) {
      for (const url of urls(page).filter(found => found !== 'data:,')) {
        expect(new URL(url ?? '', `http://host/mount${page.path}`).href).toMatch(
          /^http:\/\/host\/mount\/docs\/(?:openapi\.json|assets\/[\w.-]+)$/,
        )
      }
    }
    expect(html(both, '/docs/redoc').body).toContain('../docs/openapi.json')
    expect(html({ OPENAPI_URL_PREFIX: '/', OPENAPI_REDOC_PATH: 'redoc' }, '/redoc').body).toContain(
      '"./openapi.json"',
    )
  })

  it.each(['3.2.0', '3.0.3', '2.0'])(
    'gives ReDoc the document in 3.1 if the served one is in %s',
    version => {
      const shown = { ...content, version }
      expect(html(both, '/docs/redoc', shown).body).toContain('"../docs/openapi.json?openapi=3.1"')
      expect(html(both, '/docs/', shown).body).toContain('docs/openapi.json"')
    },
  )

  it('has no inline script and asks nobody else for anything', () => {
    for (const path of ['/docs/', '/docs/redoc']) {
      const page = html(both, path)
      expect(page.body).not.toMatch(/<script(?![^>]* src=)/)
      expect(page.body).not.toMatch(/\son\w+=|https?:/)
      expect(policy(page)).toMatch(/default-src 'none'; script-src 'self'; /)
      expect(policy(page)).toContain("frame-ancestors 'none'")
      expect(page.headers).toMatchObject({
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
      })
    }
    expect(policy(html(both, '/docs/'))).not.toContain('unsafe')
  })

  it('gives scripts their charset, without which a browser may not read them', () => {
    const scripts = documentationPages(both, content).pages.filter(({ path }) =>
      path.endsWith('.js'),
    )
    expect(new Set(scripts.map(({ contentType }) => contentType))).toEqual(
      new Set(['text/javascript; charset=utf-8']),
    )
  })

  it('escapes what the application says (T53)', () => {
    const { body } = html(both, '/docs/', {
      ...content,
      title: '</title><script>alert("1")</script>&',
    })
    expect(body.match(/<script/g)).toHaveLength(2)
    expect(body).toContain(
      '<title>&#60;/title&#62;&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;&#38;</title>',
    )
  })

  it('offers "Try it out" for the methods that the settings name', () => {
    const methods = (given?: string[]) =>
      /data-methods="([^"]*)"/.exec(
        html(
          { ...both, ...(given && { OPENAPI_SWAGGER_UI_SUPPORTED_SUBMIT_METHODS: given }) },
          '/docs/',
        ).body,
      )?.[1]
    expect(methods()).toBe('get put post delete options head patch trace query')
    expect(methods(['get', 'POST'])).toBe('get post')
    expect(methods([])).toBe('')
  })

  it('hands the options of Swagger UI over as JSON', () => {
    const config = {
      docExpansion: 'none',
      persistAuthorization: true,
      defaultModelsExpandDepth: -1,
      requestSnippets: { languages: null },
    }
    const { body } = html({ ...both, OPENAPI_SWAGGER_UI_CONFIG: config }, '/docs/')
    const attribute = /data-config="([^"]*)"/.exec(body)?.[1]?.replaceAll('&#34;', '"')
    expect(JSON.parse(attribute ?? '')).toEqual(config)
  })

  it.each([
    ['onComplete', () => undefined],
    ['plugins', [{ wrap: () => undefined }]],
    ['defaultModelsExpandDepth', Number.NaN],
    ['since', new Date(0)],
  ])('refuses the option %s of Swagger UI, which is not JSON', (name, value) => {
    const settings = { ...both, OPENAPI_SWAGGER_UI_CONFIG: { [name]: value } }
    expect(() => documentationPages(settings, content)).toThrow(`OPENAPI_SWAGGER_UI_CONFIG.${name}`)
  })

  it.each(['url', 'urls', 'spec', 'configUrl', 'dom_id', 'domNode', 'queryConfigEnabled'])(
    'refuses the option %s of Swagger UI, which the page decides itself (T56)',
    name => {
      const settings = { ...both, OPENAPI_SWAGGER_UI_CONFIG: { [name]: 'https://evil.example/' } }
      expect(() => documentationPages(settings, content)).toThrow(`sets ${name}`)
    },
  )

  it('lets "Try it out" connect to the servers of the document', () => {
    const servers = [
      { url: 'https://api.example.com/v1' },
      { url: '/v2' },
      { url: 'https://{region}.example.com' },
    ]
    const [page] = documentationPages(both, { ...content, servers }).pages
    expect(page && policy(page)).toContain("connect-src 'self' https://api.example.com;")
  })
})

describe('the files of the pages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'koa-smorest-assets-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const names = ['swagger-ui-bundle.js', 'swagger-ui.css', 'redoc.standalone.js']

  it('are taken from another folder if the settings name one, as their names are there', () => {
    for (const name of names) writeFileSync(join(folder, name), `/* ${name} */`)
    writeFileSync(join(folder, 'swagger-ui.0123456789ab.css'), '')
    for (const OPENAPI_ASSETS_FOLDER of [
      folder,
      relative(process.cwd(), folder),
      pathToFileURL(folder),
    ]) {
      const { pages, warnings } = documentationPages({ ...both, OPENAPI_ASSETS_FOLDER }, content)
      expect(warnings).toEqual([])
      expect(
        pages
          .filter(({ file }) => file)
          .map(({ path, file, headers }) => ({ path, file, cache: headers['Cache-Control'] })),
      ).toEqual([
        {
          path: '/docs/assets/swagger-ui-bundle.js',
          file: join(folder, 'swagger-ui-bundle.js'),
          cache: 'no-cache',
        },
        {
          path: '/docs/assets/swagger-ui.0123456789ab.css',
          file: join(folder, 'swagger-ui.0123456789ab.css'),
          cache: 'public, max-age=31536000, immutable',
        },
        {
          path: '/docs/assets/redoc.standalone.js',
          file: join(folder, 'redoc.standalone.js'),
          cache: 'no-cache',
        },
      ])
    }
  })

  it('have to be there', () => {
    const settings = { ...both, OPENAPI_ASSETS_FOLDER: join(folder, 'nowhere') }
    expect(() => documentationPages(settings, content)).toThrow(
      /OPENAPI_ASSETS_FOLDER is ".*nowhere", which has no swagger-ui-bundle\.js\. .*dist\/assets/,
    )
  })

  it('are not looked for if the pages come from elsewhere', () => {
    const elsewhere = {
      OPENAPI_SWAGGER_UI_URL: '/ui',
      OPENAPI_REDOC_URL: '/redoc.js',
      OPENAPI_ASSETS_FOLDER: join(folder, 'nowhere'),
    }
    expect(
      documentationPages({ ...both, ...elsewhere }, content).pages.filter(({ file }) => file),
    ).toEqual([])
  })
})

describe('the source of the pages', () => {
  const script = (settings: PageSettings, path: string) =>
    /<script src="([^"]*)"/.exec(html({ ...both, ...settings }, path).body)?.[1]

  it('is a CDN if a version is given', () => {
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
      expect(script({ OPENAPI_SWAGGER_UI_URL, OPENAPI_SWAGGER_UI_VERSION }, '/docs/')).toBe(
        'https://cdn.example/ui/swagger-ui-bundle.js',
      )
    }
    expect(script({ OPENAPI_REDOC_URL: '/static/redoc.js' }, '/docs/redoc')).toBe(
      '/static/redoc.js',
    )
  })

  it('is admitted by the Content-Security-Policy, and nothing else is', () => {
    const page = html({ ...both, OPENAPI_REDOC_URL: 'https://cdn.example/redoc.js' }, '/docs/redoc')
    expect(policy(page)).toContain("script-src 'self' https://cdn.example;")
  })

  it.each([
    'javascript:alert(1)',
    '//evil.example/x',
    'data:text/javascript,1',
    'https://a.example/"><script>',
    '../x',
  ])('is never %s (T54)', url => {
    expect(() => documentationPages({ ...both, OPENAPI_REDOC_URL: url }, content)).toThrow(
      /OPENAPI_REDOC_URL/,
    )
    expect(() => documentationPages({ ...both, OPENAPI_SWAGGER_UI_URL: url }, content)).toThrow(
      /OPENAPI_SWAGGER_UI_URL/,
    )
  })

  it('cannot be changed by a version, which is used as it is given', () => {
    const page = html(
      { ...both, OPENAPI_REDOC_VERSION: '"><script>alert(1)</script>' },
      '/docs/redoc',
    )
    expect(page.body.match(/<script/g)).toHaveLength(2)
    expect(policy(page)).toContain("script-src 'self' https://cdn.jsdelivr.net;")
  })

  it('is warned of if it may change at any time (T58)', () => {
    expect(
      documentationPages({ ...both, OPENAPI_REDOC_VERSION: 'latest' }, content).warnings,
    ).toHaveLength(1)
    expect(
      documentationPages({ ...both, OPENAPI_REDOC_VERSION: '2.5.0' }, content).warnings,
    ).toEqual([])
  })

  it.each(['/docs/../x', 'a b', '"x"', 'a//b', '?x'])(
    'stands below a plain path, which %s is not',
    path => {
      expect(() => documentationPages({ ...both, OPENAPI_SWAGGER_UI_PATH: path }, content)).toThrow(
        /OPENAPI_SWAGGER_UI_PATH/,
      )
      expect(() => documentPath({ OPENAPI_URL_PREFIX: path })).toThrow(/OPENAPI_URL_PREFIX/)
    },
  )
})

describe('the pages of installed packages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pages-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const asked = {
    OPENAPI_URL_PREFIX: '/docs',
    OPENAPI_SCALAR_PATH: '/scalar',
    OPENAPI_REDOC3_PATH: '/redoc3',
  }

  it('load their script from here, and nothing else', () => {
    for (const name of ['scalar.js', 'redoc3.js']) writeFileSync(join(folder, name), '// a script')
    const settings = { ...asked, OPENAPI_ASSETS_FOLDER: folder }
    const { pages, warnings } = documentationPages(settings, { ...content, version: '3.2.0' })
    expect(warnings).toEqual([])
    expect(pages.map(({ path }) => unversioned(path))).toEqual([
      '/docs/redoc3',
      '/docs/assets/redoc3.js',
      '/docs/scalar',
      '/docs/assets/scalar-initializer.js',
      '/docs/assets/scalar.js',
    ])
    const [redoc, scalar] = [html(settings, '/docs/redoc3'), html(settings, '/docs/scalar')]
    expect(redoc.body).toContain('<script src="../docs/assets/redoc3.js" type="module">')
    for (const page of [redoc, scalar]) expect(policy(page)).toContain("script-src 'self';")
  })

  it('tell how to install what is absent or too old', () => {
    expect(documentationPages(asked, content).warnings).toEqual([
      expect.stringMatching(
        /^redoc 2\.\S+ is installed, which has no such page: npm install redoc@3$/,
      ),
      '@scalar/api-reference is not installed: npm install @scalar/api-reference@1',
    ])
  })
})
