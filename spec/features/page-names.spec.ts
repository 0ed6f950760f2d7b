import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  etag,
  int,
  keyset,
  operation,
  Page,
  type PathsOf,
  paginate,
  query,
  type RegistrationError,
  response,
  struct,
} from 'koa-smorest'
import { pages } from 'koa-smorest/client'
import { contract, fetchOf } from 'koa-smorest/testing'
import createClient from 'openapi-fetch'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'

const Job = struct({ id: int }, 'Job')
const JobList = struct({ data: t.array(Job), total: int, more: t.array(t.string) }, 'JobList')
const jobs = Array.from({ length: 25 }, (_, index) => ({ id: index + 1 }))
const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id)

const views = new Blueprint('views')
  .get(
    '/numbers',
    operation(
      paginate(Page, { names: { page: 'page[number]', pageSize: 'limit' }, maxPage: 9 }),
      response(t.array(Job)),
    ),
    () => jobs,
  )
  .get(
    '/offsets',
    operation(
      paginate(Page, { names: { offset: 'skip', pageSize: 'limit' }, maxOffset: 1000 }),
      response(t.array(Job)),
    ),
    () => jobs,
  )
  .get(
    '/in-view',
    operation(paginate({ names: { offset: 'offset' }, pageSize: 4 }), response(t.array(Job))),
    (_ctx, { paginationParameters }) => {
      const { firstItem, lastItem, page } = paginationParameters
      paginationParameters.itemCount = jobs.length
      return jobs.slice(firstItem, lastItem + 1).map(({ id }) => ({ id: id * page }))
    },
  )
  .get(
    '/keyset',
    operation(
      keyset({
        unique: 'id',
        sorts: { up: ['id'], down: ['-id'] },
        names: { cursor: 'after', pageSize: 'first', sort: 'order[by]' },
      }),
      response(t.array(Job)),
    ),
    () => jobs,
  )

