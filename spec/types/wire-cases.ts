// What codecs are on the wire: what a client sends and receives. Equal means equal both ways, so a
// wrong type is an error here.
import * as t from 'io-ts'
import {
  decimal,
  enumeration,
  int,
  isoDate,
  isoDateTime,
  list,
  maxLength,
  nullable,
  optional,
  partial,
  readOnly,
  struct,
  Upload,
  type WireInputOf,
  type WireOutputOf,
  wireName,
  withDefault,
  writeOnly,
} from 'koa-smorest'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function same<A, B>(_equal: Equal<A, B>): void {}

const Part = struct({ sku: maxLength(t.string, 5), qty: withDefault(int, 1) })
const Pet = struct({
  id: readOnly(int),
  name: t.string,
  kind: t.keyof({ cat: null, dog: null }),
  born: isoDate.asDate,
  seen: wireName('last_seen', nullable(isoDateTime)),
  nick: optional(t.string),
  price: withDefault(decimal, '1'),
  secret: writeOnly(t.string),
  parts: t.array(Part),
  ids: list(int),
})

same<
  WireInputOf<typeof Pet>,
  {
    name: string
    kind: 'cat' | 'dog'
    born: string
    last_seen: string | null
    secret: string
    parts: { sku: string; qty?: number }[]
    ids: number[]
    nick?: string
    price?: string
  }
>(true)
same<
  WireOutputOf<typeof Pet>,
  {
    id: number
    name: string
    kind: 'cat' | 'dog'
    born: string
    last_seen: string | null
    price: string
    parts: { sku: string; qty: number }[]
    ids: number[]
    nick?: string
  }
>(true)

// a field that may be undefined is one that may be absent; JSON has no undefined
same<
  WireInputOf<t.TypeC<{ a: t.UnionC<[t.StringC, t.UndefinedC]>; b: t.UnknownC }>>,
  { a?: string; b?: unknown }
>(true)

// marks count in io-ts's own codecs too, at every depth
const Io = t.strict({
  secret: writeOnly(t.string),
  shown: readOnly(t.string),
  inner: t.record(t.string, Part),
})
same<
  WireOutputOf<typeof Io>,
  { shown: string; inner: { [name: string]: { sku: string; qty: number } } }
>(true)
same<
  WireInputOf<typeof Io>,
  { secret: string; inner: { [name: string]: { sku: string; qty?: number } } }
>(true)

// a client sends a Blob for an upload
const Files = struct({ picture: Upload, more: optional(Upload) })
same<WireInputOf<typeof Files>, { picture: Blob; more?: Blob }>(true)

// unions, tuples, intersections, refinements, brands
const Positive = t.brand(
  t.number,
  (n): n is t.Branded<number, { readonly Positive: symbol }> => n > 0,
  'Positive',
)
const Tuple = t.tuple([isoDate.asDate, Positive])
same<WireOutputOf<typeof Tuple>, [string, number]>(true)
const Either = t.union([Part, t.null, t.literal('x')])
same<WireInputOf<typeof Either>, { sku: string; qty?: number } | null | 'x'>(true)
const Both = t.intersection([Part, t.partial({ note: t.string })])
same<WireInputOf<typeof Both>, { sku: string; qty?: number; note?: string }>(true)

// what a PATCH sends
const Changes = partial(Part)
same<WireInputOf<typeof Changes>, { sku?: string; qty?: number }>(true)

// of a recursion it is what its user has written
interface Tree {
  readonly name: string
  readonly children: readonly Tree[]
}
const Tree: t.Type<Tree> = t.recursion('Tree', () =>
  t.type({ name: t.string, children: t.readonlyArray(Tree) }),
)
same<WireOutputOf<typeof Tree>, Tree>(true)

// a client has no enum of the server's, only its values
enum Genre {
  Novel = 'novel',
  Poem = 'poem',
}
enum Size {
  Small = 1,
  Large = 2,
}
const Book = struct({
  genre: enumeration(Genre, 'Genre'),
  sizes: t.array(nullable(enumeration(Size))),
  code: t.string,
  count: t.number,
})
same<
  WireInputOf<typeof Book>,
  { genre: 'novel' | 'poem'; sizes: (1 | 2 | null)[]; code: string; count: number }
>(true)
same<
  WireOutputOf<typeof Book>,
  { genre: 'novel' | 'poem'; sizes: (1 | 2 | null)[]; code: string; count: number }
>(true)
const Known = new t.Type<string & { readonly known: true }>(
  'Known',
  t.any.is as never,
  t.success as never,
  t.identity,
)
same<WireInputOf<typeof Known>, string & { readonly known: true }>(true)

// a name on the wire may be the key of another field: of one that is hidden, or has that one's name
const Moved = struct({
  id: readOnly(int),
  given: wireName('id', writeOnly(t.string)),
  from: wireName('until', isoDate),
  until: wireName('from', optional(t.number)),
})
same<WireInputOf<typeof Moved>, { id: string; until: string; from?: number }>(true)
same<WireOutputOf<typeof Moved>, { id: number; until: string; from?: number }>(true)
