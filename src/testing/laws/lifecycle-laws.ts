// The laws of limits, caches and cursors that hold between several requests.

import { limitStates } from '../judge/field-laws.js'
import type { DescribedOperation } from '../requests/document.js'
import { broken, type Law } from './law.js'
import { nextOf, type Paging, pagingOf } from './paging.js'

/** Each request counts: the remainder goes down, and at zero requests are refused. */
export const limitsCountDown: Law = async (run, operation) => {
  if (!documents(operation, 'RateLimit')) return
  const valid = await run.sample(operation)
  if (!valid) return
  const law = 'limits count every request'
  const first = await run.send(operation, await run.prepared(operation, valid))
  const second = await run.send(operation, await run.prepared(operation, valid))
  const later = limitStates(second)
  for (const { name, r, t = 0 } of limitStates(first)) {
    const now = later.find(one => one.name === name)
    // a window has ended meanwhile
    if (!now || (now.t ?? 0) > t) continue
    if (r === 0 && first.status !== 429 && second.status !== 429)
      return broken(
        run,
        operation,
        law,
        `nothing is left of "${name}", and the next request is ${second.status} instead of 429`,
        second,
      )
    if (r > 0 && now.r >= r)
      return broken(
        run,
        operation,
        law,
        `"${name}" has ${r} left, and ${now.r} after one more request`,
        second,
      )
  }
}

/** A 304 has the caching fields that the 200 would have had (RFC 9110, section 15.4.5). */
export const cachedAlike: Law = async (run, operation) => {
  if (operation.method !== 'GET' || !documents(operation, 'Cache-Control')) return
  const valid = await run.sample(operation)
  const first = valid && (await run.send(operation, valid))
  const tag = first?.status === 200 ? first.headers.get('ETag') : null
  if (!valid || !first || tag === null) return
  const second = await run.send(operation, {
    ...valid,
    headers: { ...valid.headers, 'If-None-Match': tag },
  })
  const differs = ['Cache-Control', 'Vary'].find(
    name => first.headers.get(name) !== second.headers.get(name),
  )
  if (second.status === 304 && differs)
    broken(
      run,
      operation,
      'a 304 is cached as its 200',
      `${differs}: ${first.headers.get(differs)} of the 200 is ${second.headers.get(differs)}`,
      second,
    )
}

/** A cursor leads to a place in one list, or nowhere. */
export const otherCursorsAreRefused: Law = async (run, operation) => {
  const paging = pagingOf(run, operation)
  const valid = paging?.cursor && (await run.sample(operation))
  if (!paging?.cursor || !valid) return
  const { [paging.cursor.name]: _, ...others } = valid.query
  const query = { ...others, [paging.size.name]: 1 }
  const first = await run.send(operation, { ...valid, query })
  const next = first.status === 200 ? nextOf(paging, first) : undefined
  const cursor = next?.[paging.cursor.name]
  if (typeof cursor !== 'string') return
  const middle = Math.floor(cursor.length / 2)
  const altered = `${cursor.slice(0, middle)}${cursor[middle] === 'A' ? 'B' : 'A'}${cursor.slice(middle + 1)}`
  for (const [what, other] of otherSearches(paging, { ...query, ...next }, altered)) {
    const outcome = await run.send(operation, { ...valid, query: other })
    if (![400, 422].includes(outcome.status))
      return broken(
        run,
        operation,
        'a cursor belongs to its list',
        `${outcome.status} for ${what}, instead of 422`,
        outcome,
      )
  }
}

type Query = Readonly<Record<string, unknown>>

function otherSearches(
  { cursor, sort, sorts }: Paging,
  query: Query,
  altered: string,
): readonly (readonly [what: string, query: Query])[] {
  const own = sort && query[sort.name]
  const other = sorts.find(one => one !== (own ?? sorts[0]))
  return [
    ['a cursor that was altered', { ...query, [cursor?.name ?? '']: altered }],
    ...(sort && other !== undefined
      ? [['a cursor of another sort', { ...query, [sort.name]: other }] as const]
      : []),
  ]
}

/** Whether a success or every response of an operation is documented with a field. */
function documents({ responses }: DescribedOperation, field: string): boolean {
  return Object.entries(responses).some(
    ([status, { headers }]) => status.startsWith('2') && field in headers,
  )
}
