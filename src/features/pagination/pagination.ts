import type { Shape } from '../../codec/shape/shape.js'
import { shapeOf } from '../../codec/shape/shape-of.js'
import type { Exchange } from '../../contract/exchange.js'
import type { Feature, Part, Route } from '../../contract/feature.js'
import {
  type Collection,
  type Page,
  type PaginationParameters,
  paginationHeader,
} from '../../contract/pager.js'
import type { Step } from '../../contract/step.js'
import type { Typing } from '../../contract/typing.js'
import { Refusal } from '../../http/failure.js'
import { linkHeader, relativeReferences } from '../../http/link-header.js'
import { NO_CONTENT } from '../../http/status.js'
import { describePages } from './describe.js'
import { limitsOf, type PaginationOptions, pageReader } from './page-parameters.js'
import type { PagesWire } from './wire.js'

type Pager = new (collection: never, parameters: PaginationParameters) => Page<unknown>

type CollectionOf<P> = P extends new (
  collection: infer C,
  parameters: PaginationParameters,
) => unknown
  ? C
  : never
type PagedBy<P> = Collection extends CollectionOf<P> ? true : CollectionOf<P>

/**
 * Pages the collection that the method returns. With a pager (`paginate(Page)`, or a subclass) the method returns the whole collection;
 * without one it receives `paginationParameters`, returns the page, and sets `itemCount`. The response has the pagination header; a page
 * beyond the end is an empty list (specification, section 4.4).
 */
export function paginate(
  options?: PaginationOptions,
): Feature<
  { named: { paginationParameters: PaginationParameters }; raw: false; wire: PagesWire },
  'pages'
>
export function paginate<P extends Pager>(
  pager: P,
  options?: PaginationOptions,
): Feature<{ paged: PagedBy<P>; raw: false; wire: PagesWire }, 'pages'>
export function paginate(
  pager?: Pager | PaginationOptions,
  options: PaginationOptions = {},
): Feature<Typing, 'pages'> {
  const on: Feature['on'] = route =>
    typeof pager === 'function' ? postPagination(route, pager, options) : inView(route, pager)
  return { kind: 'pages', on }
}

/** The method pages by itself. */
function inView(route: Route, options: PaginationOptions | undefined): readonly Part[] {
  const mark = headerWriter(route)
  return [
    readPart(route, options, ({ named }, parameters) => {
      named.paginationParameters = parameters
    }),
    pagePart(route, exchange => {
      const parameters = exchange.named.paginationParameters as PaginationParameters
      if (parameters.itemCount !== undefined) mark(exchange, parameters, parameters.itemCount)
      else
        route.warn(
          `${route.place}: paginationParameters.itemCount was not set, so the response has no pagination header`,
        )
    }),
  ]
}

/** Holds the parameters until the collection is there. */
const PARAMETERS = Symbol('pagination parameters')
type Paged = Exchange & { [PARAMETERS]?: PaginationParameters }

/** The method returns the whole collection; the pager takes the page from it. */
function postPagination(route: Route, pager: Pager, options: PaginationOptions): readonly Part[] {
  const mark = headerWriter(route)
  checkCodec(route, pager)
  return [
    readPart(route, options, (exchange: Paged, parameters) => {
      exchange[PARAMETERS] = parameters
    }),
    pagePart(route, exchange => {
      const parameters = (exchange as Paged)[PARAMETERS] as PaginationParameters
      const page = new pager(exchange.result as never, parameters)
      const { itemCount } = page
      if (typeof itemCount !== 'number') return cutLater(exchange, Promise.resolve(itemCount), page)
      const { items } = page
      if (!Array.isArray(items)) return cutLater(exchange, Promise.resolve(itemCount), { items })
      exchange.result = items
      return mark(exchange, parameters, itemCount)
    }),
  ]

  async function cutLater(
    exchange: Paged,
    itemCount: Promise<number>,
    page: Pick<Page<unknown>, 'items'>,
  ): Promise<void> {
    // `items` may throw before anybody waits for the count, whose rejection would then end the process
    itemCount.catch(() => undefined)
    const [count, items] = await Promise.all([itemCount, page.items])
    exchange.result = items
    mark(exchange, exchange[PARAMETERS] as PaginationParameters, count)
  }
}

