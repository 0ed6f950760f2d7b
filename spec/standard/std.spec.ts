import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { scope, type } from 'arktype'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  altResponse,
  Blueprint,
  cookies,
  describe as described,
  etag,
  events,
  type Feature,
  form,
  headers,
  int,
  json,
  keyset,
  lines,
  mergePatch,
  operation,
  path,
  query,
  refine,
  reply,
  response,
  struct,
  webhook,
} from 'koa-smorest'
import { std } from 'koa-smorest/standard'
import { contract } from 'koa-smorest/testing'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { danglingReferences } from '../../src/openapi/document/dangling-references.js'
import { serveBlueprints } from '../support/client.js'

/** The same schema in each library. */
const PETS = {
  zod: std(
    z.object({ name: z.string().min(1), age: z.int(), tags: z.array(z.string()).default([]) }),
  ),
  valibot: std(
    toStandardJsonSchema(
      v.object({
        name: v.pipe(v.string(), v.minLength(1)),
        age: v.pipe(v.number(), v.integer()),
        tags: v.optional(v.array(v.string()), []),
      }),
    ),
  ),
  arktype: std(
    type({ name: 'string > 0', age: 'number.integer', tags: type('string[]').default(() => []) }),
  ),
}
const LIBRARIES = Object.keys(PETS) as (keyof typeof PETS)[]

/** Serves operations whose methods return their arguments. */
async function serveArguments(operations: Readonly<Record<string, Feature>>) {
  const views = new Blueprint('views')
  const show = (_ctx: unknown, ...given: readonly unknown[]) => given[0]
  for (const [rule, feature] of Object.entries(operations))
    views.route(rule, operation(feature), show as never, { methods: ['GET', 'POST'] })
  return serveBlueprints(views, { TESTING: true })
}

/** The faults of operations, without their places. */
function faultsOf(...features: readonly Feature[]): readonly string[] {
  const views = new Blueprint('views').post(
    '/pets',
    operation(...features) as never,
    () => undefined as never,
  )
  try {
    new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(views)
    return []
  } catch (error) {
    return (error as { faults: readonly string[] }).faults.map(fault =>
      fault.replace('pets, POST /pets: ', ''),
    )
  }
}

function documentOf(version: string, ...features: readonly Feature[]) {
  const api = new Api(new Koa(), { OPENAPI_VERSION: version })
  api.warn = () => undefined
  const views = new Blueprint('views')
  for (const [index, feature] of features.entries())
    views.post(`/${index}`, operation(feature) as never, () => undefined as never)
  // biome-ignore lint/suspicious/noExplicitAny: what is expected of it is what assertions are for
  const document = api.registerBlueprint(views).spec.toJSON() as any
  return {
    document,
    schemas: document.components?.schemas ?? document.definitions,
    bodies: features.map(
      (_, index) =>
        document.paths[`/${index}`].post.requestBody?.content['application/json'].schema,
    ),
  }
}

describe.each(LIBRARIES)('a schema of %s as a JSON body', library => {
  const codec: t.Mixed = PETS[library]

  it('gives the method the output of the schema', async () => {
    const { request } = await serveArguments({ '/pets': json(codec) })
    const { body } = await request('POST', '/pets', { json: { name: 'Rex', age: 3 } })
    expect(body).toEqual({ name: 'Rex', age: 3, tags: [] })
  })

  it('refuses what the schema refuses, with its messages under the names of the fields', async () => {
    const { request } = await serveArguments({ '/pets': json(codec) })
    const { status, body } = await request('POST', '/pets', { json: { age: 'x', tags: ['a', 1] } })
    expect({ status, body }).toEqual({
      status: 422,
      body: {
        code: 422,
        status: 'Unprocessable Entity',
        errors: {
          json: {
            name: [expect.any(String)],
            age: [expect.stringMatching(/number|integer/)],
            tags: { 1: [expect.stringContaining('string')] },
          },
        },
      },
    })
  })

  it.each([null, 5])('refuses %j as a whole', async given => {
    const { request } = await serveArguments({
      '/pets': json(codec),
      '/struct': json(struct({ pet: codec })),
    })
    const messages = { _schema: [expect.stringMatching(/object/i)] }
    expect((await request('POST', '/pets', { json: given })).body.errors).toEqual({
      json: messages,
    })
    expect((await request('POST', '/struct', { json: { pet: given } })).body.errors).toEqual({
      json: { pet: messages },
    })
  })

  it('is part of a list or a struct of io-ts', async () => {
    const { request } = await serveArguments({
      '/list': json(t.array(codec)),
      '/struct': json(struct({ pet: codec, size: int })),
    })
    const rex = { name: 'Rex', age: 3, tags: [] }
    expect((await request('POST', '/list', { json: [{ name: 'Rex', age: 3 }] })).body).toEqual([
      rex,
    ])
    expect((await request('POST', '/list', { json: [rex, {}] })).body.errors.json).toEqual({
      1: { name: [expect.any(String)], age: [expect.any(String)] },
    })
    expect((await request('POST', '/struct', { json: { pet: rex, size: 1 } })).body).toEqual({
      pet: rex,
      size: 1,
    })
    expect(
      (await request('POST', '/struct', { json: { pet: rex, size: 'x', other: 1 } })).body.errors
        .json,
    ).toEqual({ size: ['Not a whole number.'], other: ['Unknown field.'] })
  })

  it('is in the document with its JSON Schema', () => {
    expect(documentOf('3.1.0', json(codec)).bodies[0]).toMatchObject({
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1 },
        age: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string' } },
      },
    })
  })
})

