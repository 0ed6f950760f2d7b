// How a list is paged, read from its document: by the kinds of its parameters and header fields,
// since the application chooses their names.
import type { Run } from '../judge/run.js'
import { isCursor } from '../requests/cases.js'
import type { DescribedOperation, Parameter } from '../requests/document.js'
import type { RequestCase } from '../requests/request-case.js'
import { itemsIn } from '../send/resources.js'
import type { Outcome } from '../send/session.js'

export interface Paging {
  /** How many rows a page has. */
  readonly size: Parameter
  /** The largest page. */
  readonly most: number
  readonly cursor: Parameter | undefined
  readonly page: Parameter | undefined
  readonly sort: Parameter | undefined
  /** The values of `sort`; one undefined without such a parameter. */
  readonly sorts: readonly unknown[]
}

/** How many pages of a list are read to have all of it. */
const MOST_PAGES = 20

/** The parameters by which a list is paged; undefined if it is not. */
export function pagingOf(run: Run, { parameters, method }: DescribedOperation): Paging | undefined {
  if (method !== 'GET') return undefined
  const inQuery = parameters.filter(({ in: place }) => place === 'query')
  const schemaOf = (one: Parameter) => run.parts.document.resolve(one.schema)
  const find = (name: RegExp, fits: (schema: ReturnType<typeof schemaOf>) => boolean) =>
    inQuery.find(one => name.test(one.name) && fits(schemaOf(one)))
  const isCount = (schema: ReturnType<typeof schemaOf>) => schema.type === 'integer'
  const size = find(
    /size|limit|per_?page|first|count|take/i,
    schema => isCount(schema) && schema.maximum !== undefined,
  )
  if (!size) return undefined
  const cursor = inQuery.find(isCursor)
  const page = cursor
    ? undefined
    : inQuery.find(
        one => one !== size && isCount(schemaOf(one)) && /page|offset|skip|start/i.test(one.name),
      )
  const sort = find(/sort|order/i, schema => Array.isArray(schema.enum))
  const sorts = sort ? (schemaOf(sort).enum as readonly unknown[]) : [undefined]
  return { size, most: Number(schemaOf(size).maximum), cursor, page, sort, sorts }
}

/** Whether a parameter chooses the page or the order of a list. */
export function isOfPages(run: Run, operation: DescribedOperation, name: string): boolean {
  const paging = pagingOf(run, operation)
  return [paging?.size, paging?.cursor, paging?.page, paging?.sort].some(one => one?.name === name)
}

export interface Pagination {
  readonly total?: number
  readonly total_pages?: number
  readonly page?: number
  readonly next_page?: number
  readonly next?: string
}

/** The pagination header, whatever its name: a field whose JSON tells of pages. */
export function paginationOf({ headers }: Outcome): Pagination | undefined {
  for (const value of headers.values()) {
    if (!value.startsWith('{')) continue
    try {
      const found = JSON.parse(value) as Pagination
      if ('total' in found || 'next' in found || 'previous' in found) return found
    } catch {
      // another field
    }
  }
  return undefined
}

/** The query of the first page: another one may be the default. */
export function firstOf(paging: Paging): RequestCase['query'] {
  const { page } = paging
  return page && /page/i.test(page.name) ? { [page.name]: lowestOf(paging) } : {}
}

/** The number of the first page: some count from 0. */
export function lowestOf({ page }: Paging): number {
  return page?.schema.minimum === 0 ? 0 : 1
}

/** The query of the page after this one; undefined if it is the last. */
export function nextOf(paging: Paging, outcome: Outcome): RequestCase['query'] | undefined {
  const link = /<([^>]*)>;\s*rel="?next"?/.exec(outcome.headers.get('Link') ?? '')?.[1]
  if (link !== undefined && URL.canParse(link, 'http://localhost'))
    return Object.fromEntries(new URL(link, 'http://localhost').searchParams)
  const header = paginationOf(outcome)
  if (paging.cursor && header?.next !== undefined) return { [paging.cursor.name]: header.next }
  return paging.page && header?.next_page !== undefined
    ? { [paging.page.name]: header.next_page }
    : undefined
}

/**
 * All rows of a list for a query; undefined if it is refused, not a list, or too long. `total` is
 * the total that the list declares.
 */
export async function wholeList(
  run: Run,
  list: DescribedOperation,
  path: RequestCase['path'],
  query: RequestCase['query'] = {},
  send: (sent: RequestCase) => Promise<Outcome> = sent => run.parts.session.send(list, sent),
): Promise<
  { readonly rows: readonly unknown[]; readonly total?: number; readonly last: Outcome } | undefined
> {
  const sample = await run.sample(list, path)
  if (!sample) return undefined
  const needed = list.parameters
    .filter(one => one.in === 'query' && one.required && one.name in sample.query)
    .map(({ name }) => [name, sample.query[name]] as const)
  const base = { ...sample, path, headers: {}, body: undefined }
  const paging = pagingOf(run, list)
  const rows: unknown[] = []
  let position = paging ? { ...firstOf(paging), [paging.size.name]: paging.most } : {}
  for (let page = 1; page <= MOST_PAGES; page++) {
    const whole = { ...Object.fromEntries(needed), ...query, ...position }
    const outcome = await send({ ...base, query: whole })
    if (outcome.status !== 200 || outcome.isCut) return undefined
    rows.push(...itemsIn(outcome.json))
    const next = paging && nextOf(paging, outcome)
    const total = paginationOf(outcome)?.total
    if (!next) return { rows, last: outcome, ...(total !== undefined && { total }) }
    position = { ...position, ...next }
  }
  return undefined
}

/** Identifies a row: its id, or its whole content. */
export function identityOf(row: unknown): string {
  return JSON.stringify((row as { id?: unknown } | null)?.id ?? row)
}
