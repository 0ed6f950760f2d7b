import type { HeaderObject, ParameterObject, SchemaObject } from 'openapi3-ts/oas32'
import { canBeList, listIn, type PagedWith, pagedStatuses } from '../../feature-api/envelope.js'
import type { Exchange, Step } from '../../feature-api/exchange.js'
import type { Feature, Part, Route, Typing } from '../../feature-api/feature.js'
import { isPromise } from '../../feature-api/later.js'
import {
  type Collection,
  type Page,
  type PaginationParameters,
  paginationHeader,
} from '../../feature-api/pager.js'
import { Refusal } from '../../http/failure.js'
import { linkHeader, relativeReferences } from '../../http/link-header.js'
import { optionsIn } from '../../names.js'
import { type Fragment, textHeader } from '../../openapi/document/fragment.js'
import type { Schemas } from '../../openapi/schema/schemas.js'
import { defined } from '../../options.js'
import {
  type Limits,
  limitsOf,
  type NumberOptions,
  type PagesWire,
  type PaginationOptions,
  pageReader,
} from './page-parameters.js'

type Pager = new (collection: never, parameters: PaginationParameters) => Page<unknown>

type CollectionOf<P> = P extends new (
  collection: infer C,
  parameters: PaginationParameters,
) => unknown
  ? C
  : never
type PagedBy<P> = Collection extends CollectionOf<P> ? true : CollectionOf<P>

/** The typing of `paginate` without a pager. */
export type InViewFeature<Options> = Feature<
  {
    named: { paginationParameters: PaginationParameters }
    raw: false
    wire: PagesWire<Options>
  } & ([PagedWith<never, Options>] extends [never]
    ? unknown
    : { paged: PagedWith<'view', Options> }),
  'pages'
>

/** The typing of `paginate` with a pager. */
export type PagerFeature<P, Options> = Feature<
  { paged: PagedWith<PagedBy<P>, Options>; raw: false; wire: PagesWire<Options> },
  'pages'
>

/**
 * Pages the collection that the method returns. With a pager (`paginate(Page)`, or a subclass) the
 * method returns the whole collection; without one it receives `paginationParameters`, returns the
 * page, and sets `itemCount`. The response has the pagination header; a page beyond the end is an
 * empty list (specification, section 4.4).
 */
export function paginate(): InViewFeature<NumberOptions>
export function paginate<const Options extends PaginationOptions>(
  options: Options | undefined,
): InViewFeature<Options>
export function paginate<P extends Pager>(pager: P): PagerFeature<P, NumberOptions>
export function paginate<P extends Pager, const Options extends PaginationOptions>(
  pager: P,
  options: Options | undefined,
): PagerFeature<P, Options>
export function paginate(
  first?: Pager | PaginationOptions,
  second: PaginationOptions = {},
): Feature<Typing, 'pages'> {
  const [pager, given] = typeof first === 'function' ? [first, second] : [undefined, first]
  return {
    kind: 'pages',
    ...(!pager && { gives: ['paginationParameters'] }),
    items: optionsIn(given).items,
    on: route => bind(route, pager, given),
  }
}

/** Holds the parameters until the collection is there. */
const PARAMETERS = Symbol('pagination parameters')
type Paged = Exchange & { [PARAMETERS]?: PaginationParameters }