describe('the parameters of pages', async () => {
  const { request, api } = await serveBlueprints(views)
  const headersOf = (headers: Headers) => ({
    pagination: JSON.parse(headers.get('X-Pagination') ?? 'null'),
    link: headers.get('Link'),
  })

  it('have the names that the options give them, any text, and Link is sent', async () => {
    const { body, headers } = await request('GET', '/numbers?page[number]=2&limit=3&q=a b')
    expect({ ids: idsOf(body), ...headersOf(headers) }).toEqual({
      ids: [4, 5, 6],
      pagination: {
        total: 25,
        total_pages: 9,
        first_page: 1,
        last_page: 9,
        page: 2,
        previous_page: 1,
        next_page: 3,
      },
      link: [
        '<?page%5Bnumber%5D=1&limit=3&q=a+b>; rel="first"',
        '<?page%5Bnumber%5D=1&limit=3&q=a+b>; rel="prev"',
        '<?page%5Bnumber%5D=3&limit=3&q=a+b>; rel="next"',
        '<?page%5Bnumber%5D=9&limit=3&q=a+b>; rel="last"',
      ].join(', '),
    })
    expect(idsOf((await request('GET', '/numbers?page=2&page_size=3')).body)).toHaveLength(10)
  })

  it.each([
    ['/offsets', [1, 10], 'first 0, next 10, last 20'],
    ['/offsets?skip=0', [1, 10], 'first 0, next 10, last 20'],
    ['/offsets?skip=3', [4, 13], 'first 0, prev 0, next 13, last 20'],
    ['/offsets?skip=15', [16, 25], 'first 0, prev 5, last 20'],
    ['/offsets?skip=24', [25, 25], 'first 0, prev 14, last 20'],
    ['/offsets?skip=25', [undefined, undefined], 'first 0, last 20'],
    ['/offsets?skip=1000', [undefined, undefined], 'first 0, last 20'],
    ['/offsets?skip=-0', [1, 10], 'first 0, next 10, last 20'],
  ])('are offsets from 0 on, and links step by the page size: %s', async (path, ends, links) => {
    const { body, headers } = await request('GET', path)
    const ids = idsOf(body)
    expect([ids[0], ids.at(-1)]).toEqual(ends)
    const found = [...(headers.get('Link') ?? '').matchAll(/skip=(-?\d+)[^>]*>; rel="(\w+)"/g)]
    expect(found.map(([, offset, relation]) => `${relation} ${offset}`).join(', ')).toBe(links)
    expect(headers.get('X-Pagination')).toBe('{"total":25}')
  })

  it('are offsets for a method that pages by itself, too', async () => {
    expect(idsOf((await request('GET', '/in-view?offset=9')).body)).toEqual([30, 33, 36, 39])
  })

  it('are those of a keyset, whose cursors and sorts keep to them', async () => {
    const first = await request('GET', '/keyset?first=2&order[by]=down')
    const { link, pagination } = headersOf(first.headers)
    expect(idsOf(first.body)).toEqual([25, 24])
    expect(link).toBe(
      `<?after=${pagination.next}&first=2&order%5Bby%5D=down>; rel="next", <?first=2&order%5Bby%5D=down>; rel="first"`,
    )
    const second = await request('GET', `/keyset?after=${pagination.next}&first=2&order[by]=down`)
    expect(idsOf(second.body)).toEqual([23, 22])
  })

  it.each([
    [
      '/numbers?page[number]=0&limit=101',
      { 'page[number]': ['Must be from 1 to 9.'], limit: ['Must be from 1 to 100.'] },
    ],
    [
      '/offsets?skip=-1&limit=0',
      { skip: ['Must be from 0 to 1000.'], limit: ['Must be from 1 to 100.'] },
    ],
    ['/offsets?skip=1001', { skip: ['Must be from 0 to 1000.'] }],
    ['/offsets?skip=1.5', { skip: ['Not a whole number.'] }],
    ['/in-view?offset=-1', { offset: ['Must be at least 0.'] }],
    [
      '/keyset?after=a&after=b&first=0&order[by]=x',
      {
        after: ['Given more than once.'],
        first: ['Must be a whole number from 1 to 100.'],
        'order[by]': ['Must be one of: up, down.'],
      },
    ],
    [
      '/keyset?first=1&first=2&order[by]=up&order[by]=up',
      { first: ['Given more than once.'], 'order[by]': ['Given more than once.'] },
    ],
    ['/keyset?after=x', { after: ['Not a cursor of this list.'] }],
  ])('are named in errors: %s', async (path, errors) => {
    const { status, body } = await request('GET', path)
    expect({ status, errors: body.errors }).toEqual({ status: 422, errors: { query: errors } })
  })

  it('are documented, and so is Link', () => {
    const { paths } = api.spec.toJSON() as {
      paths: Record<
        string,
        {
          get: {
            parameters: { name: string; schema: object }[]
            responses: { 200: { headers: Record<string, object> } }
          }
        }
      >
    }
    const described = Object.entries(paths).map(([path, { get }]) => [
      path,
      get.parameters.map(({ name }) => name),
      Object.keys(get.responses[200].headers).sort(),
    ])
    expect(described).toEqual([
      ['/numbers', ['page[number]', 'limit'], ['Link', 'X-Pagination']],
      ['/offsets', ['skip', 'limit'], ['Link', 'X-Pagination']],
      ['/in-view', ['offset', 'page_size'], ['Link', 'X-Pagination']],
      ['/keyset', ['after', 'first', 'order[by]'], ['Link', 'X-Pagination']],
    ])
    const { parameters, responses } = paths['/offsets']?.get ?? {}
    expect(parameters?.[0]?.schema).toEqual({
      type: 'integer',
      default: 0,
      minimum: 0,
      maximum: 1000,
    })
    expect(responses?.[200].headers['X-Pagination']).toMatchObject({
      content: { 'application/json': { schema: { required: ['total'] } } },
    })
  })
})