describe.each(LIBRARIES)('a schema of %s as a response', library => {
  it('sends what the schema declares and nothing else, at any depth', async () => {
    const Nested = {
      zod: std(z.object({ pets: z.array(z.object({ name: z.string() })) })),
      valibot: std(
        toStandardJsonSchema(v.object({ pets: v.array(v.object({ name: v.string() })) })),
      ),
      arktype: std(type({ pets: type({ name: 'string' }).array() })),
    }[library] as t.Mixed
    const secret = { name: 'Rex', password: 'sesame' }
    const views = new Blueprint('views')
      .get('/one', operation(response(Nested)), () => ({ pets: [secret], other: 1 }) as never)
      .get('/many', operation(response(t.array(Nested))), () => [{ pets: [secret] }] as never)
      .get(
        '/other',
        operation(response(t.string), altResponse(409, Nested)),
        () => reply({ pets: [secret] }, 409) as never,
      )
    const { request } = await serveBlueprints(views)
    const bodies = await Promise.all(
      ['/one', '/many', '/other'].map(async url => (await request('GET', url)).body),
    )
    const sent = { pets: [{ name: 'Rex' }] }
    expect(bodies).toEqual([sent, [sent], sent])
  })

  it('refuses a result that the schema refuses, and says where, but never the value', async () => {
    const views = new Blueprint('views').get(
      '/',
      operation(response(t.array(PETS[library] as t.Mixed))),
      () => [{ name: 'Rex', age: 'sesame', tags: [] }] as never,
    )
    const { request, errors } = await serveBlueprints(views)
    expect((await request('GET', '/')).status).toBe(500)
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /The result does not fit its codec at \[0\]\.age: expected .*(?:int|number)/,
      ),
    ])
    expect(errors[0]?.message).not.toContain('sesame')
  })
})

const Filter = z.object({
  limit: z.coerce.number().int().max(50).default(20),
  weight: z.number().optional(),
  small: z.boolean().optional(),
  ids: z.array(z.int()).optional(),
  sort: z.enum(['asc', 'desc']).optional(),
  either: z.union([z.number(), z.literal('none')]).optional(),
  level: z.literal([1, 2]).optional(),
})

