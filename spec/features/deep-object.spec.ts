import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  apiKey,
  Blueprint,
  body,
  bool,
  doc,
  type Feature,
  files,
  form,
  headers,
  int,
  isoDate,
  json,
  list,
  nullable,
  operation,
  optional,
  Page,
  type PathsOf,
  paginate,
  query,
  readOnly,
  response,
  secure,
  struct,
  Upload,
  withDefault,
} from 'koa-smorest'
import { contract } from 'koa-smorest/testing'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'

const Range = struct({ gte: optional(int), lte: optional(int) })
const Row = struct({ sku: t.string, count: withDefault(int, 1) })
const Filter = struct({
  created: optional(Range),
  owner: optional(struct({ name: t.string, home: optional(struct({ city: t.string })) })),
  tags: optional(t.array(t.string)),
  ids: optional(list(int)),
  rows: optional(t.array(Row)),
  pair: optional(t.tuple([int, t.string])),
  labels: optional(t.record(t.string, int)),
  maybe: optional(nullable(Range)),
  limit: optional(int),
})
const DEEP = { style: 'deepObject' } as const

async function serveDeep(...features: readonly Feature[]) {
  const views = new Blueprint('views').route(
    '/',
    operation(...features),
    ((_ctx: unknown, value: unknown) => value) as never,
    { methods: ['GET', 'POST'] },
  )
  const { request, api } = await serveBlueprints(views)
  return {
    api,
    get: async (search: string) => (await request('GET', `/?${search}`)).body,
    post: async (fields: string | FormData) =>
      (
        await request('POST', '/', {
          body: typeof fields === 'string' ? new URLSearchParams(fields) : fields,
        })
      ).body,
  }
}

/** The same fields as each kind of form. */
function multipart(text: string): FormData {
  const data = new FormData()
  for (const [name, value] of new URLSearchParams(text)) data.append(name, value)
  return data
}

const READ: readonly (readonly [string, unknown])[] = [
  ['created[gte]=5', { created: { gte: 5 } }],
  ['created[gte]=5&limit=3&created[lte]=9', { created: { gte: 5, lte: 9 }, limit: 3 }],
  ['owner[home][city]=Ulm&owner[name]=Ann', { owner: { name: 'Ann', home: { city: 'Ulm' } } }],
  ['tags=a&tags=b', { tags: ['a', 'b'] }],
  ['tags[]=a&tags[]=b', { tags: ['a', 'b'] }],
  ['tags[]=a', { tags: ['a'] }],
  ['tags[1]=b&tags[0]=a', { tags: ['a', 'b'] }],
  ['ids=1,2', { ids: [1, 2] }],
  ['ids[]=1&ids[]=2', { ids: [1, 2] }],
  [
    'rows[0][sku]=a&rows[1][sku]=b&rows[1][count]=2',
    {
      rows: [
        { sku: 'a', count: 1 },
        { sku: 'b', count: 2 },
      ],
    },
  ],
  ['pair[0]=1&pair[1]=x', { pair: [1, 'x'] }],
  ['labels[a]=1&labels[b]=2', { labels: { a: 1, b: 2 } }],
  ['maybe[gte]=5', { maybe: { gte: 5 } }],
]

const REFUSED: readonly (readonly [string, unknown])[] = [
  ['created[gte]=x', { created: { gte: ['Not a whole number.'] } }],
  ['created=5', { created: { _schema: ['Not an object.'] } }],
  ['created=5&created[gte]=5', { created: { _schema: ['Not an object.'] } }],
  ['created[gte]=1&created[gte]=2', { created: { gte: ['Given more than once.'] } }],
  ['owner[home][city]=Ulm', { owner: { name: ['Missing data for required field.'] } }],
  ['rows[0][count]=x', { rows: { 0: { sku: [expect.any(String)], count: [expect.any(String)] } } }],
  ...['tags[1]=a', 'tags[0]=a&tags[2]=b', 'tags[00]=a', 'tags[x]=a', 'tags=a&tags[]=b'].map(
    sent => [sent, { tags: [expect.stringContaining('have no holes')] }] as const,
  ),
  ['tags[]=a&tags[0]=b', { tags: [expect.stringContaining('have no holes')] }],
  ['rows[][sku]=a', { rows: [expect.stringContaining('have no holes')] }],
  ['tags[0][x]=a', { tags: { 0: [expect.any(String)] } }],
  [
    'tags[1]=a&created[gte]=x',
    { tags: [expect.any(String)], created: { gte: ['Not a whole number.'] } },
  ],
]

