// Operations and an Api whose types nobody writes down: the compiler has to be able to name them.
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  allOf,
  altResponse,
  anyOf,
  apiKey,
  Blueprint,
  bearer,
  body,
  cache,
  event,
  events,
  form,
  idempotent,
  int,
  json,
  keyset,
  lines,
  memoryStore,
  operation,
  Page,
  paginate,
  response,
  secure,
  struct,
  webhook,
} from 'koa-smorest'

export const Row = struct({ id: int }, 'Row')
export const login = bearer('login', { principal: (token: string) => ({ name: token }) })
export const key = apiKey('key', { in: 'header', name: 'X-Key', principal: (text: string) => text })

export const secured = operation(secure(login))
export const either = operation(secure(anyOf(login, key), { allow: () => true }))
export const both = operation(secure(allOf(login, key), { optional: true }))
export const scoped = operation(secure(login.scopes('rows:read')))

export const feed = operation(events({ added: Row, removed: int }, { id: int }))
export const rows = operation(lines(Row), altResponse(202, { content: false }))
export const pages = operation(cache({ maxAge: 5 }), paginate(Page), response(t.array(Row)))
export const keysets = operation(keyset({ unique: 'id' }), response(t.array(Row)))
export const add = operation(idempotent({ store: memoryStore() }), body(json(Row), form(Row)))
export const added = event('added', { id: 1 })

export const api = new Api(new Koa(), { OPENAPI_VERSION: '3.2.0' })
  .registerBlueprint(new Blueprint('rows').get('/secured', secured, () => null))
  .registerWebhook(webhook('added', Row))