describe('text', () => {
  it('is read by the declared type of its field before the schema validates', async () => {
    const { request } = await serveArguments({ '/': query(std(Filter)) })
    const url = '/?limit=5&weight=1.5&small=false&ids=1&ids=2&sort=asc&either=none&level=2&other=1'
    expect((await request('GET', url)).body).toEqual({
      limit: 5,
      weight: 1.5,
      small: false,
      ids: [1, 2],
      sort: 'asc',
      either: 'none',
      level: 2,
    })
    expect((await request('GET', '/?ids=7&either=3')).body).toEqual({
      limit: 20,
      ids: [7],
      either: 3,
    })
  })

  it('that cannot be read is refused before the schema sees it', async () => {
    const { request } = await serveArguments({ '/': query(std(Filter)) })
    const { body } = await request('GET', '/?limit=&small=yes&ids=1&ids=x&weight=1&weight=2')
    expect(body.errors.query).toEqual({
      limit: ['Not a whole number.'],
      small: ['Must be true or false.'],
      ids: { 1: ['Not a whole number.'] },
      weight: ['Given more than once.'],
    })
    expect((await request('GET', '/?limit=51&sort=up')).body.errors.query).toEqual({
      limit: ['Too big: expected number to be <=50'],
      sort: [expect.stringContaining('asc')],
    })
  })

  it('is read so in every location', async () => {
    const N = std(z.object({ 'X-N': z.int() }))
    const { request } = await serveArguments({
      '/form': form(N),
      '/headers': headers(N),
      '/cookies': cookies(N),
      '/path/:id': path(std(z.object({ id: z.int() }))),
    })
    const sent = new URLSearchParams({ 'X-N': '5' })
    expect((await request('POST', '/form', { body: sent })).body).toEqual({ 'X-N': 5 })
    expect((await request('GET', '/headers', { headers: { 'x-n': '5' } })).body).toEqual({
      'X-N': 5,
    })
    expect(
      (await request('GET', '/cookies', { headers: { Cookie: 'X-N=5; other=1' } })).body,
    ).toEqual({ 'X-N': 5 })
    expect((await request('GET', '/path/5')).body).toEqual({ id: 5 })
    expect((await request('GET', '/path/x')).body.errors.path).toEqual({
      id: ['Not a whole number.'],
    })
  })

  it('of fields without a name is read by the type of those', async () => {
    const { request } = await serveArguments({
      '/record': query(std(z.record(z.string(), z.number()))),
      '/rest': query(std(z.object({ a: z.string() }).catchall(z.boolean()))),
      '/choice': query(
        std(
          z.discriminatedUnion('kind', [
            z.object({ kind: z.literal('a'), size: z.number() }),
            z.object({ kind: z.literal('b'), size: z.string() }),
          ]),
        ),
      ),
    })
    expect((await request('GET', '/record?x=1&y=2.5')).body).toEqual({ x: 1, y: 2.5 })
    expect((await request('GET', '/rest?a=1&b=true')).body).toEqual({ a: '1', b: true })
    expect((await request('GET', '/choice?kind=b&size=large')).body).toEqual({
      kind: 'b',
      size: 'large',
    })
  })

  it('of objects is read under style deepObject', async () => {
    const Deep = z.object({ born: z.object({ from: z.int(), tags: z.array(z.int()).optional() }) })
    const { request } = await serveArguments({ '/': query(std(Deep), { style: 'deepObject' }) })
    expect((await request('GET', '/?born[from]=5&born[tags][]=1')).body).toEqual({
      born: { from: 5, tags: [1] },
    })
    expect((await request('GET', '/?born[from]=x')).body.errors.query).toEqual({
      born: { from: ['Not a whole number.'] },
    })
  })

  it('of objects that refer to themselves is read at any depth', async () => {
    const Tree = z.object({
      size: z.int(),
      get left() {
        return Tree.optional()
      },
    })
    const { request } = await serveArguments({ '/': query(std(Tree), { style: 'deepObject' }) })
    const { body } = await request('GET', '/?size=1&left[size]=2&left[left][size]=3')
    expect(body).toEqual({ size: 1, left: { size: 2, left: { size: 3 } } })
    const refused = await request('GET', '/?size=1&left[left][size]=x')
    expect(refused.body.errors).toEqual({
      query: { left: { left: { size: ['Not a whole number.'] } } },
    })
  })

  it('of any JSON is read as deep as it is', async () => {
    const Any = std(z.object({ any: z.json() }))
    const { request } = await serveArguments({ '/': query(Any, { style: 'deepObject' }) })
    const { status } = await request('GET', '/?any[a][b]=1')
    expect(status).toBe(200)
  })

  it('of a query may be refused by the schema for its name, but not one that another feature reads', async () => {
    const Strict = std(z.strictObject({ id: z.int().optional() }))
    const views = new Blueprint('views').get(
      '/',
      operation(
        query(Strict),
        keyset({ unique: 'id' }),
        response(t.array(std(z.object({ id: z.int() })))),
      ),
      () => [{ id: 1 }, { id: 2 }],
    )
    const { request } = await serveBlueprints(views, { TESTING: true })
    expect((await request('GET', '/?page_size=1')).body).toEqual([{ id: 1 }])
    expect((await request('GET', '/?other=1')).body.errors.query).toEqual({
      _schema: ['Unrecognized key: "other"'],
    })
  })
})

