import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  Blueprint,
  type Context,
  decimal,
  etag,
  float,
  type InputOf,
  int,
  int64,
  json,
  keyset,
  MethodView,
  maxItems,
  maximum,
  maxLength,
  mergePatch,
  minItems,
  minimum,
  minLength,
  type OutputOf,
  omit,
  operation,
  optional,
  pattern,
  problem,
  query,
  readOnly,
  reply,
  response,
  type Seekable,
  struct,
  withDefault,
} from 'koa-smorest'
import { csv } from 'koa-smorest/csv'
import type { ContractOptions } from 'koa-smorest/testing'

// Articles of a warehouse under their SKU, what is in stock of them, and how it moved.

export const faults = [
  'category filter ignored',
  'minPrice compares text',
  'maxPrice excludes its bound',
  'name filter minds capitals',
  'discontinued filter: false is not asked for',
  'prices go through a number',
  'barcodes go through a number',
  'weights have two places',
  'a weight of zero is none',
  'bulk drops its last article',
  'bulk saves what it refuses',
  'bulk answers in another order',
  'an article of a known SKU replaces the old one',
  'PUT keeps the barcode',
  'PATCH with null keeps the weight',
  'PATCH with false keeps the true',
  'PATCH takes the stock away',
  'deleted articles stay in the list',
  'delete does nothing',
  'movements of all articles',
  'movements leave the version',
  'stock may fall below zero',
  'a movement moves all of the category',
  'a page begins with the end of the last one',
  'ties are lost between pages',
  'the other sort stops early',
  'SKUs are found in any case',
  'names beyond 40 characters are cut',
  'emoji crash the search index',
  'the export lacks the discontinued',
  'PUT of one article writes its neighbour',
  'a movement in another article is found',
] as const

const Sku = pattern(maxLength(t.string, 12), /^[A-Z]{2}-[0-9]{1,6}$/)
const Category = t.keyof({ tools: null, paint: null, timber: null })
const NewArticle = struct(
  {
    sku: Sku,
    name: maxLength(minLength(t.string, 1), 80),
    category: Category,
    price: decimal,
    weight: optional(minimum(float, 0)),
    barcode: optional(int64.asBigInt),
    discontinued: withDefault(t.boolean, false),
    stock: readOnly(int),
    version: readOnly(int),
  },
  'Article',
)
type Article = OutputOf<typeof NewArticle>
type NewArticle = InputOf<typeof NewArticle>
const ArticleChange = omit(NewArticle, ['sku'], 'ArticleChange')
type ArticleChange = InputOf<typeof ArticleChange>

const Movement = struct(
  {
    id: readOnly(int),
    sku: readOnly(t.string),
    quantity: maximum(minimum(int, -1000), 1000),
    reason: t.keyof({ delivery: null, sale: null, count: null }),
  },
  'Movement',
)
type Movement = OutputOf<typeof Movement>
type NewMovement = InputOf<typeof Movement>

const Filter = struct({
  category: optional(Category),
  name: optional(maxLength(t.string, 40)),
  minPrice: optional(decimal),
  maxPrice: optional(decimal),
  discontinued: optional(t.boolean),
})
const Exists = problem('sku-exists', { status: 409 })
const Short = problem('not-in-stock', { status: 409, data: t.strict({ stock: int }) })

