import { setTimeout as sleep } from 'node:timers/promises'
import * as t from 'io-ts'
import {
  altResponse,
  Blueprint,
  type Feature,
  operation,
  Page,
  type PaginationParameters,
  paginate,
  redirect,
  reply,
  response,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'

const Num = t.strict({ n: t.number }, 'Num')
const nums = (total: number) => Array.from({ length: total }, (_, n) => ({ n }))

/** A query: knows how to count itself and to give a part of itself, both of them later. */
const lazy = (total: number) => ({
  count: async () => total,
  slice: async (start: number, end: number) => nums(total).slice(start, end),
})

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

const lists = new Blueprint('lists', { urlPrefix: '/lists' })
const list = response(t.array(Num))
lists.get('/array/:total<int>', operation(list, paginate(Page)), (_ctx, { total }) => nums(total))
lists.get('/lazy/:total<int>', operation(list, paginate(Page)), (_ctx, { total }) => lazy(total))
lists.get('/cursor/:total<int>', operation(list, paginate(CursorPage)), (_ctx, { total }) => new Cursor(total))
lists.get('/view/:total<int>', operation(list, paginate()), (_ctx, { total, paginationParameters }) => {
  paginationParameters.itemCount = total
  return nums(total).slice(paginationParameters.firstItem, paginationParameters.lastItem + 1)
})
lists.get('/forgotten', operation(list, paginate()), () => nums(3))
lists.get('/reply', operation(list, altResponse(206, t.array(Num)), paginate(Page)), () => reply(nums(3), 206, { 'X-Extra': 'yes' }))
lists.get('/own', operation(list, paginate(Page, { page: 2, pageSize: 2, maxPageSize: 3, maxPage: 5 })), () => nums(9))
lists.get('/wrong', operation(list, paginate()), (_ctx, { paginationParameters }) => {
  paginationParameters.itemCount = Number.NaN
  return []
})

class Named extends Blueprint {
  static override DEFAULT_PAGINATION_PARAMETERS = { page: 1, pageSize: 3, maxPageSize: 4 }
  static override PAGINATION_HEADER_FIELD_NAME = 'X-Pages'
}
const named = new Named('named', { urlPrefix: '/named' })
named.get('/', operation(response(t.array(Num)), paginate(Page)), () => nums(9))
class Silent extends Blueprint {
  static override PAGINATION_HEADER_FIELD_NAME = null
}
const silent = new Silent('silent', { urlPrefix: '/silent' })
silent.get('/', operation(response(t.array(Num)), paginate(Page)), () => nums(9))

const { request, api, errors } = await serveBlueprints([lists, named, silent])
const pageOf = async (path: string) => {
  const { status, headers, body } = await request('GET', path)
  return { status, items: Array.isArray(body) ? body.map(({ n }) => n) : body, header: JSON.parse(headers.get('X-Pagination') ?? 'null') }
}

describe.each(['array', 'lazy', 'cursor', 'view'])('a list that is paged (%s)', kind => {
  it('returns the first page where none is asked for', async () => {
    const header = { total: 25, total_pages: 3, first_page: 1, last_page: 3, page: 1, next_page: 2 }
    expect(await pageOf(`/lists/${kind}/25`)).toEqual({ status: 200, items: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], header })
  })

  it('leaves out the neighbours that are not there', async () => {
    const header = { total: 25, total_pages: 3, first_page: 1, last_page: 3, page: 3, previous_page: 2 }
    expect(await pageOf(`/lists/${kind}/25?page=3`)).toEqual({ status: 200, items: [20, 21, 22, 23, 24], header })
  })

  it.each(['4', '99999999999999999999'])('returns an empty list for page %s, beyond the end', async page => {
    const header = { total: 25, total_pages: 3, first_page: 1, last_page: 3 }
    expect(await pageOf(`/lists/${kind}/25?page=${page}`)).toEqual({ status: 200, items: [], header })
  })

  it('says of an empty collection that there is nothing', async () => {
    expect(await pageOf(`/lists/${kind}/0`)).toEqual({ status: 200, items: [], header: { total: 0, total_pages: 0 } })
  })

  it('gives every item once, in order, over all its pages (P5)', async () => {
    for (const [total, size] of [
      [1, 1],
      [7, 3],
      [9, 3],
      [23, 10],
    ] as const) {
      const pages = await Promise.all(
        Array.from({ length: Math.ceil(total / size) }, (_, page) => pageOf(`/lists/${kind}/${total}?page=${page + 1}&page_size=${size}`)),
      )
      expect(pages.flatMap(({ items }) => items)).toEqual(nums(total).map(({ n }) => n))
    }
  })

  it.each([
    ['page=0', { page: expect.anything() }],
    ['page=-1', { page: expect.anything() }],
    ['page=1.5', { page: expect.anything() }],
    ['page=', { page: expect.anything() }],
    ['page=1&page=2', { page: expect.anything() }],
    ['page_size=0', { page_size: expect.anything() }],
    ['page_size=101', { page_size: expect.anything() }],
    ['page=x&page_size=y', { page: expect.anything(), page_size: expect.anything() }],
  ])('refuses ?%s and names what is wrong (T36, T37)', async (search, fields) => {
    const { status, body, headers } = await request('GET', `/lists/${kind}/25?${search}`)
    expect(status).toBe(422)
    expect(body.errors).toEqual({ query: fields })
    expect(headers.has('X-Pagination')).toBe(false)
  })
})

