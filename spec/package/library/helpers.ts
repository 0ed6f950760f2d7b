// Helpers that a library on top of this one exports: generic functions around codecs, whose types
// are left to the compiler.
import * as t from 'io-ts'
import {
  abort,
  altResponse,
  Blueprint,
  type Context,
  etag,
  type InputOf,
  json,
  MethodView,
  type OutputOf,
  operation,
  optional,
  Page,
  paginate,
  partial,
  query,
  readOnly,
  reply,
  response,
  struct,
  type WireInputOf,
  type WireOutputOf,
  wireName,
  withDefault,
  writeOnly,
} from 'koa-smorest'

export function one<Item extends t.Mixed>(item: Item) {
  return operation(response(item))
}

export function some<Item extends t.Mixed>(item: Item) {
  return operation(response(t.partial({ item })))
}

export function listOf<Item extends t.Mixed>(item: Item) {
  return operation(paginate(Page), response(t.array(item)), altResponse(404))
}

export function searchOf<Filter extends t.Mixed, Item extends t.Mixed>(filter: Filter, item: Item) {
  return operation(
    'Search',
    query(filter),
    paginate(Page, { maxPage: 100 }),
    response(t.array(item)),
  )
}

export function create<Body extends t.Mixed, Item extends t.Mixed>(body: Body, item: Item) {
  return operation(
    json(body),
    response(item, { code: 201 }),
    altResponse(409, t.type({ holder: item })),
  )
}

export function envelope<Item extends t.Mixed>(item: Item) {
  return struct({ data: item, next: optional(t.string), size: withDefault(t.number, 0) })
}

export function envelopeOf<Item extends t.Mixed>(item: Item) {
  return operation(response(envelope(item)))
}

export function versioned<Current extends { version: number }>(
  load: (id: number) => Promise<Current | undefined>,
) {
  return operation(
    etag({
      load: (_ctx: Context, { id }: { id: number }) => load(id),
      tag: ({ version }) => version,
    }),
  )
}

export function decoded<C extends t.Mixed>(_codec: C, value: InputOf<C>) {
  return value
}

export function sent<C extends t.Mixed>(_codec: C, value: OutputOf<C>) {
  return reply(value, 201)
}

export function marked<Item extends t.Mixed>(item: Item) {
  const codec = struct({
    plain: item,
    list: t.array(item),
    maybe: optional(item),
    shown: readOnly(item),
    kept: writeOnly(t.array(item)),
    named: wireName('other', item),
    filled: withDefault(t.array(item), []),
  })
  const { list, kept, filled } = null as unknown as t.TypeOf<typeof codec>
  return {
    lists: [list, kept, filled],
    encode: codec.encode,
    is: codec.is,
    input: null as unknown as InputOf<typeof codec>,
    output: null as unknown as OutputOf<typeof codec>,
    sent: null as unknown as WireInputOf<typeof codec>,
    received: null as unknown as WireOutputOf<typeof codec>,
    wire: null as unknown as WireOutputOf<Item>,
  }
}

/** The type of a struct with a field of any codec. */
export function unwrapped<Item extends t.Mixed>(item: Item) {
  const codec = envelope(item)
  return (value: unknown) => (codec.is(value) ? value : abort(500))
}

export function changes<Item extends t.Props>(codec: { readonly props: Item }) {
  const partialCodec = partial(codec, 'Changes')
  return {
    operation: operation(json(partialCodec)),
    empty: () => ({}) as InputOf<typeof partialCodec>,
  }
}

/** A view class for any codec. */
export function listView<Item extends t.Mixed>(item: Item, load: () => readonly OutputOf<Item>[]) {
  return class extends MethodView {
    static get = operation(response(t.array(item)))
    get() {
      return load()
    }
  }
}

export const numbers = new Blueprint('numbers', { urlPrefix: '/numbers' })
  .route(
    '/primes',
    listView(t.number, () => [2, 3, 5, 7]),
    { endpoint: 'Primes' },
  )
  .get('/one', one(t.number), () => 1)
  .get(
    '/:id<int>',
    operation(...versioned(async id => ({ version: id })).features, response(t.number)),
    (_ctx, { id }) => id || abort(404),
  )
