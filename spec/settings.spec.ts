import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  cookies,
  doc,
  etag,
  MethodView,
  operation,
  Page,
  type Plugin,
  paginate,
  query,
  type RegistrationError,
  response,
  type Settings,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { SETTING_RULES } from '../src/settings.js'
import { faultsOf } from './openapi/shop.js'
import { serve } from './support/client.js'

const Pong = t.strict({ pong: t.boolean }, 'Pong')
const pings = () =>
  new Blueprint('pings', { urlPrefix: '/ping' }).get(
    '/',
    operation('Ping', response(Pong)),
    () => ({ pong: true }),
  )
class Quiet extends Api {
  override warn() {}
}
// biome-ignore lint/suspicious/noExplicitAny: a document is walked
const documentOf = (settings: Settings, options = {}): any =>
  new Api(new Koa(), settings, options).registerBlueprint(pings()).spec.toJSON()

describe('settings of an Api', () => {
  it.each<[Settings, object]>([
    [{ OPENAPI_VERSION: '3.1.0' }, { openapi: '3.1.0', info: { title: 'API', version: '1' } }],
    [
      { API_TITLE: 'Shop', API_VERSION: '42', OPENAPI_VERSION: '3.0.3' },
      { openapi: '3.0.3', info: { title: 'Shop', version: '42' } },
    ],
    [
      { API_TITLE: 7 as never, API_VERSION: 7 as never, OPENAPI_VERSION: '3.2.0' },
      { openapi: '3.2.0', info: { title: '7', version: '7' } },
    ],
    [
      { OPENAPI_VERSION: '2.0', APPLICATION_ROOT: '/v1' },
      { swagger: '2.0', basePath: '/v1' },
    ],
    [
      { OPENAPI_VERSION: '2.0' },
      { basePath: '/', produces: ['application/json'], consumes: ['application/json'] },
    ],
  ])('say what the root of the document says: %j', (settings, root) => {
    expect(documentOf(settings)).toMatchObject(root)
  })

  it('win over the third argument, at every depth', () => {
    const options = {
      openapiVersion: '3.0.3',
      info: { description: 'option', license: { name: 'MIT' } },
      servers: [{ url: '/option' }],
    }
    const settings = {
      OPENAPI_VERSION: '3.1.0',
      API_SPEC_OPTIONS: { info: { description: 'setting' }, servers: [{ url: '/setting' }] },
    }
    expect(documentOf(settings, options)).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'API', description: 'setting', license: { name: 'MIT' } },
      servers: [{ url: '/setting' }],
    })
    expect(documentOf({}, options)).toMatchObject({
      openapi: '3.0.3',
      info: { description: 'option' },
    })
  })

  it('cause a warning if they are misspelt, and other names are ignored', () => {
    const warnings: string[] = []
    class Quiet extends Api {
      override warn(text: string) {
        warnings.push(text)
      }
    }
    const configuration = {
      OPENAPI_VERSION: '3.1.0',
      API_TITEL: 'x',
      OPENAPI_FOO_BAR: 1,
      ETAG_DISABLE: true,
      DATABASE_URL: 'x',
      port: 1,
      apiTitle: 1,
    }
    new Quiet(new Koa(), configuration as Settings)
    expect(warnings).toEqual([
      'there is no setting API_TITEL, did you mean "API_TITLE"?',
      'there is no setting OPENAPI_FOO_BAR',
      'there is no setting ETAG_DISABLE, did you mean "ETAG_DISABLED"?',
    ])
  })

  it('are refused all at once if they are of the wrong kind, and undefined is as if it were not there', () => {
    // ETAG_DISABLED of an environment variable would be true
    const settings = {
      OPENAPI_VERSION: '3.1.0',
      API_TITLE: true,
      API_VERSION: Number.NaN,
      ETAG_DISABLED: 'false',
      OPENAPI_URL_PREFIX: true,
    }
    expect(() => new Api(new Koa(), settings as never)).toThrow(
      new TypeError(
        'new Api(app, settings): API_TITLE must be a string, not true; API_VERSION must be a string, not NaN; ' +
          'ETAG_DISABLED must be true or false, not "false"; OPENAPI_URL_PREFIX must be a string or null, not true',
      ),
    )
    expect(
      () =>
        new Api(new Koa(), {
          OPENAPI_VERSION: '3.1.0',
          API_TITLE: undefined,
          DEBUG: undefined,
        } as never),
    ).not.toThrow()
  })

  const WRONG = [
    null,
    7,
    Number.NaN,
    true,
    'x',
    [],
    [7],
    {},
    () => 1,
    Symbol('s'),
    Object.create(null),
  ]
  it.each(Object.keys(SETTING_RULES))(
    'are named in what is said of their values: %s',
    async name => {
      for (const value of WRONG) {
        const app = new Koa()
        app.silent = true
        try {
          const settings = {
            OPENAPI_VERSION: '3.1.0',
            OPENAPI_URL_PREFIX: '/docs',
            OPENAPI_REDOC_PATH: '/redoc',
            DEBUG: false,
            [name]: value,
          }
          const api = new Quiet(app, settings as never)
          api.registerBlueprint(pings()).spec.toJSON('2.0')
        } catch (error) {
          expect(String(error)).toMatch(new RegExp(`^(?:Type|Registration)Error: [\\s\\S]*${name}`))
        }
      }
    },
  )

  it('say the version of the document that JSON.stringify writes for a spec', () => {
    const { spec } = new Api(new Koa(), { OPENAPI_VERSION: '3.0.3' })
    const document = spec.toJSON()
    expect(document).toMatchObject({ openapi: '3.0.3' })
    expect(JSON.parse(JSON.stringify([spec, { spec }]))).toEqual([document, { spec: document }])
    expect(JSON.parse(JSON.stringify(spec))).toEqual(document)
    expect(() => spec.toJSON('3.5')).toThrow('OPENAPI_VERSION 3.5 is unknown')
  })

  it('have to give the version of OpenAPI, and alone give title and version', () => {
    expect(() => new Api(new Koa())).toThrow(/OPENAPI_VERSION is not given/)
    expect(() => new Api(new Koa(), { OPENAPI_VERSION: '4.0' })).toThrow(/4\.0/)
    expect(() => new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }, { title: 'x' })).toThrow(
      /API_TITLE/,
    )
  })

  it('serve no documentation without a prefix', async () => {
    const app = new Koa()
    new Api(app, {
      OPENAPI_VERSION: '3.1.0',
      OPENAPI_SWAGGER_UI_PATH: '/',
      OPENAPI_REDOC_PATH: '/redoc',
    })
    const request = await serve(app)
    for (const path of ['/openapi.json', '/', '/redoc'])
      expect((await request('GET', path)).status).toBe(404)
  })

  it.each([
    [{ OPENAPI_URL_PREFIX: 'docs' }, '/docs/openapi.json'],
    [{ OPENAPI_URL_PREFIX: '/docs/' }, '/docs/openapi.json'],
    [{ OPENAPI_URL_PREFIX: '/' }, '/openapi.json'],
    [{ OPENAPI_URL_PREFIX: '' }, '/openapi.json'],
    [{ OPENAPI_URL_PREFIX: '/docs', OPENAPI_JSON_PATH: 'spec.json' }, '/docs/spec.json'],
  ])('serve the document: %j at %s', async (settings, path) => {
    const app = new Koa()
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0', ...settings }).registerBlueprint(pings())
    const request = await serve(app)
    const { body, headers } = await request('GET', path)
    expect(body).toEqual(api.spec.toJSON())
    expect(
      (await request('GET', path, { headers: { 'If-None-Match': headers.get('ETag') ?? '' } }))
        .status,
    ).toBe(304)
    expect((await request('POST', path)).status).toBe(405)
  })

  it('serve the document in 3.1 to ReDoc, whatever its version', async () => {
    const app = new Koa()
    new Api(app, {
      OPENAPI_VERSION: '2.0',
      OPENAPI_URL_PREFIX: '/docs',
      OPENAPI_REDOC_PATH: '/redoc',
    }).registerBlueprint(pings())
    const request = await serve(app)
    const [, url = ''] =
      /data-document="([^"]*)"/.exec((await request('GET', '/docs/redoc')).text) ?? []
    expect(
      (
        await request(
          'GET',
          new URL(url, 'http://host/docs/redoc').href.slice('http://host'.length),
        )
      ).body.openapi,
    ).toBe('3.1.0')
    expect((await request('GET', '/docs/openapi.json')).body.swagger).toBe('2.0')
  })

  it('serve the pages from this package, with relative URLs and a strict policy', async () => {
    const app = new Koa()
    new Api(app, {
      API_TITLE: 'A <b> & "c"',
      OPENAPI_VERSION: '3.1.0',
      OPENAPI_URL_PREFIX: '/docs',
      OPENAPI_SWAGGER_UI_PATH: '/',
      OPENAPI_REDOC_PATH: '/redoc',
    })
    const request = await serve(app)
    for (const path of ['/docs/', '/docs/redoc']) {
      const { status, headers, text } = await request('GET', path)
      expect({ status, contentType: headers.get('Content-Type') }).toEqual({
        status: 200,
        contentType: 'text/html; charset=utf-8',
      })
      expect(headers.get('Content-Security-Policy')).toMatch(/default-src 'none'/)
      expect(text).not.toMatch(/https?:\/\/|<b>/)
      for (const [, url = ''] of text.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)) {
        expect((await request('GET', new URL(url, `http://x${path}`).pathname)).status, url).toBe(
          200,
        )
      }
    }
    const redirected = await request('GET', '/docs')
    expect({
      status: redirected.status,
      pathname: new URL(redirected.headers.get('Location') ?? '', 'http://x/mount/docs').pathname,
    }).toEqual({ status: 308, pathname: '/mount/docs/' })
  })

  it('load the files of the pages from other URLs', async () => {
    const app = new Koa()
    const urls = {
      OPENAPI_SWAGGER_UI_URL: 'https://example.com/ui/',
      OPENAPI_REDOC_URL: 'https://example.com/redoc.js',
    }
    const paths = {
      OPENAPI_URL_PREFIX: '/',
      OPENAPI_SWAGGER_UI_PATH: '/ui',
      OPENAPI_REDOC_PATH: '/redoc',
    }
    new Api(app, {
      OPENAPI_VERSION: '3.1.0',
      ...paths,
      ...urls,
      OPENAPI_SWAGGER_UI_SUPPORTED_SUBMIT_METHODS: ['get'],
    })
    const request = await serve(app)
    const { text, headers } = await request('GET', '/ui')
    expect(text).toContain('https://example.com/ui/swagger-ui-bundle.js')
    expect(text).toContain('data-methods="get"')
    expect(headers.get('Content-Security-Policy')).toContain('https://example.com')
    expect((await request('GET', '/redoc')).text).toContain('https://example.com/redoc.js')
  })

  it('follow the environment of the app for DEBUG and TESTING', () => {
    const of = (env: string) => new Api(new Koa({ env }), { OPENAPI_VERSION: '3.1.0' }).settings
    expect(of('development')).toMatchObject({ DEBUG: true, TESTING: false })
    expect(of('test')).toMatchObject({ DEBUG: false, TESTING: true })
    expect(of('production')).toMatchObject({ DEBUG: false, TESTING: false })
  })
})