describe('a schema of arktype that refers to itself', () => {
  const serve = (Part: Parameters<typeof std>[0]) =>
    serveBlueprints(
      new Blueprint('views').get('/', operation(response(std(Part))), () => ({
        name: 'car',
        price: 1,
        parts: [{ name: 'wheel', price: 2, parts: [{ name: 'tyre', price: 3 }] }],
      })),
      { TESTING: true },
    )

  it('leaves out undeclared fields in a response if its type says so', async () => {
    const { Part } = scope({
      Part: { '+': 'delete', name: 'string', 'parts?': 'Part[]' },
    }).export()
    const { request } = await serve(Part)
    expect((await request('GET', '/')).body).toEqual({
      name: 'car',
      parts: [{ name: 'wheel', parts: [{ name: 'tyre' }] }],
    })
  })

  it('is a fault in a response otherwise, since arktype would keep them', async () => {
    const { Part } = scope({ Part: { name: 'string', 'parts?': 'Part[]' } }).export()
    await expect(serve(Part)).rejects.toThrow("{ '+': 'delete', … }")
  })
})

describe('a list', () => {
  const LISTS = {
    zod: std(
      z.object({ id: z.int(), name: z.string().max(50), kind: z.enum(['cat', 'dog']).optional() }),
    ),
    valibot: std(
      toStandardJsonSchema(
        v.object({
          id: v.pipe(v.number(), v.integer()),
          name: v.pipe(v.string(), v.maxLength(50)),
          kind: v.optional(v.picklist(['cat', 'dog'])),
        }),
      ),
    ),
    arktype: std(type({ id: 'number.integer', name: 'string <= 50', 'kind?': "'cat' | 'dog'" })),
  }

  it.each(LIBRARIES)('of %s is sorted by texts with a bound and by names', async library => {
    const sorts = { name: ['name'], kind: ['kind'] } as const
    const codec = t.array(LISTS[library])
    const views = new Blueprint('views').get(
      '/',
      operation(keyset({ unique: 'id', sorts, nulls: { kind: 'last' } }), response(codec)),
      () => [
        { id: 1, name: 'Rex', kind: 'dog' as const },
        { id: 2, name: 'Kim', kind: 'cat' as const },
      ],
    )
    const { request } = await serveBlueprints(views, { TESTING: true })
    for (const sort of Object.keys(sorts)) {
      const first = await request('GET', `/?page_size=1&sort=${sort}`)
      const [, next = ''] = /<([^>]+)>; rel="next"/.exec(first.headers.get('Link') ?? '') ?? []
      const { body } = await request('GET', `/${next}`)
      expect([first.body[0].name, body[0].name]).toEqual(['Kim', 'Rex'])
    }
  })

  it('is not sorted by a string without a bound', () => {
    const Row = std(z.object({ id: z.int(), name: z.string() }))
    const views = new Blueprint('views').get(
      '/',
      operation(keyset({ unique: 'id', sorts: { name: ['name'] } }), response(t.array(Row))),
      () => [],
    )
    const api = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' })
    expect(() => api.registerBlueprint(views)).toThrow('name is a string without a bound')
  })
})

describe('a parameter', () => {
  it('is documented with the JSON Schema of its field', () => {
    const Query = z.object({
      size: z.int().min(1).default(3).describe('How many'),
      sort: z.enum(['up', 'down']).meta({ id: 'Sort' }),
    })
    const { document } = documentOf('3.1.0', query(std(Query)))
    expect(document.paths['/0'].post.parameters).toEqual([
      {
        name: 'size',
        in: 'query',
        required: false,
        description: 'How many',
        schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 3 },
      },
      { name: 'sort', in: 'query', required: true, schema: { $ref: '#/components/schemas/Sort' } },
    ])
    expect(document.components.schemas.Sort).toEqual({ type: 'string', enum: ['up', 'down'] })
  })
})

interface Tree {
  readonly name: string
  readonly children: readonly Tree[]
}
const ZodTree: z.ZodType<Tree, Tree> = z.object({
  name: z.string(),
  get children() {
    return z.array(ZodTree)
  },
})
const ValibotTree: v.GenericSchema<Tree> = v.object({
  name: v.string(),
  children: v.array(v.lazy(() => ValibotTree)),
})
const ArkTree = scope({ Tree: { name: 'string', children: 'Tree[]' } }).export().Tree

