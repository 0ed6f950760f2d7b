// Mistakes, and what the compiler says of them: behind each mark stands what is in the message,
// which names the method, what is expected and what is there. compilers.spec.ts compares them with
// the messages of TypeScript 6.
import * as t from 'io-ts'
import {
  altResponse,
  Blueprint,
  type Context,
  checkEtag,
  etag,
  int,
  json,
  MethodView,
  operation,
  optional,
  Page,
  paginate,
  query,
  reply,
  response,
  struct,
} from 'koa-smorest'

const Book = struct(
  {
    id: int,
    title: t.string,
    author: t.string,
    year: int,
    pages: int,
    price: t.string,
    language: t.string,
    publisher: optional(t.string),
  },
  'Book',
)
type Book = t.TypeOf<typeof Book>
const NewBook = struct({ title: t.string, price: t.string }, 'NewBook')
const Filter = struct({ author: optional(t.string) })
declare const book: Book
const books = new Blueprint('books', { urlPrefix: '/books' })

class WrongField extends MethodView {
  static get = operation(response(Book))
  get() {
    return { ...book, price: 5, year: '1999' }
  }
}
// @ts-expect-error "get() does not match its descriptor: it must return": { year: number; price: string; }; "but get() returns"?: { year: string; price: number; };
books.route('/', WrongField)

class MissingField extends MethodView {
  static get = operation(response(t.array(Book)))
  async get() {
    const { title: _, ...rest } = book
    return [rest]
  }
}
// @ts-expect-error "get() does not match its descriptor: it must return": readonly { title: string; }[]
books.route('/', MissingField)

class MayBeUndefined extends MethodView {
  static get = operation(response(NewBook))
  get(): Book | undefined {
    return book
  }
}
// @ts-expect-error "get() does not match its descriptor: it must return": { title: string; price: string; }; "but get() returns"?: undefined;
books.route('/', MayBeUndefined)

class WrongReply extends MethodView {
  static post = operation(
    json(NewBook),
    response(NewBook),
    altResponse(409, struct({ holder: t.string })),
  )
  async post(_ctx: Context, { title }: { title: string; price: string }) {
    return reply({ owner: title }, 409)
  }
}
// @ts-expect-error post() does not match its descriptor: it must return
books.route('/', WrongReply)

class WrongParameter extends MethodView {
  static get = operation(query(Filter), response(Book))
  get(_ctx: Context, _filter: { author?: string }, { bookId }: { bookId: string }) {
    return { ...book, title: bookId }
  }
}
// @ts-expect-error "get() does not match its descriptor: argument 2 after ctx is": { bookId: number; }; "but get() takes"?: { bookId: string; };
books.route('/:bookId<int>', WrongParameter)
// @ts-expect-error "get() does not match its descriptor: argument 2 after ctx is": { bookID: string; }; "but get() takes"?: { bookId: string; };
books.route('/:bookID', WrongParameter)

class TooMany extends MethodView {
  static get = operation(response(Book))
  get(_ctx: Context, _filter: object, { bookId }: { bookId: string }) {
    return { ...book, title: bookId }
  }
}
// @ts-expect-error get() does not match its descriptor: there is no argument 2 after ctx, but get() takes": { bookId: string; };
books.route('/:bookId', TooMany)

class SwappedArguments extends MethodView {
  static put = operation(query(Filter), json(NewBook))
  put(_ctx: Context, { title }: { title: string }, _filter: { author?: string }) {
    return title
  }
}
// @ts-expect-error "put() does not match its descriptor: argument 1 after ctx is": { author?: string; }; "but put() takes"?: { title: string; };
books.route('/', SwappedArguments)

class WrongLoader extends MethodView {
  static shared = operation(
    etag({
      load: (_ctx, { bookID }: { bookID: number }) => (bookID ? book : undefined),
      tag: ({ id }) => id,
    }),
  )
  static get = operation(response(Book))
  get(_ctx: Context, { current }: { current: Book }) {
    return current
  }
}
// @ts-expect-error "get() has features that need": { bookID: number; }; "but they are given"?: { bookId: number; current: {
books.route('/:bookId<int>', WrongLoader)

class NoMethod extends MethodView {
  static get = operation(response(Book))
  get() {
    return book
  }
  static post = operation(json(NewBook))
}
// @ts-expect-error "static post describes a method that is not there: add": "post() { … }"
books.route('/', NoMethod)

