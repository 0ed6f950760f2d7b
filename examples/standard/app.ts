// A list of books whose schemas are those of zod.
import Koa from 'koa'
import {
  Api,
  abort,
  Blueprint,
  type Context,
  json,
  keyset,
  MethodView,
  operation,
  query,
  reply,
  response,
} from 'koa-smorest'
import { std } from 'koa-smorest/standard'
import * as z from 'zod'

const Book = z
  .object({
    id: z.int(),
    title: z.string().min(1).max(100),
    published: z.iso.date().optional(),
    tags: z.array(z.string()).default([]),
  })
  .meta({ id: 'Book' })
type Book = z.output<typeof Book>
const NewBook = Book.omit({ id: true }).meta({ id: 'NewBook' })
const Filter = z.object({ tag: z.string().optional(), since: z.iso.date().optional() })

/** Serves these books, and takes others. */
export function booksApi(app: Koa, books: Map<number, Book>) {
  class Books extends MethodView {
    static get = operation(
      'List the books',
      query(std(Filter)),
      keyset({ unique: 'id', sorts: { title: ['title'], id: ['id'] } }),
      response(std(z.array(Book))),
    )
    get(_: Context, { tag, since = '' }: z.output<typeof Filter>) {
      return [...books.values()].filter(
        book => (!tag || book.tags.includes(tag)) && (book.published ?? '') >= since,
      )
    }

    static post = operation('Add a book', json(std(NewBook)), response(std(Book), { code: 201 }))
    post(_: Context, added: z.output<typeof NewBook>) {
      const book = { ...added, id: books.size + 1 }
      books.set(book.id, book)
      return reply(book, 201, { Location: `/books/${book.id}` })
    }
  }

  class BookById extends MethodView {
    static get = operation('Read a book', response(std(Book)))
    get(_: Context, { bookId }: { bookId: number }) {
      return books.get(bookId) ?? abort(404)
    }
  }

  const blueprint = new Blueprint('books', { urlPrefix: '/books' })
    .route('/', Books)
    .route('/:bookId<int>', BookById)
  return new Api(app, {
    API_TITLE: 'Books',
    API_VERSION: '1.0.0',
    OPENAPI_VERSION: '3.1.0',
    OPENAPI_URL_PREFIX: '/docs',
  }).registerBlueprint(blueprint)
}

/** The same in an application of its own. */
export function booksApp(): Koa {
  const app = new Koa()
  booksApi(app, new Map([[1, { id: 1, title: 'Emma', published: '1815-12-23', tags: ['novel'] }]]))
  return app
}