describe('definitions', () => {
  const Owner = z
    .object({ name: z.string(), vip: z.boolean().default(false) })
    .meta({ id: 'Owner' })

  it('have the names that the user gave, one for each direction if these differ', () => {
    const { schemas, bodies, document } = documentOf(
      '3.1.0',
      json(std(z.object({ owner: Owner }))),
      json(t.array(std(Owner))),
      response(std(Owner)),
    )
    expect(bodies.slice(0, 2)).toEqual([
      {
        type: 'object',
        properties: { owner: { $ref: '#/components/schemas/OwnerInput' } },
        required: ['owner'],
      },
      { type: 'array', items: { $ref: '#/components/schemas/OwnerInput' } },
    ])
    expect(document.paths['/2'].post.responses[200].content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/Owner',
    })
    expect([schemas.OwnerInput.required, schemas.Owner.required]).toEqual([
      ['name'],
      ['name', 'vip'],
    ])
  })

  it('have names of ours if libraries make theirs up', () => {
    const { schemas } = documentOf(
      '3.1.0',
      json(std(ZodTree)),
      json(std(toStandardJsonSchema(ValibotTree))),
      json(std(ArkTree)),
      json(std(z.object({ 'first-tree': ZodTree, second: ZodTree }))),
    )
    const names = Object.keys(schemas).filter(name => !name.startsWith('Error'))
    expect(names).toEqual(['Children', 'Children2', 'Schema', 'Children3', 'FirstTree'])
    expect(schemas.FirstTree).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string' },
        children: { type: 'array', items: { $ref: '#/components/schemas/FirstTree' } },
      },
      required: ['name', 'children'],
    })
  })

  it('give way to a codec of the same name', () => {
    const Children = struct({ count: int }, 'Children')
    const { schemas, bodies } = documentOf('3.1.0', json(std(ZodTree)), json(Children))
    expect(schemas.Children.properties).toHaveProperty('count')
    expect(bodies[0].properties.children.items).toEqual({ $ref: '#/components/schemas/Children2' })
  })

  it('of the whole have the name that describe gives it', () => {
    const { bodies, schemas } = documentOf(
      '3.1.0',
      json(described(std(ZodTree), { name: 'Tree', description: 'A tree' })),
    )
    expect(bodies).toEqual([{ $ref: '#/components/schemas/Tree' }])
    expect(schemas.Tree).toEqual({
      type: 'object',
      description: 'A tree',
      properties: {
        name: { type: 'string' },
        children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
      },
      required: ['name', 'children'],
    })
  })

  it('are a fault if one name has two meanings', () => {
    const Other = z.object({ id: z.int() }).meta({ id: 'Owner' })
    // zod itself knows one of each id in a schema; these are two
    expect(() => documentOf('3.1.0', json(std(Owner)), json(std(Other)))).toThrow(
      /two codecs that differ are called Owner/,
    )
  })

  it.each(['3.2.0', '3.1.0', '3.0.3', '2.0'])('dangle in no version (%s)', version => {
    const { document } = documentOf(
      version,
      json(std(ZodTree)),
      json(std(z.object({ owner: Owner, tree: ZodTree, pair: z.tuple([z.string(), Owner]) }))),
      json(std(toStandardJsonSchema(ValibotTree))),
      json(std(ArkTree)),
      response(t.array(std(Owner))),
    )
    expect(
      JSON.stringify(document).match(
        /"\$ref":"#\/(?:components\/schemas|definitions)\/(?:Owner|Children)/g,
      )?.length,
    ).toBeGreaterThan(6)
    expect(danglingReferences(document)).toEqual([])
    expect(JSON.stringify(document)).not.toMatch(/\$defs|__schema|\$schema/)
  })
})