describe('several Apis on one app', () => {
  it('have their own settings, documents and paths', async () => {
    const app = new Koa()
    const shared = { OPENAPI_VERSION: '3.1.0' }
    new Api(app, { ...shared, API_VERSION: '1', OPENAPI_URL_PREFIX: '/v1' }).registerBlueprint(
      pings(),
      { urlPrefix: '/v1/ping' },
    )
    new Api(app, { ...shared, API_VERSION: '2', OPENAPI_URL_PREFIX: '/v2' }).registerBlueprint(
      pings(),
      { urlPrefix: '/v2/ping' },
    )
    const request = await serve(app)
    for (const version of ['1', '2']) {
      expect((await request('GET', `/v${version}/ping/`)).body).toEqual({ pong: true })
      const { body } = await request('GET', `/v${version}/openapi.json`)
      expect({ version: body.info.version, paths: Object.keys(body.paths) }).toEqual({
        version,
        paths: [`/v${version}/ping/`],
      })
    }
  })
})

describe('an operation of one Api, on an app that has another', () => {
  const SETTINGS = { OPENAPI_VERSION: '3.1.0' }
  const pets = (rule: string, method = 'GET') =>
    new Blueprint('pets').route(rule as '/', operation(), function show() {}, { methods: [method] })
  /**
   * Registers one Blueprint with each of two Apis, by the Api that was made later first if asked
   * to; the faults of what was registered last.
   */
  const faultsOfLast = (
    first: Blueprint,
    second: Blueprint,
    { isReversed = false } = {},
  ): readonly string[] => {
    const app = new Koa()
    const apis = ['1', '2'].map(
      API_VERSION => new Api(app, { ...SETTINGS, API_TITLE: 'Shop', API_VERSION }),
    )
    const steps = [
      () => apis[0]?.registerBlueprint(first),
      () => apis[1]?.registerBlueprint(second),
    ]
    const [one, last] = isReversed ? steps.reverse() : steps
    one?.()
    try {
      last?.()
      return []
    } catch (error) {
      return (error as RegistrationError).faults
    }
  }

  it('is a fault if another Api serves its path and method, which says both places', () => {
    const fault = (version: number) =>
      `show, GET /pets/: this path and method is already registered by show (GET /pets) of the Api "Shop", version ${version}`
    expect(faultsOfLast(pets('/pets'), pets('/pets/'))).toEqual([fault(1)])
    expect(faultsOfLast(pets('/pets/'), pets('/pets'), { isReversed: true })).toEqual([fault(2)])
  })

  it('may have paths that the other has not', () => {
    expect(faultsOfLast(pets('/pets'), pets('/pets/7'))).toEqual([])
    expect(faultsOfLast(pets('/:id<int>'), pets('/:name'))).toEqual([])
    expect(faultsOfLast(pets('/v1/:all<path>'), pets('/v2/pets'))).toEqual([])
  })

  it('may have another method', () => {
    expect(faultsOfLast(pets('/pets'), pets('/pets', 'POST'))).toEqual([])
  })

  it('is nothing to an Api of another app', () => {
    for (const app of [new Koa(), new Koa()])
      new Api(app, SETTINGS).registerBlueprint(pets('/pets'))
  })
})

