import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  argument,
  Blueprint,
  basic,
  type Context,
  checkEtag,
  cookies,
  doc,
  etag,
  type Failure,
  form,
  headers,
  int,
  json,
  list,
  MethodView,
  operation,
  optional,
  Page,
  type PaginationParameters,
  paginate,
  path,
  query,
  type ReferenceObject,
  reply,
  response,
  type SchemaObject,
  secure,
  setEtag,
  struct,
} from 'koa-smorest'
import { fetchOf } from 'koa-smorest/testing'
import { expect, it } from 'vitest'
import { commandLine } from '../../../src/command/command-line.js'
import { USAGE } from '../../../src/command/usage.js'
import { root } from '../../architecture/source.js'
import { rowsBehind, senderOf, served } from './served.js'

const Pet = struct({ id: int, name: t.string }, 'Pet')
const rex = { id: 1, name: 'Rex' }
type Json = { readonly [key: string]: Json } & { readonly [index: number]: Json }
const documentOf = (api: Api) => api.spec.toJSON() as unknown as Json
const silent = (settings: object, options = {}) => {
  const app = new Koa()
  app.silent = true
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0', ...settings }, options)
  return { app, api, send: senderOf(app) }
}
const login = basic('login', { principal: name => (name === 'ann' ? { name } : undefined) })
const asAnn = { Authorization: `Basic ${btoa('ann:sesame')}` }
const whoAmI = (principal: { readonly name: string } | undefined) => principal?.name ?? 'nobody'