describe('pagination', () => {
  it('sends no header where the view has not said how many items there are', async () => {
    expect((await pageOf('/lists/forgotten')).header).toBeNull()
  })

  it('is a fault where the view says nonsense of it (T38)', async () => {
    expect((await request('GET', '/lists/wrong')).body).toEqual({ code: 500, status: 'Internal Server Error' })
    expect(errors.at(-1)?.message).toContain('item count')
  })

  it('keeps the status and the header fields of a reply', async () => {
    const { status, headers, body } = await request('GET', '/lists/reply?page_size=2')
    expect([status, headers.get('X-Extra'), body.length, JSON.parse(headers.get('X-Pagination') ?? '').total]).toEqual([206, 'yes', 2, 3])
  })

  it('takes its parameters from the feature, then from the class of the Blueprint', async () => {
    expect((await pageOf('/lists/own')).items).toEqual([2, 3])
    expect((await request('GET', '/lists/own?page_size=4')).status).toBe(422)
    expect((await request('GET', '/lists/own?page=6')).status).toBe(422)
    const { body, headers } = await request('GET', '/named/')
    expect([body.length, JSON.parse(headers.get('X-Pages') ?? '').total_pages]).toEqual([3, 3])
    expect((await request('GET', '/named/?page_size=5')).status).toBe(422)
  })

  it('sends no header where the Blueprint has none', async () => {
    const { status, headers } = await request('GET', '/silent/')
    expect([status, headers.has('X-Pagination')]).toEqual([200, false])
  })

  it('documents what it reads, what it sends and what it refuses', () => {
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const { get } = (api.spec.toJSON() as any).paths['/lists/own']
    expect(get.parameters).toEqual([
      { name: 'page', in: 'query', required: false, schema: { type: 'integer', default: 2, minimum: 1, maximum: 5 } },
      { name: 'page_size', in: 'query', required: false, schema: { type: 'integer', default: 2, minimum: 1, maximum: 3 } },
    ])
    expect(Object.keys(get.responses)).toEqual(['200', '422', 'default'])
    expect(Object.keys(get.responses[200].headers)).toEqual(['X-Pagination'])
  })

  it('gives the view the range, the last item inclusive', async () => {
    let seen: PaginationParameters | undefined
    const one = new Blueprint('one')
    one.get('/', operation(paginate()), (_ctx, { paginationParameters }) => {
      seen = paginationParameters
      return null
    })
    const { request } = await serveBlueprints(one)
    await request('GET', '/?page=3&page_size=5')
    expect([seen?.page, seen?.pageSize, seen?.firstItem, seen?.lastItem]).toEqual([3, 5, 10, 14])
  })
})

describe('links of numbered pages', () => {
  class Linked extends Blueprint {
    static override PAGINATION_LINKS = true
  }
  const linked = new Linked('linked', { urlPrefix: '/linked' })
  linked.get('/:total<int>', operation(response(t.array(Num)), paginate(Page, { pageSize: 2 })), (_ctx, { total }) => nums(total))

  it.each([
    ['/linked/5', { first: '?page=1', next: '?page=2', last: '?page=3' }],
    ['/linked/5?q=a&page=2', { first: '?page=1&q=a', prev: '?page=1&q=a', next: '?page=3&q=a', last: '?page=3&q=a' }],
    ['/linked/5?page=3&page_size=2', { first: '?page=1&page_size=2', prev: '?page=2&page_size=2', last: '?page=3&page_size=2' }],
    ['/linked/5?page=9', { first: '?page=1', last: '?page=3' }],
    ['/linked/0', { first: '?page=1', last: '?page=1' }],
  ])('lead around %s, and keep the other parameters', async (path, expected) => {
    const { request } = await serveBlueprints(linked)
    const { headers } = await request('GET', path)
    const links = Array.from((headers.get('Link') ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g), ([, reference, relation]) => [
      relation,
      reference,
    ])
    expect(Object.fromEntries(links)).toEqual(expected)
  })

  it('are not sent where the Blueprint does not ask for them', async () => {
    expect((await request('GET', '/lists/array/5')).headers.get('Link')).toBeNull()
  })
})