describe('the documentation of an Api', () => {
  const at = (prefix: string, more: Settings = {}): Settings => ({
    OPENAPI_VERSION: '3.1.0',
    OPENAPI_URL_PREFIX: prefix,
    ...more,
  })

  it('cannot be where that of another Api of the app is, and the app is left as it was', async () => {
    const app = new Koa()
    const first = new Api(app, at('/docs', { API_TITLE: 'First' }))
    expect(() => new Api(app, at('/docs', { OPENAPI_SWAGGER_UI_PATH: '/ui' }))).toThrow(
      'new Api(app, settings): GET /docs/openapi.json is already registered by the documentation (GET /docs/openapi.json) of the Api "First", version 1. Set another OPENAPI_URL_PREFIX',
    )
    const second = new Api(
      app,
      at('/docs', { OPENAPI_JSON_PATH: 'second.json', OPENAPI_SWAGGER_UI_PATH: '/ui' }),
    )
    const request = await serve(app)
    expect((await request('GET', '/docs/openapi.json')).body).toEqual(first.spec.toJSON())
    expect((await request('GET', '/docs/second.json')).body).toEqual(second.spec.toJSON())
  })

  it('may share the files of its pages with another', () => {
    const app = new Koa()
    for (const name of ['one', 'two'])
      new Api(
        app,
        at('/docs', {
          OPENAPI_JSON_PATH: `${name}.json`,
          OPENAPI_SWAGGER_UI_PATH: `/${name}`,
          OPENAPI_REDOC_PATH: `/redoc-${name}`,
        }),
      )
  })

  it('is a fault of the operation that takes its path, of its own Api or of another', () => {
    const app = new Koa()
    const one = new Api(app, at('/'))
    const two = new Api(app, { OPENAPI_VERSION: '3.1.0' })
    const document = () => new Blueprint('own').get('/openapi.json', operation(), () => 1)
    expect(() => one.registerBlueprint(document())).toThrow(
      'already registered by the documentation (GET /openapi.json)',
    )
    expect(() => two.registerBlueprint(document())).toThrow(
      'already registered by the documentation (GET /openapi.json) of the Api "API"',
    )
    expect(() => new Api(app, at('/', { OPENAPI_JSON_PATH: 'other.json' }))).not.toThrow()
  })
})

