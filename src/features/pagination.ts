import type { HeaderObject, ParameterObject } from 'openapi3-ts/oas31'
import type { Exchange } from '../contract/exchange.js'
import type { Feature, Part, Route } from '../contract/feature.js'
import { type Collection, type Page, PaginationParameters, paginationHeader } from '../contract/pager.js'
import type { Typing } from '../contract/typing.js'
import { type Errors, Refusal } from '../http/failure.js'
import { linkHeader, relativeReference } from '../http/link-header.js'
import type { Fragment } from '../openapi/document/fragment.js'
import type { Schemas } from '../openapi/schema/schemas.js'

type Pager = new (collection: never, parameters: PaginationParameters) => Page<unknown>

/** Page parameters of one operation; those left out are the Blueprint's `DEFAULT_PAGINATION_PARAMETERS`. */
export interface PaginationOptions {
  /** The page of a request that names none. Default 1. */
  readonly page?: number
  /** The page size of a request that names none. Default 10. */
  readonly pageSize?: number
  /** A larger page size is answered 422. Default 100. */
  readonly maxPageSize?: number
  /** A larger page number is answered 422: deep pages are dear where they are skipped row by row. Default: no limit, beyond the end is an empty list. */
  readonly maxPage?: number
}

type CollectionOf<P> = P extends new (collection: infer C, parameters: PaginationParameters) => unknown ? C : never
type PagedBy<P> = Collection extends CollectionOf<P> ? true : CollectionOf<P>

/**
 * Pages the collection that the method answers. With a pager (`paginate(Page)`, or a subclass) the method returns the
 * whole collection; without one it is given `paginationParameters`, returns the page, and sets `itemCount`. The answer
 * carries the pagination header; a page beyond the end is an empty list (specification, section 4.4).
 */
export function paginate(options?: PaginationOptions): Feature<{ named: { paginationParameters: PaginationParameters } }, 'pages'>
export function paginate<P extends Pager>(pager: P, options?: PaginationOptions): Feature<{ paged: PagedBy<P> }, 'pages'>
export function paginate(pager?: Pager | PaginationOptions, options: PaginationOptions = {}): Feature<Typing, 'pages'> {
  const on: Feature['on'] = route => (typeof pager === 'function' ? postPagination(route, pager, options) : inView(route, pager ?? {}))
  return { kind: 'pages', on }
}

/** The method pages by itself. */
function inView(route: Route, options: PaginationOptions): readonly Part[] {
  const mark = headerWriter(route)
  return [
    readPart(route, options, ({ named }, parameters) => {
      named.paginationParameters = parameters
    }),
    {
      stage: 'page',
      step(exchange) {
        const parameters = exchange.named.paginationParameters as PaginationParameters
        if (parameters.itemCount !== undefined) mark(exchange, parameters, parameters.itemCount)
        else route.warn(`${route.place}: paginationParameters.itemCount was not set, so the answer has no pagination header`)
      },
    },
  ]
}

/** Where the parameters wait for the collection. */
const PARAMETERS = Symbol('pagination parameters')
type Paged = Exchange & { [PARAMETERS]?: PaginationParameters }

/** The method returns the whole collection, the pager cuts the page out of it. */
function postPagination(route: Route, pager: Pager, options: PaginationOptions): readonly Part[] {
  const mark = headerWriter(route)
  return [
    readPart(route, options, (exchange: Paged, parameters) => {
      exchange[PARAMETERS] = parameters
    }),
    {
      stage: 'page',
      step(exchange) {
        const parameters = (exchange as Paged)[PARAMETERS] as PaginationParameters
        const page = new pager(exchange.result as never, parameters)
        const { itemCount, items } = page
        if (typeof itemCount === 'number' && Array.isArray(items)) {
          exchange.result = items
          return mark(exchange, parameters, itemCount)
        }
        return Promise.all([itemCount, items]).then(([count, slice]) => {
          exchange.result = slice
          mark(exchange, parameters, count)
        })
      },
    },
  ]
}

/** Reads what the client asked for and keeps it for the page. */
function readPart(route: Route, options: PaginationOptions, keep: (exchange: Exchange, parameters: PaginationParameters) => void): Part {
  const read = pageReader(route, options)
  return {
    stage: 'arguments',
    step(exchange) {
      const parameters = read(exchange)
      if (parameters instanceof Refusal) return parameters
      keep(exchange, parameters)
      return undefined
    },
    docs: schemas => describePages(route, options, schemas),
  }
}

const WHOLE_NUMBER = /^-?(?:0|[1-9][0-9]*)$/

