import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  int,
  isoDate,
  jsonLines,
  operation,
  type PathsOf,
  type Representation,
  response,
  struct,
} from 'koa-smorest'
import { pages } from 'koa-smorest/client'
import { csv } from 'koa-smorest/csv'
import createClient from 'openapi-fetch'
import { describe, expect, expectTypeOf, it } from 'vitest'

const Job = struct({ id: int, due: isoDate.asDate }, 'Job')
interface Wire {
  id: number
  due: string
}
const text: Representation<readonly { readonly due: string }[], 'text/plain'> = {
  mediaType: 'text/plain',
  write: rows => rows.map(({ due }) => due).join('\n'),
}
const any: Representation<unknown> = { mediaType: 'application/x-any', write: () => '' }
const jobs = new Blueprint('jobs')
  .get('/jobs', operation(response(t.array(Job), { also: [csv(), jsonLines, text, any] })), () => [
    { id: 1, due: new Date() },
  ])
  .get(
    '/inline',
    operation(
      response(t.array(Job), {
        also: [
          {
            mediaType: 'text/html',
            write(rows) {
              expectTypeOf(rows).toEqualTypeOf<Wire[]>()
              return rows.map(({ id, due }) => `<li>${id} ${due}`).join('')
            },
          },
        ],
      }),
    ),
    () => [],
  )
  .get('/plain', operation(response(t.array(Job))), () => [])
const api = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(jobs)
type Paths = PathsOf<typeof api>
type Responses<Path extends keyof Paths> = Paths[Path] extends { get: { responses: infer All } }
  ? All
  : never
type ContentOf<Path extends keyof Paths> =
  Responses<Path> extends { 200: { content: infer Content } } ? Content : never

describe('the types of representations', () => {
  it('name every media type that is a literal, all but JSON with a string', () => {
    expectTypeOf<ContentOf<'/jobs'>>().toEqualTypeOf<{
      'application/json': Wire[]
      'text/csv': string
      'application/jsonl': string
      'text/plain': string
    }>()
    expectTypeOf<ContentOf<'/inline'>>().toEqualTypeOf<{
      'application/json': Wire[]
      'text/html': string
    }>()
    expectTypeOf<ContentOf<'/plain'>>().toEqualTypeOf<{ 'application/json': Wire[] }>()
    expectTypeOf<406 extends keyof Responses<'/jobs'> ? true : false>().toEqualTypeOf<true>()
    expectTypeOf<406 extends keyof Responses<'/plain'> ? true : false>().toEqualTypeOf<false>()
    expectTypeOf<
      Responses<'/jobs'> extends { 406: { headers: { Vary?: string } } } ? true : false
    >().toEqualTypeOf<true>()
  })

  it('let write take the value on the wire, and no other', () => {
    const dates: Representation<readonly { readonly due: Date }[]> = {
      mediaType: 'text/plain',
      write: () => '',
    }
    // @ts-expect-error: a date is a string on the wire
    response(t.array(Job), { also: [dates] })
    const named = { mediaType: 'a/b', write: (value: { readonly name: string }) => value.name }
    // @ts-expect-error: a list is not an object with a name
    response(t.array(Job), { also: [named] })
    // @ts-expect-error: a table has rows
    response(t.string, { also: [csv()] })
    // @ts-expect-error: without a codec there is no value
    response({ also: [csv()] })
    const late = { mediaType: 'a/b', write: async () => '' }
    // @ts-expect-error: a promise is not written
    response(Job, { also: [late] })
    expect(response(Job, { also: [csv()] }).kind).toBe('response')
  })

  it('give a client of JSON the JSON alone, and pages() its rows', async () => {
    const fetch = async () =>
      new Response('[{"id":1,"due":"2027-01-02"}]', {
        headers: { 'Content-Type': 'application/json', Link: '<?page=1>; rel="first"' },
      })
    const options = { baseUrl: 'http://localhost', fetch }
    const every = createClient<Paths>(options)
    const client = createClient<Paths, 'application/json'>(options)
    const { data: either } = await every.GET('/jobs')
    expectTypeOf(either).toEqualTypeOf<string | Wire[] | undefined>()
    const { data } = await client.GET('/jobs')
    expectTypeOf(data).toEqualTypeOf<Wire[] | undefined>()
    expect(data).toEqual([{ id: 1, due: '2027-01-02' }])
    for await (const row of pages(client, '/jobs')) {
      expectTypeOf(row).toEqualTypeOf<Wire>()
      expect(row.id).toBe(1)
    }
    for await (const row of pages(every, '/jobs')) expectTypeOf(row).toEqualTypeOf<Wire>()
  })
})