/** Compares decimals without rounding: whole part, then fraction. */
function compare(a: string, b: string): number {
  const places = 40
  const scaled = (text: string) => {
    const [whole = '0', fraction = ''] = text.replace('-', '').split('.')
    const value = BigInt(whole + fraction.padEnd(places, '0').slice(0, places))
    return text.startsWith('-') ? -value : value
  }
  const difference = scaled(a) - scaled(b)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

export function warehouse(is: (fault: (typeof faults)[number]) => boolean) {
  const articles = new Map<string, Article>()
  const hidden = new Map<string, Article>()
  let movements: Movement[] = []
  let last = 0

  const reset = () => {
    articles.clear()
    hidden.clear()
    last = 3
    movements = [
      { id: 1, sku: 'TO-1', quantity: 20, reason: 'delivery' },
      { id: 2, sku: 'TO-1', quantity: -2, reason: 'sale' },
      { id: 3, sku: 'PA-7', quantity: 5, reason: 'delivery' },
    ]
    for (const [sku, name, category, price, discontinued, weight] of [
      ['TO-1', 'Hammer', 'tools', '12.50', false, 0.75],
      ['TO-2', 'Saw', 'tools', '9.90', false, undefined],
      ['TO-30', 'Screwdriver', 'tools', '9.90', true, 0.2],
      ['PA-7', 'Chalk paint', 'paint', '31.00', false, 2.5],
      ['PA-8', 'Oil', 'paint', '9.90', true, undefined],
      ['TI-100', 'Oak board', 'timber', '120', false, 8.125],
    ] as const)
      articles.set(sku, {
        sku,
        name,
        category,
        price,
        discontinued,
        ...(weight !== undefined && { weight }),
        stock: movements.reduce((sum, each) => sum + (each.sku === sku ? each.quantity : 0), 0),
        version: 1,
      })
  }
  reset()

  /** What the columns of the table make of a value. */
  const stored = <A extends ArticleChange>(article: A): A => {
    const next = { ...article }
    if (is('prices go through a number')) next.price = String(Number(next.price))
    if (is('barcodes go through a number') && next.barcode !== undefined)
      next.barcode = BigInt(Number(next.barcode))
    if (is('weights have two places') && next.weight !== undefined)
      next.weight = Math.round(next.weight * 100) / 100
    if (is('a weight of zero is none') && !next.weight) delete next.weight
    if (is('names beyond 40 characters are cut')) next.name = [...next.name].slice(0, 40).join('')
    if (is('emoji crash the search index')) decodeURI(encodeURI(next.name).replace(/%F0/g, '%'))
    return next
  }

  /** The list as a database pages it. */
  const seekable = (rows: Article[]): Seekable<Article> | Article[] => {
    const isBroken =
      is('a page begins with the end of the last one') ||
      is('ties are lost between pages') ||
      is('the other sort stops early')
    if (!isBroken) return rows
    return {
      seek: async ({ orderBy, after, limit }) => {
        const order = (a: Record<string, unknown>, b: Record<string, unknown>) => {
          for (const { field, direction } of orderBy) {
            const [x, y] = [String(a[field]), String(b[field])]
            const difference = field === 'price' ? compare(x, y) : x < y ? -1 : x > y ? 1 : 0
            if (difference !== 0) return direction === 'asc' ? difference : -difference
            if (is('ties are lost between pages') && after) return 0
          }
          return 0
        }
        const sorted = rows.toSorted((a, b) => order(a as never, b as never))
        const rest = sorted.filter(row => {
          const place = after ? order(row as never, after as never) : 1
          return is('a page begins with the end of the last one') ? place >= 0 : place > 0
        })
        const [first] = orderBy
        if (is('the other sort stops early') && first?.field !== 'sku' && after) return []
        return rest.slice(0, limit)
      },
    }
  }

  const add = (article: NewArticle): Article => {
    const added = { ...stored(article), stock: 0, version: 1 }
    articles.set(added.sku, added)
    return added
  }
  const taken = (sku: string) =>
    articles.has(sku) && !is('an article of a known SKU replaces the old one')

  class Articles extends MethodView {
    static get = operation(
      'List the articles',
      query(Filter),
      keyset({
        unique: 'sku',
        sorts: { sku: ['sku'], cheapest: ['price'], dearest: ['-price'] },
        pageSize: 20,
      }),
      response(t.array(NewArticle), { also: [csv()] }),
    )
    get(_ctx: Context, filter: InputOf<typeof Filter>) {
      const { category, name, minPrice, maxPrice, discontinued } = filter
      const less = is('minPrice compares text')
        ? (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
        : compare
      const has = (text: string) =>
        is('name filter minds capitals')
          ? text.includes(name ?? '')
          : text.toLowerCase().includes((name ?? '').toLowerCase())
      const rows = [...articles.values(), ...hidden.values()].filter(
        article =>
          (!category || article.category === category || is('category filter ignored')) &&
          has(article.name) &&
          (minPrice === undefined || less(article.price, minPrice) >= 0) &&
          (maxPrice === undefined ||
            compare(article.price, maxPrice) <= (is('maxPrice excludes its bound') ? -1 : 0)) &&
          (is('discontinued filter: false is not asked for')
            ? !discontinued || article.discontinued
            : discontinued === undefined || article.discontinued === discontinued),
      )
      return seekable(rows)
    }

    static post = operation(
      'Add an article',
      json(NewArticle),
      response(NewArticle, { code: 201 }),
      altResponse(Exists),
    )
    post(_ctx: Context, article: NewArticle) {
      if (taken(article.sku)) abort(Exists)
      return reply(add(article), 201, { Location: `/articles/${article.sku}` })
    }
  }

  const blueprint = new Blueprint('warehouse').route('/articles', Articles)

  blueprint.post(
    '/articles/bulk',
    operation(
      'Add many articles, all or none',
      json(maxItems(minItems(t.array(NewArticle), 1), 50)),
      response(t.array(NewArticle), { code: 201 }),
      altResponse(Exists),
    ),
    (_ctx, list) => {
      const skus = new Set(list.map(({ sku }) => sku))
      const isRefused = skus.size < list.length || list.some(({ sku }) => articles.has(sku))
      if (isRefused && is('bulk saves what it refuses'))
        for (const article of list) if (!articles.has(article.sku)) add(article)
      if (isRefused) abort(Exists)
      const wanted = is('bulk drops its last article') && list.length > 1 ? list.slice(0, -1) : list
      const added = wanted.map(add)
      return is('bulk answers in another order') ? added.toReversed() : added
    },
  )

  const load = (_ctx: Context, { sku }: { sku: string }) =>
    is('SKUs are found in any case') ? articles.get(sku.toUpperCase()) : articles.get(sku)
  type Current = { current: Article }
  class ArticleBySku extends MethodView {
    static shared = operation(etag({ load, tag: article => article.version }))

    static get = operation('Find an article', response(NewArticle))
    get(_ctx: Context, { current }: Current) {
      return current
    }

    static put = operation('Replace an article', json(ArticleChange), response(NewArticle))
    put(_ctx: Context, article: ArticleChange, { current }: Current) {
      const { sku, stock, version, barcode } = current
      const next: Article = { ...stored(article), sku, stock, version: version + 1 }
      if (is('PUT keeps the barcode') && barcode !== undefined) next.barcode ??= barcode
      articles.set(sku, next)
      const neighbour = [...articles.values()].find(each => each.sku !== sku)
      if (is('PUT of one article writes its neighbour') && neighbour)
        articles.set(neighbour.sku, {
          ...neighbour,
          name: next.name,
          version: neighbour.version + 1,
        })
      return next
    }

    static patch = operation('Change an article', mergePatch(ArticleChange), response(NewArticle))
    patch(_ctx: Context, changed: ArticleChange, { current }: Current) {
      const { sku, stock, version, weight, discontinued } = current
      const next: Article = { ...stored(changed), sku, stock, version: version + 1 }
      if (is('PATCH with null keeps the weight') && weight !== undefined) next.weight ??= weight
      if (is('PATCH with false keeps the true')) next.discontinued ||= discontinued
      if (is('PATCH takes the stock away')) next.stock = 0
      articles.set(sku, next)
      return next
    }

    static delete = operation('Remove an article', response({ code: 204 }))
    delete(_ctx: Context, { current }: Current) {
      if (is('delete does nothing')) return
      articles.delete(current.sku)
      if (is('deleted articles stay in the list')) hidden.set(current.sku, current)
      movements = movements.filter(each => each.sku !== current.sku)
    }
  }

  class Movements extends MethodView {
    static shared = operation(altResponse(404))

    static get = operation('How the stock moved', response(t.array(Movement)))
    get(_ctx: Context, { sku }: { sku: string }) {
      if (!articles.has(sku)) abort(404)
      return movements.filter(each => each.sku === sku || is('movements of all articles'))
    }

    static post = operation(
      'Move the stock',
      json(Movement),
      response(Movement, { code: 201 }),
      altResponse(Short),
    )
    post(_ctx: Context, movement: NewMovement, { sku }: { sku: string }) {
      const article = articles.get(sku) ?? abort(404)
      const stock = article.stock + movement.quantity
      if (stock < 0 && !is('stock may fall below zero')) abort(Short, { stock: article.stock })
      const added = { ...movement, id: ++last, sku }
      movements.push(added)
      const version = article.version + (is('movements leave the version') ? 0 : 1)
      articles.set(sku, { ...article, stock, version })
      if (is('a movement moves all of the category'))
        for (const other of [...articles.values()])
          if (other.category === article.category && other.sku !== sku)
            articles.set(other.sku, { ...other, stock: other.stock + movement.quantity })
      return reply(added, 201, { Location: `/articles/${sku}/movements/${added.id}` })
    }
  }
  blueprint
    .route('/articles/:sku<string(maxlength=12)>', ArticleBySku)
    .route('/articles/:sku<string(maxlength=12)>/movements', Movements)
    .get(
      '/articles/:sku<string(maxlength=12)>/movements/:id<int>',
      operation('Find a movement', response(Movement), altResponse(404)),
      (_ctx, { sku, id }) =>
        movements.find(
          each =>
            each.id === id && (each.sku === sku || is('a movement in another article is found')),
        ) ?? abort(404),
    )
    .get(
      '/export.csv',
      operation('All articles as a table', response({ contentType: 'text/csv' })),
      () =>
        ['sku;name', ...articles.values()]
          .filter(
            row =>
              typeof row === 'string' ||
              !row.discontinued ||
              !is('the export lacks the discontinued'),
          )
          .map(row => (typeof row === 'string' ? row : `${row.sku};${JSON.stringify(row.name)}`))
          .join('\r\n'),
    )

  const app = new Koa()
  app.silent = true
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)
  const options: ContractOptions = { reset }
  return { app, api, options }
}