describe('pages that count from 0', async () => {
  class FromZero extends Blueprint {
    static override DEFAULT_PAGINATION_PARAMETERS = { page: 0, pageSize: 10, maxPageSize: 50 }
  }
  const { request, api } = await serveBlueprints(
    new Blueprint('from zero')
      .get(
        '/numbers',
        operation(
          paginate(Page, { page: 0, names: { page: 'page', pageSize: 'size' }, maxPage: 4 }),
          response(t.array(Job)),
        ),
        () => jobs,
      )
      .get(
        '/in-envelope',
        operation(
          paginate({
            page: 0,
            items: 'data',
            wrap: (data, { page, totalPages, total }) => ({ data, page, totalPages, total }),
          }),
          response(struct({ data: t.array(Job), page: int, totalPages: int, total: int })),
        ),
        (_ctx, { paginationParameters }) => {
          const { firstItem, lastItem, page, pageSize } = paginationParameters
          paginationParameters.itemCount = jobs.length
          expect(page).toBe(firstItem / pageSize)
          return jobs.slice(firstItem, lastItem + 1)
        },
      ),
  )
  const byAttribute = await serveBlueprints(
    new FromZero('by attribute').get(
      '/',
      operation(paginate(Page), response(t.array(Job))),
      () => jobs,
    ),
  )
  const get = async (path: string) => {
    const { status, headers, body } = await request('GET', path)
    const header = JSON.parse(headers.get('X-Pagination') ?? 'null')
    return { status, link: headers.get('Link'), header, body }
  }

  it('begin with page 0, in parameters, links and the header', async () => {
    expect(await get('/numbers')).toEqual({
      status: 200,
      link: '<?page=0>; rel="first", <?page=1>; rel="next", <?page=2>; rel="last"',
      header: { total: 25, total_pages: 3, first_page: 0, last_page: 2, page: 0, next_page: 1 },
      body: jobs.slice(0, 10),
    })
    expect(await get('/numbers?page=2')).toMatchObject({
      link: '<?page=0>; rel="first", <?page=1>; rel="prev", <?page=2>; rel="last"',
      header: { page: 2, previous_page: 1 },
      body: jobs.slice(20),
    })
    expect(await get('/numbers?page=3')).toMatchObject({
      status: 200,
      link: '<?page=0>; rel="first", <?page=2>; rel="last"',
      header: { total: 25, total_pages: 3, first_page: 0, last_page: 2 },
      body: [],
    })
    expect((await get('/numbers?page=-1')).body).toMatchObject({
      errors: { query: { page: ['Must be from 0 to 4.'] } },
    })
    expect((await byAttribute.request('GET', '/?page=1')).body).toEqual(jobs.slice(10, 20))
  })

  it('are counted so for wrap and the method', async () => {
    expect((await get('/in-envelope?page=1')).body).toEqual({
      data: jobs.slice(10, 20),
      page: 1,
      totalPages: 3,
      total: 25,
    })
  })

  it('are documented, and walked by contract', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const { parameters } = (api.spec.toJSON('3.1.0') as any).paths['/numbers'].get
    expect(parameters[0].schema).toEqual({ type: 'integer', default: 0, minimum: 0, maximum: 4 })
    const { failures } = await contract(api.app, api, { runs: 4, reset() {} })
    expect(failures).toEqual([])
  })
})

describe('rows in an envelope', async () => {
  const numbers = paginate(Page, {
    pageSize: 10,
    items: 'data',
    wrap: (items, { total, totalPages, page, pageSize, links }) => ({
      data: items,
      total,
      more: [`${page}/${totalPages} of ${pageSize}`, ...Object.entries(links).flat()],
    }),
  })
  const cursors = keyset({
    unique: 'id',
    pageSize: 10,
    items: 'data',
    wrap: (items, { next, previous, links }) => ({
      data: items,
      total: items.length,
      more: [`${next}`, `${previous}`, ...Object.keys(links)],
    }),
  })
  const inView = paginate({
    items: 'data',
    wrap: (items, { total }) => ({ data: items, total, more: [] }),
  })
  const wrapped = new Blueprint('wrapped')
    .get('/numbers', operation(numbers, etag(), response(JobList)), () => jobs)
    .get('/keyset', operation(cursors, response(JobList)), () => jobs)
    .get('/queries', operation(numbers, response(JobList)), () => ({
      count: async () => 25,
      slice: async (start: number, end: number) => jobs.slice(start, end),
    }))
    .get(
      '/in-view',
      operation(inView, query(t.partial({ n: int })), response(JobList)),
      (_ctx, { n = 0 }, { paginationParameters }) => {
        if (n > 0) paginationParameters.itemCount = n
        return jobs.slice(0, n)
      },
    )
  const { request, errors } = await serveBlueprints(wrapped)

  it('are what the method returned, in what wrap returns of them', async () => {
    for (const path of ['/numbers', '/queries']) {
      const { body, headers } = await request('GET', `${path}?page=2`)
      expect({ ...body, data: idsOf(body.data) }).toEqual({
        data: [11, 12, 13, 14, 15, 16, 17, 18, 19, 20],
        total: 25,
        more: [
          '2/3 of 10',
          'first',
          '?page=1',
          'prev',
          '?page=1',
          'next',
          '?page=3',
          'last',
          '?page=3',
        ],
      })
      expect(headers.get('Link')).toContain('<?page=3>; rel="next"')
    }
  })

  it('have the cursors of a keyset', async () => {
    const first = await request('GET', '/keyset')
    const cursorsOf = (headers: Headers) => JSON.parse(headers.get('X-Pagination') ?? '')
    const { next } = cursorsOf(first.headers)
    expect({ ...first.body, data: idsOf(first.body.data) }).toEqual({
      data: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      total: 10,
      more: [next, 'undefined', 'next', 'first'],
    })
    const last = await request('GET', `/keyset?page_size=30`)
    expect(last.body.more).toEqual(['undefined', 'undefined', 'first'])
    const second = await request('GET', `/keyset?cursor=${next}`)
    expect(second.body.more).toEqual([
      cursorsOf(second.headers).next,
      cursorsOf(second.headers).previous,
      'next',
      'prev',
      'first',
    ])
  })

  it('have an entity tag of the whole', async () => {
    const { headers } = await request('GET', '/numbers')
    const again = await request('GET', '/numbers', {
      headers: { 'If-None-Match': headers.get('ETag') ?? '' },
    })
    expect([again.status, again.text]).toEqual([304, ''])
    expect((await request('GET', '/numbers?page=2')).headers.get('ETag')).not.toBe(
      headers.get('ETag'),
    )
  })

  it('need the count of a method that pages by itself', async () => {
    expect((await request('GET', '/in-view?n=2')).body).toEqual({
      data: [{ id: 1 }, { id: 2 }],
      total: 2,
      more: [],
    })
    expect((await request('GET', '/in-view')).status).toBe(500)
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining(
        'wrap needs paginationParameters.itemCount, which the method must set',
      ),
    ])
  })
})

