import type { HeaderObject, ParameterObject } from 'openapi3-ts/oas31'
import { canonicalText } from '../../codec/runtime/canonical-text.js'
import { Invalid } from '../../codec/runtime/decoding.js'
import type { Flat } from '../../codec/types/types.js'
import {
  type EnvelopeOptions,
  itemOf,
  listIn,
  type NameIn,
  namesRule,
  type PagedWith,
  type PageLinks,
  pagedStatuses,
  parameterNames,
} from '../../feature-api/envelope.js'
import type { Exchange } from '../../feature-api/exchange.js'
import type { Feature, Part, Route } from '../../feature-api/feature.js'
import { proceed } from '../../feature-api/later.js'
import type { Nulls, Seekable } from '../../feature-api/seekable.js'
import { type Errors, Refusal } from '../../http/failure.js'
import { linkHeader, relativeReferences } from '../../http/link-header.js'
import { optionsIn } from '../../names.js'
import { type Fragment, textHeader } from '../../openapi/document/fragment.js'
import type { Schemas } from '../../openapi/schema/schemas.js'
import {
  checkOptions,
  defined,
  func,
  isString,
  object,
  type Rules,
  required,
  string,
  strings,
  wholeFrom,
} from '../../options.js'
import {
  type Cursor,
  type CursorCodec,
  LONGEST_CURSOR,
  plainCursors,
  sealedCursors,
} from './cursor.js'
import { seekableArray } from './seek.js'
import { checkNulls, type Key, type Sort, sortsOf, valueIn } from './sort.js'

/** The description of a page that `keyset` passes to `wrap`. */
export interface KeysetPage {
  /** The cursor of the next page, if there is one. */
  readonly next?: string
  readonly previous?: string
  readonly links: PageLinks
}

/** How a list is paged by keyset. Fields have the names that the program uses. */
export interface KeysetOptions extends EnvelopeOptions<KeysetPage> {
  /**
   * A field that is unique for each row. It ends every sort, in the direction of the last key of
   * that sort.
   */
  readonly unique: string
  /**
   * The sorts that a client may choose from, the first being the default; `-` means descending: `{
   * newest: ['-created'] }`.
   */
  readonly sorts?: Readonly<Record<string, readonly string[]>>
  /**
   * Whether rows without a value of a field come first or last in every sort. It does not depend on
   * the direction.
   */
  readonly nulls?: Readonly<Record<string, Nulls>>
  /**
   * The page size of a request that names none. Default: the Blueprint's
   * `DEFAULT_PAGINATION_PARAMETERS`.
   */
  readonly pageSize?: number
  /** A larger page size is refused with 422. Default: the Blueprint's. */
  readonly maxPageSize?: number
  /** The names of the parameters. Default `cursor`, `page_size` and `sort`. */
  readonly names?: { readonly cursor?: string; readonly pageSize?: string; readonly sort?: string }
}

/**
 * Pages a list by the values of its rows instead of by page number: every page costs the same,
 * however far into the list it is, and rows that are added or removed meanwhile neither repeat nor
 * hide others. The method returns an array, or a collection that can seek (`rows(query)` of
 * `koa-smorest/kysely`, or an object with `seek`); the client follows `next` and `prev` of the
 * `Link` header field, or the cursors of the pagination header. Parameters: `cursor`, `page_size`,
 * and `sort` if sorts are declared.
 */
export function keyset<const Options extends KeysetOptions>(
  options: Options,
): Feature<
  { paged: PagedWith<'keyset', Options>; raw: false; wire: KeysetWire<Options> },
  'pages'
> {
  return { kind: 'pages', items: optionsIn(options).items, on: route => bind(route, options) }
}

type KeysetWire<Options> = {
  query: Flat<
    { [Name in NameIn<Options, 'cursor', 'cursor'>]?: string } & {
      [Name in NameIn<Options, 'pageSize', 'page_size'>]?: number
    } & (Options extends { readonly sorts: infer Sorts }
        ? { [Name in NameIn<Options, 'sort', 'sort'>]?: keyof Sorts }
        : unknown)
  >
  errors: 400 | 422
  success: {
    Link?: string
    'X-Pagination'?: { 'application/json': { next?: string; previous?: string } }
  }
} & unknown