describe('an asynchronous schema', () => {
  const Free = z.string().refine(async name => name !== 'taken', 'Taken.')

  it('is awaited as a whole argument', async () => {
    const { request } = await serveArguments({
      '/json': json(std(Free)),
      '/query': query(std(z.object({ n: z.int().refine(async n => n > 1, 'Too small.') }))),
      '/optional': json(std(Free.optional()), { required: false }),
    })
    expect((await request('POST', '/json', { json: 'free' })).body).toBe('free')
    expect((await request('POST', '/json', { json: 'taken' })).body.errors.json).toEqual({
      _schema: ['Taken.'],
    })
    expect((await request('GET', '/query?n=2')).body).toEqual({ n: 2 })
    expect((await request('GET', '/query?n=1')).body.errors.query).toEqual({ n: ['Too small.'] })
    const absent = await request('POST', '/optional')
    expect([absent.status, absent.body]).toEqual([200, null])
  })

  it('is a TypeError of the request as a part of another codec, and in a response', async () => {
    const views = new Blueprint('views')
      .post('/part', operation(json(struct({ name: std(Free) }))), () => undefined)
      .post('/refined', operation(json(refine(std(Free), () => undefined))), () => undefined)
      .get('/result', operation(response(std(Free))), () => 'free')
    const { request, errors } = await serveBlueprints(views)
    expect((await request('POST', '/part', { json: { name: 'x' } })).status).toBe(500)
    expect((await request('POST', '/refined', { json: 'x' })).status).toBe(500)
    expect((await request('GET', '/result')).status).toBe(500)
    expect(errors.map(String)).toEqual(
      Array.from({ length: 3 }, () =>
        expect.stringContaining(
          'TypeError: std(zod) is asynchronous: it can only be a whole argument',
        ),
      ),
    )
  })
})

describe('a message', () => {
  it('that shows the value does not repeat a long one', async () => {
    const { request } = await serveArguments({
      '/valibot': json(PETS.valibot),
      '/arktype': json(std(type({ name: /^a$/ }))),
    })
    const name = `say "${'x'.repeat(20)}"`
    const messages = await Promise.all([
      request('POST', '/valibot', { json: { name: 'x', age: name } }),
      request('POST', '/valibot', { json: { name: 'x', age: 'old' } }),
      request('POST', '/arktype', { json: { name } }),
    ])
    expect(messages.map(({ body }) => body.errors.json)).toEqual([
      { age: ['Invalid type: Expected number but received "…"'] },
      { age: ['Invalid type: Expected number but received "old"'] },
      { name: [expect.stringMatching(/^name must be matched by \^a\$ \(was "…"\)$/)] },
    ])
  })
})

describe('faults', () => {
  it('name operation, location and the message of the library', () => {
    const Dated = std(z.object({ born: z.date() }))
    const VDated = std(toStandardJsonSchema(v.object({ born: v.date() })))
    expect(faultsOf(json(Dated))).toEqual([
      'json: the schema of zod has no JSON Schema: Date cannot be represented in JSON Schema',
    ])
    expect(faultsOf(query(VDated))).toEqual([
      'query: the schema of valibot has no JSON Schema: The "date" schema cannot be converted to JSON Schema.',
    ])
    expect(faultsOf(json(struct({ pets: t.array(Dated) })))).toEqual([
      'json: pets[]: the schema of zod has no JSON Schema: Date cannot be represented in JSON Schema',
    ])
  })

  it('are responses whose schema transforms, but not those whose defaults, required or additional fields differ', () => {
    expect(faultsOf(response(std(z.string().transform(text => text.length))))).toEqual([
      'response: the schema of zod has no JSON Schema for what it returns: Transforms cannot be represented in JSON Schema',
    ])
    expect(
      faultsOf(response(std(z.object({ pets: z.array(z.object({ n: z.stringbool() })) })))),
    ).toEqual([
      'response: the schema of zod returns something else than it takes at pets[].n. A result is validated again, so its schema cannot transform',
    ])
    expect(faultsOf(json(std(z.object({ n: z.stringbool() }))))).toEqual([])
    const WithDefault = z.object({ default: z.string().default('x'), in: z.object({}) })
    expect(faultsOf(response(std(WithDefault)))).toEqual([])
  })

  it('are queries of anything but an object, and of objects within', () => {
    expect(faultsOf(query(std(z.array(z.string()))))).toEqual([
      expect.stringContaining('the codec std(zod) is not an object'),
    ])
    expect(faultsOf(query(std(z.object({ owner: z.object({ name: z.string() }) }))))).toEqual([
      expect.stringContaining('query: "owner" is an object, which has no form here'),
    ])
  })

  it('are unknown beside a schema, which decides that itself', () => {
    const Named = std(z.object({ name: z.string() }))
    expect(faultsOf(json(Named, { unknown: 'raise' }))).toEqual([
      'json: unknown does not go with std(schema): the schema decides about fields that it does not declare',
    ])
    expect(faultsOf(json(struct({ pet: Named }), { unknown: 'exclude' }))).toEqual([])
  })
})