/** Names that the codec does not declare, and where they are unknown fields. */
const UNKNOWN: readonly (readonly [string, unknown])[] = [
  ['created[x]=1', { created: { x: ['Unknown field.'] } }],
  ['other[gte]=1', { 'other[gte]': ['Unknown field.'] }],
  ['limit[x]=1', { 'limit[x]': ['Unknown field.'] }],
  ['created[x][y]=1', { created: { x: ['Unknown field.'] } }],
  ['created[gte][x]=1', { created: { 'gte[x]': ['Unknown field.'] } }],
  ['created[gte=1', { 'created[gte': ['Unknown field.'] }],
  ['created[gte]x=1', { 'created[gte]x': ['Unknown field.'] }],
  ['created.gte=1', { 'created.gte': ['Unknown field.'] }],
  ['[gte]=1', { '[gte]': ['Unknown field.'] }],
  ['constructor[prototype]=1', { 'constructor[prototype]': ['Unknown field.'] }],
  ['created[constructor]=1', { created: { constructor: ['Unknown field.'] } }],
]

describe("a query in the style 'deepObject'", async () => {
  const { get } = await serveDeep(query(Filter, DEEP))

  it.each(READ)('reads %s', async (search, value) => {
    expect(await get(search)).toEqual(value)
    expect(await get(encodeURIComponent(search).replace(/%3D/g, '=').replace(/%26/g, '&'))).toEqual(
      value,
    )
  })

  it.each(REFUSED)('refuses %s, and says where', async (search, errors) => {
    expect(await get(search)).toMatchObject({ code: 422, errors: { query: errors } })
  })

  it.each(UNKNOWN)('ignores what is not declared: %s', async search => {
    expect(await get(`limit=3&${search}`)).toEqual(
      search.startsWith('created[') && search.includes(']=')
        ? { limit: 3, created: {} }
        : { limit: 3 },
    )
  })

  it('does not look at the prototype of anything', async () => {
    expect(await get('__proto__[limit]=1&created[__proto__][gte]=1&labels[__proto__]=1')).toEqual(
      {},
    )
  })

  it('takes __proto__ for no name of a dictionary', async () => {
    const nested = await serveDeep(query(struct({ m: optional(t.record(t.string, Range)) }), DEEP))
    expect(await nested.get('m[__proto__][gte]=1&m[a][gte]=2')).toEqual({ m: { a: { gte: 2 } } })
    const whole = await serveDeep(query(t.record(t.string, Range), DEEP))
    expect(await whole.get('__proto__[gte]=1')).toMatchObject({
      errors: { query: { '__proto__[gte]': { _schema: ['Not an object.'] } } },
    })
  })

  it('keeps a declared name that has brackets', async () => {
    const odd = await serveDeep(query(struct({ 'a[b]': t.string, a: optional(Range) }), DEEP))
    expect(await odd.get('a[b]=x&a[gte]=1')).toEqual({ 'a[b]': 'x', a: { gte: 1 } })
  })

  it('reads a recursion, and no deeper than a hundred levels', async () => {
    const Tree: t.Mixed = t.recursion('Tree', self =>
      struct({ next: optional(self), n: optional(int) }),
    )
    const deep = await serveDeep(
      query(struct({ tree: optional(Tree) }), { ...DEEP, unknown: 'raise' }),
    )
    expect(await deep.get('tree[next][next][n]=1')).toEqual({ tree: { next: { next: { n: 1 } } } })
    const name = `tree${'[next]'.repeat(101)}`
    expect((await deep.get(`${name}=1`)).errors).toEqual({
      query: { [`${name.slice(0, 100)}…`]: ['Unknown field.'] },
    })
  })

  it('reads unions of objects, and texts beside objects', async () => {
    const either = await serveDeep(
      query(
        struct({
          by: optional(
            t.union([
              t.strict({ kind: t.literal('a'), at: struct({ n: int }) }),
              t.strict({ kind: t.literal('b'), at: t.string }),
            ]),
          ),
          id: optional(t.union([int, Range])),
        }),
        DEEP,
      ),
    )
    expect(await either.get('by[kind]=a&by[at][n]=1')).toEqual({ by: { kind: 'a', at: { n: 1 } } })
    expect(await either.get('by[kind]=b&by[at]=x')).toEqual({ by: { kind: 'b', at: 'x' } })
    expect(await either.get('id=1')).toEqual({ id: 1 })
    expect(await either.get('id[lte]=1')).toEqual({ id: { lte: 1 } })
  })

  it('is not what other queries do', async () => {
    const flat = await serveDeep(
      query(struct({ 'a[b]': optional(int), tags: optional(t.array(t.string)) })),
    )
    expect(await flat.get('a[b]=1&tags[]=x')).toEqual({ 'a[b]': 1 })
  })
})

