// Reads the parameters of numbered pages: names and limits are decided at registration, values read
// for each request.
import {
  type EnvelopeOptions,
  type LinkWire,
  type NameIn,
  namesRule,
  type PageLinks,
  parameterNames,
} from '../../feature-api/envelope.js'
import type { Exchange } from '../../feature-api/exchange.js'
import type { Route } from '../../feature-api/feature.js'
import { PaginationParameters } from '../../feature-api/pager.js'
import { type Errors, Refusal } from '../../http/failure.js'
import {
  checkOptions,
  defined,
  func,
  limitFrom,
  type Rules,
  string,
  wholeFrom,
} from '../../options.js'

/** The facts about a page that `wrap` of `paginate` gets. */
export interface NumberedPage {
  /** The number of items in the collection. */
  readonly total: number
  readonly totalPages: number
  /** The number of this page, as clients count: from 1, or from 0 if the option `page` is 0. */
  readonly page: number
  readonly pageSize: number
  readonly links: PageLinks
}

interface SizeOptions extends EnvelopeOptions<NumberedPage> {
  /** The page size of a request that names none. Default 10, or `maxPageSize` if that is less. */
  readonly pageSize?: number
  /** A larger page size is refused with 422. Default 100; `Infinity`: no limit. */
  readonly maxPageSize?: number
}

/** Options of pages that clients ask for by number. */
export interface NumberOptions extends SizeOptions {
  /** The page of a request that names none. Default 1. If it is 0, pages are counted from 0. */
  readonly page?: number
  /**
   * A larger page number is refused with 422: deep pages are expensive if rows are skipped one by
   * one. Default: no limit; a page beyond the end is an empty list.
   */
  readonly maxPage?: number
  /** The names of the two parameters. Default `page` and `page_size`. */
  readonly names?: { readonly page?: string; readonly pageSize?: string; readonly offset?: never }
  readonly maxOffset?: never
}

/** Options of pages that clients ask for by the number of rows before them. */
export interface OffsetOptions extends SizeOptions {
  /** A larger offset is refused with 422. Default: no limit, beyond the end is an empty list. */
  readonly maxOffset?: number
  /** The names of the two parameters; `pageSize` is `page_size` by default. */
  readonly names: { readonly offset: string; readonly pageSize?: string; readonly page?: never }
  readonly page?: never
  readonly maxPage?: never
}

/**
 * Page parameters of one operation; those left out are the Blueprint's
 * `DEFAULT_PAGINATION_PARAMETERS`.
 */
export type PaginationOptions = NumberOptions | OffsetOptions

const WHOLE_NUMBER = /^-?(?:0|[1-9][0-9]*)$/

/** Reads the two parameters from the query: decided once, run for each request. */
export function pageReader({
  position,
  lowest,
  first,
  most,
  names,
  pageSize,
  maxPageSize,
}: Limits): (exchange: Exchange) => PaginationParameters | Refusal {
  const pageOf = position === 'page' ? numberedPage(lowest) : pageAtOffset
  return exchange => {
    const { query } = exchange
    if (query instanceof Refusal) return query
    const { [names.position]: place, [names.pageSize]: length } = query
    if (place === undefined && length === undefined) return pageOf(first, pageSize)
    const number = place === undefined ? first : parseNumber(place, lowest, most)
    const size = length === undefined ? pageSize : parseNumber(length, 1, maxPageSize)
    if (typeof number === 'number' && typeof size === 'number')
      return pageOf(number, Math.min(size, LARGEST_PAGE))
    const errors: Record<string, Errors> = {}
    if (typeof number === 'string') errors[names.position] = [number]
    if (typeof size === 'string') errors[names.pageSize] = [size]
    return new Refusal(422, { errors: { query: errors } })
  }
}

/** No array is longer. */
const LARGEST_PAGE = 2 ** 32 - 1

/**
 * Returns the requested page. A page far beyond any collection is moved to one whose `lastItem` is
 * still a safe integer.
 */
function numberedPage(lowest: number): (page: number, pageSize: number) => PaginationParameters {
  return (asked, pageSize) => {
    const page = Math.min(asked, Math.floor(Number.MAX_SAFE_INTEGER / pageSize) - 1 + lowest)
    return new PaginationParameters(page, pageSize, (page - lowest) * pageSize)
  }
}

/** The same for an offset. */
function pageAtOffset(offset: number, pageSize: number): PaginationParameters {
  const firstItem = Math.min(offset, Number.MAX_SAFE_INTEGER - pageSize)
  return new PaginationParameters(Math.floor(firstItem / pageSize) + 1, pageSize, firstItem)
}

/** Parses a whole number in these bounds; returns the error message for anything else. */
function parseNumber(
  text: string | readonly string[],
  minimum: number,
  maximum: number,
): number | string {
  if (typeof text !== 'string') return 'Given more than once.'
  if (!WHOLE_NUMBER.test(text)) return 'Not a whole number.'
  const value = Number(text)
  if (value < minimum || value > maximum)
    return maximum === Number.POSITIVE_INFINITY
      ? `Must be at least ${minimum}.`
      : `Must be from ${minimum} to ${maximum}.`
  // not -0
  return value + 0
}

