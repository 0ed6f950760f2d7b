import Koa from 'koa'
import { Api } from 'koa-smorest'
import { conditional, PageError, pages } from 'koa-smorest/client'
import { fetchOf } from 'koa-smorest/testing'
import createClient, { type Middleware } from 'openapi-fetch'
import { describe, expect, it } from 'vitest'
import { jsonResponse, scripted } from './scripted.js'
import { type ShopPaths, shop } from './shop.js'

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const row of rows) found.push(row)
  return found
}

/** A shop with so many pets, numbered from 0 in steps of ten, and a client of it. */
function open({ count = 50, links = true, header = 'X-Pagination' as string | null } = {}) {
  const pets = new Map(
    Array.from({ length: count }, (_, index) => [
      index * 10,
      { id: index * 10, name: 'a', count: index, version: 1 },
    ]),
  )
  const app = new Koa()
  const blueprint = shop(pets, { PAGINATION_LINKS: links, PAGINATION_HEADER_FIELD_NAME: header })
  new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)
  const urls: string[] = []
  const fetch = fetchOf(app)
  const client = createClient<ShopPaths>({
    baseUrl: 'http://shop.test',
    fetch: request => {
      urls.push(request.url.replace('http://shop.test', ''))
      return fetch(request)
    },
  })
  return { pets, client, urls }
}

const every = Array.from({ length: 50 }, (_, index) => index * 10)

describe('the rows of a list', () => {
  it.each([
    ['numbered pages with Link', '/pets/', {}],
    ['numbered pages with X-Pagination alone', '/pets/', { links: false }],
    ['numbered pages with Link alone', '/pets/', { header: null }],
    ['a keyset', '/pets/all', {}],
  ] as const)('are all met, in order: %s', async (_, path, options) => {
    const { client, urls } = open(options)
    const rows = await all(pages(client, path, { params: { query: { page_size: 20 } } }))
    expect(rows.map(({ id }) => id)).toEqual(every)
    expect(urls).toHaveLength(3)
  })

  it('go on at the cursor of X-Pagination, without Link', async () => {
    const { client, requests } = scripted(({ url }) =>
      jsonResponse([1], { 'X-Pagination': url.includes('?') ? '{}' : '{"next":"abc"}' }),
    )
    expect(await all(pages(client, '/pets/' as never))).toEqual([1, 1])
    expect(requests.map(({ url }) => new URL(url).search)).toEqual(['', '?cursor=abc'])
  })

  it('are none if there are none', async () => {
    for (const path of ['/pets/', '/pets/all'] as const)
      for (const links of [true, false])
        expect(await all(pages(open({ count: 0, links }).client, path))).toEqual([])
  })

  it.each([
    ['/pets/all', 'neither missed nor repeated'],
    ['/pets/', 'there, where none before them come or go'],
  ] as const)('of %s that stay are %s while others come and go', async (path, _) => {
    const { pets, client } = open()
    const found: number[] = []
    for await (const { id } of pages(client, path, { params: { query: { page_size: 7 } } })) {
      found.push(id)
      const numbers = path === '/pets/all' ? [id - 5, id + 1, id + 300] : [id + 300]
      for (const number of numbers)
        if (number > 0 && number < 900)
          pets.set(number, { id: number, name: 'b', count: 0, version: 1 })
      if (path === '/pets/all') pets.delete(id - 5)
    }
    expect(found.filter(id => every.includes(id))).toEqual(every)
    expect(new Set(found).size).toBe(found.length)
  })

  it('come through conditional(), which keeps each page', async () => {
    const { client, urls } = open()
    client.use(conditional())
    const walk = () => all(pages(client, '/pets/', { params: { query: { page_size: 20 } } }))
    expect(await walk()).toEqual(await walk())
    expect(urls.slice(0, 3)).toEqual(urls.slice(3))
  })

  it('are fetched when they are reached, and no page after the one if the loop is left', async () => {
    const { client, urls } = open()
    for await (const { id } of pages(client, '/pets/all', { params: { query: { page_size: 10 } } }))
      if (id === 100) break
    expect(urls).toHaveLength(2)
  })

  it('end if init.signal aborts, in the middle of a page too', async () => {
    const { client, urls } = open()
    const controller = new AbortController()
    const found: number[] = []
    const walk = async () => {
      for await (const { id } of pages(client, '/pets/all', {
        signal: controller.signal,
        params: { query: { page_size: 10 } },
      })) {
        found.push(id)
        if (id === 120) controller.abort()
      }
    }
    await expect(walk()).rejects.toMatchObject({ name: 'AbortError' })
    expect([found.at(-1), urls.length]).toEqual([120, 2])
  })

  it('are asked for with init at every page, the query being that of the link', async () => {
    const seen: string[] = []
    const watch: Middleware = {
      onRequest: ({ request, params }) =>
        void seen.push(
          `${request.headers.get('X-A')} ${new URL(request.url).search} ${'query' in params}`,
        ),
    }
    const { client } = scripted(({ url }) =>
      jsonResponse([1], {
        Link: url.includes('after')
          ? '<?>; rel="first"'
          : "<?after=%C3%A4+b%2B'&x=1&x=2>; rel=next",
      }),
    )
    const init = { headers: { 'X-A': 'a' }, middleware: [watch], params: { query: { x: [1, 2] } } }
    expect(await all(pages(client, '/pets/' as never, init as never))).toEqual([1, 1])
    expect(seen).toEqual(['a ?x=1&x=2 true', 'a ?after=%C3%A4+b%2B%27&x=1&x=2 true'])
  })
})

