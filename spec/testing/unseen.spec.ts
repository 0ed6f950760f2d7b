// Shapes of applications that a contract test has to find its way through, and what it has to find
// in them.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  type AnyBlueprint,
  Api,
  abort,
  altResponse,
  Blueprint,
  doc,
  etag,
  files,
  form,
  headers,
  int,
  json,
  limit,
  list,
  maxLength,
  maxSize,
  mediaTypes,
  minItems,
  minLength,
  nullable,
  operation,
  optional,
  path,
  pattern,
  query,
  readOnly,
  reply,
  response,
  struct,
  Upload,
  wireName,
} from 'koa-smorest'
import { type ContractOptions, contract } from 'koa-smorest/testing'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { describe, expect, it } from 'vitest'

function served(blueprint: AnyBlueprint): { app: Koa; api: Api } {
  const app = new Koa()
  app.silent = true
  return {
    app,
    api: new Api(app, { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING: false }).registerBlueprint(
      blueprint,
    ),
  }
}

async function reportOf(blueprint: AnyBlueprint, options: ContractOptions = {}) {
  const { app, api } = served(blueprint)
  return contract(app, api, { runs: 10, ...options })
}

const brief = (failures: readonly { check: string; operation: string }[]) =>
  failures.map(({ check, operation }) => `${check} | ${operation}`)

const Slug = pattern(maxLength(t.string, 20), /^[a-z0-9]+(?:-[a-z0-9]+)*$/)
const Shelf = struct({ slug: Slug, title: maxLength(minLength(t.string, 1), 20) }, 'Shelf')
const Book = struct({ isbn: readOnly(Slug), title: maxLength(t.string, 20) }, 'Book')
type Shelf = t.TypeOf<typeof Shelf>
type Book = t.TypeOf<typeof Book>
const Cover = t.type({ cover: maxSize(mediaTypes(Upload, ['image/png']), 1000) })
const Isbn = path(struct({ isbn: Slug }))

/**
 * Shelves, which are known by a slug, with books, which are put there, with covers, which are put
 * there as well.
 */
function library(fault = '') {
  let shelves = new Map<string, Shelf>()
  let books = new Map<string, Book>()
  let covers = new Map<string, Buffer>()
  const reset = () => {
    shelves = new Map(['sea', 'land'].map(slug => [slug, { slug, title: slug }]))
    books = new Map([['sea/moby-dick', { isbn: 'moby-dick', title: 'Moby-Dick' }]])
    covers = new Map()
  }
  const shelf = (slug: string) => shelves.get(slug) ?? abort(404)
  const book = (slug: string, isbn: string) =>
    (shelf(slug) && books.get(`${slug}/${isbn}`)) ?? abort(404)
  const missing = altResponse(404)
  const all = new Blueprint('library', { urlPrefix: '/shelves' })
  all.get('/', operation(response(t.array(Shelf))), () => [...shelves.values()])
  all.put(
    '/:shelfSlug',
    operation(path(struct({ shelfSlug: Slug })), json(Shelf), response(Shelf), altResponse(201)),
    (_ctx, _path, given, { shelfSlug: slug }) => {
      const isNew = !shelves.has(slug)
      const made = { ...given, slug }
      if (fault !== 'a PUT that stores nothing') shelves.set(slug, made)
      return reply(made, isNew && fault !== 'a PUT that creates with 200' ? 201 : 200)
    },
  )
  all.get('/:shelfSlug', operation(response(Shelf), missing), (_ctx, { shelfSlug }) =>
    shelf(shelfSlug),
  )
  all.get(
    '/:shelfSlug/books',
    operation(response(t.array(Book)), missing),
    (_ctx, { shelfSlug }) => {
      if (fault !== 'a list of what does not exist') shelf(shelfSlug)
      return [...books].filter(([key]) => key.startsWith(`${shelfSlug}/`)).map(([, one]) => one)
    },
  )
  all.get(
    '/:shelfSlug/books/:isbn',
    operation(response(Book), missing),
    (_ctx, { shelfSlug, isbn }) =>
      fault === 'a parent that nobody looks at'
        ? ([...books.values()].find(one => one.isbn === isbn) ?? abort(404))
        : book(shelfSlug, isbn),
  )
  all.put(
    '/:shelfSlug/books/:isbn',
    operation(Isbn, json(Book), response({ code: 204 }), altResponse(201, Book), missing),
    (_ctx, _path, given, { shelfSlug, isbn }): never => {
      shelf(shelfSlug)
      if (fault === 'a refusal that nobody declared' && given.title.length > 10)
        abort(422, { message: 'Too long.' })
      const isNew = !books.has(`${shelfSlug}/${isbn}`)
      const made = { ...given, isbn }
      if (isNew || fault !== 'a PUT with 204 that stores nothing')
        books.set(`${shelfSlug}/${isbn}`, made)
      return (isNew ? reply(made, 201) : undefined) as never
    },
  )
  all.delete(
    '/:shelfSlug/books/:isbn',
    operation('Sees to it that a book is gone', response({ code: 204 }), missing),
    (_ctx, { shelfSlug, isbn }) => {
      shelf(shelfSlug)
      books.delete(`${shelfSlug}/${isbn}`)
    },
  )
  all.put(
    '/:shelfSlug/books/:isbn/cover',
    operation(files(Cover), response({ code: 204 }), missing),
    async (_ctx, { cover }, { shelfSlug, isbn }) => {
      if (fault !== 'a cover of what does not exist') book(shelfSlug, isbn)
      covers.set(isbn, Buffer.from(await cover.bytes()))
    },
  )
  all.get(
    '/:shelfSlug/books/:isbn/cover',
    operation(response(int), missing),
    (_ctx, { shelfSlug, isbn }) =>
      ((book(shelfSlug, isbn) && covers.get(isbn)) ?? abort(404)).length,
  )
  return { all, reset }
}

