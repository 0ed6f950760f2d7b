// Arguments from the query, the header fields and the body: decoded, typed, refused by name.
//
// $ curl 'localhost:3000/books?ids=1,2&illustrated=true' -H 'X-Client-Version: 7'
// {"ids":[1,2],"illustrated":true,"version":7}
// $ curl 'localhost:3000/books?ids=1,b'
// {"code":422,"status":"Unprocessable Entity","errors":{"query":{"ids":{"1":["Not a whole number."]}}}}
// $ curl localhost:3000/books --json '{"id":1,"title":"","colour":"red"}'
// {"code":422,"status":"Unprocessable Entity","errors":{"json":{"id":["Read-only field."],"title":["Must be at least 1 character long."],"colour":["Unknown field."]}}}
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  headers,
  int,
  json,
  list,
  minLength,
  operation,
  optional,
  query,
  readOnly,
  response,
  struct,
} from 'koa-smorest'

const Filter = struct({ ids: list(int), illustrated: optional(t.boolean) })
const Client = struct({ 'X-Client-Version': optional(int) })
const Book = struct({ id: readOnly(int), title: minLength(t.string, 1) }, 'Book')

const books = new Blueprint('books', { urlPrefix: '/books' })
  .get(
    '',
    operation('Show what was sent', query(Filter), headers(Client), response(t.unknown)),
    (_ctx, filter, client) => ({ ...filter, version: client['X-Client-Version'] }),
  )
  .post('', operation('Add a book', json(Book), response(Book, { code: 201 })), (_ctx, book) => ({
    id: 1,
    ...book,
  }))

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
api.registerBlueprint(books)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
