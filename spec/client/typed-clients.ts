// Clients for the specs of types: by hand-written paths, and by those of an Api. They are never
// called.
import * as t from 'io-ts'
import {
  Api,
  Blueprint,
  etag,
  events,
  files,
  idempotent,
  int,
  json,
  keyset,
  lines,
  memoryStore,
  operation,
  Page,
  type PathsOf,
  paginate,
  readOnly,
  response,
  struct,
  Upload,
} from 'koa-smorest'
import type { Managed } from 'koa-smorest/client'
import createClient from 'openapi-fetch'
import type { ShopPaths } from './shop.js'

const Pet = struct({ id: readOnly(int), name: t.string }, 'Pet')
const pet = { id: 1, name: 'Rex' }
const load = (_: unknown, { id }: { id: number }) => (id > 0 ? pet : undefined)
const blueprint = new Blueprint('pets')
  .get('/pets/', operation('List', keyset({ unique: 'id' }), response(t.array(Pet))), () => [pet])
  .post(
    '/pets/',
    operation(
      'Add',
      idempotent({ store: memoryStore(), required: true }),
      json(Pet),
      response(Pet, { code: 201 }),
    ),
    () => pet,
  )
  .put('/pets/:id<int>', operation('Change', etag({ load }), json(Pet), response(Pet)), () => pet)
  .get('/pets/:id<int>', operation('Find', etag({ load }), response(Pet)), () => pet)
  .get('/counts/', operation('Count', paginate(Page), response(t.array(int))), () => [1], {
    endpoint: 'Counts',
  })
  .put(
    '/pets/:id<int>/picture',
    operation('Show', files(struct({ picture: Upload })), response({ code: 204 })),
    () => undefined,
  )
  .get('/changes', operation('Watch', events({ pet: Pet, removed: int }, { id: int })), () => [])
  .get('/export', operation('Export', lines(Pet, { as: 'application/json-seq' })), () => [])
const api = new Api({} as never, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)

export const client = createClient<ShopPaths>()
export const managed = createClient<Managed<ShopPaths>>()
export const strict = createClient<PathsOf<typeof api>>()
export const relaxed = createClient<Managed<PathsOf<typeof api>>>()

/** Streams that the document says are plain strings. */
interface PlainPaths {
  '/changes': { get: { responses: { 200: { content: { 'text/event-stream': string } } } } }
  '/export': { get: { responses: { 200: { content: { 'application/x-ndjson': string } } } } }
}
export const plain = createClient<PlainPaths>()
