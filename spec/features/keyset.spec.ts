import { createHash } from 'node:crypto'
import fc from 'fast-check'
import * as t from 'io-ts'
import {
  Blueprint,
  bool,
  branches,
  type Condition,
  decimal,
  describe as describeCodec,
  int,
  isoDate,
  isoDateTime,
  keyset,
  maxLength,
  nullable,
  operation,
  query,
  RegistrationError,
  refine,
  response,
  type Seekable,
  type SeekRequest,
  struct,
  withDefault,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { canonicalText } from '../../src/codec/runtime/canonical-text.js'
import { cases, seed } from '../properties/seed.js'
import { serveBlueprints } from '../support/client.js'

const Row = struct(
  {
    id: int,
    size: int,
    price: decimal,
    name: maxLength(t.string, 20),
    born: nullable(isoDate.asDate),
    at: isoDateTime,
    isOld: bool,
  },
  'Row',
)
type Row = t.TypeOf<typeof Row>

const SORTS = {
  id: ['id'],
  newest: ['-at', 'name'],
  cheapest: ['price', '-size'],
  born: ['born', '-name'],
  youngest: ['-born'],
  old: ['isOld', 'id', 'name'],
} as const
const options = { unique: 'id', sorts: SORTS, nulls: { born: 'last' }, maxPageSize: 100 } as const

/**
 * What a database does: keeps the order of the keys, and gives the rows of one branch after
 * another.
 */
function database(rows: readonly Row[]): Seekable<Row> {
  const compare = (left: unknown, right: unknown) =>
    (left as number) < (right as number) ? -1 : (left as number) > (right as number) ? 1 : 0
  const comparable = (field: string, value: unknown) =>
    field === 'price'
      ? Number(value)
      : field === 'at'
        ? Date.parse(value as string)
        : value instanceof Date
          ? value.getTime()
          : value
  const fieldOf = (row: Row, field: string) => comparable(field, row[field as keyof Row])
  const holds = (row: Row, condition: Condition): boolean => {
    const value = fieldOf(row, condition.field)
    if (!('value' in condition)) return (value === null) === (condition.operator === 'is null')
    if (value === null) return false
    const order = compare(value, comparable(condition.field, condition.value))
    return condition.operator === '='
      ? order === 0
      : condition.operator === '<'
        ? order < 0
        : order > 0
  }
  const inOrder =
    ({ orderBy }: SeekRequest) =>
    (left: Row, right: Row) => {
      for (const { field, direction, nulls } of orderBy) {
        const [a, b] = [fieldOf(left, field), fieldOf(right, field)]
        if (a === null || b === null) {
          if (a !== b) return (a === null) === (nulls === 'first') ? -1 : 1
          continue
        }
        const order = compare(a, b)
        if (order !== 0) return direction === 'asc' ? order : -order
      }
      return 0
    }
  return {
    async seek(request) {
      const found: Row[] = []
      for (const branch of branches(request)) {
        const matching = rows
          .filter(row => branch.every(condition => holds(row, condition)))
          .sort(inOrder(request))
        found.push(...matching.slice(0, request.limit - found.length))
        if (found.length === request.limit) break
      }
      return found
    },
  }
}

const smallDate = fc.integer({ min: 0, max: 3 }).map(day => new Date(Date.UTC(2026, 0, 1 + day)))
const moment = fc
  .tuple(
    fc.integer({ min: 0, max: 2 }),
    fc.constantFrom('', '.5', '.000001'),
    fc.constantFrom('Z', '+01:00'),
  )
  .map(([hour, fraction, zone]) => `2026-01-01T0${hour}:00:00${fraction}${zone}`)
const rowsOf = (at: fc.Arbitrary<string>) =>
  fc.uniqueArray(
    fc.record({
      id: fc.integer({ min: -30, max: 30 }),
      size: fc.integer({ min: 0, max: 2 }),
      price: fc.constantFrom('0', '-0.0', '1.5', '1.50', '10', '9', '-3', '-3.25', '0.05'),
      name: fc.constantFrom('a', 'B', 'é', '𝄞', ''),
      born: fc.option(smallDate),
      at,
      isOld: fc.boolean(),
    }),
    { selector: ({ id }) => id, maxLength: 25 },
  )

let stored: readonly Row[] = []
const lists = new Blueprint('lists', { urlPrefix: '/lists' })
lists.get('/array', operation(keyset(options), response(t.array(Row))), () => stored)
lists.get('/database', operation(keyset(options), response(t.array(Row))), () => database(stored))
const { request, api } = await serveBlueprints(lists)

const linksOf = (text: string | null): Record<string, string> =>
  Object.fromEntries(
    Array.from(
      (text ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g),
      ([, reference = '', relation = '']) => [relation, reference],
    ),
  )

/** Every page from a reference on, in one direction, and the links of the last one. */
async function walk(path: string, reference: string, relation: 'next' | 'prev') {
  const pages: { readonly id: number }[][] = []
  for (let at: string | undefined = reference; at !== undefined; ) {
    const { status, body, headers } = await request('GET', `${path}${at}`)
    expect(status).toBe(200)
    const links = linksOf(headers.get('Link'))
    pages.push(body)
    if (links[relation] === undefined) return { pages, links }
    at = links[relation]
  }
  throw new Error('a walk has a page')
}

describe('a keyset', () => {
  it.each(['/lists/array', '/lists/database'])(
    'has every row once, forwards and backwards, in every sort: %s',
    async path => {
      // the tests' database compares by milliseconds
      const at =
        path === '/lists/array' ? moment : moment.map(text => text.replace('.000001', '.001'))
      await fc.assert(
        fc.asyncProperty(
          rowsOf(at),
          fc.constantFrom(...Object.keys(SORTS)),
          fc.integer({ min: 1, max: 7 }),
          async (rows, sort, size) => {
            stored = rows
            const { pages, links } = await walk(path, `?sort=${sort}&page_size=${size}`, 'next')
            const forwards = pages.flat().map(({ id }) => id)
            expect(new Set(forwards)).toEqual(new Set(rows.map(({ id }) => id)))
            expect(forwards.length).toBe(rows.length)
            // no page but the only one is empty, and all but the last are full
            expect(pages.slice(0, -1).every(page => page.length === size)).toBe(true)
            expect(pages.length).toBe(Math.max(1, Math.ceil(rows.length / size)))
            if (links.prev === undefined) return
            const back = await walk(path, links.prev, 'prev')
            const backwards = back.pages.reverse().flat()
            expect([...backwards, ...(pages.at(-1) ?? [])].map(({ id }) => id)).toEqual(forwards)
          },
        ),
        { numRuns: cases(60), seed },
      )
    },
  )

  it('has the same order in memory and in the database', async () => {
    await fc.assert(
      fc.asyncProperty(
        rowsOf(moment.map(text => text.replace('.000001', '.001'))),
        fc.constantFrom(...Object.keys(SORTS)),
        async (rows, sort) => {
          // code units and collations are a matter of the database: here both compare by code unit
          stored = rows
          const query = `?sort=${sort}&page_size=100`
          expect((await request('GET', `/lists/array${query}`)).body).toEqual(
            (await request('GET', `/lists/database${query}`)).body,
          )
        },
      ),
      { numRuns: cases(60), seed },
    )
  })
})

const Item = struct({ id: int, n: int, secret: withDefault(maxLength(t.string, 10), '') }, 'Item')
const items = (...ids: number[]) => ids.map(id => ({ id, n: id % 3, secret: '' }))

describe('the neighbours of a page', () => {
  let present = items(1, 2, 3, 4, 5)
  const all = new Blueprint('all', { urlPrefix: '/all' })
  const Filter = t.partial({
    q: maxLength(t.string, 10),
    tag: t.union([t.string, t.array(t.string)]),
  })
  all.get(
    '/',
    operation(query(Filter), keyset({ unique: 'id', pageSize: 2 }), response(t.array(Item))),
    () => present,
  )

  it('are linked to by relative references that keep the other parameters', async () => {
    const { request } = await serveBlueprints(all)
    const first = await request('GET', '/all/?q=a%20b%26c&tag=x&tag=y&page_size=2')
    const links = linksOf(first.headers.get('Link'))
    expect(Object.keys(links)).toEqual(['next', 'first'])
    expect(links.first).toBe('?q=a+b%26c&tag=x&tag=y&page_size=2')
    expect(links.next).toMatch(/^\?cursor=[\w-]+&q=a\+b%26c&tag=x&tag=y&page_size=2$/)
    expect(JSON.parse(first.headers.get('X-Pagination') ?? '')).toEqual({
      next: new URLSearchParams(links.next).get('cursor'),
    })
    const second = await request('GET', `/all/${links.next}`)
    const pagination = JSON.parse(second.headers.get('X-Pagination') ?? '')
    expect({
      links: Object.keys(linksOf(second.headers.get('Link'))),
      cursors: Object.keys(pagination),
    }).toEqual({
      links: ['next', 'prev', 'first'],
      cursors: ['next', 'previous'],
    })
  })

  it('exist even if all rows of the page were deleted: it links back to the last one', async () => {
    const { request } = await serveBlueprints(all)
    present = items(1, 2, 3, 4, 5)
    const { next } = linksOf((await request('GET', '/all/?page_size=3')).headers.get('Link'))
    present = items(1, 2)
    const empty = await request('GET', `/all/${next}`)
    const { prev } = linksOf(empty.headers.get('Link'))
    expect(empty.body).toEqual([])
    expect((await request('GET', `/all/${prev}`)).body).toEqual(items(1, 2))
  })

  it('may have another size', async () => {
    const { request } = await serveBlueprints(all)
    present = items(1, 2, 3, 4, 5)
    const { next = '' } = linksOf((await request('GET', '/all/?page_size=1')).headers.get('Link'))
    expect(
      (await request('GET', `/all/${next.replace('page_size=1', 'page_size=3')}`)).body,
    ).toEqual(items(2, 3, 4))
  })
})

/** A codec of values that JSON does not know. */
function fromText<A>(name: string, read: (text: string) => A, write: (value: A) => string) {
  const codec = new t.Type<A, string>(
    name,
    (value): value is A => typeof value !== 'string',
    (input, context) =>
      typeof input === 'string' ? t.success(read(input)) : t.failure(input, context),
    write,
  )
  return describeCodec(codec, { schema: { type: 'string' } })
}

/** A cursor as somebody writes it who has read how plain ones are made. */
const forged = (content: unknown, search: string): string => {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  const padded = text.padEnd(Math.ceil(text.length / 3) * 3)
  const sum = createHash('sha256')
    .update(padded)
    .update('\0')
    .update(search)
    .digest()
    .subarray(0, 12)
  return Buffer.concat([Buffer.from(padded), sum]).toString('base64url')
}

describe.each([
  ['plain', {}],
  ['sealed', { CURSOR_SECRETS: ['a secret of twenty-one'] }],
])('a %s cursor', (kind, settings) => {
  const all = new Blueprint('all', { urlPrefix: '/all' })
  const sorts = { up: ['n'], down: ['-n'] }
  const list = operation(
    query(t.partial({ q: int })),
    keyset({ unique: 'id', sorts, pageSize: 2 }),
    response(t.array(Item)),
  )
  all.get('/:kind<int>', list, () => items(1, 2, 3, 4, 5))
  all.get('/other/:kind<int>', list, () => items(1, 2, 3, 4, 5), { endpoint: 'other' })

  const Big = fromText('Big', BigInt, String)
  const Letters = fromText(
    'Letters',
    text => new Set(text.split(',')),
    set => [...set].join(),
  )
  const filtered = new Blueprint('filtered', { urlPrefix: '/filtered' })
  const filters = query(t.partial({ big: Big, set: Letters }))
  filtered.get(
    '/',
    operation(filters, keyset({ unique: 'id', pageSize: 2 }), response(t.array(Item))),
    () => items(1, 2, 3, 4, 5),
  )

  const cursorOf = async (ask: typeof request, path: string) =>
    new URLSearchParams(linksOf((await ask('GET', path)).headers.get('Link')).next).get(
      'cursor',
    ) as string

  it('belongs to its operation, path, arguments and sort', async () => {
    const { request } = await serveBlueprints(all, settings)
    const cursor = await cursorOf(request, '/all/1?q=1')
    const statuses = []
    for (const path of [
      '/all/1?q=1',
      '/all/1?q=1&sort=up&page_size=1',
      '/all/1?q=2',
      '/all/1',
      '/all/2?q=1',
      '/all/other/1?q=1',
      '/all/1?q=1&sort=down',
    ]) {
      const { status, body } = await request(
        'GET',
        `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`,
      )
      statuses.push(status)
      if (status === 422)
        expect(body.errors).toEqual({ query: { cursor: ['Not a cursor of this list.'] } })
    }
    expect(statuses).toEqual([200, 200, 422, 422, 422, 422, 422])
  })

  it('belongs to arguments that look alike in JSON, or cannot be written in it', async () => {
    const { request } = await serveBlueprints(filtered, settings)
    const read = async (path: string) => ({ path, ...(await request('GET', path)) })
    for (const [one, other] of [
      ['/filtered/?big=1', '/filtered/?big=2'],
      ['/filtered/?set=a,b', '/filtered/?set=c'],
    ] as const) {
      const cursor = await cursorOf(request, one)
      expect(await read(`${one}&cursor=${cursor}`)).toMatchObject({
        status: 200,
        body: items(3, 4),
      })
      expect(await read(`${other}&cursor=${cursor}`)).toMatchObject({ status: 422 })
    }
  })

  it('is refused if any character was changed, or if it was made up', async () => {
    const { request } = await serveBlueprints(all, settings)
    const cursor = await cursorOf(request, '/all/1')
    const search = `GET /all/{kind} ${canonicalText([{ kind: '1' }, [['query', {}]]], [])}`
    const wrong = [
      ...Array.from(
        cursor,
        (character, index) =>
          cursor.slice(0, index) + (character === 'A' ? 'B' : 'A') + cursor.slice(index + 1),
      ),
      '',
      'x',
      'AAAA',
      `${cursor}A`,
      `${cursor}=`,
      cursor.slice(1),
      'A'.repeat(2048),
      'A'.repeat(2049),
      '%00',
      forged([2, 1, 'up', [1, 1]], search),
      forged([1, 0, 'up', [1, 1]], search),
      forged([1, 1, 'sideways', [1, 1]], search),
      forged([1, 1, 'up', [1]], search),
      forged([1, 1, 'up', 'ab'], search),
      forged([1, 1, 'up', ['1', 1]], search),
      forged([1, 1, 'up', [null, 1]], search),
      forged('[', search),
      forged('null', search),
    ]
    if (kind === 'plain')
      expect(
        (await request('GET', `/all/1?cursor=${forged([1, 1, 'up', [1, 1]], search)}`)).status,
      ).toBe(200)
    for (const text of wrong)
      expect({ text, status: (await request('GET', `/all/1?cursor=${text}`)).status }).toEqual({
        text,
        status: 422,
      })
  })

  it('is the same text for the same page', async () => {
    const { request } = await serveBlueprints(all, settings)
    expect(await cursorOf(request, '/all/1')).toBe(await cursorOf(request, '/all/1'))
  })

  if (kind === 'sealed')
    it('reveals nothing of its row, and works as long as its secret is in the list', async () => {
      const hidden = new Blueprint('hidden', { urlPrefix: '/hidden' })
      const Shown = struct({ n: int }, 'Shown')
      const rows = items(1, 2, 3).map(item => ({ ...item, password: 'tellnobody' }))
      hidden.get(
        '/',
        operation(keyset({ unique: 'password', pageSize: 1 }), response(t.array(Shown))),
        () => rows,
      )
      const { request } = await serveBlueprints(hidden, settings)
      const cursor = await cursorOf(request, '/hidden/')
      expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toContain('tellnobody')
      const later = await serveBlueprints(hidden, {
        CURSOR_SECRETS: ['another secret, newer', 'a secret of twenty-one'],
      })
      expect((await later.request('GET', `/hidden/?cursor=${cursor}`)).status).toBe(200)
      const without = await serveBlueprints(hidden, { CURSOR_SECRETS: ['another secret, newer'] })
      expect((await without.request('GET', `/hidden/?cursor=${cursor}`)).status).toBe(422)
    })
})

describe('a list of several kinds of items', () => {
  const common = { id: int, title: maxLength(t.string, 20), size: nullable(int) }
  const Film = struct({ ...common, kind: t.literal('film'), minutes: int }, 'Film')
  const Book = struct({ ...common, kind: t.literal('book'), pages: int }, 'Book')
  const Item = t.union([Film, Book], 'Item')
  const items = [
    { id: 1, kind: 'film', title: 'Solaris', size: null, minutes: 166 },
    { id: 2, kind: 'book', title: 'Solaris', size: 3, pages: 204 },
    { id: 3, kind: 'book', title: 'Emma', size: 1, pages: 500 },
  ] as const
  const listed = (sorts: Record<string, string[]>, item: t.Mixed = Item) =>
    new Blueprint('items').get(
      '/',
      operation(
        keyset({ unique: 'id', sorts, nulls: { size: 'last' }, pageSize: 1 }),
        response(t.array(item)),
      ),
      () => items,
    )

  it.each([
    ['one of the kinds', Item],
    ['refined', refine(Item, () => undefined)],
  ])('is sorted by what all of them have, if an item is %s', async (_what, item) => {
    const sorts = { title: ['title'], largest: ['-size'] }
    const { request } = await serveBlueprints([listed(sorts, item)])
    const walk = async (query: string): Promise<number[]> => {
      const { body, headers } = await request('GET', `/${query}`)
      const { next } = linksOf(headers.get('Link'))
      return [
        ...(body as { id: number }[]).map(({ id }) => id),
        ...(next === undefined ? [] : await walk(next)),
      ]
    }
    expect({ title: await walk('?sort=title'), largest: await walk('?sort=largest') }).toEqual({
      title: [3, 1, 2],
      largest: [2, 3, 1],
    })
  })

  it.each([
    ['only one of them has', 'pages', /not every member of the response has a field pages/],
    ['they have with different codecs', 'kind', /kind has different codecs in the members/],
  ])('is not sorted by what %s', async (_what, field, message) => {
    await expect(serveBlueprints([listed({ other: [field], size: ['size'] })])).rejects.toThrow(
      message,
    )
  })
})

describe('parameters of a keyset', () => {
  it.each([1, 100])('are of a size from 1 to maxPageSize: %i', async size => {
    expect((await request('GET', `/lists/array?page_size=${size}`)).status).toBe(200)
  })

  it.each([
    ['page_size=0', { page_size: ['Must be a whole number from 1 to 100.'] }],
    ['page_size=101', { page_size: ['Must be a whole number from 1 to 100.'] }],
    ['page_size=x', { page_size: ['Must be a whole number from 1 to 100.'] }],
    ['page_size=1&page_size=1', { page_size: ['Given more than once.'] }],
    ['sort=none', { sort: ['Must be one of: id, newest, cheapest, born, youngest, old.'] }],
    ['sort=id&sort=id', { sort: ['Given more than once.'] }],
    [
      'cursor=a&cursor=b&page_size=',
      { cursor: ['Given more than once.'], page_size: ['Must be a whole number from 1 to 100.'] },
    ],
  ])('are refused by name if they are invalid: %s', async (query, errors) => {
    const { status, body } = await request('GET', `/lists/array?${query}`)
    expect({ status, errors: body.errors }).toEqual({ status: 422, errors: { query: errors } })
  })

  it('are documented, with the sorts as an enumeration, and links and cursors as header fields', () => {
    const { paths } = api.spec.toJSON() as {
      paths: Record<
        string,
        { get: { parameters: object[]; responses: { 200: { headers: object } } } }
      >
    }
    const operation = paths['/lists/array']?.get
    expect(operation?.parameters).toMatchObject([
      { name: 'cursor', in: 'query', schema: { type: 'string', maxLength: 2048 } },
      { name: 'page_size', schema: { type: 'integer', default: 10, minimum: 1, maximum: 100 } },
      { name: 'sort', schema: { enum: Object.keys(SORTS), default: 'id' } },
    ])
    expect(Object.keys(operation?.responses[200].headers ?? {})).toEqual(['Link', 'X-Pagination'])
    expect(Object.keys(operation?.responses ?? {})).toEqual(['200', '400', '422', 'default'])
  })
})

describe('a keyset is a fault at registration', () => {
  const Wide = struct(
    {
      id: int,
      at: isoDateTime.asDate,
      name: t.string,
      long: maxLength(t.string, 201),
      list: t.array(int),
      maybe: nullable(int),
    },
    'Wide',
  )
  it.each([
    ['a Date', { unique: 'id', sorts: { at: ['at'] } }, /at is a Date/],
    ['a string without a bound', { unique: 'name' }, /name is a string without a bound/],
    [
      'a text with a high bound',
      { unique: 'long' },
      /long is a string of up to 201 characters, .*maxLength\(…, 200\)/,
    ],
    [
      'a list',
      { unique: 'id', sorts: { list: ['list'] } },
      /list is not a string, number or boolean/,
    ],
    [
      'a field that may be null',
      { unique: 'id', sorts: { maybe: ['maybe'] } },
      /maybe may be null/,
    ],
    ['a field that the response lacks', { unique: 'hidden' }, /no field hidden/],
    [
      'a sort without fields',
      { unique: 'id', sorts: { none: [] } },
      /the sort none has no fields: \['id'\] sorts by the unique field alone/,
    ],
    [
      'a direction of the unique field',
      { unique: '-id' },
      /unique must be the field .*, not "-id"/,
    ],
    [
      'nulls of a field that is in no sort',
      { unique: 'id', sorts: { maybe: ['-maybe'] }, nulls: { maybee: 'last' as const } },
      /names maybee, .* "maybe"/,
    ],
    [
      'nulls that stand elsewhere',
      { unique: 'id', sorts: { maybe: ['maybe'] }, nulls: { maybe: 'middle' as 'last' } },
      /"first" or "last", not/,
    ],
    [
      'a page size over the largest',
      { unique: 'id', pageSize: 11, maxPageSize: 10 },
      /pageSize must be at most maxPageSize, 10, not 11/,
    ],
    [
      'a page size that is not a number',
      { unique: 'id', maxPageSize: Number.NaN },
      /maxPageSize must be a whole number of at least 1/,
    ],
  ])('with %s', async (_what, options, message) => {
    const blueprint = new Blueprint('wrong').get(
      '/',
      operation(keyset(options), response(t.array(Wide))),
      () => [],
    )
    await expect(serveBlueprints(blueprint)).rejects.toThrow(RegistrationError)
    await expect(serveBlueprints(blueprint)).rejects.toThrow(message)
  })

  it('over a response that is not a list, and with secrets that can be guessed', async () => {
    const none = new Blueprint('none').get(
      '/',
      operation(keyset({ unique: 'id' }), response(Wide)) as never,
      (() => null) as never,
    )
    await expect(serveBlueprints(none)).rejects.toThrow(/the response is not a list/)
    const short = new Blueprint('short').get(
      '/',
      operation(keyset({ unique: 'id' }), response(t.array(Item))),
      () => [],
    )
    await expect(serveBlueprints(short, { CURSOR_SECRETS: ['short'] })).rejects.toThrow(
      /at least 16 characters/,
    )
    for (const CURSOR_SECRETS of ['a text that is long enough', [undefined], [1234]])
      await expect(serveBlueprints(short, { CURSOR_SECRETS } as never)).rejects.toThrow(
        /CURSOR_SECRETS must be a list of strings/,
      )
  })
})

describe('a field with a default', () => {
  const listOf = (priority: t.Mixed, jobs: readonly object[]) =>
    new Blueprint('jobs').get(
      '/jobs',
      operation(
        keyset({ unique: 'id', sorts: { p: ['priority'] }, pageSize: 1 }),
        response(t.array(struct({ id: int, priority }, 'Job'))),
      ) as never,
      (() => jobs) as never,
    )

  it('sorts without nulls, and a row without it is where its default is', async () => {
    const jobs = [{ id: 1 }, { id: 2, priority: 3 }, { id: 3, priority: 1 }]
    const { request } = await serveBlueprints(listOf(withDefault(int, 2), jobs))
    const found: unknown[] = []
    for (let path: string | undefined = '/jobs'; path; ) {
      const { body, headers } = await request('GET', path)
      found.push(...body)
      const next = /<(\S+)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1]
      path = next && `/jobs${next}`
    }
    expect(found).toEqual([
      { id: 3, priority: 1 },
      { id: 1, priority: 2 },
      { id: 2, priority: 3 },
    ])
  })

  it('may be null if its codec is', async () => {
    await expect(serveBlueprints(listOf(withDefault(nullable(int), 2), []))).rejects.toThrow(
      /priority may be null/,
    )
  })
})