describe('a contract test of nested things that are put to paths of their own', () => {
  it('finds its way by slugs, creates by PUT, and sees every documented response of a sound application', async () => {
    const { all, reset } = library()
    const { failures, coverage } = await reportOf(all, { reset })
    expect(failures).toEqual([])
    expect(coverage).toEqual({ operations: 1, responses: 1, missing: [] })
  })

  it.each([
    [
      'a cover of what does not exist',
      'nothing found | PUT /shelves/{shelfSlug}/books/{isbn}/cover',
    ],
    ['a list of what does not exist', 'nothing found | GET /shelves/{shelfSlug}/books'],
    ['a parent that nobody looks at', 'nothing found | GET /shelves/{shelfSlug}/books/{isbn}'],
    ['a PUT that creates with 200', 'created | PUT /shelves/{shelfSlug}'],
    ['a PUT that stores nothing', 'law: echo | PUT /shelves/{shelfSlug}'],
    ['a PUT with 204 that stores nothing', 'law: echo | PUT /shelves/{shelfSlug}/books/{isbn}'],
    [
      'a refusal that nobody declared',
      'undeclared refusal | PUT /shelves/{shelfSlug}/books/{isbn}',
    ],
  ])('finds %s', async (fault, found) => {
    const { all, reset } = library(fault)
    const { failures } = await reportOf(all, {
      reset,
      runs: found.startsWith('undeclared') ? 20 : 3,
    })
    expect(brief(failures)).toContain(found)
  })
})

