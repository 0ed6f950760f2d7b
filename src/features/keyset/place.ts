// The position that a request to a keyset list asks for: the order, the page size, and the start of
// the page.
import { canonicalText } from '../../codec/runtime/canonical-text.js'
import { Invalid } from '../../codec/runtime/decoding.js'
import type { Exchange } from '../../feature-api/exchange.js'
import type { Route } from '../../feature-api/feature.js'
import { type Errors, Refusal } from '../../http/failure.js'
import type { Cursor, CursorCodec } from './cursor.js'
import type { Key, Sort } from './sort.js'

/** The requested page and, once its cursor is read, the position of its start. */
export interface Place {
  readonly sort: Sort
  readonly pageSize: number
  /** The cursor as sent; undefined for the first page. */
  readonly text: string | undefined
  /** The search that the cursor has to belong to. */
  search: string
  direction: Cursor['direction']
  /**
   * The values of the row after which to start; undefined to start at the beginning or, backwards,
   * at the end.
   */
  after: readonly unknown[] | undefined
}

export type ParameterNames = Readonly<Record<'cursor' | 'pageSize' | 'sort', string>>

/** The default and the maximum number of rows on a page. */
export interface Sizes {
  readonly pageSize: number
  readonly maxPageSize: number
}

/** Returns the page sizes of an operation; reports faults of its options. */
export function sizesOf(route: Route, { pageSize, maxPageSize }: Partial<Sizes>): Sizes {
  const { DEFAULT_PAGINATION_PARAMETERS: defaults } = route.attributes
  const most = maxPageSize ?? defaults.maxPageSize
  const sizes = { pageSize: pageSize ?? Math.min(defaults.pageSize, most), maxPageSize: most }
  for (const [name, size] of Object.entries(sizes))
    if (!Number.isSafeInteger(size) || size < 1)
      route.fault(`keyset: ${name} must be a whole number of at least 1, not ${size}`)
  if (sizes.pageSize > sizes.maxPageSize)
    route.fault(
      `keyset: pageSize must be at most maxPageSize, ${sizes.maxPageSize}, not ${sizes.pageSize}`,
    )
  return sizes
}

const WHOLE_NUMBER = /^(?:0|[1-9][0-9]{0,15})$/
const GIVEN_TWICE = 'Given more than once.'

/** Reads the parameters of a request; a Refusal names the invalid ones. */
export function placeOf(
  { query }: Exchange,
  sorts: readonly Sort[],
  sizes: Sizes,
  names: ParameterNames,
): Place | Refusal {
  if (query instanceof Refusal) return query
  const { [names.cursor]: cursor, [names.pageSize]: size } = query
  const [first] = sorts
  // a list with a single, unnamed order has no such parameter
  const name = first?.name === '' ? undefined : query[names.sort]
  const sort = name === undefined ? first : sorts.find(sort => sort.name === name)
  const pageSize = size === undefined ? sizes.pageSize : parsePageSize(size)
  if (sort && pageSize >= 1 && pageSize <= sizes.maxPageSize && typeof cursor !== 'object')
    return { sort, pageSize, text: cursor, search: '', direction: 'next', after: undefined }
  const errors: Record<string, Errors> = {}
  if (typeof cursor === 'object') errors[names.cursor] = [GIVEN_TWICE]
  if (typeof size === 'object') errors[names.pageSize] = [GIVEN_TWICE]
  else if (!(pageSize >= 1 && pageSize <= sizes.maxPageSize))
    errors[names.pageSize] = [`Must be a whole number from 1 to ${sizes.maxPageSize}.`]
  if (typeof name === 'object') errors[names.sort] = [GIVEN_TWICE]
  else if (!sort)
    errors[names.sort] = [`Must be one of: ${sorts.map(({ name }) => name).join(', ')}.`]
  return new Refusal(422, { errors: { query: errors } })
}

/** Returns NaN for anything but one whole number. */
function parsePageSize(text: string | readonly string[]): number {
  return typeof text === 'string' && WHOLE_NUMBER.test(text) ? Number(text) : Number.NaN
}

/**
 * Returns the search that a cursor belongs to: the operation, its path parameters and all other
 * decoded arguments. Throws `Incomparable`.
 */
export function searchOf(operation: string, { texts, inputs }: Exchange): string {
  if (inputs.length === 0 && Object.keys(texts).length === 0) return operation
  return `${operation} ${canonicalText([texts, inputs], [])}`
}

/** Moves to the position of a cursor; returns whether it is one of this search. */
export function openCursor(place: Place, text: string, cursors: CursorCodec): boolean {
  const cursor = cursors.read(text, place.search)
  if (!cursor || cursor.sort !== place.sort.name) return false
  place.direction = cursor.direction
  if (cursor.values === null) return true
  const { keys } = place.sort.next
  if (cursor.values.length !== keys.length) return false
  const after = cursor.values.map((value, index) => (keys[index] as Key).decode(value))
  place.after = after
  return !after.some(value => value instanceof Invalid)
}