describe('the third argument of an Api', () => {
  const money = new t.Type<string>('Money', t.string.is, t.string.validate, t.identity)

  it('takes plugins that document codecs and operations', () => {
    const ioTsPlugin: Plugin = {
      schema: codec => (codec === money ? { type: 'string', format: 'money' } : undefined),
    }
    const koaPlugin: Plugin = { path: ({ method, path }) => ({ 'x-route': `${method} ${path}` }) }
    const extra: Plugin = { path: () => ({ deprecated: true }) }
    const api = new Api(
      new Koa(),
      { OPENAPI_VERSION: '3.1.0' },
      { ioTsPlugin, koaPlugin, extraPlugins: [extra] },
    )
    api.registerBlueprint(
      new Blueprint('prices').get(
        '/price',
        operation(response(t.strict({ price: money }))),
        () => ({ price: '1' }),
      ),
    )
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const { get } = (api.spec.toJSON() as any).paths['/price']
    expect(get).toMatchObject({ 'x-route': 'GET /price', deprecated: true })
    expect(get.responses[200].content['application/json'].schema.properties.price).toEqual({
      type: 'string',
      format: 'money',
    })
  })

  it('is not needed for registerField, registerConverter and components', async () => {
    const app = new Koa()
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' })
    api.registerField(money, 'string', 'money')
    api.registerConverter('hex', {
      parse: text => (/^[0-9a-f]+$/.test(text) ? Number.parseInt(text, 16) : undefined),
      schema: { type: 'string', format: 'hex' },
    })
    api.spec.components
      .securityScheme('basic', { type: 'http', scheme: 'basic' })
      .schema('Extra', { type: 'object' })
    api.registerBlueprint(
      new Blueprint('prices').get(
        '/:n<hex>',
        operation(response(t.strict({ price: money }))),
        (_ctx, { n }: { n: unknown }) => ({
          price: String(n),
        }),
      ),
    )
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const { components, paths } = api.spec.toJSON() as any
    expect({
      scheme: components.securitySchemes.basic.scheme,
      Extra: components.schemas.Extra,
    }).toEqual({
      scheme: 'basic',
      Extra: { type: 'object' },
    })
    expect(paths['/{n}'].get.parameters ?? paths['/{n}'].parameters).toEqual([
      { name: 'n', in: 'path', required: true, schema: { type: 'string', format: 'hex' } },
    ])
    const request = await serve(app)
    expect((await request('GET', '/ff')).body).toEqual({ price: '255' })
    expect((await request('GET', '/xyz')).status).toBe(404)
  })
})