function bind(
  route: Route,
  pager: Pager | undefined,
  given: PaginationOptions | undefined,
): readonly Part[] {
  const limits = limitsOf(route, given)
  const options = optionsIn(given) as PaginationOptions
  checkCodec(route, pager, options)
  const isLinked = hasLinks(route, options)
  const mark = headerWriter(route, limits, options, isLinked)
  const read = pageReader(limits)
  return [
    {
      stage: 'arguments',
      step(exchange) {
        const parameters = read(exchange)
        if (parameters instanceof Refusal) return parameters
        ;(exchange as Paged)[PARAMETERS] = parameters
        if (!pager) exchange.named.paginationParameters = parameters
        return undefined
      },
      docs: schemas => describePages(route, limits, isLinked, schemas),
    },
    pagePart(route, exchange => {
      const parameters = (exchange as Paged)[PARAMETERS] as PaginationParameters
      if (pager)
        return cutPage(exchange, new pager(exchange.result as never, parameters), parameters, mark)
      // the method has taken the page from its collection
      const { itemCount } = parameters
      if (itemCount !== undefined) return mark(exchange, parameters, itemCount)
      if (options.wrap)
        throw new TypeError(
          `${route.place}: wrap needs paginationParameters.itemCount, which the method must set`,
        )
      route.warn(
        `${route.place}: paginationParameters.itemCount was not set, so the response has no pagination header`,
      )
      return undefined
    }),
  ]
}

/** Makes the page that a pager takes from the collection the result. */
function cutPage(
  exchange: Exchange,
  page: Page<unknown>,
  parameters: PaginationParameters,
  mark: ReturnType<typeof headerWriter>,
): void | Promise<void> {
  const { itemCount } = page
  // `items` may throw before anybody waits for the count, whose rejection would then end the process
  if (isPromise(itemCount)) Promise.resolve(itemCount).catch(() => undefined)
  const { items } = page
  const finish = ([count, rows]: readonly [number, unknown]) => {
    exchange.result = rows
    mark(exchange, parameters, count)
  }
  return isPromise(itemCount) || isPromise(items)
    ? Promise.all([itemCount, items]).then(finish)
    : finish([itemCount, items])
}

/** Reports a codec that no page could be encoded with: a page is a list. */
function checkCodec(route: Route, pager: Pager | undefined, options: PaginationOptions): void {
  const shape = listIn(route, 'paginate', options)
  if (shape === undefined || canBeList(shape)) return
  if (options.items !== undefined)
    route.fault(`paginate: the field "${options.items}", which items names, must be a list`)
  else if (pager)
    route.fault(
      `paginate(${pager.name}) makes a list of what the method returns, but response(${shape.codec.name}) is not a list: write response(t.array(…)), add items and wrap, or page in the method, with paginate()`,
    )
}

/**
 * Pages a success; a redirect, an error or another declared response is not paged. A raw response
 * cannot be paged: all of it would be sent.
 */
function pagePart(route: Route, cut: Step): Part {
  const isMain = pagedStatuses(route)
  const whole = `${route.place}: a Response, a stream or a Buffer cannot be paged, so all of it was sent: return the collection, or leave paginate() out`
  return {
    stage: 'page',
    raw: true,
    step(exchange) {
      const { status, isRaw } = exchange
      if (!isMain(status)) return undefined
      if (!isRaw) return cut(exchange)
      // 0: the method ended early, without a body
      if (status === 0) return undefined
      if (route.settings.DEBUG || route.settings.TESTING) throw new TypeError(whole)
      route.warn(whole)
      return undefined
    },
  }
}

/** Clients need `Link` if the names of the parameters or the header are configurable. */
function hasLinks({ attributes }: Route, options: PaginationOptions): boolean {
  return attributes.PAGINATION_LINKS || options.names !== undefined || options.wrap !== undefined
}

/**
 * Returns a function that sets the pagination header and the links, if the operation has them, and
 * wraps the rows.
 */
function headerWriter(
  route: Route,
  limits: Limits,
  { wrap }: PaginationOptions,
  isLinked: boolean,
) {
  const name = route.attributes.PAGINATION_HEADER_FIELD_NAME
  return (exchange: Exchange, parameters: PaginationParameters, itemCount: number): void => {
    if (name === null && !isLinked) return
    if (!Number.isSafeInteger(itemCount) || itemCount < 0)
      throw new TypeError(
        `${route.place}: the item count is not a whole number: ${String(itemCount)}`,
      )
    if (name !== null) {
      const text =
        limits.position === 'page'
          ? paginationHeader(parameters, itemCount, limits.lowest)
          : `{"total":${itemCount}}`
      exchange.headers.push([name, text])
    }
    if (!isLinked) return
    const links = pageLinks(exchange.ctx.querystring, limits, parameters, itemCount)
    exchange.headers.push(['Link', linkHeader(links)])
    if (!wrap) return
    const { page, pageSize } = parameters
    const totalPages = Math.ceil(itemCount / pageSize)
    exchange.result = wrap(exchange.result as readonly unknown[], {
      total: itemCount,
      totalPages,
      page,
      pageSize,
      links: defined(links),
    })
  }
}