const RULES: Rules<KeysetOptions> = {
  unique: required({
    text: "the field that tells rows apart, such as 'id'",
    fits: value => isString(value) && /^[^-]/.test(value),
  }),
  sorts: {
    text: "lists of fields by name, such as { newest: ['-created'] }",
    fits: value => object.fits(value) && Object.values(value as object).every(strings.fits),
  },
  nulls: {
    ...object,
    text: "an object of fields by which rows are sorted, such as { born: 'last' }",
  },
  pageSize: wholeFrom(1),
  maxPageSize: wholeFrom(1),
  names: namesRule,
  items: string,
  wrap: func,
}

// on the exchange, which costs less than a WeakMap
const PLACE = Symbol('keyset')
type Placed = Exchange & { [PLACE]?: Place }

function secretsOf({ settings, fault }: Route): readonly string[] {
  const given: unknown = settings.CURSOR_SECRETS ?? []
  if (Array.isArray(given) && given.every(secret => typeof secret === 'string')) {
    if (given.some(secret => secret.length < 16))
      fault('keyset: a secret of CURSOR_SECRETS has at least 16 characters')
    return given
  }
  fault(
    'keyset: CURSOR_SECRETS must be a list of strings, whose first seals: [process.env.CURSOR_SECRET]',
  )
  return ['']
}

function bind(route: Route, given: KeysetOptions): readonly Part[] {
  const options = checkOptions(route, 'keyset', given, RULES)
  const list = listIn(route, 'keyset', options)
  const item = list && itemOf(list)
  if (!item) route.fault('keyset: the response is not a list: response(t.array(codec))')
  const names = parameterNames(
    route,
    'keyset',
    { cursor: 'cursor', pageSize: 'page_size', sort: 'sort' },
    options.names,
  )
  if (options !== given || !item) return []
  checkNulls(options, route.fault)
  const secrets = secretsOf(route)
  const sorts = sortsOf(item, options, secrets.length > 0, route.fault)
  const sizes = sizesOf(route, options)
  const cursors = secrets.length > 0 ? sealedCursors(secrets) : plainCursors
  const operation = `${route.method} ${route.rule.template}`
  const mark = headerWriter(route, names, options)
  const isMain = pagedStatuses(route)
  return [
    {
      stage: 'arguments',
      step(exchange) {
        const place = placeOf(exchange, sorts, sizes, names)
        if (place instanceof Refusal) return place
        ;(exchange as Placed)[PLACE] = place
        return undefined
      },
      docs: schemas => describe(route, sorts, sizes, names, schemas),
    },
    {
      // not in `arguments`: a cursor depends on all of them
      stage: 'load',
      step(exchange) {
        const place = (exchange as Placed)[PLACE] as Place
        place.search = searchOf(operation, exchange)
        if (place.text === undefined || openCursor(place, place.text, cursors)) return undefined
        return new Refusal(422, {
          errors: { query: { [names.cursor]: ['Not a cursor of this list.'] } },
        })
      },
    },
    {
      stage: 'page',
      step(exchange) {
        if (!isMain(exchange.status)) return undefined
        const place = (exchange as Placed)[PLACE] as Place
        const found = seek(route, exchange.result, place)
        return proceed(found, found => mark(exchange, cutPage(exchange, place, found, cursors)))
      },
    },
  ]
}

/**
 * Returns the rows after the position, nearest first: one more than the page has, which shows
 * without counting whether there is another page.
 */
function seek(
  route: Route,
  result: unknown,
  { sort, direction, after, pageSize }: Place,
): ReturnType<Seekable<object>['seek']> {
  const { keys, orderBy } = sort[direction]
  return seekableOf(route, result, keys).seek({ orderBy, after, limit: pageSize + 1 })
}

function seekableOf(route: Route, result: unknown, keys: readonly Key[]): Seekable<object> {
  if (Array.isArray(result)) return seekableArray(result, keys)
  if (typeof (result as Partial<Seekable<object>> | null)?.seek === 'function')
    return result as Seekable<object>
  throw new TypeError(
    `${route.place}: keyset pages an array or a collection with seek(), not ${result === null ? 'null' : typeof result}`,
  )
}

/** The cursors of the pages around a page. */
type Neighbours = Readonly<Record<'next' | 'prev', string | undefined>>