describe('the document of an operation', () => {
  it('is overridden by doc, which can hide and rename it', () => {
    class View extends MethodView {
      static get = operation(
        'Summary',
        response(Pong),
        doc({
          summary: 'By hand',
          operationId: 'ponged',
          responses: { 200: { description: 'Yes' }, 404: { description: 'No' } },
        }),
      )
      get() {
        return { pong: true }
      }
      static post = operation(doc({ hidden: true }))
      post() {}
    }
    const api = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(
      new Blueprint('views').route('/', View, { tags: ['other'] }),
    )
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const item = (api.spec.toJSON() as any).paths['/']
    expect(Object.keys(item)).toEqual(['get'])
    expect(item.get).toMatchObject({ summary: 'By hand', operationId: 'ponged', tags: ['other'] })
    expect(item.get.responses).toMatchObject({
      200: { description: 'Yes' },
      404: { description: 'No' },
    })
  })

  it('has the docstring up to the delimiter of the Blueprint', () => {
    class Whole extends Blueprint {
      static override DOCSTRING_INFO_DELIMITER = null
    }
    const text = 'One\n\nTwo\n---\nThree'
    const description = (blueprint: Blueprint) => {
      const { spec } = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(
        blueprint.get('/', operation(text), () => 1),
      )
      // biome-ignore lint/suspicious/noExplicitAny: a document is walked
      return (spec.toJSON() as any).paths['/'].get.description
    }
    expect(description(new Blueprint('cut'))).toBe('Two')
    expect(description(new Whole('whole') as Blueprint)).toBe('Two\n---\nThree')
  })

  it('has each method that its version has a place for, and one warning names the others', async () => {
    const warnings: string[] = []
    class Warned extends Api {
      override warn(text: string): void {
        warnings.push(text)
      }
    }
    const views = new Blueprint('views')
      .query('/', operation(response(Pong)), () => ({ pong: true }))
      .route('/', operation(response(Pong)), () => ({ pong: true }), {
        methods: ['PURGE'],
        endpoint: 'purge',
      })
      .get('/', operation(cookies(t.type({ sid: t.string })), response(Pong)), () => ({
        pong: true,
      }))
    const { spec } = new Warned(new Koa(), { OPENAPI_VERSION: '3.2.0' }).registerBlueprint(views)
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const itemIn = (version: string) => (spec.toJSON(version) as any).paths['/']
    expect(itemIn('3.2.0')).toMatchObject({
      query: {},
      get: {},
      additionalOperations: { PURGE: {} },
    })
    expect(warnings).toEqual([])
    for (const version of ['3.1.0', '3.0.3', '2.0'])
      expect(Object.keys(itemIn(version)).sort()).toEqual(['get', 'x-query'])
    itemIn('2.0')
    for (const version of ['3.2.0', '3.1.0', '3.0.3', '2.0'])
      expect(await faultsOf(spec.toJSON(version))).toEqual([])
    const additional = '"additionalOperations" of Path Item Objects (paths./)'
    expect(warnings).toEqual([
      `The document leaves out what OpenAPI 3.1.0 cannot say: ${additional}`,
      `The document leaves out what OpenAPI 3.0.3 cannot say: ${additional}`,
      `The document leaves out what OpenAPI 2.0 cannot say: ${additional}; the cookie sid (/)`,
    ])
  })

  it('causes one warning for an OpenAPI tag that is described nowhere', () => {
    const warnings: string[] = []
    class Warned extends Api {
      override warn(text: string): void {
        warnings.push(text)
      }
    }
    const tagged = () =>
      new Blueprint('views').get('/', operation(doc({ tags: ['old', 'views'] })), () => 1)
    const { spec } = new Warned(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(tagged())
    spec.toJSON()
    spec.toJSON('2.0')
    expect(warnings).toEqual([
      'The tag "old" of GET / is described nowhere: list it in the tags of API_SPEC_OPTIONS',
    ])
    const API_SPEC_OPTIONS = { tags: [{ name: 'old' }] }
    new Warned(new Koa(), { OPENAPI_VERSION: '3.1.0', API_SPEC_OPTIONS })
      .registerBlueprint(tagged())
      .spec.toJSON()
    expect(warnings).toHaveLength(1)
  })

  it('has root attributes of 2.0 in 2.0 only', () => {
    const API_SPEC_OPTIONS = {
      host: 'example.com',
      schemes: ['https'],
      securityDefinitions: { mine: { type: 'basic' } },
    }
    const { spec } = new Api(new Koa(), {
      OPENAPI_VERSION: '3.1.0',
      API_SPEC_OPTIONS,
    }).registerBlueprint(pings())
    expect(spec.toJSON('2.0')).toMatchObject(API_SPEC_OPTIONS)
    for (const version of ['3.2.0', '3.1.0', '3.0.3'])
      expect(spec.toJSON(version)).not.toHaveProperty('host')
  })

  it.each(['1.1', '1.2'] as const)(
    'is the same as JSON and as YAML, to readers of YAML %s',
    version => {
      // YAML 1.1, which many tools read, has dates, sexagesimals and more words for booleans
      const settings = { OPENAPI_VERSION: '3.1.0', API_VERSION: '2026-11-21', API_TITLE: 'off' }
      const { spec } = new Api(new Koa(), settings).registerBlueprint(pings())
      expect(parse(spec.toYAML(), { version })).toEqual(spec.toJSON())
    },
  )
})

it('class attributes of a Blueprint have the defaults of the specification', () => {
  expect(Blueprint.DEFAULT_PAGINATION_PARAMETERS).toEqual({
    page: 1,
    pageSize: 10,
    maxPageSize: 100,
  })
  expect(Blueprint.HTTP_METHODS).toEqual([
    'OPTIONS',
    'HEAD',
    'GET',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'QUERY',
  ])
  expect(Blueprint.PAGINATION_HEADER_FIELD_NAME).toBe('X-Pagination')
  expect(Blueprint.DOCSTRING_INFO_DELIMITER).toBe('---')
  expect(Blueprint.DEFAULT_LOCATION_CONTENT_TYPE_MAPPING).toEqual({
    json: 'application/json',
    form: 'application/x-www-form-urlencoded',
    files: 'multipart/form-data',
  })
})

it('class attributes of a Blueprint replace its readers and the header fields of its entity tags', async () => {
  class Own extends Blueprint {
    static override ARGUMENTS_PARSER = {
      ...Blueprint.ARGUMENTS_PARSER,
      query: () => ({ q: 'own' }),
    }
    static override ETAG_INCLUDE_HEADERS = ['X-Rev']
  }
  const own = new Own('own')
  own.get('/query', operation(query(t.strict({ q: t.string }))), (_ctx, { q }) => q)
  own.get(
    '/rev/:rev',
    operation(etag(), response(t.array(t.string)), paginate(Page)),
    (ctx, { rev }) => {
      ctx.set('X-Rev', rev)
      return ['same']
    },
  )
  const app = new Koa()
  new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(own)
  const request = await serve(app)
  expect((await request('GET', '/query?q=sent')).body).toBe('own')
  const tags = await Promise.all(
    ['/rev/1', '/rev/2', '/rev/1'].map(async path =>
      (await request('GET', path)).headers.get('ETag'),
    ),
  )
  expect(tags[0]).not.toBe(tags[1])
  expect(tags[0]).toBe(tags[2])
})