describe("a query in the style 'deepObject' that refuses unknown names", async () => {
  const { get } = await serveDeep(query(Filter, { ...DEEP, unknown: 'raise' }))

  it.each(UNKNOWN)('refuses what is not declared: %s', async (search, errors) => {
    expect(await get(search)).toMatchObject({ code: 422, errors: { query: errors } })
  })

  it('refuses __proto__ wherever it is', async () => {
    const { errors } = await get('__proto__[limit]=1&created[__proto__][gte]=1&__proto__=1')
    expect(JSON.stringify(errors)).toBe(
      '{"query":{"__proto__[limit]":["Unknown field."],"created[__proto__][gte]":["Unknown field."],"__proto__":["Unknown field."]}}',
    )
  })

  it('accepts what other features read', async () => {
    const login = apiKey('key', { in: 'query', name: 'key', principal: key => key === 'abc' })
    const other = query(struct({ where: optional(Range) }), DEEP)
    const { request } = await serveBlueprints(
      new Blueprint('views').get(
        '/',
        operation(
          secure(login),
          paginate(Page, { names: { page: 'page[number]', pageSize: 'page[size]' } }),
          query(struct({ created: optional(Range) }), { ...DEEP, unknown: 'raise' }),
          other,
          doc({
            parameters: [
              { name: 'by', in: 'query', style: 'deepObject', schema: { type: 'object' } },
            ],
          }),
          response(t.array(t.unknown)),
        ),
        () => [],
      ),
    )
    const search = 'key=abc&page[number]=1&created[gte]=1&where[lte]=1&by[x][y]=1'
    expect((await request('GET', `/?${search}`)).body).toEqual([])
    expect((await request('GET', `/?${search}&no[x]=1`)).body.errors).toEqual({
      query: { 'no[x]': ['Unknown field.'] },
    })
  })
})

describe("a form in the style 'deepObject'", async () => {
  const { post } = await serveDeep(form(Filter, DEEP))

  it.each(READ)('reads %s, urlencoded and multipart', async (fields, value) => {
    expect(await post(fields)).toEqual(value)
    expect(await post(multipart(fields))).toEqual(value)
  })

  it.each([...REFUSED, ...UNKNOWN])(
    'refuses %s, urlencoded and multipart',
    async (fields, errors) => {
      expect(await post(fields)).toMatchObject({ code: 422, errors: { form: errors } })
      expect(await post(multipart(fields))).toMatchObject({ code: 422, errors: { form: errors } })
    },
  )

  it('is read beside files, and beside JSON in body()', async () => {
    const both = await serveDeep(
      form(struct({ created: Range }), DEEP),
      files(t.type({ file: Upload })),
    )
    const data = multipart('created[gte]=1')
    data.append('file', new Blob(['x']), 'x.txt')
    expect(await both.post(data)).toEqual({ created: { gte: 1 } })
    const any = await serveDeep(body(json(Filter), form(Filter, DEEP)))
    expect(await any.post('created[gte]=1')).toEqual({ created: { gte: 1 } })
  })
})