/** Makes the page the result, and returns the cursors of its neighbours. */
function cutPage(
  exchange: Exchange,
  place: Place,
  found: readonly object[],
  cursors: CursorCodec,
): Neighbours {
  const { sort, pageSize, direction } = place
  const isForwards = direction === 'next'
  const page = found.slice(0, pageSize)
  const rows = isForwards ? page : page.reverse()
  exchange.result = rows
  const isMore = found.length > pageSize
  const isFirst = isForwards && place.text === undefined
  // an empty page is at the end of the list, whose rows are gone: its neighbour begins there
  const write = (direction: Cursor['direction'], row: object | undefined) =>
    cursors.write(
      { direction, sort: sort.name, values: row ? valuesOf(row, sort.next.keys) : null },
      place.search,
    )
  return {
    next: (isForwards ? isMore : true) ? write('next', rows.at(-1)) : undefined,
    prev: (isForwards ? !isFirst : isMore) ? write('prev', rows[0]) : undefined,
  }
}

function valuesOf(row: object, keys: readonly Key[]): readonly unknown[] {
  return keys.map(key => key.encode(valueIn(key, row as Readonly<Record<string, unknown>>)))
}

/**
 * Returns a function that sets the Link field and, if the Blueprint has one, the pagination header,
 * and wraps the rows.
 */
function headerWriter(
  { attributes: { PAGINATION_HEADER_FIELD_NAME: name } }: Route,
  { cursor: parameter }: ParameterNames,
  { wrap }: KeysetOptions,
) {
  return (exchange: Exchange, { next, prev }: Neighbours): void => {
    const { ctx, headers } = exchange
    const link = relativeReferences(ctx.querystring, parameter)
    const links = { next: next && link(next), prev: prev && link(prev), first: link() }
    headers.push(['Link', linkHeader(links)])
    if (name !== null) headers.push([name, JSON.stringify({ next, previous: prev })])
    if (wrap)
      exchange.result = wrap(exchange.result as readonly unknown[], {
        ...defined({ next, previous: prev }),
        links: defined(links),
      })
  }
}

function describe(
  route: Route,
  sorts: readonly Sort[],
  { pageSize, maxPageSize }: Sizes,
  names: ParameterNames,
  schemas: Schemas,
): Fragment {
  const [first] = sorts
  const name = route.attributes.PAGINATION_HEADER_FIELD_NAME
  const parameters: ParameterObject[] = [
    {
      name: names.cursor,
      in: 'query',
      required: false,
      description:
        'Where the page begins: from a link of another page, with the same other parameters',
      schema: { type: 'string', maxLength: LONGEST_CURSOR },
    },
    {
      name: names.pageSize,
      in: 'query',
      required: false,
      schema: { type: 'integer', default: pageSize, minimum: 1, maximum: maxPageSize },
    },
  ]
  if (first && first.name !== '')
    parameters.push({
      name: names.sort,
      in: 'query',
      required: false,
      schema: { type: 'string', enum: sorts.map(sort => sort.name), default: first.name },
    })
  return {
    parameters,
    responses: { 400: schemas.errorResponse(400), 422: schemas.errorResponse(422) },
    success: { headers: { Link: LINK, ...(name !== null && { [name]: CURSORS }) } },
  }
}

const LINK = textHeader(
  'The pages around this one, as relative references: `next`, `prev` and `first` (RFC 8288)',
)

const CURSORS: HeaderObject = {
  description: 'The cursors of the pages around this one, as JSON',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: { next: { type: 'string' }, previous: { type: 'string' } },
      },
    },
  },
}

// The position that a request to a keyset list asks for: the order, the page size, and the start of
// the page.

/** The requested page and, once its cursor is read, the position of its start. */
interface Place {
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

type ParameterNames = Readonly<Record<'cursor' | 'pageSize' | 'sort', string>>

/** The default and the maximum number of rows on a page. */
interface Sizes {
  readonly pageSize: number
  readonly maxPageSize: number
}

/** Returns the page sizes of an operation; reports faults of its options. */
function sizesOf(route: Route, { pageSize, maxPageSize }: Partial<Sizes>): Sizes {
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
function placeOf(
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
function searchOf(operation: string, { texts, inputs }: Exchange): string {
  if (inputs.length === 0 && Object.keys(texts).length === 0) return operation
  return `${operation} ${canonicalText([texts, inputs], [])}`
}

/** Moves to the position of a cursor; returns whether it is one of this search. */
function openCursor(place: Place, text: string, cursors: CursorCodec): boolean {
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