/** Reads `page` and `page_size` from the query: decided once, run for each request. */
function pageReader(route: Route, options: PaginationOptions): (exchange: Exchange) => PaginationParameters | Refusal {
  const { page, pageSize, maxPageSize, maxPage } = defaultsOf(route, options)
  // beyond it, `lastItem` would no longer be a safe integer; nobody has that many items
  const furthest = Math.floor(Number.MAX_SAFE_INTEGER / maxPageSize)
  return exchange => {
    const { query } = exchange
    if (query instanceof Refusal) return query
    if (query.page === undefined && query.page_size === undefined) return new PaginationParameters(page, pageSize)
    const number = query.page === undefined ? page : wholeNumber(query.page, maxPage)
    const size = query.page_size === undefined ? pageSize : wholeNumber(query.page_size, maxPageSize)
    if (typeof number === 'number' && typeof size === 'number') return new PaginationParameters(Math.min(number, furthest), size)
    const errors: Record<string, Errors> = {}
    if (typeof number === 'string') errors.page = [number]
    if (typeof size === 'string') errors.page_size = [size]
    return new Refusal(422, { errors: { query: errors } })
  }
}

/** A whole number from 1 to `maximum`, or what is wrong with it. */
function wholeNumber(text: string | readonly string[], maximum = Number.POSITIVE_INFINITY): number | string {
  if (typeof text !== 'string') return 'Must be given only once.'
  if (!WHOLE_NUMBER.test(text)) return 'Not a whole number.'
  const value = Number(text)
  if (value < 1 || value > maximum) return maximum === Number.POSITIVE_INFINITY ? 'Must be at least 1.' : `Must be from 1 to ${maximum}.`
  return value
}

function defaultsOf(route: Route, options: PaginationOptions) {
  return { maxPage: undefined, ...route.attributes.DEFAULT_PAGINATION_PARAMETERS, ...options }
}

/** Sets the pagination header and the links, where the Blueprint has them. */
function headerWriter({ attributes: { PAGINATION_HEADER_FIELD_NAME: name, PAGINATION_LINKS }, place }: Route) {
  return ({ ctx, headers }: Exchange, parameters: PaginationParameters, itemCount: number): void => {
    if (name === null && !PAGINATION_LINKS) return
    if (!Number.isSafeInteger(itemCount) || itemCount < 0)
      throw new TypeError(`${place}: the item count is not a whole number: ${String(itemCount)}`)
    if (name !== null) headers.push([name, paginationHeader(parameters, itemCount)])
    if (PAGINATION_LINKS) headers.push(['Link', pageLinks(ctx.querystring, parameters, itemCount)])
  }
}

/** The pages around a page; beyond the end there are only the first and the last one. */
function pageLinks(querystring: string, { page, pageSize }: PaginationParameters, itemCount: number): string {
  const last = Math.max(1, Math.ceil(itemCount / pageSize))
  const link = (number: number) => relativeReference(querystring, { page: number })
  return linkHeader({
    first: link(1),
    prev: page > 1 && page <= last ? link(page - 1) : undefined,
    next: page < last ? link(page + 1) : undefined,
    last: link(last),
  })
}

function describePages(route: Route, options: PaginationOptions, schemas: Schemas): Fragment {
  const { page, pageSize, maxPageSize, maxPage } = defaultsOf(route, options)
  const name = route.attributes.PAGINATION_HEADER_FIELD_NAME
  const parameters: ParameterObject[] = [
    {
      name: 'page',
      in: 'query',
      required: false,
      schema: { type: 'integer', default: page, minimum: 1, ...(maxPage !== undefined && { maximum: maxPage }) },
    },
    { name: 'page_size', in: 'query', required: false, schema: { type: 'integer', default: pageSize, minimum: 1, maximum: maxPageSize } },
  ]
  return {
    parameters,
    responses: { 422: schemas.errorResponse(422) },
    success: { headers: { ...(name !== null && { [name]: PAGINATION_HEADER }), ...(route.attributes.PAGINATION_LINKS && { Link: LINK }) } },
  }
}

const LINK: HeaderObject = {
  description: 'The pages around this one, as relative references: `first`, `prev`, `next` and `last` (RFC 8288)',
  schema: { type: 'string' },
}

const PAGINATION_HEADER: HeaderObject = {
  description: 'Pagination metadata, as JSON',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: Object.fromEntries(
          ['total', 'total_pages', 'first_page', 'last_page', 'page', 'previous_page', 'next_page'].map(field => [
            field,
            { type: 'integer' },
          ]),
        ),
        required: ['total', 'total_pages'],
      },
    },
  },
}
