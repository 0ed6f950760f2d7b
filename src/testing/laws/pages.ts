// The laws of lists that come in pages.
import fc from 'fast-check'
import type { Run } from '../judge/run.js'
import type { DescribedOperation } from '../requests/document.js'
import type { RequestCase } from '../requests/request-case.js'
import { itemsIn } from '../send/resources.js'
import type { Outcome } from '../send/session.js'
import { hasIds } from './collections.js'
import { broken, type Law } from './law.js'
import {
  firstOf,
  identityOf,
  lowestOf,
  nextOf,
  type Pagination,
  type Paging,
  paginationOf,
  pagingOf,
  wholeList,
} from './paging.js'

/** How many pages of a list are walked, and how many rows they have. */
const PAGES = 60
const ROWS = 3

/** All pages together are the list, in every sort: each row once, in one order. */
export const pagesAreTheList: Law = async (run, operation) => {
  const paging = pagingOf(run, operation)
  const valid = paging && (await run.sample(operation))
  if (!paging || !valid) return
  await addRows(run, operation, valid.path)
  for (const sort of paging.sorts) await walk(run, operation, paging, valid, sort)
}

/** Adds rows until there are several pages; each is sent twice, so that some are equal in a sort. */
async function addRows(
  run: Run,
  list: DescribedOperation,
  path: RequestCase['path'],
): Promise<void> {
  const post = run.find('POST', list.path)
  const whole = post && (await wholeList(run, list, path))
  if (!post || !whole || !run.parts.reset) return
  const rows = run.parts.cases.valid(post, [path], await run.parts.drawn())
  const missing = Math.ceil((2 * ROWS + 1 - whole.rows.length) / 2)
  for (const sent of fc.sample(rows, { seed: run.parts.seed, numRuns: Math.max(0, missing) }))
    for (let time = 0; time < 2; time++) await run.send(post, await run.prepared(post, sent))
}

async function walk(
  run: Run,
  operation: DescribedOperation,
  paging: Paging,
  valid: RequestCase,
  sort: unknown,
): Promise<void> {
  const isOther = sort !== paging.sorts[0]
  const law = isOther ? 'all sorts' : 'all pages together are the list'
  const inSort = sort === undefined ? '' : ` in the sort ${sort}`
  const fail = (fault: string, outcome: Outcome, name = law) =>
    broken(run, operation, name, fault + inSort, outcome)
  const needed = operation.parameters
    .filter(one => one.in === 'query' && one.required && one.name in valid.query)
    .map(({ name }) => [name, valid.query[name]] as const)
  const base = {
    ...Object.fromEntries(needed),
    ...(paging.sort && sort !== undefined && { [paging.sort.name]: sort }),
  }
  const send = (query: RequestCase['query']) =>
    run.send(operation, { ...valid, query: { ...base, ...query } })
  const whole = await send({ ...firstOf(paging), [paging.size.name]: paging.most })
  const expected = itemsIn(whole.json).map(identityOf)
  if (whole.status !== 200) return
  const isWhole = nextOf(paging, whole) === undefined
  // rows without an id may be equal
  const isDistinct = new Set(expected).size === expected.length
  // many rows are walked in the largest steps
  const size = isWhole && expected.length <= ROWS * (PAGES - 5) ? ROWS : paging.most
  const seen = new Set<string>()
  const rows: string[] = []
  let position = firstOf(paging)
  for (let page = 1; page <= PAGES; page++) {
    const outcome = await send({ ...position, [paging.size.name]: size })
    if (outcome.status !== 200) return
    const ids = itemsIn(outcome.json).map(identityOf)
    const found = paginationOf(outcome)
    const number = found?.page === undefined ? {} : { page: found.page + 1 - lowestOf(paging) }
    const header = found && { ...found, ...number }
    // a list with neither a pagination header nor a Link cannot be walked
    if (page === 1 && header === undefined && !outcome.headers.has('Link')) return
    rows.push(...ids)
    const fault = header && faultOfCounts(header, page, ids.length, rows.length, size)
    if (fault) return fail(fault, outcome)
    const haveIds = hasIds(itemsIn(outcome.json))
    if ((haveIds || isDistinct) && ids.some(id => seen.has(id)))
      return fail('a row is on two pages', outcome)
    if (haveIds && new Set(ids).size < ids.length)
      return fail('a row is on the page twice', outcome)
    for (const id of ids) seen.add(id)
    const next = nextOf(paging, outcome)
    if (next === undefined) {
      if (isWhole && expected.join() !== rows.join())
        return fail(
          `the pages have ${rows.length} rows, the list has ${expected.length}, or in another order`,
          outcome,
        )
      return
    }
    if (ids.length !== size) return fail(`a page of ${size} has ${ids.length} rows`, outcome)
    if (page === PAGES) fail(`${PAGES} pages, and no end`, outcome, 'all sorts')
    position = next
  }
}

function faultOfCounts(
  { total, total_pages: pages, page: number }: Pagination,
  page: number,
  count: number,
  soFar: number,
  size: number,
): string | undefined {
  if (total === undefined) return undefined
  if (soFar > total) return `${soFar} rows so far, and the total is ${total}`
  if (number !== undefined && number !== page) return `page ${page} calls itself page ${number}`
  if (pages !== undefined && pages !== Math.ceil(total / size))
    return `a total of ${total} in pages of ${size} is said to have ${pages} pages`
  return page === pages && soFar !== total
    ? `${soFar} rows on all pages (${count} on the last), and the total is ${total}`
    : undefined
}
