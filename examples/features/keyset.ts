// Pages by the values of rows: each page costs the same, and none loses or repeats a row.
//
// $ curl -i 'localhost:3000/books?page_size=1&sort=highest'
// HTTP/1.1 200 OK
// Link: <?cursor=…&page_size=1&sort=highest>; rel="next", <?page_size=1&sort=highest>; rel="first"
// X-Pagination: {"next":"…"}
//
// [{"id":2,"title":"Ulysses","price":"12.50"}]
// $ curl 'localhost:3000/books?cursor=made-up'
// {"code":422,"status":"Unprocessable Entity","errors":{"query":{"cursor":["Not a cursor of this list."]}}}
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  decimal,
  int,
  keyset,
  maxLength,
  operation,
  response,
  struct,
} from 'koa-smorest'

const Book = struct({ id: int, title: maxLength(t.string, 100), price: decimal }, 'Book')

const books = new Blueprint('books', { urlPrefix: '/books' }).get(
  '',
  operation(
    'List the books',
    keyset({ unique: 'id', sorts: { title: ['title'], highest: ['-price'] } }),
    response(t.array(Book)),
  ),
  () => [
    { id: 1, title: 'Emma', price: '9.90' },
    { id: 2, title: 'Ulysses', price: '12.50' },
  ],
)

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
api.registerBlueprint(books)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