describe('std', () => {
  it('makes the same codec of the same schema', () => {
    const schema = z.object({ a: z.string() })
    expect(std(schema)).toBe(std(schema))
    expect(std(schema)).not.toBe(std(z.object({ a: z.string() })))
  })

  it('is a codec of io-ts by itself', () => {
    const codec = std(z.object({ n: z.number().default(1) }))
    expect(codec.decode({})).toMatchObject({ _tag: 'Right', right: { n: 1 } })
    expect(codec.decode({ n: 'x' })).toMatchObject({
      _tag: 'Left',
      left: [{ message: 'Invalid input: expected number, received string' }],
    })
    expect([codec.is({ n: 1 }), codec.is({ n: 'x' })]).toEqual([true, false])
    expect(codec.encode({ n: 2, secret: 1 } as never)).toEqual({ n: 2 })
  })

  it('takes schemas with a JSON Schema only, and says what to do with one of valibot', () => {
    const plain = {
      '~standard': { version: 1, vendor: 'other', validate: (value: unknown) => ({ value }) },
    }
    expect(() => std(v.string() as never)).toThrow(
      'std() needs the JSON Schema of a schema of valibot: std(toStandardJsonSchema(schema)), from @valibot/to-json-schema',
    )
    expect(() => std(plain as never)).toThrow(
      'std() needs a schema with a JSON Schema (Standard JSON Schema), which this one of other does not have',
    )
    expect(() => std(t.string as never)).toThrow('such as z.object({ … }) of zod, not a codec')
  })

  it('is what a bare schema needs, everywhere', () => {
    const schema = z.object({ description: z.string() }).describe('A pet') as never
    const hint = 'std(schema), from koa-smorest/standard'
    for (const make of [
      () => json(schema),
      () => query(schema, {}),
      () => response(schema),
      () => altResponse(409, schema),
      () => struct({ a: schema }),
      () => mergePatch(schema),
      () => lines(schema),
      () => webhook('added', schema),
    ])
      expect(make).toThrow(hint)
    const feed = operation(events({ added: schema }))
    const watched = new Blueprint('feed').get('/', feed, () => [])
    expect(() =>
      new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(watched),
    ).toThrow(hint)
  })
})