/** Reports a codec that no page could be encoded with: a page is a list. */
function checkCodec(route: Route, pager: Pager): void {
  const codec = route.features.findLast(({ represents }) => represents)?.represents
  if (codec === undefined || canBeList(shapeOf(codec))) return
  route.fault(
    `paginate(${pager.name}) makes a list of what the method returns, but response(${codec.name}) is no list: give response(t.array(…)), or page in the method, with paginate()`,
  )
}

function canBeList(shape: Shape): boolean {
  switch (shape.kind) {
    case 'array':
    case 'tuple':
    case 'unknown':
    case 'opaque':
      return true
    case 'constrained':
      return canBeList(shape.base)
    case 'recursion':
      return canBeList(shape.target())
    case 'union':
      return shape.members.some(canBeList)
    case 'intersection':
      return shape.members.every(canBeList)
    default:
      return false
  }
}

/**
 * Pages a success; a redirect or an error that the method returned is not paged. A raw response cannot be paged: all of it would be sent.
 */
function pagePart(route: Route, cut: Step): Part {
  const whole = `${route.place}: a Response, a stream or a Buffer cannot be paged, so all of it was sent: return the collection, or leave paginate() out`
  return {
    stage: 'page',
    raw: true,
    step(exchange) {
      const { status, isRaw } = exchange
      if (status >= 300 || NO_CONTENT.has(status)) return undefined
      if (!isRaw) return cut(exchange)
      // 0: the method ended early, without a body
      if (status === 0) return undefined
      if (route.settings.DEBUG || route.settings.TESTING) throw new TypeError(whole)
      route.warn(whole)
      return undefined
    },
  }
}

/** Reads the parameters and keeps them for the page. */
function readPart(
  route: Route,
  options: PaginationOptions | undefined,
  keep: (exchange: Exchange, parameters: PaginationParameters) => void,
): Part {
  const limits = limitsOf(route, options)
  const read = pageReader(limits)
  return {
    stage: 'arguments',
    step(exchange) {
      const parameters = read(exchange)
      if (parameters instanceof Refusal) return parameters
      keep(exchange, parameters)
      return undefined
    },
    docs: schemas => describePages(route, limits, schemas),
  }
}

/** Returns a function that sets the pagination header and the links, if the Blueprint has them. */
function headerWriter({
  attributes: { PAGINATION_HEADER_FIELD_NAME: name, PAGINATION_LINKS },
  place,
}: Route) {
  return (
    { ctx, headers }: Exchange,
    parameters: PaginationParameters,
    itemCount: number,
  ): void => {
    if (name === null && !PAGINATION_LINKS) return
    if (!Number.isSafeInteger(itemCount) || itemCount < 0)
      throw new TypeError(`${place}: the item count is not a whole number: ${String(itemCount)}`)
    if (name !== null) headers.push([name, paginationHeader(parameters, itemCount)])
    if (PAGINATION_LINKS) headers.push(['Link', pageLinks(ctx.querystring, parameters, itemCount)])
  }
}

/** Links the pages around a page; beyond the end only the first and the last one. */
function pageLinks(
  querystring: string,
  { page, pageSize }: PaginationParameters,
  itemCount: number,
): string {
  const last = Math.max(1, Math.ceil(itemCount / pageSize))
  const reference = relativeReferences(querystring, ['page'])
  const link = (number: number) => reference({ page: number })
  return linkHeader({
    first: link(1),
    prev: page > 1 && page <= last ? link(page - 1) : undefined,
    next: page < last ? link(page + 1) : undefined,
    last: link(last),
  })
}
