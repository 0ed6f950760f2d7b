import type { Sliceable } from './signature.js'

/**
 * The page that a client asked for, and the size of the collection (specification, section 2.2).
 */
export class PaginationParameters {
  /** The number of items in the collection; a view that pages by itself sets it. */
  itemCount: number | undefined = undefined

  constructor(
    /** The requested page, counted from 1, or from 0 if the option `page` is 0. */
    readonly page: number,
    /** The number of items on a page, at least 1. */
    readonly pageSize: number,
    /** Index of the page's first item, from 0. */
    readonly firstItem: number = (page - 1) * pageSize,
  ) {}

  /** Index of the page's last item, inclusive; it may lie beyond the end of the collection. */
  get lastItem(): number {
    return this.firstItem + this.pageSize - 1
  }
}

/** A collection that a page can be taken from. */
export type Collection = readonly unknown[] | Sliceable<unknown>

/**
 * The pager of list-like collections: arrays, and objects with `slice(start, end)` and `count()`,
 * either of which may return a promise (a query). A subclass overrides `itemCount` or `items` for
 * other collections (specification, section 2.4).
 */
export class Page<C = Collection> {
  constructor(
    readonly collection: C,
    readonly parameters: PaginationParameters,
  ) {}

  /** The number of items in the collection. */
  get itemCount(): number | Promise<number> {
    const collection = this.collection as Collection
    if (Array.isArray(collection)) return collection.length
    if (isSliceable(collection)) return collection.count()
    throw new TypeError(
      'paginate(Page): the method returned neither an array nor something with count() and slice(start, end)',
    )
  }

  /** The items of the page. */
  get items(): readonly unknown[] | Promise<readonly unknown[]> {
    const { firstItem, lastItem } = this.parameters
    return (this.collection as Collection).slice(firstItem, lastItem + 1)
  }
}

function isSliceable(value: unknown): value is Sliceable<unknown> {
  const { count, slice } = (value ?? {}) as Partial<Sliceable<unknown>>
  return typeof count === 'function' && typeof slice === 'function'
}

/** The content of the pagination header (specification, section 2.3). */
export interface PaginationHeader {
  readonly total: number
  readonly total_pages: number
  readonly first_page?: number
  readonly last_page?: number
  readonly page?: number
  readonly previous_page?: number
  readonly next_page?: number
}

/**
 * Returns the content of the pagination header as JSON: without page numbers for an empty
 * collection, without the current page and its neighbours if the page is beyond the end. It
 * consists of whole numbers, so the string is assembled here: `JSON.stringify` takes ten times as
 * long.
 */
export function paginationHeader(
  { page, pageSize }: PaginationParameters,
  total: number,
  lowest: number,
): string {
  const pages = Math.ceil(total / pageSize)
  if (pages === 0) return `{"total":${total},"total_pages":0}`
  const last = pages - 1 + lowest
  const whole = `{"total":${total},"total_pages":${pages},"first_page":${lowest},"last_page":${last}`
  if (page > last) return `${whole}}`
  const previous = page > lowest ? `,"previous_page":${page - 1}` : ''
  const next = page < last ? `,"next_page":${page + 1}` : ''
  return `${whole},"page":${page}${previous}${next}}`
}