describe('a contract test', () => {
  it('finds things whose id has two parts in the list of all of them', async () => {
    const Slot = struct({ room: t.string, number: int }, 'Slot')
    const all = new Blueprint('slots')
    const slots = [{ room: 'a', number: 7 }]
    all.get('/slots', operation(response(t.array(Slot))), () => slots)
    all.get(
      '/slots/:room/:number<int>',
      operation(response(Slot), altResponse(404)),
      (_ctx, given) =>
        slots.find(({ room, number }) => room === given.room && number === given.number) ??
        abort(404),
    )
    expect(await reportOf(all)).toMatchObject({ failures: [], coverage: { responses: 1 } })
  })

  it('takes values for the path of one operation alone', async () => {
    const all = new Blueprint('users')
    const User = struct({ id: int }, 'User')
    all.get('/users', operation(response(t.array(User))), () => [{ id: 1 }])
    all.post(
      '/users/:userId<int>/restore',
      operation(response(User), altResponse(409)),
      (_ctx, { userId }) => (userId === 2 ? { id: 2 } : abort(409)),
    )
    expect(brief((await reportOf(all)).failures)).toEqual([
      'no success | POST /users/{userId}/restore',
    ])
    expect(
      (await reportOf(all, { values: { 'POST /users/{userId}/restore path.userId': [2] } }))
        .failures,
    ).toEqual([])
  })

  it('sends QUERY, lists in header fields, and texts', async () => {
    const all = new Blueprint('all')
    const seen = new Set<string>()
    all.query(
      '/search',
      operation(json(struct({ text: t.string })), response(t.number)),
      () => seen.add('query').size,
    )
    const Tags = struct({ tags: wireName('X-Tags', list(minLength(maxLength(t.string, 3), 1))) })
    all.get('/tags', operation(headers(Tags), response(int)), (_ctx, { tags }) =>
      tags.length > 1 ? seen.add('list').size : 0,
    )
    const Words = doc({
      requestBody: { required: true, content: { 'text/plain': { schema: { type: 'string' } } } },
    })
    all.post('/words', operation(Words, response(int)), async ctx => {
      for await (const chunk of ctx.req) if (chunk.length > 0) seen.add('text')
      return 1
    })
    expect((await reportOf(all)).failures).toEqual([])
    expect([...seen].sort()).toEqual(['list', 'query', 'text'])
  })

  it('writes parameters as a client can: no null, and numbers in a path with a point', async () => {
    const all = new Blueprint('all')
    const Maybe = struct({ a: nullable(int), b: optional(list(nullable(int))) })
    all.get('/maybe', operation(query(Maybe), response(int)), () => 1)
    all.post('/maybe', operation(form(Maybe), response(int)), () => 1)
    all.put('/maybe', operation(json(Maybe), response(int)), () => 1)
    all.get('/at/:x<float>', operation(response(t.number)), (_ctx, { x }) => x)
    expect((await reportOf(all, { runs: 50 })).failures).toEqual([])
  })

  it('finds what is wrong with a QUERY', async () => {
    const all = new Blueprint('all').query(
      '/search',
      operation(json(struct({ text: t.string })), response(int)),
      () => abort(418),
    )
    expect(brief((await reportOf(all)).failures)).toEqual(['undeclared refusal | QUERY /search'])
  })

  it('ends recursions in which every alternative is an object', async () => {
    const Num = struct({ kind: t.literal('num'), value: int }, 'Num')
    // biome-ignore lint/suspicious/noExplicitAny: the type of a recursion, which is not what this is about
    const Term: t.Type<any> = t.recursion('Term', () =>
      t.union([struct({ kind: t.literal('add'), left: Term, right: Term }, 'Add'), Num]),
    )
    const all = new Blueprint('all').post(
      '/terms',
      operation(json(Term), response(t.boolean)),
      () => true,
    )
    expect((await reportOf(all)).failures).toEqual([])
  })

  it('does not take what changes by itself for a fault', async () => {
    let now = 0
    const all = new Blueprint('all').get('/now', operation(etag(), response(t.string)), () =>
      'x'.repeat(++now),
    )
    expect((await reportOf(all)).failures).toEqual([])
  })

  it('says in its coverage that a limit was used up, and finds no fault in it', async () => {
    const limiter = new RateLimiterMemory({ points: 15, duration: 3600 })
    const Thing = struct({ id: readOnly(int), name: maxLength(t.string, 5) }, 'Thing')
    const things: { id: number; name: string }[] = [{ id: 1, name: 'a' }]
    const all = new Blueprint('all', { shared: operation(limit('burst', limiter)) })
    all.get('/things', operation(etag(), response(t.array(Thing))), () => things)
    all.get(
      '/things/:id<int>',
      operation(response(Thing), altResponse(404)),
      (_ctx, { id }) => things[id - 1] ?? abort(404),
    )
    all.post('/things', operation(json(Thing), response(Thing, { code: 201 })), (_ctx, given) => {
      const made = { ...given, id: things.length + 1 }
      things.push(made)
      return made
    })
    const { failures, coverage } = await reportOf(all)
    expect(failures).toEqual([])
    expect(coverage.missing).toContainEqual({
      operation: 'POST /things',
      status: 201,
      reason: expect.stringContaining('limit was used up'),
    })
  })

  it('says which value it cannot find, instead of looking for ever', async () => {
    const Never = pattern(minLength(t.string, 3), /^a$/)
    const all = new Blueprint('all').post(
      '/never',
      operation(json(struct({ never: Never })), response(int)),
      () => 1,
    )
    expect((await reportOf(all)).failures).toMatchObject([
      {
        check: 'no value',
        operation: 'POST /never',
        message: expect.stringMatching(/POST \/never json .*`values`/),
      },
    ])
  })

  it('takes values if its own would be too hard to find', async () => {
    const Code = pattern(t.string, /^(?=.*7{9})(?=.*q{9})[7q]+$/)
    const all = new Blueprint('all').post(
      '/codes',
      operation(json(struct({ code: Code })), response(int)),
      () => 1,
    )
    expect(
      (await reportOf(all, { values: { code: ['7'.repeat(9) + 'q'.repeat(9)] } })).failures,
    ).toEqual([])
  })

  it('takes values for fields of nested objects and of items, by name or by path', async () => {
    const Line = struct({ petId: int, count: int }, 'Line')
    const Order = struct(
      { customer: struct({ mail: t.string }), lines: minItems(t.array(Line), 1) },
      'Order',
    )
    const all = new Blueprint('all').post(
      '/orders',
      operation(json(struct({ order: Order })), response(int), altResponse(409)),
      (_ctx, { order }) =>
        order.customer.mail === 'ann@example.com' && order.lines.every(({ petId }) => petId === 7)
          ? 1
          : abort(409),
    )
    const values = { petId: [7], 'POST /orders json.order.customer.mail': ['ann@example.com'] }
    const { app, api } = served(all)
    const warnings: string[] = []
    api.warn = text => warnings.push(text)
    // the 409 comes of requests in which one of the two is generated
    const { failures, coverage } = await contract(app, api, { runs: 10, values })
    expect({ failures, warnings, missing: coverage.missing }).toEqual({
      failures: [],
      warnings: [],
      missing: [],
    })
  })

  it('rejects with what reset says', async () => {
    const all = new Blueprint('all').get('/', operation(response(int)), () => 1)
    const reset = () => Promise.reject(new Error('no database'))
    await expect(reportOf(all, { reset })).rejects.toThrow('contract: reset failed: no database')
  })

  it('has nothing to say about an Api without operations', async () => {
    expect(await reportOf(new Blueprint('empty'))).toMatchObject({
      failures: [],
      coverage: { operations: 1, responses: 1 },
    })
  })
})

