import { setTimeout as sleep } from 'node:timers/promises'
import * as t from 'io-ts'
import {
  altResponse,
  Blueprint,
  type Feature,
  operation,
  Page,
  paginate,
  redirect,
  reply,
  response,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { type Client, serveBlueprints } from '../support/client.js'

const Num = t.strict({ n: t.number }, 'Num')
const nums = (total: number) => Array.from({ length: total }, (_, n) => ({ n }))

const list = response(t.array(Num))

/** The items and the pagination header of a page. */
async function pageOf(request: Client, path: string) {
  const { status, headers, body } = await request('GET', path)
  return {
    status,
    items: Array.isArray(body) ? body.map(({ n }) => n) : body,
    header: JSON.parse(headers.get('X-Pagination') ?? 'null'),
  }
}

class Cursor {
  constructor(readonly total: number) {}
  part(start: number, size: number) {
    return nums(this.total).slice(start, start + size)
  }
}
class CursorPage extends Page<Cursor> {
  override get itemCount() {
    return this.collection.total
  }
  override get items() {
    return this.collection.part(this.parameters.firstItem, this.parameters.pageSize)
  }
}

/** Every way to page: each serves a list of as many items as its path says. */
const WAYS: Readonly<Record<string, Blueprint>> = {
  'an array': new Blueprint('array').get(
    '/:total<int>',
    operation(list, paginate(Page)),
    (_ctx, { total }) => nums(total),
  ),
  'a query': new Blueprint('query').get(
    '/:total<int>',
    operation(list, paginate(Page)),
    (_ctx, { total }) => ({
      count: async () => total,
      slice: async (start: number, end: number) => nums(total).slice(start, end),
    }),
  ),
  'a pager of its own': new Blueprint('pager').get(
    '/:total<int>',
    operation(list, paginate(CursorPage)),
    (_ctx, { total }) => new Cursor(total),
  ),
  'the method itself': new Blueprint('method').get(
    '/:total<int>',
    operation(list, paginate()),
    (_ctx, { total, paginationParameters }) => {
      paginationParameters.itemCount = total
      return nums(total).slice(paginationParameters.firstItem, paginationParameters.lastItem + 1)
    },
  ),
}

describe.each(Object.entries(WAYS))('a list that is paged by %s', (_way, views) => {
  it('is its first page if none is asked for', async () => {
    const { request } = await serveBlueprints(views)
    const header = { total: 25, total_pages: 3, first_page: 1, last_page: 3, page: 1, next_page: 2 }
    expect(await pageOf(request, '/25')).toEqual({
      status: 200,
      items: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      header,
    })
  })

  it('has no neighbours in its header that do not exist', async () => {
    const { request } = await serveBlueprints(views)
    const header = {
      total: 25,
      total_pages: 3,
      first_page: 1,
      last_page: 3,
      page: 3,
      previous_page: 2,
    }
    expect(await pageOf(request, '/25?page=3')).toEqual({
      status: 200,
      items: [20, 21, 22, 23, 24],
      header,
    })
  })

  it('has both neighbours in its header between the first page and the last', async () => {
    const { request } = await serveBlueprints(views)
    const header = {
      total: 25,
      total_pages: 3,
      first_page: 1,
      last_page: 3,
      page: 2,
      previous_page: 1,
      next_page: 3,
    }
    expect((await pageOf(request, '/25?page=2')).header).toEqual(header)
  })

  it.each(['4', '99999999999999999999'])('is empty beyond its end, on page %s', async page => {
    const { request } = await serveBlueprints(views)
    const header = { total: 25, total_pages: 3, first_page: 1, last_page: 3 }
    expect(await pageOf(request, `/25?page=${page}`)).toEqual({ status: 200, items: [], header })
  })

  it('has only totals in its header if it is empty', async () => {
    const { request } = await serveBlueprints(views)
    expect(await pageOf(request, '/0')).toEqual({
      status: 200,
      items: [],
      header: { total: 0, total_pages: 0 },
    })
  })

  it.each([
    { total: 1, size: 1 },
    { total: 7, size: 3 },
    { total: 9, size: 3 },
    { total: 23, size: 10 },
  ])(
    'has every item once, in order, over all its pages: $total items by $size (P5)',
    async ({ total, size }) => {
      const { request } = await serveBlueprints(views)
      const pages = await Promise.all(
        Array.from({ length: Math.ceil(total / size) }, (_, page) =>
          pageOf(request, `/${total}?page=${page + 1}&page_size=${size}`),
        ),
      )
      expect(pages.flatMap(({ items }) => items)).toEqual(nums(total).map(({ n }) => n))
    },
  )

  const FROM_1 = 'Must be at least 1.'
  it.each([
    ['page=0', { page: [FROM_1] }],
    ['page=-1', { page: [FROM_1] }],
    ['page=1.5', { page: ['Not a whole number.'] }],
    ['page=', { page: ['Not a whole number.'] }],
    ['page=1&page=2', { page: ['Given more than once.'] }],
    ['page_size=0', { page_size: ['Must be from 1 to 100.'] }],
    ['page_size=101', { page_size: ['Must be from 1 to 100.'] }],
    ['page=x&page_size=y', { page: ['Not a whole number.'], page_size: ['Not a whole number.'] }],
  ])(
    'is a 422 that names what is wrong with ?%s, and has no header (T36, T37)',
    async (search, fields) => {
      const { request } = await serveBlueprints(views)
      const { status, body, headers } = await request('GET', `/25?${search}`)
      expect({ status, errors: body.errors, header: headers.get('X-Pagination') }).toEqual({
        status: 422,
        errors: { query: fields },
        header: null,
      })
    },
  )
})

describe('a method that pages by itself', () => {
  it('is given the page and its range, of which the last item is inclusive', async () => {
    const seen: object[] = []
    const views = new Blueprint('views').get(
      '/',
      operation(paginate()),
      (_ctx, { paginationParameters }) => {
        const { page, pageSize, firstItem, lastItem } = paginationParameters
        paginationParameters.itemCount = 0
        seen.push({ page, pageSize, firstItem, lastItem })
        return null
      },
    )
    const { request } = await serveBlueprints(views)
    await request('GET', '/?page=3&page_size=5')
    expect(seen).toEqual([{ page: 3, pageSize: 5, firstItem: 10, lastItem: 14 }])
  })

  it('has no header if it does not set the item count, which is a warning', async () => {
    const { request, api } = await serveBlueprints(
      new Blueprint('views').get('/', operation(list, paginate()), () => nums(3)),
    )
    const warnings: string[] = []
    api.warn = text => warnings.push(text)
    expect(await pageOf(request, '/')).toEqual({ status: 200, items: [0, 1, 2], header: null })
    expect(warnings).toEqual([
      expect.stringContaining('paginationParameters.itemCount was not set'),
    ])
  })

  it('is a fault if its item count is not a number (T38)', async () => {
    const views = new Blueprint('views').get(
      '/',
      operation(list, paginate()),
      (_ctx, { paginationParameters }) => {
        paginationParameters.itemCount = Number.NaN
        return []
      },
    )
    const { request, errors } = await serveBlueprints(views)
    const { body } = await request('GET', '/')
    expect({ body, errors: errors.map(({ message }) => message) }).toEqual({
      body: { code: 500, status: 'Internal Server Error' },
      errors: [expect.stringContaining('item count')],
    })
  })
})

describe('a reply with a collection', () => {
  it('is paged, and keeps its status and header fields', async () => {
    const views = new Blueprint('views').get(
      '/',
      operation(list, altResponse(206, t.array(Num)), paginate(Page)),
      () => reply(nums(3), 206, { 'X-Extra': 'yes' }),
    )
    const { request } = await serveBlueprints(views)
    const { headers } = await request('GET', '/?page_size=2')
    const { status, items, header } = await pageOf(request, '/?page_size=2')
    expect({ status, items, total: header.total, extra: headers.get('X-Extra') }).toEqual({
      status: 206,
      items: [0, 1],
      total: 3,
      extra: 'yes',
    })
  })
})

describe('options of paginate', () => {
  const views = new Blueprint('views').get(
    '/',
    operation(list, paginate(Page, { page: 2, pageSize: 2, maxPageSize: 3, maxPage: 5 })),
    () => nums(9),
  )

  it('say which page is the default, how large it is, and what is too much', async () => {
    const { request } = await serveBlueprints(views)
    expect((await pageOf(request, '/')).items).toEqual([2, 3])
    const { body } = await request('GET', '/?page=6&page_size=4')
    expect(body.errors).toEqual({
      query: { page: ['Must be from 1 to 5.'], page_size: ['Must be from 1 to 3.'] },
    })
  })

  it('are documented with the parameters, the header field and the errors of a query', async () => {
    const { api, request } = await serveBlueprints(views)
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const { get } = (api.spec.toJSON() as any).paths['/']
    expect(get.parameters).toEqual([
      {
        name: 'page',
        in: 'query',
        required: false,
        schema: { type: 'integer', default: 2, minimum: 1, maximum: 5 },
      },
      {
        name: 'page_size',
        in: 'query',
        required: false,
        schema: { type: 'integer', default: 2, minimum: 1, maximum: 3 },
      },
    ])
    expect({
      statuses: Object.keys(get.responses),
      headers: Object.keys(get.responses[200].headers),
    }).toEqual({
      statuses: ['200', '400', '422', 'default'],
      headers: ['X-Pagination'],
    })
    expect((await request('GET', '/?page=%ff')).status).toBe(400)
  })
})

describe('class attributes of a Blueprint', () => {
  it('say the sizes of pages and the name of the header, for all its operations', async () => {
    class Named extends Blueprint {
      static override DEFAULT_PAGINATION_PARAMETERS = { page: 1, pageSize: 3, maxPageSize: 4 }
      static override PAGINATION_HEADER_FIELD_NAME = 'X-Pages'
    }
    const { request } = await serveBlueprints(
      new Named('named').get('/', operation(list, paginate(Page)), () => nums(9)),
    )
    const { body, headers } = await request('GET', '/')
    const header = { total: 9, total_pages: 3, first_page: 1, last_page: 3, page: 1, next_page: 2 }
    expect({ body, header: JSON.parse(headers.get('X-Pages') ?? 'null') }).toEqual({
      body: nums(3),
      header,
    })
    expect((await request('GET', '/?page_size=5')).body.errors).toEqual({
      query: { page_size: ['Must be from 1 to 4.'] },
    })
  })

  it('turn the header off by null', async () => {
    class Silent extends Blueprint {
      static override PAGINATION_HEADER_FIELD_NAME = null
    }
    const { request } = await serveBlueprints(
      new Silent('silent').get('/', operation(list, paginate(Page)), () => nums(2)),
    )
    expect(await pageOf(request, '/')).toEqual({ status: 200, items: [0, 1], header: null })
  })
})

describe('links of numbered pages', () => {
  class Linked extends Blueprint {
    static override PAGINATION_LINKS = true
  }
  const linked = new Linked('linked', { urlPrefix: '/linked' })
  linked.get(
    '/:total<int>',
    operation(response(t.array(Num)), paginate(Page, { pageSize: 2 })),
    (_ctx, { total }) => nums(total),
  )

  it.each([
    ['/linked/5', { first: '?page=1', next: '?page=2', last: '?page=3' }],
    [
      '/linked/5?q=a&page=2',
      { first: '?page=1&q=a', prev: '?page=1&q=a', next: '?page=3&q=a', last: '?page=3&q=a' },
    ],
    [
      '/linked/5?page=3&page_size=2',
      { first: '?page=1&page_size=2', prev: '?page=2&page_size=2', last: '?page=3&page_size=2' },
    ],
    ['/linked/5?page=9', { first: '?page=1', last: '?page=3' }],
    ['/linked/0', { first: '?page=1', last: '?page=1' }],
  ])('lead around %s, and keep the other parameters', async (path, expected) => {
    const { request } = await serveBlueprints(linked)
    const { headers } = await request('GET', path)
    const links = (headers.get('Link') ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)
    expect(
      Object.fromEntries(Array.from(links, ([, reference, relation]) => [relation, reference])),
    ).toEqual(expected)
  })

  it('are not sent unless the Blueprint asks for them', async () => {
    const { request } = await serveBlueprints(
      new Blueprint('views').get('/', operation(list, paginate(Page)), () => nums(25)),
    )
    expect((await request('GET', '/')).headers.get('Link')).toBeNull()
  })
})

describe('a collection that cannot be paged', () => {
  const gone = () => {
    throw new Error('the database is gone')
  }
  const failing: Record<string, object> = {
    'count rejects, slice throws': { count: async () => gone(), slice: gone },
    'count throws, slice rejects': { count: gone, slice: async () => gone() },
    'both reject': { count: async () => gone(), slice: async () => gone() },
    'count rejects late, slice throws': { count: () => sleep(20).then(gone), slice: gone },
    'a query that counts when it is awaited': {
      count: () => ({
        // biome-ignore lint/suspicious/noThenProperty: query builders have one
        then: (_: unknown, reject: (error: Error) => void) => reject(new Error('x')),
      }),
      slice: gone,
    },
  }

  it.each(Object.keys(failing))(
    'is one error, and leaves no rejection unhandled: %s',
    async name => {
      const unhandled: unknown[] = []
      const note = (reason: unknown) => unhandled.push(reason)
      process.on('unhandledRejection', note)
      const views = new Blueprint('views').get(
        '/',
        operation(list, paginate(Page)),
        () => failing[name] as never,
      )
      const { request, errors } = await serveBlueprints(views)
      expect((await request('GET', '/')).status).toBe(500)
      await sleep(50)
      process.off('unhandledRejection', note)
      expect({ errors: errors.length, unhandled }).toEqual({ errors: 1, unhandled: [] })
    },
  )

  it.each([null, 7, { length: 3 }, { slice: () => [] }])(
    'is an error that says what a collection is, if the result is %j',
    async result => {
      const views = new Blueprint('views').get(
        '/',
        operation(list, paginate(Page)),
        () => result as never,
      )
      const { request, errors } = await serveBlueprints(views)
      expect((await request('GET', '/')).status).toBe(500)
      expect(errors.at(-1)?.message).toContain(
        'the method returned neither an array nor something with count() and slice(start, end)',
      )
    },
  )
})

describe('a raw response under paginate', () => {
  const Conflict = t.strict({ holder: t.string }, 'Conflict')
  const raw = new Blueprint('raw')
  for (const [name, pages] of [
    ['pager', paginate(Page)],
    ['view', paginate()],
  ] as const) {
    raw.get(
      `/${name}/response`,
      operation(list, pages as Feature<Record<never, never>>),
      () => Response.json(nums(30)) as never,
    )
    raw.get(`/${name}/buffer`, operation(list, pages as Feature<Record<never, never>>), ctx => {
      ctx.type = 'json'
      ctx.body = Buffer.from('[]')
      return undefined as never
    })
    raw.get(
      `/${name}/conflict`,
      operation(list, altResponse(409, Conflict), pages as Feature<Record<never, never>>),
      () => reply({ holder: 'Kim' } as never, 409),
    )
    raw.get(
      `/${name}/missing`,
      operation(list, altResponse(404), pages as Feature<Record<never, never>>),
      () => Response.json({ code: 404, status: 'Not Found' }, { status: 404 }) as never,
    )
    raw.get(
      `/${name}/elsewhere`,
      operation(list, altResponse(303), pages as Feature<Record<never, never>>),
      () => redirect('/pager', 303) as never,
    )
  }
  const whole = ['/pager/response', '/pager/buffer', '/view/response', '/view/buffer']

  it.each(whole)('is sent whole, with a warning: %s', async path => {
    const { request, api } = await serveBlueprints(raw, { DEBUG: false, TESTING: false })
    const warnings: string[] = []
    api.warn = text => warnings.push(text)
    expect((await request('GET', path)).status).toBe(200)
    expect(warnings).toEqual([
      expect.stringContaining('a Response, a stream or a Buffer cannot be paged'),
    ])
  })

  it.each(whole)('is an error in development and in tests: %s', async path => {
    const { request, errors } = await serveBlueprints(raw, { TESTING: true })
    expect((await request('GET', path)).status).toBe(500)
    expect(errors.at(-1)?.message).toContain('return the collection, or leave paginate() out')
  })

  it.each(['/pager', '/view'])('is sent as it is if it is not a success: %s', async kind => {
    const { request } = await serveBlueprints(raw, { TESTING: true })
    const { status, body, headers } = await request('GET', `${kind}/conflict`)
    expect({ status, body, pages: headers.get('X-Pagination') }).toEqual({
      status: 409,
      body: { holder: 'Kim' },
      pages: null,
    })
    expect((await request('GET', `${kind}/missing`)).status).toBe(404)
    const { status: moved, headers: fields } = await request('GET', `${kind}/elsewhere`)
    expect({ moved, to: fields.get('Location') }).toEqual({ moved: 303, to: '/pager' })
  })
})

describe('maxPageSize', () => {
  it('of Infinity takes any size, and is not in the document', async () => {
    const views = new Blueprint('views').get(
      '/',
      operation(list, paginate(Page, { maxPageSize: Number.POSITIVE_INFINITY })),
      () => nums(300),
    )
    const { request, api } = await serveBlueprints(views)
    expect((await request('GET', '/?page_size=250')).body).toHaveLength(250)
    for (const size of ['9007199254740993', '9'.repeat(400)])
      expect((await request('GET', `/?page_size=${size}&page=7`)).body).toEqual([])
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const { parameters } = (api.spec.toJSON() as any).paths['/'].get
    expect(parameters[1].schema).toEqual({ type: 'integer', default: 10, minimum: 1 })
  })

  it('is the default page size if that would be larger', async () => {
    const views = new Blueprint('views').get(
      '/',
      operation(list, paginate(Page, { maxPageSize: 4 })),
      () => nums(30),
    )
    const { request } = await serveBlueprints(views)
    expect((await request('GET', '/')).body).toHaveLength(4)
  })
})