/** The names and limits of an operation. */
export interface Limits {
  /** The parameter by which a client sends the position of a page. */
  readonly position: 'page' | 'offset'
  readonly names: Readonly<Record<'position' | 'pageSize', string>>
  /** The position of the first page. */
  readonly lowest: number
  /** The position of a request that names none. */
  readonly first: number
  /** The furthest position. */
  readonly most: number
  readonly pageSize: number
  readonly maxPageSize: number
}

/** All options, as a program without types may combine them. */
interface AnyOptions extends SizeOptions {
  readonly page?: number
  readonly maxPage?: number
  readonly maxOffset?: number
  readonly names?: { readonly page?: string; readonly offset?: string; readonly pageSize?: string }
}

const RULES: Rules<AnyOptions> = {
  page: wholeFrom(0),
  pageSize: wholeFrom(1),
  maxPageSize: limitFrom(1),
  maxPage: limitFrom(1),
  maxOffset: limitFrom(0),
  names: namesRule,
  items: string,
  wrap: func,
}

/** The names and limits of an operation; reports those that are not valid. */
export function limitsOf(route: Route, asked: PaginationOptions | undefined): Limits {
  const options = checkOptions(route, 'paginate', asked as AnyOptions | undefined, RULES)
  const { DEFAULT_PAGINATION_PARAMETERS } = route.attributes
  const defaults = checkOptions<AnyOptions>(
    route,
    'DEFAULT_PAGINATION_PARAMETERS',
    DEFAULT_PAGINATION_PARAMETERS,
    RULES,
  )
  const { page, offset, pageSize: size } = options.names ?? {}
  const position = offset === undefined ? 'page' : 'offset'
  checkPosition(route, options, position)
  const { position: placeName, pageSize: sizeName } = parameterNames(
    route,
    'paginate',
    { position: 'page', pageSize: 'page_size' },
    { position: offset ?? page, pageSize: size },
  )
  const all = {
    page: 1,
    pageSize: 1,
    maxPageSize: Number.POSITIVE_INFINITY,
    maxPage: Number.POSITIVE_INFINITY,
    maxOffset: Number.POSITIVE_INFINITY,
    ...defined(defaults),
    ...defined(options),
  }
  const pageSize =
    options.pageSize === undefined ? Math.min(all.pageSize, all.maxPageSize) : all.pageSize
  if (pageSize > all.maxPageSize)
    route.fault(
      `paginate: pageSize must be at most maxPageSize, ${all.maxPageSize}, not ${pageSize}`,
    )
  if (all.page > all.maxPage)
    route.fault(`paginate: page must be at most maxPage, ${all.maxPage}, not ${all.page}`)
  return {
    position,
    names: { position: placeName, pageSize: sizeName },
    lowest: position === 'page' ? Math.min(all.page, 1) : 0,
    first: position === 'page' ? all.page : 0,
    most: position === 'page' ? all.maxPage : all.maxOffset,
    pageSize,
    maxPageSize: all.maxPageSize,
  }
}

/**
 * Reports options of pages by number beside those of pages by offset, which the compiler refuses.
 */
function checkPosition(
  route: Route,
  { names = {}, ...options }: AnyOptions,
  position: Limits['position'],
): void {
  for (const name of Object.keys(names))
    if (!['page', 'offset', 'pageSize'].includes(name))
      route.fault(`paginate: names may have page or offset, and pageSize, but not ${name}`)
  if (names.page !== undefined && names.offset !== undefined)
    route.fault('paginate: names must have page or offset, not both')
  const others = position === 'page' ? (['maxOffset'] as const) : (['page', 'maxPage'] as const)
  for (const name of others)
    if (options[name] !== undefined)
      route.fault(
        position === 'page'
          ? `paginate: ${name} is for pages by offset: names: { offset: 'offset' }`
          : `paginate: ${name} is for pages by number, and names has an offset`,
      )
}

/** The wire facts of `paginate`. */
export interface PagesWire<Options = unknown> {
  query: PageQuery<Options>
  errors: 400 | 422
  success: PageHeaders<Options> & LinkWire<Options>
}

type PageQuery<Options> = {
  [Name in
    | (Options extends { readonly names: { readonly offset: infer Offset extends string } }
        ? Offset
        : NameIn<Options, 'page', 'page'>)
    | NameIn<Options, 'pageSize', 'page_size'>]?: number
}

type PageHeaders<Options> = {
  'X-Pagination'?: {
    'application/json': Options extends { readonly names: { readonly offset: string } }
      ? { total: number }
      : {
          total: number
          total_pages: number
          first_page?: number
          last_page?: number
          page?: number
          previous_page?: number
          next_page?: number
        }
  }
}