describe('the command of a failure', () => {
  const run = promisify(execFile)

  it.each([
    [
      'a multipart form',
      operation(form(struct({ note: maxLength(t.string, 20) })), files(Cover), response(int)),
    ],
    [
      'JSON',
      operation(
        json(struct({ name: maxLength(t.string, 20), tags: t.array(t.string) })),
        response(int),
      ),
    ],
  ])('repeats it against a real port: %s', async (_what, word) => {
    const all = new Blueprint('all')
    // biome-ignore lint/suspicious/noExplicitAny: two operations whose arguments differ
    all.post('/broken', word as any, () => {
      throw new Error('broken')
    })
    const { app, api } = served(all)
    const { failures } = await contract(app, api, { runs: 5 })
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const status = async (curl: string) =>
      (
        await run('bash', [
          '-c',
          `${curl.replace('http://localhost', origin)} -s -o /dev/null -w '%{http_code}'`,
        ])
      ).stdout
    expect(failures.length).toBeGreaterThan(0)
    for (const failure of failures) expect(await status(failure.curl)).toBe(String(failure.status))
    server.close()
  })

  it('has the whole of a long body', async () => {
    const all = new Blueprint('all').post(
      '/broken',
      operation(json(t.unknown), response(int)),
      () => 1,
    )
    const { app, api } = served(all)
    app.middleware.unshift(async (ctx, next) => {
      if (Number(ctx.get('Content-Length')) > 2_000_000) ctx.status = 500
      else await next()
    })
    const { failures } = await contract(app, api, { runs: 1 })
    const [{ curl } = { curl: '' }] = failures.filter(({ check }) => check === 'server error')
    const text = await run('bash', ['-c', `{ ${curl.slice(curl.indexOf('<(') + 2, -1)}; } | wc -c`])
    expect(Number(text.stdout)).toBe(3_000_002)
  })
})
