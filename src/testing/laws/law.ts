// The base of all laws: how to write one, report a breach, and read a thing for comparison.

import type { Run } from '../judge/run.js'
import type { DescribedOperation } from '../requests/document.js'
import type { RequestCase } from '../requests/request-case.js'
import { isLimited, type Outcome } from '../send/session.js'
import { pagingOf } from './paging.js'

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

/**
 * Sends a GET to the path of an operation; of a list, that reads one page. Returns undefined if the
 * path has no GET, or if that is a stream.
 */
export async function read(
  run: Run,
  { path }: DescribedOperation,
  parameters: RequestCase['path'],
): Promise<Outcome | undefined> {
  const get = run.find('GET', path)
  return get && readAt(run, get, parameters)
}

/** Reads what a GET shows of these path parameters. */
export async function readAt(
  run: Run,
  get: DescribedOperation,
  parameters: RequestCase['path'],
): Promise<Outcome | undefined> {
  const sample = await run.sample(get, parameters)
  if (!sample) return undefined
  const query = wholeOf(run, get, sample.query)
  const outcome = await run.parts.session.send(get, { ...sample, path: parameters, query })
  return outcome.isCut ? undefined : outcome
}

/** The query without filters and positions, and with the largest page. */
function wholeOf(
  run: Run,
  operation: DescribedOperation,
  query: RequestCase['query'],
): RequestCase['query'] {
  const inQuery = operation.parameters.filter(({ in: place }) => place === 'query')
  const needed = inQuery
    .filter(({ name, required }) => required && name in query)
    .map(({ name }) => [name, query[name]] as const)
  const paging = pagingOf(run, operation)
  return { ...Object.fromEntries(needed), ...(paging && { [paging.size.name]: paging.most }) }
}