describe('a page that fails', () => {
  it('is a PageError, after the rows before it', async () => {
    const { client } = scripted(({ url }) =>
      url.includes('page=2')
        ? jsonResponse({ code: 500 }, {}, 500)
        : jsonResponse([1, 2], { Link: '<?page=2>; rel="next"' }),
    )
    const found: unknown[] = []
    const walk = async () => {
      for await (const row of pages(client, '/pets/' as never)) found.push(row)
    }
    const error = await walk().catch(error => error)
    expect(error).toBeInstanceOf(PageError)
    expect({
      found,
      name: error.name,
      message: error.message,
      error: error.error,
      status: error.response.status,
    }).toEqual({
      found: [1, 2],
      name: 'PageError',
      message: 'http://shop.test/pets/?page=2 has status 500',
      error: { code: 500 },
      status: 500,
    })
  })

  it('is an Error without Link and X-Pagination: it names what a server of another origin has to send', async () => {
    const { client } = scripted(() => jsonResponse([1], { Link: '</v2>; rel="deprecation"' }))
    await expect(all(pages(client, '/pets/' as never))).rejects.toThrow(
      'No Link or X-Pagination, or not in Access-Control-Expose-Headers',
    )
  })

  it.each([
    '//other.test/pets/?page=2',
    'http://shop.test:81/pets/?page=2',
    '/admin?page=2',
    '../?page=2',
    'javascript:0',
    '?page=1',
  ])('is an Error if the next one is said to be %s, which is not asked for', async reference => {
    const { client, requests } = scripted(() =>
      jsonResponse([1], { Link: `<${reference}>; rel="next"` }),
    )
    const init = { params: { query: { page: 1 } } }
    await expect(all(pages(client, '/pets/' as never, init as never))).rejects.toThrow(
      /^\S+ is not a next page of http:\/\/shop\.test\/pets\/\?page=1$/,
    )
    expect(requests).toHaveLength(1)
  })
})

describe('a page that cannot be found', () => {
  it('is an Error that names the field, if X-Pagination is not an object', async () => {
    for (const field of ['null', '<garbage>', '7']) {
      const { client } = scripted(() => jsonResponse([1], { 'X-Pagination': field }))
      await expect(all(pages(client, '/pets/' as never))).rejects.toThrow(
        `X-Pagination must be a JSON object, not ${field}`,
      )
    }
  })

  it('is an Error, if it was fetched before', async () => {
    const { client, requests } = scripted(({ url }) =>
      jsonResponse([1], { Link: `<?p=${url.endsWith('a') ? 'b' : 'a'}>; rel="next"` }),
    )
    await expect(all(pages(client, '/pets/' as never))).rejects.toThrow(
      'http://shop.test/pets/?p=a is not a next page of http://shop.test/pets/?p=b',
    )
    expect(requests.map(({ url }) => url.slice(22))).toEqual(['', '?p=a', '?p=b'])
  })
})

describe('Link', () => {
  it.each([
    ['<?p=2>; rel="next"', '?p=2'],
    ['<?p=1>; rel="prev", <?p=3>; rel="next"', '?p=3'],
    ['<?p=2>;rel=next', '?p=2'],
    ['<?p=2> ; title="a, b; c" ; REL = "up Next"', '?p=2'],
    ['<?p=1,2;3>; rel="next", </v2>; rel="deprecation"', '?p=1,2;3'],
    ['<http://shop.test/pets/?p=2>; rel="next"', '?p=2'],
    ['</pets/?p=2>; rel="next"; title="<"', '?p=2'],
    ['<?p=9>; rel="http://example.com/next", <?p=2>; rel="first next"', '?p=2'],
    ['<?p=2>; rel="first"', undefined],
    ['<?p=2>; rel="prev"', undefined],
  ])('%s leads to %s', async (field, next) => {
    const { client, requests } = scripted(({ url }) =>
      jsonResponse([1], { Link: url.includes('?') ? '<?>; rel="first"' : field }),
    )
    await all(pages(client, '/pets/' as never))
    expect(requests.slice(1).map(({ url }) => new URL(url).search)).toEqual(
      next === undefined ? [] : [next],
    )
  })
})
