// Requests with credentials that do not suffice, each of which has to be refused.

import type { Fault } from '../judge/report.js'
import type { Run } from '../judge/run.js'
import type { Lesser } from '../requests/credentials.js'
import type { DescribedOperation } from '../requests/document.js'
import type { RequestCase } from '../requests/request-case.js'
import type { Outcome } from '../send/session.js'

/** Sends two Authorization fields: the scheme decides how to read them. */
export async function twoCredentials(
  run: Run,
  operation: DescribedOperation,
  valid: RequestCase,
): Promise<void> {
  const { session, findings, checks } = run.parts
  if (!session.credentials.readsAuthorization(operation) || !operation.responses[400]) return
  const outcome = await session.sendTwice(operation, valid)
  for (const fault of checks.faultsOf(operation, outcome)) findings.add(operation, fault, outcome)
}

/** No credentials, and wrong ones: 401. */
export async function withoutCredentials(
  run: Run,
  operation: DescribedOperation,
  valid: RequestCase,
): Promise<void> {
  const { session, findings, checks } = run.parts
  const unsigned = await run.unsigned(operation, valid)
  await wrongCredentials(run, operation, unsigned)
  if (!session.credentials.isSecured(operation)) return
  const outcome = await session.send(operation, unsigned, {})
  const faults: Fault[] = [...checks.faultsOf(operation, outcome)]
  const isLimited = outcome.status === 429 && operation.responses[429] !== undefined
  if (outcome.status !== 401 && !isLimited)
    faults.push({
      check: 'credentials',
      message: `${outcome.status} without credentials, instead of 401`,
    })
  else if (!isLimited && !outcome.headers.has('WWW-Authenticate'))
    faults.push({ check: 'credentials', message: '401 without WWW-Authenticate' })
  for (const fault of faults) findings.add(operation, fault, outcome)
}

/**
 * Sends credentials that nobody has, for each scheme of the operation. If they are optional, a
 * scheme may treat them as missing.
 */
async function wrongCredentials(
  run: Run,
  operation: DescribedOperation,
  unsigned: RequestCase,
): Promise<void> {
  const { session, findings, checks } = run.parts
  const names = new Set((operation.security ?? []).flatMap(alternative => Object.keys(alternative)))
  for (const name of names) {
    const wrong = await session.send(operation, unsigned, {
      [name]: session.credentials.wrong(name),
    })
    for (const fault of checks.faultsOf(operation, wrong)) findings.add(operation, fault, wrong)
    if (wrong.status < 400 && session.credentials.isSecured(operation))
      findings.add(
        operation,
        { check: 'credentials', message: `${wrong.status} with wrong credentials` },
        wrong,
      )
  }
}

/**
 * Sends credentials that authenticate but may do less: 403 if scopes are required or 403 is
 * documented.
 */
export async function lesserCredentials(
  run: Run,
  operation: DescribedOperation,
  valid: RequestCase,
): Promise<void> {
  const all = run.parts.session.credentials.lesser(operation)
  const scoped = all.filter(({ scopes }) => scopes.length > 0)
  if (scoped.length > 0)
    for (const lesser of scoped) await needForbidden(run, operation, valid, [lesser])
  else if (operation.responses[403] !== undefined) await needForbidden(run, operation, valid, all)
}

/** One of these has to be refused with 403: which of them may do what is not known here. */
async function needForbidden(
  run: Run,
  operation: DescribedOperation,
  valid: RequestCase,
  tried: readonly Lesser[],
): Promise<void> {
  const { findings, checks } = run.parts
  let last: Outcome | undefined
  let isSettled = false
  for (const { sets, scheme } of tried)
    for (const set of sets) {
      const outcome = await sendToSomething(run, operation, valid, set)
      const notKnown: Fault[] =
        outcome.status === 401
          ? [{ check: 'credentials', message: `401 with lesser credentials of ${scheme}` }]
          : []
      for (const fault of [...checks.faultsOf(operation, outcome), ...notKnown])
        findings.add(operation, fault, outcome)
      // an exhausted limit hides the response behind it
      if (outcome.status === 403 || outcome.status === 429) isSettled = true
      last = outcome
    }
  if (isSettled || !last) return
  if (await isForbiddenElsewhere(run, operation, valid, tried)) return
  const scopes = tried.flatMap(lesser => lesser.scopes)
  const reason = scopes.length > 0 ? `${scopes.join(', ')} is asked for` : '403 is documented'
  const message = `${last.status} with each of the lesser credentials, although ${reason}`
  findings.add(operation, { check: 'lesser credentials', message }, last)
}

/** Callers who are equals may each do with their own things what is a 403 for those of the others. */
async function isForbiddenElsewhere(
  run: Run,
  operation: DescribedOperation,
  valid: RequestCase,
  tried: readonly Lesser[],
): Promise<boolean> {
  const { session, resources } = run.parts
  await run.reset()
  for (const path of await resources.around(operation))
    for (const set of tried.flatMap(({ sets }) => sets)) {
      const sent = await run.prepared(operation, { ...valid, path: { ...valid.path, ...path } })
      const { status } = await session.send(operation, sent, set)
      if (status === 403) return true
    }
  return false
}

/**
 * The response for something that exists: what a valid request was sent to may have been renamed or
 * removed by the run itself.
 */
async function sendToSomething(
  run: Run,
  operation: DescribedOperation,
  valid: RequestCase,
  set: Lesser['sets'][number],
): Promise<Outcome> {
  const { session, resources } = run.parts
  const send = async (sent: RequestCase) =>
    session.send(operation, await run.prepared(operation, sent), set)
  const first = await send(valid)
  if (first.status !== 404 || Object.keys(valid.path).length === 0) return first
  resources.forget()
  for (const path of await resources.around(operation)) {
    const outcome = await send({ ...valid, path: { ...valid.path, ...path } })
    if (outcome.status !== 404) return outcome
  }
  return first
}
