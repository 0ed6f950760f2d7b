// GET shows the result of a write, and the data that was sent with it.
import { isDeepStrictEqual } from 'node:util'
import { brief, schemaOf } from '../judge/echo.js'
import type { Fault } from '../judge/report.js'
import type { Run } from '../judge/run.js'
import type { DescribedOperation } from '../requests/document.js'
import type { RequestCase } from '../requests/request-case.js'
import { collectionsOf, createdBy, isShallow } from '../send/resources.js'
import type { Outcome } from '../send/session.js'
import { readAt } from './law.js'
import { pagingOf } from './paging.js'

/** The faults that the GET after a successful write shows. */
export async function faultsOfReading(
  run: Run,
  operation: DescribedOperation,
  outcome: Outcome,
): Promise<readonly Fault[]> {
  const { sent, status } = outcome
  const place = sent && status < 300 && status !== 202 && shownAt(run, operation, outcome)
  if (!place) return []
  const { get, path } = place
  const found = await readAt(run, get, path)
  const schema = schemaOf(get, 200)
  if (found?.status !== 200 || !schema || found.json === undefined) return []
  // a page is not all, and a write to a list in pages may be about some of its rows
  if (pagingOf(run, get)) return []
  const { echo } = run.parts.checks
  const faults = [...echo.faults(operation, sent, { schema, value: found.json }, 'GET afterwards')]
  const own = schemaOf(operation, status)
  // what was added to a list is not the list
  if (!isDeepStrictEqual(own, schema) || Array.isArray(outcome.json)) return faults
  const returned = { schema, value: outcome.json }
  const differing = async (shown: Outcome) =>
    echo.alike.differences(returned, { schema, value: shown.json }, { isOurs: true })
  const [first] = await differing(found)
  // a thing that changes by being read proves nothing
  const again = first && (await readAt(run, get, path))
  if (first && again?.text === found.text)
    faults.push({
      check: 'law: read back',
      message: `GET afterwards has ${first.field} = ${brief(first.shown)}, and the response had ${brief(first.given)}`,
    })
  return faults
}

/** The GET that shows what an operation has written, with its path parameters. */
export function shownAt(
  run: Run,
  operation: DescribedOperation,
  outcome: Outcome,
): { readonly get: DescribedOperation; readonly path: RequestCase['path'] } | undefined {
  const { method, path } = operation
  const parameters = outcome.sent?.path ?? {}
  if (method === 'PUT' || method === 'PATCH') {
    const get = run.find('GET', path)
    return get && { get, path: parameters }
  }
  if (method !== 'POST') return undefined
  const item = itemOf(run, path)
  const created = item && createdBy(item.path, outerOf(item, path, parameters), outcome)
  if (item && created) return { get: item, path: created }
  // an action on a thing shows the thing
  const segments = path.split('/')
  for (let end = segments.length - 1; end > 0; end--) {
    const get = run.find('GET', segments.slice(0, end).join('/'))
    if (get && isDeepStrictEqual(schemaOf(get, 200), schemaOf(operation, outcome.status)))
      return { get, path: parameters }
  }
  return undefined
}

/** The path parameters of a list that its items have as well. */
export function outerOf(
  item: DescribedOperation,
  list: string,
  parameters: RequestCase['path'],
): RequestCase['path'] {
  return isShallow(item.path, list) ? {} : parameters
}

/** The GET of the items of a collection, or of those that are only listed below another thing. */
export function itemOf(run: Run, collection: string): DescribedOperation | undefined {
  const base = collection.replace(/\/$/, '')
  const items = run.operations.filter(({ method, path }) => method === 'GET' && path.endsWith('}'))
  const isOf = (list: string) => (one: DescribedOperation) =>
    collectionsOf(one.path).some(each => each.collection === list)
  return (
    items.find(isOf(base)) ??
    items.find(one => isShallow(one.path, base) && !hasList(run, one, isOf))
  )
}

/** Whether an item has a list of its own. */
function hasList(
  run: Run,
  item: DescribedOperation,
  isOf: (list: string) => (one: DescribedOperation) => boolean,
): boolean {
  return run.operations.some(
    ({ method, path }) => method === 'GET' && isOf(path.replace(/\/$/, ''))(item),
  )
}
