// The laws of the features: what holds between several requests, where a look at each of them alone would find nothing wrong.

import { type Run, takes } from '../judge/run.js'
import type { DescribedOperation } from '../requests/document.js'
import type { RequestCase } from '../requests/request-case.js'
import { itemsIn } from '../send/resources.js'
import type { Outcome } from '../send/session.js'
import {
  keyIsForOneRequest,
  noKeyIsRefused,
  oneOfTwoRuns,
  repeatedKeyChangesNothing,
} from './key-laws.js'
import { broken, type Law, read } from './law.js'
import { cachedAlike, limitsCountDown, otherCursorsAreRefused } from './lifecycle-laws.js'
import { createdCanBeRead, writtenCanBeRead } from './writing-laws.js'

/** How many pages of a list are walked. */
const PAGES = 60

export async function keepLaws(run: Run, operation: DescribedOperation): Promise<void> {
  for (const law of LAWS) {
    await run.reset()
    await law(run, operation)
  }
}

const staleChangesNothing: Law = async (run, operation) => {
  if (!takes(operation, 'if-match') || operation.method === 'GET') return
  const valid = await run.sample(operation)
  const before = valid && (await read(run, operation, valid.path))
  const again = before && valid && (await read(run, operation, valid.path))
  // what changes by being read proves nothing, nor does what cannot be called: that has been reported
  if (
    !valid ||
    !before ||
    before.status !== 200 ||
    again?.text !== before.text ||
    !isWithinReach(run, operation)
  )
    return
  const outcome = await run.parts.session.send(operation, {
    ...valid,
    headers: { ...valid.headers, 'If-Match': '"stale"' },
  })
  const after = await read(run, operation, valid.path)
  const name = 'a stale If-Match changes nothing'
  if (outcome.status !== 412)
    broken(run, operation, name, `${outcome.status} instead of 412`, outcome)
  else if (after?.text !== before.text)
    broken(run, operation, name, 'it was refused, and what can be read has changed', outcome)
}

/** Whether the operation takes the credentials that there are. */
function isWithinReach({ parts: { session } }: Run, operation: DescribedOperation): boolean {
  return !session.credentials.isSecured(operation) || session.credentials.has(operation)
}

const tagFollowsRepresentation: Law = async (run, operation) => {
  const name = 'the tag changes with the representation, and only then'
  const isWrite = ['PUT', 'PATCH'].includes(operation.method)
  if (!isWrite && operation.method !== 'GET') return
  const valid = await run.sample(operation)
  const before = valid && (await read(run, operation, valid.path))
  const tag = before?.headers.get('ETag')
  if (!valid || !before || !tag || before.status !== 200) return
  const again = await read(run, operation, valid.path)
  if (again && again.text === before.text && again.headers.get('ETag') !== tag)
    return broken(run, operation, name, 'two equal representations have different tags', again)
  if (!isWrite) return
  let [last, lastTag] = [again ?? before, tag]
  for (const known of run.good.get(operation.name) ?? []) {
    const outcome = await run.parts.session.send(
      operation,
      await run.prepared(operation, { ...known, path: valid.path }),
    )
    const after = await read(run, operation, valid.path)
    const afterTag = after?.headers.get('ETag') ?? undefined
    if (after?.status !== 200 || afterTag === undefined) return
    if (after.text !== last.text && afterTag === lastTag)
      return broken(
        run,
        operation,
        name,
        'the representation changed, and its tag did not',
        outcome,
      )
    ;[last, lastTag] = [after, afterTag]
  }
}

