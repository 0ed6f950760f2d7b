// Programs that show what a typed client costs the compiler: a server of many operations, calls of
// a client, and literal `paths` for the same calls. `compilers.spec.ts` checks few operations, E22
// many.

/** The `paths` of the server as the manual has them. */
export const PATHS_OF_SERVER = `
import type { PathsOf } from 'koa-smorest'
import type { api } from './server.js'
interface Paths extends PathsOf<typeof api> {}
`

/** Five operations for each resource: a list and a post, a read, a replacement and a removal. */
export const OPERATIONS_OF_A_RESOURCE = 5

/**
 * A server with this many resources, each a Blueprint with codecs and view classes of its own,
 * chained to one Api.
 */
export function serverOf(resources: number): string {
  const all = Array.from({ length: resources }, (_, index) => index)
  return `
import Koa from 'koa'
import * as t from 'io-ts'
import { Api, Blueprint, type Context, etag, type InputOf, int, json, MethodView, operation, optional, Page, paginate, query, readOnly, reply, response, struct, withDefault } from 'koa-smorest'
declare const store: { find<T>(): Promise<T[]>; get<T>(id: number): Promise<T | undefined>; add<T>(value: unknown): Promise<T>; replace<T>(id: number, value: unknown): T }
${all.map(resource).join('')}
export const api = new Api(new Koa(), { API_ERRORS: 'problem', OPENAPI_VERSION: '3.1.0' })
${all.map(index => `  .registerBlueprint(blueprint${index})`).join('\n')}
`
}

function resource(index: number): string {
  return `
const Item${index} = struct({ id: readOnly(int), name: t.string, field${index}: t.keyof({ one: null, two: null }), note: optional(t.string), rank: withDefault(int, 1), tags: t.array(t.string), version: readOnly(int) }, 'Item${index}')
type Item${index} = t.TypeOf<typeof Item${index}>
class List${index} extends MethodView {
  static get = operation('List', query(t.partial({ name: t.string, rank${index}: int })), paginate(Page), response(t.array(Item${index})))
  get(_: Context, filter: { name?: string }) { return store.find<Item${index}>() }
  static post = operation('Add', json(Item${index}), response(Item${index}, { code: 201 }))
  async post(_: Context, item: InputOf<typeof Item${index}>) { return reply(await store.add<Item${index}>(item), 201, { Location: '/' }) }
}
class One${index} extends MethodView {
  static shared = operation(etag({ load: (_, { id }: { id: number }) => store.get<Item${index}>(id), tag: item => item.version }))
  static get = operation('Find', response(Item${index}))
  get(_: Context, { current }: { current: Item${index} }) { return current }
  static put = operation('Replace', json(Item${index}), response(Item${index}))
  put(_: Context, item: InputOf<typeof Item${index}>, { current }: { current: Item${index} }) { return store.replace<Item${index}>(current.id, item) }
  static delete = operation('Remove', response({ code: 204 }))
  delete(_: Context, { current }: { current: Item${index} }) { void current }
}
const blueprint${index} = new Blueprint('items${index}', { urlPrefix: '/items${index}' }).route('/', List${index}).route('/:id<int>', One${index})
`
}

/**
 * Calls of a client, two and a half for each resource: reads, and writes with a body and a header
 * field.
 */
export function callsOf(resources: number, paths: string): string {
  const calls = Array.from({ length: resources }, (_, index) => call(index))
  return `
import createClient from 'openapi-fetch'
${paths}
const client = createClient<Paths>({ baseUrl: 'http://localhost' })
export async function run(): Promise<void> {
${calls.join('')}}
`
}

function call(index: number): string {
  const read = `  {
    const { data, error } = await client.GET('/items${index}/', { params: { query: { name: 'a', rank${index}: 1, page: 2 } } })
    const names: readonly string[] | undefined = data?.map(item => item.name)
    console.log(names, error?.title)
  }
  {
    const { data } = await client.PUT('/items${index}/{id}', {
      params: { path: { id: 1 }, header: { 'If-Match': '"1"' } },
      body: { name: 'a', field${index}: 'one', tags: [] },
    })
    const rank: number | undefined = data?.rank
    console.log(rank)
  }
`
  const add = `  await client.POST('/items${index}/', { body: { name: 'a', field${index}: 'two', tags: ['b'], rank: 2 } })\n`
  return index % 2 === 0 ? read + add : read
}

/** What a generator would write for the same server. */
export function literalPathsOf(resources: number): string {
  const all = Array.from({ length: resources }, (_, index) => index)
  return `
interface Problem { type: string; title: string; status: number; detail?: string; instance?: string; errors?: { detail: string; in?: 'body' | 'query' | 'path' | 'header' | 'cookie'; parameter?: string; pointer?: string }[] }
interface Failed { headers: { [name: string]: unknown }; content: { 'application/problem+json': Problem } }
type None = { query?: never; header?: never; path?: never; cookie?: never }
type Others<Used> = { [Method in Exclude<'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace', Used>]?: never }
interface Tagged { ETag?: string; [name: string]: unknown }
${all.map(literal).join('')}
export interface Paths {
${all.map(index => `  '/items${index}/': List${index}\n  '/items${index}/{id}': One${index}`).join('\n')}
}
`
}

function literal(index: number): string {
  const failed = (statuses: readonly (number | string)[]) =>
    statuses.map(status => `${status}: Failed`).join('; ')
  const json = (type: string) => `content: { 'application/json': ${type} }`
  return `
interface Item${index} { id: number; name: string; field${index}: 'one' | 'two'; note?: string; rank: number; tags: string[]; version: number }
interface Sent${index} { name: string; field${index}: 'one' | 'two'; note?: string; rank?: number; tags: string[] }
interface List${index} extends Others<'get' | 'post'> {
  parameters: None
  get: { parameters: { query?: { name?: string; rank${index}?: number; page?: number; page_size?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never
    responses: { 200: { headers: { 'X-Pagination'?: { 'application/json': { total: number } }; [name: string]: unknown }; ${json(`Item${index}[]`)} }; ${failed([400, 422, 'default'])} } }
  post: { parameters: None; requestBody: { ${json(`Sent${index}`)} }
    responses: { 201: { headers: { [name: string]: unknown }; ${json(`Item${index}`)} }; ${failed([400, 413, 415, 422, 'default'])} } }
}
interface One${index} extends Others<'get' | 'put' | 'delete'> {
  parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }
  get: { parameters: { query?: never; header?: { 'If-None-Match'?: string }; path: { id: number }; cookie?: never }; requestBody?: never
    responses: { 200: { headers: Tagged; ${json(`Item${index}`)} }; 304: { headers: Tagged; content?: never }; ${failed([404, 412, 'default'])} } }
  put: { parameters: { query?: never; header: { 'If-Match': string }; path: { id: number }; cookie?: never }; requestBody: { ${json(`Sent${index}`)} }
    responses: { 200: { headers: Tagged; ${json(`Item${index}`)} }; ${failed([400, 404, 412, 413, 415, 422, 428, 'default'])} } }
  delete: { parameters: { query?: never; header: { 'If-Match': string }; path: { id: number }; cookie?: never }; requestBody?: never
    responses: { 204: { headers: { [name: string]: unknown }; content?: never }; ${failed([404, 412, 428, 'default'])} } }
}
`
}
