// The methods of a path that no operation of a contract test is about: HEAD has what GET has,
// OPTIONS and a method that is not there tell which ones are.

import type { Run } from '../judge/run.js'
import { hasItems } from '../judge/stream-items.js'
import type { DescribedOperation } from '../requests/document.js'
import { type RequestCase, sendableOf } from '../requests/request-case.js'
import { isLimited, type Outcome } from '../send/session.js'
import { matched } from './collections.js'

export async function otherMethods(
  run: Run,
  operation: DescribedOperation,
  valid: RequestCase,
): Promise<void> {
  const { session, findings, document } = run.parts
  const methods = document.operations
    .filter(({ path }) => path === operation.path)
    .map(({ method }) => method)
  if (operation.method === 'GET') await compareHead(run, operation, valid)
  const request = { ...sendableOf(operation, { ...valid, body: undefined }), body: undefined }
  // `/jobs/latest` is a `/jobs/{id}` as well, whose methods it may have
  const { pathname } = new URL(request.target, 'http://localhost')
  const known = document.operations
    .filter(({ path }) => path === operation.path || matched(path, pathname) !== undefined)
    .map(({ method }) => method)
  const unsupported = ['PATCH', 'DELETE', 'PUT', 'POST'].find(method => !known.includes(method))
  for (const method of ['OPTIONS', ...(unsupported ? [unsupported] : [])]) {
    if (methods.includes(method)) continue
    const outcome = await session.sendAs(operation, { ...request, method })
    const allowed = (outcome.headers.get('Allow') ?? '').split(/\s*,\s*/)
    const missing = methods.filter(one => !allowed.includes(one))
    const isRight =
      outcome.status === (method === 'OPTIONS' ? 200 : 405) ||
      (method === 'OPTIONS' && outcome.status === 204)
    if (!isRight)
      findings.add(
        operation,
        { check: 'methods', message: `${method} is ${outcome.status}` },
        outcome,
      )
    else if (missing.length > 0)
      findings.add(
        operation,
        { check: 'methods', message: `${method}: Allow lacks ${missing.join(', ')}` },
        outcome,
      )
  }
}

/** The header fields that HEAD has to have as GET has them. */
const OF_BOTH = ['ETag', 'Content-Type', 'Content-Length', 'Last-Modified']

async function compareHead(
  run: Run,
  operation: DescribedOperation,
  valid: RequestCase,
): Promise<void> {
  const { session, findings } = run.parts
  const before = await session.send(operation, valid)
  // HEAD of a stream does not call the method, while GET may be the 204 of no more events
  if (before.isCut || (before.status !== 200 && isStream(operation))) return
  const head = await session.sendAs(operation, { ...before.request, method: 'HEAD' })
  const after = await session.send(operation, valid)
  if ([before, head, after].some(outcome => isLimited(operation, outcome))) return
  const fault = faultOfHead(before, head, after)
  if (fault) findings.add(operation, { check: 'law: head', message: fault }, head)
}

function isStream({ responses }: DescribedOperation): boolean {
  return Object.keys(responses[200]?.content ?? {}).some(hasItems)
}

function faultOfHead(before: Outcome, head: Outcome, after: Outcome): string | undefined {
  // a thing that differs after HEAD may have changed before it
  if (head.status !== before.status && after.status === before.status)
    return `HEAD is ${head.status}, GET ${before.status}`
  if (head.text !== '') return 'HEAD has a body'
  const differs = OF_BOTH.find(name => {
    const value = before.headers.get(name)
    // the length may be left out: it may be known only once the content is made (RFC 9110, section
    // 9.3.2)
    const mayLack = name === 'Content-Length' && !head.headers.has(name)
    // of a representation that changes by itself only the type stays
    const isSteady = before.text === after.text || name === 'Content-Type'
    return (
      before.status === 200 &&
      value !== null &&
      !mayLack &&
      isSteady &&
      head.headers.get(name) !== value
    )
  })
  return differs && `HEAD has another ${differs} than GET`
}