describe("the document of the style 'deepObject'", () => {
  const Shown = struct({
    id: readOnly(optional(Range)),
    created: Range,
    tags: optional(t.array(t.string)),
    limit: optional(bool),
    home: optional(struct({ day: isoDate, at: optional(struct({ city: t.string })) })),
  })
  const documentOf = (version: string) => {
    const api = new Api(new Koa(), { OPENAPI_VERSION: version })
    const views = new Blueprint('views')
      .get('/', operation(query(Shown, DEEP), response(t.string)), () => '')
      .post('/', operation(form(Shown, DEEP), response(t.string)), () => '')
    api.registerBlueprint(views)
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    return (api.spec.toJSON() as any).paths['/']
  }

  it.each(['3.0.3', '3.1.0', '3.2.0'])('has it for objects only, in %s', version => {
    const { get, post } = documentOf(version)
    expect(
      get.parameters.map(({ name, style, explode, schema }: Record<string, unknown>) => [
        name,
        style,
        explode,
        (schema as { type: string }).type,
      ]),
    ).toEqual([
      ['created', 'deepObject', true, 'object'],
      ['tags', undefined, undefined, 'array'],
      ['limit', undefined, undefined, 'boolean'],
      ['home', 'deepObject', true, 'object'],
    ])
    const [content] = Object.values(post.requestBody.content) as [{ encoding: unknown }]
    expect(content.encoding).toEqual({
      created: { style: 'deepObject', explode: true },
      home: { style: 'deepObject', explode: true },
    })
  })

  it('has it for an object or something else, and for lists of objects', async () => {
    const Item = struct({ sku: t.string, count: optional(int) })
    const either = struct({
      created: optional(t.union([Range, int])),
      rows: optional(t.array(Item)),
    })
    const { request, api } = await serveBlueprints(
      new Blueprint('views')
        .get(
          '/',
          operation(
            query(either, DEEP),
            query(struct({ limit: optional(int) }), { unknown: 'raise' }),
            response(either),
          ),
          (_ctx, asked) => asked,
        )
        .post('/', operation(form(either, DEEP), response(either)), (_ctx, given) => given),
    )
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const { get, post } = (api.spec.toJSON('3.1.0') as any).paths['/']
    expect(get.parameters[0]).toMatchObject({ name: 'created', style: 'deepObject', explode: true })
    expect(post.requestBody.content['application/x-www-form-urlencoded'].encoding).toEqual({
      created: { style: 'deepObject', explode: true },
      rows: { style: 'deepObject', explode: true },
    })
    expect((await request('GET', '/?created[gte]=1')).body).toEqual({ created: { gte: 1 } })
    expect((await request('GET', '/?created=1')).body).toEqual({ created: 1 })
    const { app } = api
    const skip = [{ operation: '*', check: 'law: filter', reason: 'it returns what was asked' }]
    const report = await contract(app, api, { reset() {}, runs: 8, skip })
    expect(report.failures).toEqual([])
  })

  it('has the fields by their names in brackets in 2.0, which has no objects there', () => {
    const { get, post } = documentOf('2.0')
    const shown = (parameters: readonly Record<string, unknown>[]) =>
      parameters.map(({ name, in: place, required = false, type }) => [name, place, required, type])
    const names = [
      ['created[gte]', false, 'integer'],
      ['created[lte]', false, 'integer'],
      ['tags', false, 'array'],
      ['limit', false, 'boolean'],
      ['home[day]', false, 'string'],
      ['home[at][city]', false, 'string'],
    ]
    expect(shown(get.parameters)).toEqual(
      names.map(([name, required, type]) => [name, 'query', required, type]),
    )
    expect(shown(post.parameters)).toEqual(
      names.map(([name, required, type]) => [name, 'formData', required, type]),
    )
  })
})

describe("the option style: 'deepObject'", () => {
  const faultOf = (feature: Feature) => () =>
    new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(
      new Blueprint('views').post('/', operation(feature), () => undefined),
    )

  it('belongs to query and form', () => {
    for (const feature of [json(Filter, DEEP), headers(struct({ a: t.string }), DEEP)])
      expect(faultOf(feature)).toThrow('style belongs to query(…) and form(…)')
    expect(faultOf(query(Filter, { style: 'form' as never }))).toThrow('style')
  })

  it('has no files inside of objects', () => {
    expect(faultOf(form(struct({ a: struct({ file: Upload }) }), DEEP))).toThrow(
      '"a" has a file inside: take it with files(…)',
    )
  })

  it('is known to clients by the type of the object', () => {
    const views = new Blueprint('views', { urlPrefix: '/jobs' }).get(
      '/',
      operation(query(struct({ created: optional(Range) }), DEEP), response(t.string)),
      () => '',
    )
    const api = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(views)
    type Query = PathsOf<typeof api>['/jobs/']['get']['parameters']['query']
    expectTypeOf<NonNullable<Query>['created']>().toEqualTypeOf<
      { gte?: number; lte?: number } | undefined
    >()
  })

  it('is written by contract()', async () => {
    const Asked = struct({
      created: optional(Range),
      owner: struct({ name: t.string, days: optional(t.array(isoDate)) }),
    })
    const app = new Koa()
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' })
    const seen: unknown[] = []
    const note = (_ctx: unknown, value: unknown) => {
      seen.push(value)
      return ''
    }
    api.registerBlueprint(
      new Blueprint('views')
        .get('/', operation(query(Asked, DEEP), response(t.string)), note)
        .post('/', operation(form(Asked, DEEP), response(t.string)), note),
    )
    const report = await contract(app, api, { reset() {}, seed: 1, runs: 8 })
    expect(report.failures).toEqual([])
    expect(
      seen.some(value => (value as { created?: { gte?: number } }).created?.gte !== undefined),
    ).toBe(true)
  })
})
