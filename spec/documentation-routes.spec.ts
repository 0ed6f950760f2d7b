import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Koa from 'koa'
import { Api, type Settings } from 'koa-smorest'
import { afterAll, describe, expect, it } from 'vitest'
import { fetchOf } from '../src/testing/index.js'
import { serve } from './support/client.js'

const DOCUMENTED = {
  OPENAPI_VERSION: '3.1.0',
  OPENAPI_URL_PREFIX: '/docs',
  OPENAPI_SWAGGER_UI_PATH: '/',
  OPENAPI_REDOC_PATH: '/redoc',
} satisfies Settings

/** The URLs of the scripts and style sheets of a page. */
const assetsOf = (path: string, html: string) =>
  [...html.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(
    ([, url = '']) => new URL(url, `http://x${path}`).pathname,
  )

describe('the document and its pages', async () => {
  const app = new Koa()
  new Api(app, DOCUMENTED)
  const request = await serve(app)

  it.each(['/docs/openapi.json', '/docs/', '/docs/redoc'])(
    '%s is asked for again each time, and not sent again',
    async path => {
      const { status, headers } = await request('GET', path)
      expect({ status, cache: headers.get('Cache-Control') }).toEqual({
        status: 200,
        cache: 'no-cache',
      })
      const again = await request('GET', path, {
        headers: { 'If-None-Match': headers.get('ETag') ?? '' },
      })
      expect({ status: again.status, text: again.text, etag: again.headers.get('ETag') }).toEqual({
        status: 304,
        text: '',
        etag: headers.get('ETag'),
      })
    },
  )

  it.each(['/docs/', '/docs/redoc'])(
    'the files of %s are compressed for whoever takes that, and then have another tag',
    async page => {
      for (const path of assetsOf(page, (await request('GET', page)).text)) {
        const gzip = await request('GET', path, { headers: { 'Accept-Encoding': 'gzip, br' } })
        const identity = await request('GET', path, { headers: { 'Accept-Encoding': 'identity' } })
        expect(gzip.status).toBe(200)
        expect(gzip.text).toBe(identity.text)
        expect(identity.headers.get('Content-Encoding')).toBeNull()
        // those that are code of this library are too short for it
        if (identity.text.length > 10_000) {
          expect(Number(gzip.headers.get('Content-Length'))).toBeLessThan(identity.text.length / 2)
          expect(gzip.headers.get('Content-Encoding')).toBe('gzip')
          expect([gzip, identity].map(({ headers }) => headers.get('Vary'))).toEqual([
            'Accept-Encoding',
            'Accept-Encoding',
          ])
          expect(gzip.headers.get('ETag')).not.toBe(identity.headers.get('ETag'))
        }
        const again = await request('GET', path, {
          headers: { 'Accept-Encoding': 'gzip', 'If-None-Match': gzip.headers.get('ETag') ?? '' },
        })
        expect(again.status).toBe(304)
        expect(gzip.headers.get('Cache-Control')).toContain('immutable')
      }
    },
  )

  it('is the document a browser takes for nothing else', async () => {
    const { headers } = await request('GET', '/docs/openapi.json')
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
  })

  it('leave the last word on caching to middleware in front', async () => {
    const guarded = new Koa()
    guarded.use((ctx, next) => {
      ctx.set('Cache-Control', 'private, no-store')
      return next()
    })
    new Api(guarded, DOCUMENTED)
    const request = await serve(guarded)
    expect((await request('GET', '/docs/')).headers.get('Cache-Control')).toBe('private, no-store')
  })
})

describe('the document of an application below a mount', () => {
  /** koa-mount, in its essence. */
  const mounted = (prefix: string, inner: Koa): Koa => {
    const app = new Koa()
    app.use(async (ctx, next) => {
      const path = ctx.path
      ctx.mountPath = prefix
      ctx.path = path.slice(prefix.length)
      const run = (index: number): Promise<unknown> =>
        Promise.resolve(inner.middleware[index]?.(ctx as never, () => run(index + 1)) ?? next())
      await run(0)
      ctx.path = path
    })
    return app
  }
  const made = (settings: Settings = {}) => {
    const app = new Koa()
    new Api(app, { ...DOCUMENTED, ...settings })
    return app
  }
  const documentOf = async (app: Koa, path: string) => {
    const response = await fetchOf(app)(`http://x${path}`)
    return { tag: response.headers.get('ETag'), ...((await response.json()) as object) }
  }

  it('has the mount as its server, and another tag under each mount', async () => {
    const app = made()
    const plain = await documentOf(app, '/docs/openapi.json')
    expect(plain).not.toHaveProperty('servers')
    const below = await documentOf(mounted('/v2', app), '/v2/docs/openapi.json')
    expect(below).toEqual({ ...plain, servers: [{ url: '/v2' }], tag: below.tag })
    const deeper = await documentOf(mounted('/a', mounted('/b', app)), '/a/b/docs/openapi.json')
    expect(deeper).toEqual({ ...plain, servers: [{ url: '/a/b' }], tag: deeper.tag })
    expect(new Set([plain.tag, below.tag, deeper.tag]).size).toBe(3)
    expect(await documentOf(app, '/docs/openapi.json')).toEqual(plain)
  })

  it('has that of a router of Express, whose braces are no variables', async () => {
    const app = made()
    app.middleware.unshift((ctx, next) => {
      ;(ctx.req as { baseUrl?: string }).baseUrl = `/old/{x}${ctx.query.n ?? ''}`
      return next()
    })
    const served = (path: string) => documentOf(app, path)
    expect(await served('/docs/openapi.json')).toMatchObject({ servers: [{ url: '/old/%7Bx%7D' }] })
    // however many there are
    for (let n = 0; n < 40; n++)
      expect(await served(`/docs/openapi.json?n=${n}`)).toMatchObject({
        servers: [{ url: `/old/%7Bx%7D${n}` }],
      })
  })

  it('has it as basePath in 2.0', async () => {
    const app = mounted('/v2', made({ OPENAPI_VERSION: '2.0' }))
    const document = await documentOf(app, '/v2/docs/openapi.json')
    expect(document).toMatchObject({ swagger: '2.0', basePath: '/v2' })
    expect(document).not.toHaveProperty('servers')
  })

  it.each([
    [
      { API_SPEC_OPTIONS: { servers: [{ url: 'https://x.test' }] } },
      { servers: [{ url: 'https://x.test' }] },
    ],
    [{ OPENAPI_VERSION: '2.0', API_SPEC_OPTIONS: { basePath: '/own' } }, { basePath: '/own' }],
    [{ OPENAPI_VERSION: '2.0', APPLICATION_ROOT: '/root' }, { basePath: '/root' }],
    [{ APPLICATION_ROOT: '/root' }, { servers: [{ url: '/v2' }] }],
  ] as const)('has that of the settings %j', async (settings, expected) => {
    const app = mounted('/v2', made(settings))
    expect(await documentOf(app, '/v2/docs/openapi.json')).toMatchObject(expected)
  })
})

describe('files of a folder of the settings', () => {
  const folder = mkdtempSync(join(tmpdir(), 'koa-smorest-assets-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('are served as they are', async () => {
    for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css', 'redoc.standalone.js'])
      writeFileSync(join(folder, name), `/* ${name} */`)
    const app = new Koa()
    new Api(app, { ...DOCUMENTED, OPENAPI_ASSETS_FOLDER: folder })
    const request = await serve(app)
    const { text, headers } = await request('GET', '/docs/assets/redoc.standalone.js')
    expect(text).toBe('/* redoc.standalone.js */')
    expect(headers.get('Cache-Control')).toBe('no-cache')
  })
})
