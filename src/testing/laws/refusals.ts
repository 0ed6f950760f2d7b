// A write that is refused leaves nothing behind: neither half of its rows nor half of its effects.
import { isDeepStrictEqual } from 'node:util'
import { brief } from '../judge/echo.js'
import type { Run } from '../judge/run.js'
import { type DescribedOperation, pathNames } from '../requests/document.js'
import type { RequestCase } from '../requests/request-case.js'
import { itemsIn } from '../send/resources.js'
import { broken, type Law, readAt } from './law.js'
import { identityOf } from './paging.js'

/** The statuses of a write that conflicts with present data, or that refers to absent data. */
const REFUSALS = [409, 422]

/** How many lists are read that are not above the operation. */
const ELSEWHERE = 3

/** How often a request is repeated until there is not enough left for it. */
const REPEATED = 6

/** A request that may be refused, and how often it succeeds before. */
interface Try {
  readonly sent: RequestCase
  readonly times?: number
}

export const refusalsChangeNothing: Law = async (run, operation) => {
  if (!['POST', 'PUT', 'PATCH', 'DELETE'].includes(operation.method) || !run.parts.reset) return
  for (const { sent, times = 0 } of await triesOf(run, operation)) {
    await run.reset()
    for (let time = 0; time < times; time++)
      await run.send(operation, await run.prepared(operation, sent))
    const prepared = await run.prepared(operation, sent)
    const before = await shownAround(run, operation, sent.path)
    const outcome = await run.send(operation, prepared)
    if (!REFUSALS.includes(outcome.status) || outcome.stage === 'arguments') continue
    const after = await shownAround(run, operation, sent.path)
    const changed = changeOf(before, after)
    // what changes by being read proves nothing
    if (!changed || changeOf(after, await shownAround(run, operation, sent.path))) continue
    const message = `it was refused with ${outcome.status}, and ${changed}`
    return broken(run, operation, 'a refusal changes nothing', message, outcome)
  }
}

/**
 * The last request that was refused, alone and behind valid rows; those whose response was a 409;
 * and one that is sent too often.
 */
async function triesOf(run: Run, operation: DescribedOperation): Promise<readonly Try[]> {
  const good = run.good.get(operation.name)?.at(-1)
  const last = run.refused.get(operation.name)
  const refused = last && REFUSALS.includes(last.status) ? last.sent : undefined
  const rows = good && rowsIn(good)
  const behind = rows && refused && [...rows, ...(rowsIn(refused) ?? [])]
  const twice = rows && [...rows, ...rows]
  const withRows = (value: readonly unknown[]): readonly Try[] =>
    good?.body ? [{ sent: { ...good, body: { mediaType: good.body.mediaType, value } } }] : []
  return [
    ...(behind ? withRows(behind) : []),
    ...(twice ? withRows(twice) : []),
    ...(refused ? [{ sent: refused }] : []),
    ...(run.conflicts.get(operation.name) ?? []).map(sent => ({ sent })),
    ...(operation.responses[409] === undefined ? [] : await tooOften(run, operation)),
  ]
}

/** A request that is refused once it has succeeded a few times. */
async function tooOften(run: Run, operation: DescribedOperation): Promise<readonly Try[]> {
  const tried = [run.contended.get(operation.name), run.good.get(operation.name)?.at(-1)]
  for (const sent of tried) {
    if (!sent) continue
    await run.reset()
    for (let times = 0; times < REPEATED; times++) {
      const { status } = await run.send(operation, await run.prepared(operation, sent))
      if (status < 300) continue
      if (times > 0 && REFUSALS.includes(status)) return [{ sent, times }]
      break
    }
  }
  return []
}

function rowsIn({ body }: RequestCase): readonly unknown[] | undefined {
  const value = body && 'value' in body ? body.value : undefined
  return Array.isArray(value) && value.length > 0 ? value : undefined
}

/** The response to a GET. */
interface Shown {
  readonly get: DescribedOperation
  readonly json: unknown
  /** Whether the operation is below its path, so that it shows what the operation changes. */
  readonly isAbove: boolean
}

/** Reads all that is above the operation, and a few lists elsewhere. */
async function shownAround(
  run: Run,
  { path }: DescribedOperation,
  parameters: RequestCase['path'],
): Promise<readonly Shown[]> {
  const gets = run.operations.filter(
    get =>
      get.method === 'GET' &&
      !run.parts.session.isEndless(get) &&
      pathNames(get.path).every(name => name in parameters),
  )
  const isAbove = (get: DescribedOperation) =>
    `${path.replace(/\/$/, '')}/`.startsWith(`${get.path.replace(/\/$/, '')}/`)
  const above = gets.filter(isAbove)
  const others = gets.filter(get => !isAbove(get) && pathNames(get.path).length === 0)
  const shown: Shown[] = []
  for (const get of [...above, ...others.slice(0, ELSEWHERE)]) {
    const found = await readAt(run, get, parameters)
    if (found?.status === 200 && found.json !== undefined)
      shown.push({ get, json: found.json, isAbove: isAbove(get) })
  }
  return shown
}

/** The first thing that has changed; a list elsewhere may have got more rows, as a log has. */
function changeOf(before: readonly Shown[], after: readonly Shown[]): string | undefined {
  for (const { get, json, isAbove } of after) {
    const was = before.find(one => one.get === get)
    if (!was || isDeepStrictEqual(was.json, json)) continue
    const [rows, old] = [itemsIn(json), itemsIn(was.json)]
    const isList = rows.length > 0 || old.length > 0
    if (!isList) return `GET ${get.path} has changed from ${brief(was.json)} to ${brief(json)}`
    const known = new Map(old.map(row => [identityOf(row), row]))
    const added = rows.find(row => !known.has(identityOf(row)))
    if (added !== undefined && isAbove) return `GET ${get.path} has ${brief(added)} as well`
    const changed = rows.find(row => {
      const id = identityOf(row)
      return known.has(id) && !isDeepStrictEqual(known.get(id), row)
    })
    if (changed !== undefined) return `GET ${get.path} has ${brief(changed)}, which has changed`
  }
  return undefined
}