describe('a fault at registration', () => {
  const Other = struct({ data: int, rows: t.array(Job) }, 'Other')
  const wrap = () => ({})
  const faultsOf = (feature: unknown, codec: t.Mixed = t.array(Job)) => {
    const blueprint = new Blueprint('wrong').get(
      '/',
      operation(feature as ReturnType<typeof paginate>, response(codec)) as never,
      (() => []) as never,
    )
    try {
      new Api(new Koa(), { OPENAPI_VERSION: '3.1.0', DEBUG: false }).registerBlueprint(blueprint)
      return []
    } catch (error) {
      return (error as RegistrationError).faults.map(fault => fault.replace(/^.*?GET \S+: /, ''))
    }
  }
  it.each<[string, unknown, readonly string[], t.Mixed?]>([
    [
      'page beside offset',
      paginate(Page, { names: { page: 'p', offset: 'o' } } as never),
      ['paginate: names must have page or offset, not both'],
    ],
    [
      'the first or furthest page beside offset',
      paginate(Page, { names: { offset: 'o' }, page: 2, maxPage: 3 } as never),
      [
        'paginate: page is for pages by number, and names has an offset',
        'paginate: maxPage is for pages by number, and names has an offset',
      ],
    ],
    [
      'the furthest offset without one',
      paginate(Page, { maxOffset: 3 } as never),
      ["paginate: maxOffset is for pages by offset: names: { offset: 'offset' }"],
    ],
    [
      'one name for two',
      paginate(Page, { names: { page: 'page_size' } }),
      [
        'paginate: two parameters are called "page_size"',
        'two features read "page_size" in the query, and describe it differently: let one of them read it, or give it another name',
      ],
    ],
    [
      'a name that is none',
      paginate(Page, { names: { cursor: 'c' } } as never),
      ['paginate: names may have page or offset, and pageSize, but not cursor'],
    ],
    [
      'a name of nothing',
      keyset({ unique: 'id', names: { cursor: '' } }),
      ["keyset: names must be an object of names, such as { pageSize: 'limit' }, not an object"],
    ],
    [
      'a name that a keyset has not',
      keyset({ unique: 'id', names: { page: 'p' } as never }),
      ['keyset: names may have cursor, pageSize, sort, but not page'],
    ],
    [
      'items without wrap',
      paginate(Page, { items: 'rows' }),
      ['paginate: items and wrap go together: items names the field with the rows'],
      Other,
    ],
    [
      'wrap without items',
      paginate(Page, { wrap }),
      ['paginate: items and wrap go together: items names the field with the rows'],
    ],
    [
      'items that the response lacks',
      paginate(Page, { items: 'row', wrap }),
      ['paginate: items must name a field of response(Other), not "row"'],
      Other,
    ],
    [
      'items that are no list',
      paginate(Page, { items: 'data', wrap }),
      ['paginate: the field "data", which items names, must be a list'],
      Other,
    ],
  ])('is %s', (_what, feature, faults, codec) => {
    expect(faultsOf(feature, codec)).toEqual(faults)
  })
})