describe('a page that cannot be cut', () => {
  const gone = () => {
    throw new Error('the database is gone')
  }
  const failing: Record<string, object> = {
    'count rejects, slice throws': { count: async () => gone(), slice: gone },
    'count throws, slice rejects': { count: gone, slice: async () => gone() },
    'both reject': { count: async () => gone(), slice: async () => gone() },
    'count rejects late, slice throws': { count: () => sleep(20).then(gone), slice: gone },
    'a query that counts when it is awaited': {
      // biome-ignore lint/suspicious/noThenProperty: query builders have one
      count: () => ({ then: (_: unknown, reject: (error: Error) => void) => reject(new Error('x')) }),
      slice: gone,
    },
  }

  it.each(Object.keys(failing))('is one error, and leaves no rejection behind: %s', async name => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    const views = new Blueprint('views').get('/', operation(list, paginate(Page)), () => failing[name] as never)
    const { request, errors } = await serveBlueprints(views)
    expect((await request('GET', '/')).status).toBe(500)
    await sleep(50)
    process.off('unhandledRejection', note)
    expect({ errors: errors.length, unhandled }).toEqual({ errors: 1, unhandled: [] })
  })

  it.each([null, 7, { length: 3 }, { slice: () => [] }])('because there is no collection says so: %j', async result => {
    const views = new Blueprint('views').get('/', operation(list, paginate(Page)), () => result as never)
    const { request, errors } = await serveBlueprints(views)
    expect((await request('GET', '/')).status).toBe(500)
    expect(errors.at(-1)?.message).toContain('the method returned neither an array nor something with count() and slice(start, end)')
  })
})

describe('a result that is no collection', () => {
  const Conflict = t.strict({ holder: t.string }, 'Conflict')
  const raw = new Blueprint('raw')
  for (const [name, pages] of [
    ['pager', paginate(Page)],
    ['view', paginate()],
  ] as const) {
    raw.get(`/${name}/response`, operation(list, pages as Feature<Record<never, never>>), () => Response.json(nums(30)) as never)
    raw.get(`/${name}/buffer`, operation(list, pages as Feature<Record<never, never>>), ctx => {
      ctx.type = 'json'
      ctx.body = Buffer.from('[]')
      return undefined as never
    })
    raw.get(`/${name}/conflict`, operation(list, altResponse(409, Conflict), pages as Feature<Record<never, never>>), () =>
      reply({ holder: 'Kim' } as never, 409),
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
    expect(warnings).toEqual([expect.stringContaining('a Response, a stream or a Buffer cannot be paged')])
  })

  it.each(whole)('is an error in development and in tests: %s', async path => {
    const { request, errors } = await serveBlueprints(raw, { TESTING: true })
    expect((await request('GET', path)).status).toBe(500)
    expect(errors.at(-1)?.message).toContain('return the collection, or leave paginate() out')
  })

  it.each(['/pager', '/view'])('is left alone where it is no success: %s', async kind => {
    const { request } = await serveBlueprints(raw, { TESTING: true })
    const { status, body, headers } = await request('GET', `${kind}/conflict`)
    expect({ status, body, pages: headers.get('X-Pagination') }).toEqual({ status: 409, body: { holder: 'Kim' }, pages: null })
    expect((await request('GET', `${kind}/missing`)).status).toBe(404)
    const { status: moved, headers: fields } = await request('GET', `${kind}/elsewhere`)
    expect({ moved, to: fields.get('Location') }).toEqual({ moved: 303, to: '/pager' })
  })
})

describe('a page size without a limit', () => {
  it('takes any size, and says none in the document', async () => {
    const views = new Blueprint('views').get('/', operation(list, paginate(Page, { maxPageSize: Number.POSITIVE_INFINITY })), () =>
      nums(300),
    )
    const { request, api } = await serveBlueprints(views)
    expect((await request('GET', '/?page_size=250')).body).toHaveLength(250)
    for (const size of ['9007199254740993', '9'.repeat(400)]) expect((await request('GET', `/?page_size=${size}&page=7`)).body).toEqual([])
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const { parameters } = (api.spec.toJSON() as any).paths['/'].get
    expect(parameters[1].schema).toEqual({ type: 'integer', default: 10, minimum: 1 })
  })

  it('is the largest one where the usual one is larger', async () => {
    const views = new Blueprint('views').get('/', operation(list, paginate(Page, { maxPageSize: 4 })), () => nums(30))
    const { request } = await serveBlueprints(views)
    expect((await request('GET', '/')).body).toHaveLength(4)
  })
})