class NoDescriptor extends MethodView {
  delete() {}
}
// @ts-expect-error "delete() has no descriptor: add": "static delete = operation(…)"
books.route('/', NoDescriptor)

class TwoWrong extends MethodView {
  static get = operation(response(NewBook))
  get() {
    return { title: 'x', price: 1 }
  }
  static post = operation(json(NewBook))
  post(_ctx: Context, { name }: { name: string }) {
    return name
  }
}
// @ts-expect-error "get() does not match its descriptor: it must return" && "post() does not match its descriptor: argument 1 after ctx is"
books.route('/', TwoWrong)

class Forgotten extends MethodView {
  static get = operation(response(NewBook))
  get() {
    return { title: Promise.resolve('x'), price: '1' }
  }
}
// @ts-expect-error "but get() returns"?: { title: Promise<string>; };
books.route('/', Forgotten)

class WholeResponse extends MethodView {
  static get = operation(paginate(Page), response(t.array(Book)))
  get() {
    return new Response('[]')
  }
}
// @ts-expect-error get() does not match its descriptor: it must return
books.route('/', WholeResponse)
// @ts-expect-error Type 'Response' is not assignable to type
books.get('/paged', operation(paginate(), response(t.array(Book))), () => new Response('[]'))

const stateful = new Blueprint<{ user: string }>('stateful')
class OtherState extends MethodView {
  static get = operation(response(t.string))
  get(ctx: Context<{ name: string }>) {
    return ctx.state.name
  }
}
// @ts-expect-error get() does not match its Blueprint: its ctx is
stateful.route('/', OtherState)

// of one kind the last feature counts, in the types too
class LastResponse extends MethodView {
  static shared = operation(response(NewBook), etag({ load: () => book, tag: ({ id }) => id }))
  static get = operation(
    etag({ load: () => ({ other: 1 }), tag: ({ other }) => other }),
    response(Book),
  )
  get(_ctx: Context, { current }: { current: Book }) {
    return current
  }
}
// @ts-expect-error argument 1 after ctx is": { current: { other: number; }; }; "but get() takes"?: { current:
books.route('/', LastResponse)
books.get('/last', operation(response(NewBook), response(Book)), () => book)
// @ts-expect-error Type '{ title: string; price: string; }' is missing the following properties
books.get('/first', operation(response(NewBook), response(Book)), () => ({ title: '', price: '' }))

books.put('/tagged', operation(etag(), json(NewBook)), (ctx, { title }) => {
  // @ts-expect-error a tag is made of JSON data: await a promise
  checkEtag(ctx, Promise.resolve(book))
  // @ts-expect-error Type '"titel"' is not assignable to type
  checkEtag(ctx, book, ['titel'])
  return title
})

// of a union all members are shown: trimmed, two of them look alike
const Shape = t.union([
  t.strict({ kind: t.literal('circle'), radius: t.number }),
  t.strict({ kind: t.literal('point') }),
])
class WrongMember extends MethodView {
  static get = operation(response(Shape))
  get() {
    return { kind: 'circle' as const, radios: 1 }
  }
}
// @ts-expect-error it must return": { kind: "circle"; radius: number; } | { kind: "point"; }; "but get() returns"?: { kind: "circle"; radios: number; };
books.route('/', WrongMember)

class NeedsDatabase extends MethodView {
  constructor(readonly database: string) {
    super()
  }
  static get = operation(response(t.string))
  get() {
    return this.database
  }
}
// @ts-expect-error Expected 3 arguments, but got 2
books.route('/', NeedsDatabase)
// @ts-expect-error Argument of type 'NeedsDatabase' is not assignable to parameter of type '(abstract new
books.route('/', new NeedsDatabase('x'))
books.route('/', NeedsDatabase, { create: () => new NeedsDatabase('x') })

class OfUnknownConverter extends MethodView {
  static get = operation(response(t.number))
  get(_ctx: Context, { bookId }: { bookId: number }) {
    return bookId
  }
}
// @ts-expect-error argument 1 after ctx is": { bookId: "unknown: if it is a path parameter, its converter is not in the interface Converters"; }
books.route('/:bookId<itn>', OfUnknownConverter)

// @ts-expect-error 'tags' does not exist in type 'EtagLoader<
etag({ load: () => book, tags: 'x' })
etag({ requireIfMatch: false, load: (ctx, { id }: { id: number }) => ({ of: ctx.path, id }) })