describe('a client', async () => {
  const api = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(
    new Blueprint('jobs')
      .get(
        '/jobs',
        operation(
          paginate(Page, {
            pageSize: 10,
            names: { offset: 'page[offset]' },
            items: 'data',
            wrap: (items, { total }) => ({ data: items, total }),
          }),
          response(struct({ data: t.array(Job), total: int }, 'Jobs')),
        ),
        () => jobs,
      )
      .get(
        '/keyset',
        operation(
          keyset({
            unique: 'id',
            pageSize: 10,
            names: { cursor: 'after' },
            items: 'rows',
            wrap: rows => ({ rows }),
          }),
          response(struct({ rows: t.array(Job) }, 'Rows')),
        ),
        () => jobs,
      )
      .get('/object', operation(response(struct({ total: int }, 'Total'))), () => ({ total: 1 })),
  )
  type Paths = PathsOf<typeof api>
  const fetch = fetchOf(api.app)
  const client = createClient<Paths>({ baseUrl: 'http://x', fetch: request => fetch(request) })

  it('walks the pages of a list in an object, under any names', async () => {
    const found: number[] = []
    const init = { items: 'data', params: { query: { 'page[offset]': 5 } } } as const
    for await (const { id } of pages(client, '/jobs', init)) found.push(id)
    expect(found).toEqual(idsOf(jobs.slice(5)))
    const all: number[] = []
    for await (const { id } of pages(client, '/keyset', { items: 'rows' })) all.push(id)
    expect(all).toEqual(idsOf(jobs))
  })

  it('is told if there is no list in the field', async () => {
    const wrong = pages(client, '/jobs', { items: 'total' as 'data' })
    await expect(wrong.next()).rejects.toThrow('http://x/jobs has no list in "total"')
    const unnamed = pages(client, '/jobs' as never)
    await expect(unnamed.next()).rejects.toThrow(
      "http://x/jobs is not a list: name the field that has the rows, items: '…'",
    )
  })

  it('has the names and the envelope in its types', () => {
    type Query = NonNullable<Paths['/jobs']['get']['parameters']['query']>
    expectTypeOf<Query>().toEqualTypeOf<{ 'page[offset]'?: number; page_size?: number }>()
    type Keyset = NonNullable<Paths['/keyset']['get']['parameters']['query']>
    expectTypeOf<Keyset>().toEqualTypeOf<{ after?: string; page_size?: number }>()
    type Headers = Paths['/jobs']['get']['responses'][200]['headers']
    expectTypeOf<Headers['Link']>().toEqualTypeOf<string | undefined>()
    // @ts-expect-error the path has no list
    pages(client, '/object', { items: 'total' })
    // @ts-expect-error the field is not a list
    pages(client, '/jobs', { items: 'total' })
    // @ts-expect-error the list is in a field
    pages(client, '/jobs')
  })

  it('has a server whose rows, envelopes and options the compiler checks', () => {
    const Jobs = struct({ data: t.array(Job), total: int })
    const wrap = (data: readonly unknown[]) => ({ data, total: 1 })
    const list = operation(paginate(Page, { items: 'data', wrap }), response(Jobs))
    const views = new Blueprint('views')
    views.get('/a', list, () => [{ id: 1 }])
    // @ts-expect-error rows of another type
    views.get('/b', list, () => [{ id: 'x' }])
    // @ts-expect-error the envelope is made by wrap
    views.get('/c', list, () => ({ data: [], total: 1 }))
    const short = paginate(Page, { items: 'data', wrap: data => ({ data }) })
    // @ts-expect-error wrap leaves the total out
    views.get('/d', operation(short, response(Jobs)), () => [{ id: 1 }])
    const cursors = keyset({ unique: 'id', items: 'row', wrap: row => ({ row, total: 1 }) })
    // @ts-expect-error the response has no such field
    views.get('/e', operation(cursors, response(Jobs)), () => [{ id: 1 }])
    // @ts-expect-error page beside offset
    paginate(Page, { names: { page: 'page', offset: 'offset' } })
    // @ts-expect-error the furthest page beside offset
    paginate(Page, { names: { offset: 'offset' }, maxPage: 3 })
    // @ts-expect-error the furthest offset without an offset
    paginate({ maxOffset: 3 })
  })
})
