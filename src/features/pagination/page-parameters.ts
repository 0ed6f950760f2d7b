// Reads the parameters `page` and `page_size`: limits are decided at registration, values read for each request.
import type { Exchange } from '../../contract/exchange.js'
import type { Route } from '../../contract/feature.js'
import { checkLimit, checkOptions, given } from '../../contract/options.js'
import { PaginationParameters } from '../../contract/pager.js'
import { type Errors, Refusal } from '../../http/failure.js'

/** Page parameters of one operation; those left out are the Blueprint's `DEFAULT_PAGINATION_PARAMETERS`. Whole numbers from 1 on. */
export interface PaginationOptions {
  /** The page of a request that names none. Default 1. */
  readonly page?: number
  /** The page size of a request that names none. Default 10, or `maxPageSize` where that is less. */
  readonly pageSize?: number
  /** A larger page size is refused with 422. Default 100; `Infinity`: no limit. */
  readonly maxPageSize?: number
  /** A larger page number is refused with 422: deep pages are expensive where rows are skipped one by one. Default: no limit, beyond the end is an empty list. */
  readonly maxPage?: number
}

const WHOLE_NUMBER = /^-?(?:0|[1-9][0-9]*)$/

/** Reads `page` and `page_size` from the query: decided once, run for each request. */
export function pageReader({
  page,
  pageSize,
  maxPageSize,
  maxPage,
}: Limits): (exchange: Exchange) => PaginationParameters | Refusal {
  return exchange => {
    const { query } = exchange
    if (query instanceof Refusal) return query
    if (query.page === undefined && query.page_size === undefined)
      return new PaginationParameters(page, pageSize)
    const number = query.page === undefined ? page : parseNumber(query.page, maxPage)
    const size =
      query.page_size === undefined ? pageSize : parseNumber(query.page_size, maxPageSize)
    if (typeof number === 'number' && typeof size === 'number') return pageOf(number, size)
    const errors: Record<string, Errors> = {}
    if (typeof number === 'string') errors.page = [number]
    if (typeof size === 'string') errors.page_size = [size]
    return new Refusal(422, { errors: { query: errors } })
  }
}

/** No array is longer. */
const LARGEST_PAGE = 2 ** 32 - 1

/** Returns the requested page. A page far beyond any collection is moved to one whose `lastItem` is still a safe integer. */
function pageOf(page: number, size: number): PaginationParameters {
  const pageSize = Math.min(size, LARGEST_PAGE)
  return new PaginationParameters(
    Math.min(page, Math.floor(Number.MAX_SAFE_INTEGER / pageSize)),
    pageSize,
  )
}

/** Parses a whole number from 1 to `maximum`; returns the error message for anything else. */
function parseNumber(text: string | readonly string[], maximum: number): number | string {
  if (typeof text !== 'string') return 'Given more than once.'
  if (!WHOLE_NUMBER.test(text)) return 'Not a whole number.'
  const value = Number(text)
  if (value < 1 || value > maximum)
    return maximum === Number.POSITIVE_INFINITY
      ? 'Must be at least 1.'
      : `Must be from 1 to ${maximum}.`
  return value
}

/** The limits of `page` and `page_size`. */
export type Limits = Readonly<Required<PaginationOptions>>

const OPTIONS = ['page', 'pageSize', 'maxPageSize', 'maxPage'] as const

/** The limits of an operation; reports those that are not valid. */
export function limitsOf(route: Route, asked: PaginationOptions | undefined): Limits {
  const options = checkOptions(route, 'paginate', asked, OPTIONS)
  checkOptions(
    route,
    'DEFAULT_PAGINATION_PARAMETERS',
    route.attributes.DEFAULT_PAGINATION_PARAMETERS,
    OPTIONS,
  )
  const defaults = {
    maxPage: Number.POSITIVE_INFINITY,
    ...given(route.attributes.DEFAULT_PAGINATION_PARAMETERS),
  }
  const all = { ...defaults, ...given(options) }
  const isValid = OPTIONS.map(name =>
    checkLimit(route, `paginate: ${name}`, all[name], {
      minimum: 1,
      finite: name === 'page' || name === 'pageSize',
    }),
  )
  if (isValid.includes(false)) return all
  const limits =
    options.pageSize === undefined
      ? { ...all, pageSize: Math.min(all.pageSize, all.maxPageSize) }
      : all
  if (limits.pageSize > limits.maxPageSize)
    route.fault(
      `paginate: pageSize is ${limits.pageSize}, above maxPageSize, ${limits.maxPageSize}`,
    )
  if (limits.page > limits.maxPage)
    route.fault(`paginate: page is ${limits.page}, above maxPage, ${limits.maxPage}`)
  return limits
}