/** Each row of the table, carried out. */
const ROWS: { readonly [row: string]: () => Promise<void> | void } = {
  '`Api(app, spec_kwargs={…})`'() {
    const { api } = silent({ API_TITLE: 'Pets' }, { info: { description: 'About pets' } })
    expect(documentOf(api).info).toEqual({ title: 'Pets', version: '1', description: 'About pets' })
  },
  async "`Api(app, config_prefix='V2_')`, several on one app"() {
    const app = new Koa()
    const numbers = new Blueprint('numbers').get('/', operation(response(int)), () => 1)
    const settings = { OPENAPI_VERSION: '3.1.0', API_TITLE: 'One', OPENAPI_URL_PREFIX: '/docs' }
    new Api(app, settings).registerBlueprint(numbers, { urlPrefix: '/v1' })
    new Api(app, { ...settings, API_TITLE: 'Two', OPENAPI_URL_PREFIX: '/docs2' }).registerBlueprint(
      numbers,
      { urlPrefix: '/v2' },
    )
    const send = senderOf(app)
    expect([(await send('GET /v1/')).body, (await send('GET /v2/')).body]).toEqual([1, 1])
    expect((await send('GET /docs2/openapi.json')).body).toMatchObject({
      info: { title: 'Two' },
      paths: { '/v2/': {} },
    })
  },
  async '`api.register_blueprint(blp, url_prefix=…)`'() {
    const { api, send } = silent({})
    const pets = new Blueprint('pets').get('/', operation(response(Pet)), () => rex)
    api.registerBlueprint(pets, {
      urlPrefix: '/animals',
      name: 'animals',
      description: 'About animals',
    })
    expect((await send('GET /animals/')).body).toEqual(rex)
    expect(documentOf(api).tags).toEqual([{ name: 'animals', description: 'About animals' }])
  },
  async '`Blueprint(name, import_name, url_prefix=…, description=…)`'() {
    const pets = new Blueprint('pets', {
      urlPrefix: '/pets',
      description: 'About pets',
      shared: operation(altResponse(418)),
    })
    const { send, api } = served(pets.get('/', operation(response(Pet)), () => rex))
    expect((await send('GET /pets/')).body).toEqual(rex)
    expect(Object.keys(documentOf(api).paths?.['/pets/']?.get?.responses ?? {})).toContain('418')
  },
  async '`blp.register_blueprint(child)`'() {
    const parent = new Blueprint('shop', { urlPrefix: '/shop' })
    parent.blueprint('pets', { urlPrefix: '/pets' }).get('/', operation(response(Pet)), () => rex)
    const apart = new Blueprint('owners').get('/', operation(response(t.string)), () => 'Ann')
    parent.registerBlueprint(apart, { urlPrefix: '/owners' })
    const { send } = served(parent)
    expect([(await send('GET /shop/pets/')).body, (await send('GET /shop/owners/')).body]).toEqual([
      rex,
      'Ann',
    ])
  },
  '`@blp.route(rule, parameters=…, endpoint=…)`'() {
    class View extends MethodView {
      static get = operation(response(Pet))
      get() {
        return rex
      }
    }
    const parameters = [{ name: 'petId', in: 'path' as const, description: 'Its number' }]
    const blueprint = new Blueprint('pets').route('/:petId<int>', View, {
      parameters,
      endpoint: 'Beast',
      tags: ['beasts'],
    })
    const item = documentOf(served(blueprint).api).paths?.['/{petId}']
    expect(item?.parameters?.[0]).toMatchObject({ name: 'petId', description: 'Its number' })
    expect(item?.get).toMatchObject({ operationId: 'Beast_get', tags: ['beasts'] })
  },
  async '`MethodView`'() {
    class Pets extends MethodView {
      static get = operation('Find a pet', response(Pet))
      get() {
        return rex
      }
    }
    expect((await served(new Blueprint('pets').route('/', Pets)).send('GET /')).body).toEqual(rex)
  },
  'decorating a whole `MethodView`'() {
    class Pets extends MethodView {
      static shared = operation(altResponse(418))
      static get = operation(response(Pet))
      get() {
        return rex
      }
    }
    const { api } = served(new Blueprint('pets').route('/', Pets))
    expect(Object.keys(documentOf(api).paths?.['/']?.get?.responses ?? {})).toContain('418')
  },
  docstring() {
    const text = `Find a pet

      Whichever it is.
      ---
      For us.`
    const { get } =
      documentOf(
        served(new Blueprint('pets').get('/', operation(text, response(Pet)), () => rex)).api,
      ).paths?.['/'] ?? {}
    expect(get).toMatchObject({ summary: 'Find a pet', description: 'Whichever it is.' })
  },
  async "`@blp.arguments(Schema, location='query', as_kwargs=True, …)`"() {
    const One = struct({ a: optional(int) })
    const blueprint = new Blueprint('arguments')
    blueprint.post(
      '/named',
      operation(query(One, { asKwargs: true }), response(t.unknown)),
      (_ctx, { a }) => a,
    )
    blueprint.post('/json', operation(json(One), response(t.unknown)), (_ctx, value) => value)
    blueprint.post('/form', operation(form(One), response(t.unknown)), (_ctx, value) => value)
    blueprint.post('/headers', operation(headers(One), response(t.unknown)), (_ctx, value) => value)
    blueprint.post('/cookies', operation(cookies(One), response(t.unknown)), (_ctx, value) => value)
    blueprint.post(
      '/path/:a<int>',
      operation(path(struct({ a: int })), response(t.unknown)),
      (_ctx, value) => value,
    )
    blueprint.post(
      '/any',
      operation(argument(One, { location: 'query' }), response(t.unknown)),
      (_ctx, value) => value,
    )
    const { send } = served(blueprint)
    expect((await send('POST /named?a=1')).body).toBe(1)
    const form1 = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const sent = [
      send('POST /json', { a: 1 }),
      send('POST /form', 'a=1', form1),
      send('POST /headers', undefined, { a: '1' }),
      send('POST /cookies', undefined, { Cookie: 'a=1' }),
      send('POST /path/1'),
      send('POST /any?a=1'),
    ]
    expect((await Promise.all(sent)).map(({ body }) => body)).toEqual(
      Array.from({ length: 6 }, () => ({ a: 1 })),
    )
  },
  async '`content_type`, `required`, `description`, `example`, `examples`'() {
    const Changes = struct({ name: optional(t.string) })
    const options = {
      contentType: 'application/x-pet+json',
      required: false,
      description: 'A pet',
      example: { name: 'Rex' },
    }
    const { send, api } = served(
      new Blueprint('pets').post(
        '/',
        operation(json(Changes, options), response(Changes)),
        (_ctx, changes) => changes,
      ),
    )
    expect(documentOf(api).paths?.['/']?.post?.requestBody).toMatchObject({
      description: 'A pet',
      required: false,
      content: { 'application/x-pet+json': { example: { name: 'Rex' } } },
    })
    expect((await send('POST /')).body).toEqual({})
    expect(
      (await send('POST /', { name: 'Rex' }, { 'Content-Type': 'application/x-pet+json' })).body,
    ).toEqual({ name: 'Rex' })
  },
  async '`error_status_code`, `unknown`'() {
    const blueprint = new Blueprint('pets')
    blueprint.post(
      '/400',
      operation(json(Pet, { errorStatusCode: 400 }), response(Pet)),
      (_ctx, pet) => pet,
    )
    blueprint.post(
      '/exclude',
      operation(json(Pet, { unknown: 'exclude' }), response(t.unknown)),
      (_ctx, pet) => pet,
    )
    blueprint.post(
      '/include',
      operation(json(Pet, { unknown: 'include' }), response(t.unknown)),
      (_ctx, pet) => pet,
    )
    const { send } = served(blueprint)
    expect((await send('POST /400', {})).status).toBe(400)
    expect((await send('POST /exclude', { ...rex, more: 1 })).body).toEqual(rex)
    expect((await send('POST /include', { ...rex, more: 1 })).body).toEqual({ ...rex, more: 1 })
  },
  async '`@blp.response(Schema, code=201, description=…, headers=…)` (today `response(201, Schema)`)'() {
    const described = response(Pet, {
      code: 201,
      description: 'The new pet',
      headers: { 'X-Name': { schema: { type: 'string' } } },
    })
    const { send, api } = served(new Blueprint('pets').post('/', operation(described), () => rex))
    expect((await send('POST /')).status).toBe(201)
    expect(documentOf(api).paths?.['/']?.post?.responses?.['201']).toMatchObject({
      description: 'The new pet',
      headers: { 'X-Name': {} },
    })
  },
  async '`Schema(many=True)`'() {
    expect(
      (
        await served(
          new Blueprint('pets').get('/', operation(response(t.array(Pet))), () => [rex]),
        ).send('GET /')
      ).body,
    ).toEqual([rex])
  },
  '`@blp.alt_response(404, …)`'() {
    const blueprint = new Blueprint('pets').get(
      '/',
      operation(response(Pet), altResponse(404, { description: 'Gone' })),
      () => rex,
    )
    expect(documentOf(served(blueprint).api).paths?.['/']?.get?.responses?.['404']).toMatchObject({
      description: 'Gone',
    })
  },
  async "`return value, 201, {'X-Name': '…'}`"() {
    const blueprint = new Blueprint('pets').post('/', operation(response(Pet, { code: 201 })), () =>
      reply(rex, 201, { 'X-Name': 'Rex' }),
    )
    const sent = await served(blueprint).send('POST /')
    expect([sent.status, sent.headers.get('X-Name'), sent.body]).toEqual([201, 'Rex', rex])
  },
  async 'a Flask `Response`'() {
    const blueprint = new Blueprint('raw')
    const plain = operation(response({ contentType: 'text/plain' }))
    blueprint.get(
      '/response',
      plain,
      () => new Response('a', { headers: { 'Content-Type': 'text/plain' } }),
    )
    blueprint.get('/buffer', plain, () => Buffer.from('b'))
    blueprint.get('/body', plain, ctx => {
      ctx.type = 'text/plain'
      ctx.body = 'c'
    })
    const { send } = served(blueprint)
    expect([
      (await send('GET /response')).body,
      (await send('GET /buffer')).body,
      (await send('GET /body')).body,
    ]).toEqual(['a', 'b', 'c'])
  },
  async '`@blp.paginate(Page, page=…, page_size=…, max_page_size=…)`'() {
    const paged = operation(
      paginate(Page, { page: 2, pageSize: 1, maxPageSize: 2, maxPage: 3 }),
      response(t.array(int)),
    )
    const { send } = served(new Blueprint('pages').get('/', paged, () => [1, 2, 3]))
    expect((await send('GET /')).body).toEqual([2])
    expect([(await send('GET /?page_size=3')).status, (await send('GET /?page=4')).status]).toEqual(
      [422, 422],
    )
  },
  async '`pagination_parameters.item_count`'() {
    const byHand = (
      _ctx: Context,
      { paginationParameters }: { paginationParameters: PaginationParameters },
    ) => {
      paginationParameters.itemCount = 30
      return [paginationParameters.firstItem]
    }
    const { headers: fields } = await served(
      new Blueprint('pages').get('/', operation(paginate(), response(t.array(int))), byHand),
    ).send('GET /')
    expect(JSON.parse(fields.get('X-Pagination') ?? '')).toMatchObject({ total: 30 })
  },
  async '`Page` with `item_count`'() {
    class Rows extends Page<readonly number[]> {
      override get itemCount() {
        return Promise.resolve(this.collection.length)
      }
      override get items() {
        return Promise.resolve(this.collection.slice(0, 1))
      }
    }
    const { body } = await served(
      new Blueprint('pages').get('/', operation(paginate(Rows), response(t.array(int))), () => [
        1, 2,
      ]),
    ).send('GET /')
    expect(body).toEqual([1])
  },
  async '`@blp.etag`, `@blp.etag(Schema)`'() {
    const blueprint = new Blueprint('pets')
    blueprint.get('/plain', operation(etag(), response(Pet)), () => rex)
    blueprint.get('/codec', operation(etag(Pet), response(Pet)), () => rex)
    blueprint.get(
      '/load',
      operation(etag({ load: () => rex, tag: pet => pet.id }), response(Pet)),
      (_ctx, { current }) => current,
    )
    const { send } = served(blueprint)
    for (const place of ['plain', 'codec', 'load']) {
      const tag = (await send(`GET /${place}`)).headers.get('ETag') ?? ''
      expect((await send(`GET /${place}`, undefined, { 'If-None-Match': tag })).status).toBe(304)
    }
  },
  async '`blp.check_etag(data, schema)`, `blp.set_etag(data, schema)`'() {
    const blueprint = new Blueprint('pets')
    blueprint.put('/', operation(etag(Pet), json(Pet), response(Pet)), (ctx, pet) => {
      checkEtag(ctx, rex, Pet)
      setEtag(ctx, pet, Pet)
      return pet
    })
    const { send } = served(blueprint)
    expect([
      (await send('PUT /', rex)).status,
      (await send('PUT /', rex, { 'If-Match': '"x"' })).status,
    ]).toEqual([428, 412])
  },
  async '`@jwt_required()` and `@blp.doc(security=[…])`'() {
    const blueprint = new Blueprint('me')
    blueprint.get('/', operation(secure(login), response(t.string)), (_ctx, { principal }) =>
      whoAmI(principal),
    )
    const { send, api } = served(blueprint)
    expect([(await send('GET /')).status, (await send('GET /', undefined, asAnn)).body]).toEqual([
      401,
      'ann',
    ])
    expect(documentOf(api).paths?.['/']?.get?.security).toEqual([{ login: [] }])
  },
  async '`@jwt_required(optional=True)`'() {
    const blueprint = new Blueprint('me')
    blueprint.get(
      '/',
      operation(secure(login, { optional: true }), response(t.string)),
      (_ctx, { principal }) => whoAmI(principal),
    )
    const { send } = served(blueprint)
    expect([(await send('GET /')).body, (await send('GET /', undefined, asAnn)).body]).toEqual([
      'nobody',
      'ann',
    ])
  },
  async '`get_jwt_identity()`, `current_user`'() {
    class Me extends MethodView {
      static get = operation(secure(login), response(t.string))
      get(_: Context, { principal }: { principal: { name: string } }) {
        return principal.name
      }
    }
    expect(
      (await served(new Blueprint('me').route('/', Me)).send('GET /', undefined, asAnn)).body,
    ).toBe('ann')
  },
  '`api.spec.components.security_scheme(…)`'() {
    const blueprint = new Blueprint('me').get(
      '/',
      operation(secure(login), response(t.string)),
      () => 'a',
    )
    expect(documentOf(served(blueprint).api).components?.securitySchemes).toEqual({
      login: { type: 'http', scheme: 'basic' },
    })
  },
  '`@blp.doc(…)`'() {
    const blueprint = new Blueprint('pets').get(
      '/',
      operation(response(Pet), doc({ operationId: 'findRex' })),
      () => rex,
    )
    blueprint.get('/hidden', operation(response(Pet), doc({ hidden: true })), () => rex)
    const { paths } = documentOf(served(blueprint).api)
    expect([paths?.['/']?.get?.operationId, paths?.['/hidden']]).toEqual(['findRex', undefined])
  },
  async '`abort(404, message=…, errors=…, headers=…, exc=…)`'() {
    const details = {
      message: 'Gone.',
      errors: { json: { a: ['No.'] } },
      headers: { 'X-Why': 'sold' },
      cause: new Error('sold'),
    }
    const { send } = served(
      new Blueprint('pets').get('/', operation(response(Pet)), () => abort(404, details)),
    )
    const sent = await send('GET /')
    expect(sent.body).toEqual({
      code: 404,
      status: 'Not Found',
      message: 'Gone.',
      errors: { json: { a: ['No.'] } },
    })
    expect(sent.headers.get('X-Why')).toBe('sold')
  },
  async 'further keywords of `abort(…)`, for the error handler'() {
    const seen: unknown[] = []
    class Handling extends Api {
      override handleHttpException(failure: Failure, ctx: Context) {
        seen.push(failure.data)
        super.handleHttpException(failure, ctx)
      }
    }
    const app = new Koa()
    new Handling(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(
      new Blueprint('pets').get('/', operation(response(Pet)), () =>
        abort(404, { data: { shelf: 3 } }),
      ),
    )
    expect((await senderOf(app)('GET /')).body).toEqual({ code: 404, status: 'Not Found' })
    expect(seen).toEqual([{ shelf: 3 }])
  },
  async "`defaults={'page': 1}` of a rule"() {
    class Pages extends MethodView {
      static get = operation(response(int))
      get(_ctx: Context, { page = 1 }: { page?: number }) {
        return page
      }
    }
    const { send } = served(
      new Blueprint('pages').route('/', Pages).route('/:page<int>', Pages, { endpoint: 'Page' }),
    )
    expect([(await send('GET /')).body, (await send('GET /7')).body]).toEqual([1, 7])
  },
  'names of error components: `UNPROCESSABLE_ENTITY`'() {
    const blueprint = new Blueprint('pets').post('/', operation(json(Pet)), () => null)
    const { components } = documentOf(served(blueprint).api)
    expect(Object.keys(components?.responses ?? {})).toContain('UnprocessableEntity')
  },
  "the tag of a nested Blueprint: its parent's"() {
    const inner = new Blueprint('toys', { urlPrefix: '/toys' }).get('/', operation(), () => null)
    const { paths } = documentOf(
      served(new Blueprint('pets', { urlPrefix: '/pets' }).registerBlueprint(inner)).api,
    )
    expect(paths?.['/pets/toys/']?.get?.tags).toEqual(['toys'])
  },
  async '`Api.handle_http_exception(error)`'() {
    const app = new Koa()
    app.silent = true
    const seen: unknown[] = []
    class OurApi extends Api {
      override handleHttpException(failure: Failure, ctx: Context) {
        seen.push(failure.code, failure.cause)
        super.handleHttpException(failure, ctx)
      }
    }
    const cause = new Error('broken')
    const blueprint = new Blueprint('pets').get('/', operation(response(Pet)), () => {
      throw cause
    })
    new OurApi(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)
    expect((await senderOf(app)('GET /')).status).toBe(500)
    expect(seen).toEqual([500, cause])
  },
  async "`api.register_converter(converter, 'string', 'fmt')`"() {
    const { api, send } = silent({})
    api.registerConverter('year', {
      parse: text => (/^\d{4}$/.test(text) ? Number(text) : undefined),
      schema: { type: 'integer' },
    })
    api.registerBlueprint(
      new Blueprint('annals').get(
        '/:year<year>',
        operation(response(t.unknown)),
        (_ctx, { year }) => year,
      ),
    )
    expect([(await send('GET /1999')).body, (await send('GET /99')).status]).toEqual([1999, 404])
  },
  "`api.register_field(Field, 'string', 'uri')`"() {
    const [Link, Text] = [struct({ a: t.string }), struct({ b: int })]
    const { api } = silent({})
    api.registerField(Link, 'string', 'uri').registerField(Text, t.boolean)
    api.registerBlueprint(
      new Blueprint('links').get(
        '/',
        operation(response(struct({ link: Link, text: Text }))),
        () => ({}) as never,
      ),
    )
    const properties =
      documentOf(api).paths?.['/']?.get?.responses?.['200']?.content?.['application/json']?.schema
        ?.properties
    expect(properties).toEqual({
      link: { type: 'string', format: 'uri' },
      text: { type: 'boolean' },
    })
  },
  '`api.spec.components.schema(…)`'() {
    const { api } = silent({})
    api.spec.components.schema('Money', { type: 'string' })
    expect(documentOf(api).components?.schemas).toEqual({ Money: { type: 'string' } })
  },
  async '`spec.to_dict()`, `flask openapi write`'() {
    const folder = mkdtempSync(join(tmpdir(), 'names-'))
    try {
      const from = pathToFileURL(join(root, 'src/index.ts')).href
      const koa = pathToFileURL(join(root, 'node_modules/koa/lib/application.js')).href
      writeFileSync(
        join(folder, 'app.mjs'),
        `import Koa from ${JSON.stringify(koa)}\nimport { Api } from ${JSON.stringify(from)}\nexport const api = new Api(new Koa(), { OPENAPI_VERSION: '3.0.3' })`,
      )
      const errors: string[] = []
      const code = await commandLine(
        ['openapi', 'write', join(folder, 'app.mjs'), join(folder, 'openapi.yaml')],
        {
          out: () => undefined,
          error: text => errors.push(text),
        },
      )
      expect({ code, errors }).toEqual({ code: 0, errors: [] })
    } finally {
      rmSync(folder, { recursive: true })
    }
    expect(silent({}).api.spec.toJSON()).toMatchObject({ openapi: '3.1.0' })
  },
  '`flask routes`'() {
    // spec/command/routes.spec.ts runs it
    expect(USAGE).toContain('koa-smorest routes MODULE')
  },
  async '`app.test_client()`'() {
    const { app } = served(new Blueprint('pets').get('/', operation(response(Pet)), () => rex))
    expect(await (await fetchOf(app)('/')).json()).toEqual(rex)
  },
  "`url_for('pets.PetById', pet_id=7)`"() {
    class PetById extends MethodView {
      static get = operation(response(Pet))
      get() {
        return rex
      }
    }
    const { api } = served(
      new Blueprint('pets', { urlPrefix: '/pets' }).route('/:petId<int>', PetById),
    )
    expect(api.url('PetById', { petId: 7 })).toBe('/pets/7')
  },
  async '`@app.before_request`, `@blp.before_request`'() {
    const blueprint = new Blueprint('pets')
    blueprint.use((ctx, next) => {
      ctx.set('X-Before', 'blueprint')
      return next()
    })
    const { send } = served(blueprint.get('/', operation(response(Pet)), () => rex))
    expect((await send('GET /')).headers.get('X-Before')).toBe('blueprint')
  },
  '`flask_plugin`, `marshmallow_plugin`, `extra_plugins`, `openapi_version`'() {
    const Odd = new t.Type<string>('Odd', t.string.is, t.string.validate, t.identity)
    const plugins = {
      openapiVersion: '3.0.3',
      koaPlugin: { path: () => ({ 'x-one': 1 }) },
      ioTsPlugin: {
        schema: (codec: t.Mixed) =>
          codec === Odd ? { type: 'string' as const, format: 'odd' } : undefined,
      },
      extraPlugins: [{ path: () => ({ 'x-two': 2 }) }],
    }
    const { api } = silent({ OPENAPI_VERSION: undefined }, plugins)
    api.registerBlueprint(new Blueprint('odd').get('/', operation(response(Odd)), () => 'a'))
    const document = documentOf(api)
    expect([document.openapi, JSON.stringify(document)]).toEqual([
      '3.0.3',
      expect.stringMatching(/"format":"odd".*"x-one":1.*"x-two":2/),
    ])
  },
  async '`HTTP_METHODS`, `ARGUMENTS_PARSER`, `DEFAULT_PAGINATION_PARAMETERS`, `DOCSTRING_INFO_DELIMITER`, …'() {
    class Ours extends Blueprint {
      static override HTTP_METHODS = ['DELETE', 'GET']
      static override ARGUMENTS_PARSER = { ...Blueprint.ARGUMENTS_PARSER }
      static override DEFAULT_PAGINATION_PARAMETERS = { page: 1, pageSize: 2, maxPageSize: 3 }
      static override DOCSTRING_INFO_DELIMITER = '==='
    }
    class Numbers extends MethodView {
      static get = operation('All\n\n===\nFor us', paginate(Page), response(t.array(int)))
      get() {
        return [1, 2, 3]
      }
      static delete = operation(response({ code: 204 }))
      delete() {}
    }
    const { send, api } = served(new Ours('pages').route('/', Numbers))
    expect((await send('GET /')).body).toEqual([1, 2])
    expect(Object.keys(documentOf(api).paths?.['/'] ?? {})).toEqual(['delete', 'get'])
    expect(documentOf(api).paths?.['/']?.get).toMatchObject({ summary: 'All' })
  },
  async '`PAGINATION_HEADER_FIELD_NAME` (today `PAGINATION_HEADER_NAME`)'() {
    class Ours extends Blueprint {
      static override PAGINATION_HEADER_FIELD_NAME = 'X-Page'
    }
    const { headers: fields } = await served(
      new Ours('pages').get('/', operation(paginate(Page), response(t.array(int))), () => [1]),
    ).send('GET /')
    expect(fields.get('X-Page')).toContain('"total":1')
  },
  async '`_prepare_response_content`'() {
    class Enveloped extends Blueprint {
      override prepareResponseContent(data: unknown) {
        return { data }
      }
      override prepareResponseSchema(schema: SchemaObject | ReferenceObject) {
        return { type: 'object' as const, properties: { data: schema }, required: ['data'] }
      }
    }
    const { send, api } = served(
      new Enveloped('pets').get('/', operation(response(Pet)), () => rex),
    )
    expect((await send('GET /')).body).toEqual({ data: rex })
    expect(JSON.stringify(documentOf(api))).toContain('"properties":{"data":')
  },
  async '`API_VERSION`, `OPENAPI_…`, `ETAG_DISABLED`, `APPLICATION_ROOT`'() {
    const settings = {
      API_TITLE: 'Pets',
      API_VERSION: '7',
      OPENAPI_VERSION: '2.0',
      ETAG_DISABLED: true,
      APPLICATION_ROOT: '/v7',
    }
    const { send, api } = served(
      new Blueprint('pets').get('/', operation(etag(), response(Pet)), () => rex),
      { ...settings, ETAG_REQUIRE_IF_MATCH: false },
    )
    expect((await send('GET /')).headers.get('ETag')).toBeNull()
    expect(documentOf(api)).toMatchObject({
      info: { title: 'Pets', version: '7' },
      basePath: '/v7',
    })
  },
}

it.each(Object.keys(ROWS))(
  'names of flask-smorest have a counterpart that does what the manual says: %s',
  async row => {
    await ROWS[row]?.()
  },
)

it('every row of the table of names is tried', () => {
  expect(rowsBehind('## Names')).toEqual(Object.keys(ROWS))
})

it('a field of a query that is repeated for each item is a list, as in flask-smorest', async () => {
  const blueprint = new Blueprint('lists').get(
    '/',
    operation(query(struct({ a: list(int) })), response(t.unknown)),
    (_ctx, { a }) => a,
  )
  expect((await served(blueprint).send('GET /?a=1&a=2')).body).toEqual([1, 2])
})
