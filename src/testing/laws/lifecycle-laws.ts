// The laws of limits, caches and cursors that hold between several requests.

import { limitStates } from '../judge/field-laws.js'
import type { DescribedOperation } from '../requests/document.js'
import { broken, type Law } from './law.js'

/** Each request is counted: what is left goes down, and where nothing is left nobody gets in. */
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

/** A 304 says of caching what the 200 would have said (RFC 9110, section 15.4.5). */
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
  if (
    operation.method !== 'GET' ||
    !operation.parameters.some(({ in: place, name }) => place === 'query' && name === 'cursor')
  )
    return
  const valid = await run.sample(operation)
  if (!valid) return
  const { cursor: _, ...others } = valid.query
  const query = { ...others, page_size: 1 }
  const first = await run.send(operation, { ...valid, query })
  const next = /<([^>]*)>;\s*rel="next"/.exec(first.headers.get('Link') ?? '')?.[1]
  const cursor =
    next === undefined ? null : new URL(next, 'http://localhost').searchParams.get('cursor')
  if (first.status !== 200 || cursor === null) return
  const middle = Math.floor(cursor.length / 2)
  const altered = `${cursor.slice(0, middle)}${cursor[middle] === 'A' ? 'B' : 'A'}${cursor.slice(middle + 1)}`
  for (const [what, other] of otherSearches(
    value => run.parts.document.resolve(value),
    operation,
    { ...query, cursor },
    altered,
  )) {
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
  resolve: (value: unknown) => Query,
  { parameters }: DescribedOperation,
  query: Query,
  altered: string,
): readonly (readonly [what: string, query: Query])[] {
  const sorts = (resolve(
    parameters.find(({ in: place, name }) => place === 'query' && name === 'sort')?.schema ?? {},
  ).enum ?? []) as unknown[]
  const sort = sorts.find(one => one !== (query.sort ?? sorts[0]))
  return [
    ['a cursor that was altered', { ...query, cursor: altered }],
    ...(sort === undefined ? [] : [['a cursor of another sort', { ...query, sort }] as const]),
  ]
}

/** Whether a success or every response of an operation is documented with a field. */
function documents({ responses }: DescribedOperation, field: string): boolean {
  return Object.entries(responses).some(
    ([status, { headers }]) => status.startsWith('2') && field in headers,
  )
}