/** Links the pages around a page; beyond the end only the first and the last one. */
function pageLinks(
  querystring: string,
  { position, lowest, names }: Limits,
  { page, pageSize, firstItem }: PaginationParameters,
  itemCount: number,
): Readonly<Record<'first' | 'prev' | 'next' | 'last', string | undefined>> {
  const count = Math.max(1, Math.ceil(itemCount / pageSize))
  const last = count - 1 + lowest
  const link = relativeReferences(querystring, names.position)
  if (position === 'page')
    return {
      first: link(lowest),
      prev: page > lowest && page <= last ? link(page - 1) : undefined,
      next: page < last ? link(page + 1) : undefined,
      last: link(last),
    }
  const isInside = firstItem > 0 && firstItem < itemCount
  const following = firstItem + pageSize
  return {
    first: link(0),
    prev: isInside ? link(Math.max(0, firstItem - pageSize)) : undefined,
    next: following < itemCount ? link(following) : undefined,
    last: link((count - 1) * pageSize),
  }
}

/** Describes the two parameters, the header and the links. */
function describePages(
  route: Route,
  { position, names, lowest, first, most, pageSize, maxPageSize }: Limits,
  hasLinks: boolean,
  schemas: Schemas,
): Fragment {
  const name = route.attributes.PAGINATION_HEADER_FIELD_NAME
  const parameters: ParameterObject[] = [
    {
      name: names.position,
      in: 'query',
      required: false,
      schema: {
        type: 'integer',
        default: first,
        minimum: lowest,
        ...maximum(most),
      },
    },
    {
      name: names.pageSize,
      in: 'query',
      required: false,
      schema: { type: 'integer', default: pageSize, minimum: 1, ...maximum(maxPageSize) },
    },
  ]
  return {
    parameters,
    responses: { 400: schemas.errorResponse(400), 422: schemas.errorResponse(422) },
    success: {
      headers: {
        ...(name !== null && { [name]: position === 'page' ? PAGINATION_HEADER : TOTAL_HEADER }),
        ...(hasLinks && { Link: LINK }),
      },
    },
  }
}

const maximum = (limit: number) => (limit === Number.POSITIVE_INFINITY ? {} : { maximum: limit })

const LINK = textHeader(
  'The pages around this one, as relative references: `first`, `prev`, `next` and `last` (RFC 8288)',
)

const metadata = (properties: Record<string, SchemaObject>, required: string[]): HeaderObject => ({
  description: 'Pagination metadata, as JSON',
  content: { 'application/json': { schema: { type: 'object', properties, required } } },
})

const TOTAL: SchemaObject = { type: 'integer', description: 'How many items there are' }

const TOTAL_HEADER = metadata({ total: TOTAL }, ['total'])

const PAGINATION_HEADER = metadata(
  {
    total: TOTAL,
    total_pages: { type: 'integer', description: 'How many pages they make' },
    first_page: {
      type: 'integer',
      description: 'The first page; absent if there are no items, as are all below',
    },
    last_page: { type: 'integer', description: 'The last page' },
    page: { type: 'integer', description: 'This page; absent beyond the last' },
    previous_page: {
      type: 'integer',
      description: 'The page before this one, if there is one',
    },
    next_page: {
      type: 'integer',
      description: 'The page after this one, if there is one',
    },
  },
  ['total', 'total_pages'],
)
