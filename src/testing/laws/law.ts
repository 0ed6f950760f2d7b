// What all laws share: how one is written, how a breach is told, and how a thing is read for comparison.

import type { Run } from '../judge/run.js'
import type { DescribedOperation } from '../requests/document.js'
import type { RequestCase } from '../requests/request-case.js'
import { isLimited, type Outcome } from '../send/session.js'

/** A law of an operation; it adds what breaks it to the findings. */
export type Law = (run: Run, operation: DescribedOperation) => Promise<void>

/** Tells that a law is broken. A limit that is used up on the way proves nothing. */
export function broken(
  run: Run,
  operation: DescribedOperation,
  law: string,
  message: string,
  outcome: Outcome,
): void {
  if (isLimited(operation, outcome)) return
  run.parts.findings.add(operation, { check: `law: ${law}`, message }, outcome)
}

/** Sends a GET to the path of an operation; of a list, that reads one page. Returns undefined if the path has no GET. */
export async function read(
  run: Run,
  { path }: DescribedOperation,
  parameters: RequestCase['path'],
): Promise<Outcome | undefined> {
  const get = run.find('GET', path)
  if (!get) return undefined
  const sample = await run.sample(get, parameters)
  return (
    sample &&
    run.parts.session.send(get, {
      ...sample,
      path: parameters,
      query: wholeOf(run, get, sample.query),
    })
  )
}

/** The query without filters and positions, and with the largest page. */
function wholeOf(
  run: Run,
  { parameters }: DescribedOperation,
  query: RequestCase['query'],
): RequestCase['query'] {
  const inQuery = parameters.filter(({ in: place }) => place === 'query')
  const needed = inQuery
    .filter(({ name, required }) => required && name in query)
    .map(({ name }) => [name, query[name]] as const)
  const size = inQuery.find(({ name }) => name === 'page_size')
  const most = size && run.parts.document.resolve(size.schema).maximum
  return { ...Object.fromEntries(needed), ...(most !== undefined && { page_size: most }) }
}