describe('in a merge patch', () => {
  const Note = z.object({
    title: z.string().min(2),
    count: z.int().default(5),
    nick: z.string().nullable(),
    place: z.object({ x: z.int(), y: z.int().optional() }).nullable(),
  })
  const current = { title: 'Cat', count: 1, nick: 'K', place: { x: 1, y: 2 } }

  /** PATCH / of this value: the response is what the method gets. */
  function patched(schema: z.ZodType, value: unknown) {
    const load = etag({ load: () => value, tag: () => 1, requireIfMatch: false })
    return serveBlueprints(
      new Blueprint('views').patch(
        '/',
        operation(load, mergePatch(std(schema)), response(t.unknown)),
        (_ctx, whole) => whole,
      ),
    )
  }

  it.each<[patch: unknown, status: number, expected: object]>([
    [{ title: 'Dog' }, 200, { ...current, title: 'Dog' }],
    [{ count: null, nick: null }, 200, { ...current, count: 5, nick: null }],
    [{ place: { y: null } }, 200, { ...current, place: { x: 1 } }],
    [{ place: null }, 200, { ...current, place: null }],
    [{ title: 'D' }, 422, { title: ['Too small: expected string to have >=2 characters'] }],
    [{ title: null }, 422, { title: ['Invalid input: expected string, received null'] }],
    [{ colour: null }, 422, { colour: ['Unknown field.'] }],
  ])('%j is merged, and the schema validates the whole', async (patch, status, expected) => {
    const { request } = await patched(Note, current)
    const { body, ...received } = await request('PATCH', '/', { json: patch })
    expect([received.status, body.errors?.json ?? body]).toEqual([status, expected])
  })

  it('is documented with the constraints of the schema', async () => {
    const { api } = await patched(Note, current)
    const { requestBody } = Object(api.spec.toJSON()).paths['/'].patch
    const int = { type: 'integer', minimum: -(2 ** 53 - 1), maximum: 2 ** 53 - 1 }
    expect(requestBody.content['application/merge-patch+json'].schema).toEqual({
      type: 'object',
      properties: {
        title: { type: 'string', minLength: 2 },
        count: { ...int, type: ['integer', 'null'], default: 5 },
        nick: { type: ['string', 'null'] },
        place: {
          type: ['object', 'null'],
          properties: { x: int, y: { ...int, type: ['integer', 'null'] } },
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    })
  })

  it('may refer to itself', async () => {
    const Tree = z.object({
      size: z.number().optional(),
      get part() {
        return Tree.optional()
      },
    })
    const { request } = await patched(Tree, { size: 1, part: { size: 2, part: { size: 3 } } })
    const { body } = await request('PATCH', '/', { json: { part: { part: { size: null } } } })
    expect(body).toEqual({ size: 1, part: { size: 2, part: {} } })
  })

  it('may have fields of any JSON, and refer to itself under a name, several times', () => {
    const Cat = z
      .object({
        name: z.string(),
        get mother() {
          return Cat.optional()
        },
      })
      .meta({ id: 'Cat' })
    const load = etag({ load: () => ({}) as never, tag: () => 1 })
    const views = new Blueprint('views')
    for (const [rule, schema] of Object.entries({
      '/cat': Cat,
      '/owner': z.object({ cat: Cat, meta: z.json() }),
      '/note': z.object({ meta: z.json() }),
    }))
      views.patch(rule, operation(load, mergePatch(std(schema))), () => null)
    const api = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(views)
    const { schemas } = Object(api.spec.toJSON()).components
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(['CatPatch', 'MetaPatch', 'Meta']))
    expect(schemas.CatPatch.properties.mother.anyOf[0].$ref).toBe('#/components/schemas/CatPatch')
    expect(danglingReferences(api.spec.toJSON())).toEqual([])
  })

  it('is a fault if it transforms: its value cannot be encoded again', async () => {
    const Length = z.object({ text: z.string().transform(text => text.length) })
    await expect(patched(Length, { text: 'x' })).rejects.toThrow('mergePatch: the schema of zod')
  })
})

describe('contract', () => {
  it('finds nothing wrong with operations over schemas of each library', async () => {
    const app = new Koa()
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0', TESTING: true })
    const views = new Blueprint('views')
    for (const library of LIBRARIES) {
      const codec: t.Mixed = PETS[library]
      views.post(
        `/${library}`,
        operation(json(codec), response(codec)),
        ((_ctx: unknown, pet: unknown) => pet) as never,
      )
    }
    views.get(
      '/filter',
      operation(query(std(Filter)), response(t.unknown)),
      ((_ctx: unknown, filter: unknown) => filter) as never,
    )
    api.registerBlueprint(views)
    const { failures } = await contract(app, api, { runs: 3 })
    expect(failures).toEqual([])
  })

  it('sends tuples, and fields that a program cannot change', async () => {
    const Line = z
      .object({ from: z.tuple([z.int(), z.int()]), names: z.array(z.string()).readonly() })
      .readonly()
    const views = new Blueprint('views').post(
      '/',
      operation(json(std(Line)), response(std(Line))),
      (_ctx, line) => line,
    )
    const app = new Koa()
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(views)
    expect(JSON.stringify(api.spec.toJSON())).not.toContain('readOnly')
    expect((await contract(app, api, { runs: 20 })).failures).toEqual([])
  })

  it('sends no text that is too long in the units that these libraries count', async () => {
    const app = new Koa()
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0', TESTING: true })
    const codes = new Blueprint('codes')
    const schemas = [
      std(z.object({ code: z.string().min(4).max(5) })),
      std(toStandardJsonSchema(v.object({ code: v.pipe(v.string(), v.length(6)) }))),
      std(type({ code: '1 <= string <= 50' })),
    ]
    for (const [index, schema] of schemas.entries())
      codes.post(`/${index}`, operation(json(schema), response({ code: 204 })), () => undefined)
    api.registerBlueprint(codes)
    const { failures } = await contract(app, api, { runs: 100 })
    expect(failures).toEqual([])
  })
})
