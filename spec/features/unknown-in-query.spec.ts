import * as t from 'io-ts'
import {
  anyOf,
  apiKey,
  Blueprint,
  doc,
  type Feature,
  int,
  keyset,
  operation,
  optional,
  Page,
  paginate,
  query,
  response,
  secure,
  struct,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'

class Strict extends Blueprint {
  static override DEFAULT_UNKNOWN = { ...Blueprint.DEFAULT_UNKNOWN, query: 'raise' as const }
}

const A = struct({ a: optional(t.string) })
const login = apiKey('key', { in: 'query', name: 'key', principal: key => key === 'sesame' })
const other = apiKey('other', { in: 'header', name: 'X-Key', principal: key => key === 'sesame' })
const traced: Feature<Record<never, never>> = {
  on: () => [
    {
      stage: 'begin',
      docs: () => ({
        parameters: [
          { name: 'trace', in: 'query', schema: { type: 'string' } },
          { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
        ],
      }),
    },
  ],
}
const where = {
  name: 'where',
  in: 'query',
  style: 'deepObject',
  schema: { type: 'object' },
} as const

describe("a query that refuses unknown names (unknown: 'raise')", async () => {
  const views = new Strict('views')
    .get('/pages', operation(query(A), paginate(Page), response(t.array(int))), () => [1])
    .get(
      '/keyset',
      operation(
        query(A),
        keyset({ unique: 'id', sorts: { id: ['id'] } }),
        response(t.array(struct({ id: int }))),
      ),
      () => [],
    )
    .get(
      '/two',
      operation(query(A), query(struct({ b: optional(int) })), response(t.array(int))),
      () => [],
    )
    .get('/key', operation(secure(login), query(A), response(t.array(int))), () => [])
    .get(
      '/other',
      operation(secure(anyOf(login, other)), query(A), response(t.array(int))),
      () => [],
    )
    .get(
      '/doc',
      operation(query(A), traced, doc({ parameters: [where] }), response(t.array(int))),
      () => [],
    )
    .get('/alone', operation(query(A), response(t.array(int))), () => [])
  const { request } = await serveBlueprints(views)

  it.each([
    '/pages?a=x&page=1&page_size=2',
    '/keyset?a=x&page_size=2&sort=id',
    '/two?a=x&b=1',
    '/key?a=x&key=sesame',
    '/doc?a=x&trace=1&where[born][gte]=5&where=x',
  ])('accepts what other features of the operation read: %s', async path => {
    expect(await request('GET', path)).toMatchObject({ status: 200 })
  })

  it.each([
    ['/pages?size=2', ['size']],
    ['/keyset?page=2', ['page']],
    ['/two?c=1&page=1', ['c', 'page']],
    ['/key?key=sesame&keys=1', ['keys']],
    ['/other?key=sesame&X-Key=1', ['X-Key']],
    ['/doc?X-Trace=1&wherever[a]=1', ['X-Trace', 'wherever[a]']],
    ['/alone?page=1&a[b]=1', ['page', 'a[b]']],
  ])('refuses what none reads: %s', async (path, names) => {
    const { status, body } = await request('GET', path)
    expect({ status, errors: body.errors.query }).toEqual({
      status: 422,
      errors: Object.fromEntries(names.map(name => [name, ['Unknown field.']])),
    })
  })

  it('still has its own fields, though others read them too', async () => {
    const { status, body } = await request('GET', '/two?a=x&a=y')
    expect({ status, errors: body.errors }).toEqual({
      status: 422,
      errors: { query: { a: ['Given more than once.'] } },
    })
  })
})