const pagesAreTheList: Law = async (run, operation) => {
  if (operation.method !== 'GET') return
  const size = operation.parameters.find(
    ({ in: place, name }) => place === 'query' && name === 'page_size',
  )
  const valid = size && (await run.sample(operation))
  if (!valid) return
  const { cursor: _, page: __, ...query } = valid.query
  const filters = Object.keys(query).filter(
    name => operation.parameters.some(one => one.name === name && one.required) || name === 'sort',
  )
  const unfiltered = Object.fromEntries(filters.map(name => [name, query[name]]))
  const isKeyset = operation.parameters.some(
    ({ in: place, name }) => place === 'query' && name === 'cursor',
  )
  const rows: unknown[] = []
  const sizes: number[] = []
  let position: Record<string, unknown> = isKeyset ? {} : { page: 1 }
  const law = 'all pages together are the list'
  for (let page = 1; page <= PAGES; page++) {
    const outcome = await run.send(operation, {
      ...valid,
      query: { ...unfiltered, ...position, page_size: 3 },
    })
    if (outcome.status !== 200) return
    const items = itemsIn(outcome.json)
    rows.push(...items)
    sizes.push(items.length)
    const header = paginationOf(outcome)
    // a list that says nothing of its other pages cannot be walked
    if (page === 1 && header === undefined && !outcome.headers.has('Link')) return
    const fault = header && faultOfCounts(header, page, items.length, rows.length)
    if (fault) return broken(run, operation, law, fault, outcome)
    const next = nextOf(outcome, header, isKeyset)
    if (next !== undefined) {
      position = next
      continue
    }
    const ids = rows.map(row => identityOf(row))
    if (new Set(ids).size < ids.length)
      return broken(run, operation, law, 'a row stands on two pages', outcome)
    if (sizes.slice(0, -1).some(count => count !== 3))
      return broken(run, operation, law, `pages of 3 have ${sizes.join(', ')} rows`, outcome)
    return compareWithWhole(run, operation, valid, unfiltered, ids, outcome)
  }
}

/** The same list in one page, as far as the largest page goes. */
async function compareWithWhole(
  run: Run,
  operation: DescribedOperation,
  valid: RequestCase,
  query: RequestCase['query'],
  ids: readonly string[],
  outcome: Outcome,
): Promise<void> {
  const { schema } = operation.parameters.find(({ name }) => name === 'page_size') ?? { schema: {} }
  const most = Number(run.parts.document.resolve(schema).maximum ?? 100)
  if (ids.length > most) return
  const whole = await run.parts.session.send(operation, {
    ...valid,
    query: { ...query, page_size: most },
  })
  const expected = itemsIn(whole.json).map(row => identityOf(row))
  if (whole.status === 200 && expected.join() !== ids.join())
    broken(
      run,
      operation,
      'all pages together are the list',
      `the pages have ${ids.length} rows, the list has ${expected.length}, or in another order`,
      outcome,
    )
}

/** What tells a row from another one: its id, or all of it. */
function identityOf(row: unknown): string {
  return JSON.stringify((row as { id?: unknown } | null)?.id ?? row)
}

interface Pagination {
  readonly total?: number
  readonly total_pages?: number
  readonly page?: number
  readonly next_page?: number
  readonly next?: string
}

/** The pagination header, whatever its name: a field whose JSON tells of pages. */
function paginationOf({ headers }: Outcome): Pagination | undefined {
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

function faultOfCounts(
  { total, total_pages: pages, page: number }: Pagination,
  page: number,
  count: number,
  soFar: number,
): string | undefined {
  if (total === undefined) return undefined
  if (soFar > total) return `${soFar} rows so far, and the total is ${total}`
  if (number !== undefined && number !== page) return `page ${page} calls itself page ${number}`
  if (pages !== Math.ceil(total / 3))
    return `a total of ${total} in pages of 3 is said to have ${pages} pages`
  return page === pages && soFar !== total
    ? `${soFar} rows on all pages (${count} on the last), and the total is ${total}`
    : undefined
}

function nextOf(
  { headers }: Outcome,
  header: Pagination | undefined,
  isKeyset: boolean,
): Record<string, unknown> | undefined {
  const link = /<([^>]*)>;\s*rel="next"/.exec(headers.get('Link') ?? '')?.[1]
  if (isKeyset) {
    const cursor =
      link === undefined
        ? header?.next
        : new URL(link, 'http://localhost').searchParams.get('cursor')
    return typeof cursor === 'string' ? { cursor } : undefined
  }
  return header?.next_page === undefined ? undefined : { page: header.next_page }
}

const LAWS: readonly Law[] = [
  staleChangesNothing,
  tagFollowsRepresentation,
  pagesAreTheList,
  otherCursorsAreRefused,
  createdCanBeRead,
  writtenCanBeRead,
  repeatedKeyChangesNothing,
  oneOfTwoRuns,
  keyIsForOneRequest,
  noKeyIsRefused,
  cachedAlike,
  limitsCountDown,
]
