// A write changes one thing; the others in its list stay the same.
import { brief, sentIn } from '../judge/echo.js'
import type { Run } from '../judge/run.js'
import { isObject } from '../requests/alike.js'
import { type DescribedOperation, pathNames } from '../requests/document.js'
import type { RequestCase } from '../requests/request-case.js'
import { listOf, pathOf } from './collections.js'
import { broken, type Law, readAt } from './law.js'
import { wholeList } from './paging.js'
import { fullest } from './writes.js'

/** How many things are written, and how many are looked at if there is no list of them. */
const THINGS = 3

type Fields = Readonly<Record<string, unknown>>

/** A thing before and after a write. */
interface Seen {
  readonly id: string
  readonly was: Fields
  readonly is: Fields
}

/**
 * A write of one thing gives no other thing the value that it has given its own. Anything else
 * about the others may follow from the write: they move down, or are no longer the default.
 */
export const neighboursStay: Law = async (run, operation) => {
  if (!['POST', 'PUT', 'PATCH'].includes(operation.method)) return
  const item = itemOf(run, operation)
  const last = item && pathNames(item.path).at(-1)
  const paths = item ? (await run.parts.resources.of(item)).slice(0, THINGS) : []
  if (!item || last === undefined || paths.length < 2) return
  for (const path of paths) {
    await run.reset()
    const valid = await fullest(run, operation, path)
    const before = valid && (await showAll(run, item, last, paths, path))
    const outcome = valid && (await run.send(operation, await run.prepared(operation, valid)))
    if (!before || !outcome || outcome.status >= 300 || outcome.status === 202) continue
    const after = await showAll(run, item, last, paths, path)
    const seen = [...before].flatMap(([id, was]): Seen[] => {
      const is = after.get(id)
      return is ? [{ id, was, is }] : []
    })
    const own = seen.find(({ id }) => id === String(path[last]))
    const sent = sentIn(operation, outcome.sent ?? valid)?.value
    for (const other of own ? seen.filter(one => one !== own) : []) {
      const copied = own && copiedField(sent, own, other)
      if (copied !== undefined)
        return broken(
          run,
          operation,
          'neighbours',
          `${copied} of ${other.id} has become ${brief(own?.is[copied])} as well`,
          outcome,
        )
    }
  }
}

/** Reads the things by their ids: from their list, or a few of them one by one. */
async function showAll(
  run: Run,
  item: DescribedOperation,
  last: string,
  paths: readonly RequestCase['path'][],
  own: RequestCase['path'],
): Promise<ReadonlyMap<string, Fields>> {
  const { [last]: _, ...outer } = own
  const list = listOf(run, item)
  const whole = list && (await wholeList(run, list, outer))
  const seen = new Map<string, Fields>()
  for (const row of (whole?.rows ?? []).filter(isObject)) {
    const id = pathOf(item, outer, row)?.[last]
    if (id !== undefined) seen.set(String(id), row)
  }
  for (const path of whole ? [] : paths) {
    const found = await readAt(run, item, path)
    if (found?.status === 200 && isObject(found.json)) seen.set(String(path[last]), found.json)
  }
  return seen
}

/** The field whose new value the other thing has got, too; undefined if there is none. */
function copiedField(sent: unknown, own: Seen, other: Seen): string | undefined {
  // what belongs to a thing may follow it
  if (refersTo(other, own) || refersTo(own, other)) return undefined
  return Object.keys(own.is).find(name => {
    const value = own.is[name]
    // a number that nobody has sent may be counted for all of them
    const mayJudge = isObject(sent) && name in sent ? value !== null : typeof value === 'string'
    return (
      mayJudge &&
      !isObject(value) &&
      own.was[name] !== value &&
      other.was[name] !== other.is[name] &&
      other.is[name] === value
    )
  })
}

/** Whether a thing names the other; a number does so only in a field that is called so. */
const refersTo = (one: Seen, other: Seen): boolean =>
  Object.entries(one.is).some(
    ([name, value]) =>
      (typeof value === 'string' || /(?:id|parent|root|of|by|ref)$/i.test(name)) &&
      String(value) === other.id &&
      String(other.is[name]) !== other.id,
  )

/** The GET of the thing that an operation writes, or acts on. */
function itemOf(run: Run, { path }: DescribedOperation): DescribedOperation | undefined {
  const end = path.lastIndexOf('}')
  return end < 0 ? undefined : run.find('GET', path.slice(0, end + 1))
}
