// Requests with one thing wrong, each of which has to be refused, and in the documented way.
import { gzipSync } from 'node:zlib'
import type { Fault } from '../judge/report.js'
import { type Run, takes } from '../judge/run.js'
import { type DescribedOperation, pathNames } from '../requests/document.js'
import { type RequestCase, sendableOf } from '../requests/request-case.js'
import type { Outcome } from '../send/session.js'
import { lesserCredentials, withoutCredentials } from './provoked-credentials.js'

/** How many requests with a broken value are sent to an operation. */
const BROKEN = 24

export async function provoke(run: Run, operation: DescribedOperation): Promise<void> {
  const valid = await run.sample(operation)
  if (!valid) return
  await breakValues(run, operation, valid)
  await breakBody(run, operation, valid)
  await compressBody(run, operation, valid)
  await breakQuery(run, operation, valid)
  await withoutCredentials(run, operation, valid)
  await breakConditions(run, operation, valid)
  await askForNothing(run, operation, valid)
  await otherMethods(run, operation, valid)
  await lesserCredentials(run, operation, valid)
  await conflict(run, operation, valid)
}

const refusedWith =
  (what: string, ...statuses: readonly number[]) =>
  ({ status }: Outcome): readonly Fault[] =>
    statuses.includes(status) ? [] : [{ check: 'wrong data accepted', message: `${what}: ${status} instead of ${statuses.join(' or ')}` }]

/** What a valid request is refused for that has nothing to do with what is provoked: credentials, limits, the thing's state. */
const UNRELATED = [401, 403, 404, 409, 429]

async function breakValues(run: Run, operation: DescribedOperation, valid: RequestCase): Promise<void> {
  const all = run.parts.cases.broken(operation, valid)
  // evenly over all of them
  const some = all.filter(({ isAlwaysSent }, index) => isAlwaysSent || index % Math.ceil(all.length / BROKEN) === 0)
  for (const { what, sent } of some) {
    const expected = refusedWith(what, 400, 413, 422, ...UNRELATED)
    await run.send(operation, await run.prepared(operation, sent), expected)
  }
}

async function breakBody(run: Run, operation: DescribedOperation, valid: RequestCase): Promise<void> {
  if (operation.bodies.length === 0) return
  const prepared = await run.prepared(operation, valid)
  const mediaType = operation.bodies[0]?.mediaType ?? ''
  const send = (body: RequestCase['body'], what: string, ...statuses: number[]) =>
    run.send(operation, { ...prepared, body }, refusedWith(what, ...statuses, ...UNRELATED))
  if (mediaType.endsWith('json')) {
    await send({ mediaType, text: '{"' }, 'a body that is not JSON', 400)
    await send({ mediaType, text: `${'['.repeat(5000)}${']'.repeat(5000)}` }, 'a body that is nested 5,000 times', 400, 413, 422)
    await send({ mediaType, text: `"${'x'.repeat(3_000_000)}"` }, 'a body of 3 MB', 413, 400, 422)
  }
  if (mediaType === 'application/x-www-form-urlencoded') {
    await send({ mediaType, text: 'x=%ff' }, 'a form that is not UTF-8', 400)
    await send({ mediaType, text: `x=${'x'.repeat(3_000_000)}` }, 'a form of 3 MB', 413, 400, 422)
  }
  if (mediaType === 'multipart/form-data') {
    const type = `${mediaType}; boundary=b`
    const field = `--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n${'x'.repeat(3_000_000)}\r\n--b--\r\n`
    await send({ mediaType: type, text: '--b\r\nContent-Disposition: form-data; name="x"' }, 'a multipart body that breaks off', 400)
    await send({ mediaType: type, text: field }, 'a field of 3 MB', 413, 400, 422)
  }
  await send({ mediaType: 'application/x-no-such-type', text: 'x' }, 'a body of another media type', 415)
}

/** A body in gzip: read or refused with 415, and bounded by what it is when it is unpacked. */
async function compressBody(run: Run, operation: DescribedOperation, valid: RequestCase): Promise<void> {
  const { body } = valid
  if (!body || !('value' in body) || !body.mediaType.endsWith('json')) return
  const { session, checks, findings } = run.parts
  const bodies = {
    'a compressed body': { text: JSON.stringify(body.value), mayPass: true },
    'a compressed body of 3 MB': { text: `"${'x'.repeat(3_000_000)}"`, mayPass: false },
  }
  for (const [what, { text, mayPass }] of Object.entries(bodies)) {
    const prepared = await run.prepared(operation, valid)
    const outcome = await session.sendEncoded(operation, { ...prepared, body: { mediaType: body.mediaType, text } }, 'gzip', gzipSync(text))
    if (!outcome) {
      const headers = { ...prepared.headers, 'Content-Encoding': 'gzip' }
      const request = sendableOf(operation, { ...prepared, body: { mediaType: body.mediaType, text }, headers })
      const message = `${what}: no response, the connection was closed or ten seconds have passed`
      findings.add(operation, { check: 'server error', message }, unanswered(request))
      continue
    }
    const isRefused = mayPass ? [] : refusedWith(what, 413, 400, 415, 422, ...UNRELATED)(outcome)
    for (const fault of [...checks.faultsOf(operation, outcome), ...isRefused]) findings.add(operation, fault, outcome)
  }
}

const unanswered = (request: Outcome['request']): Outcome => ({
  request,
  status: 0,
  headers: new Headers(),
  text: '',
  json: undefined,
  reached: true,
  stage: undefined,
})

async function breakQuery(run: Run, operation: DescribedOperation, valid: RequestCase): Promise<void> {
  // an operation that reads its query documents that it may be unreadable
  if (operation.responses[400] === undefined || !operation.parameters.some(parameter => parameter.in === 'query')) return
  const request = sendableOf(operation, await run.prepared(operation, valid))
  const target = `${request.target}${request.target.includes('?') ? '&' : '?'}x=%ff`
  const outcome = await run.parts.session.sendAs(operation, { ...request, target })
  const faults = [...run.parts.checks.faultsOf(operation, outcome), ...refusedWith('a query that is not UTF-8', 400, ...UNRELATED)(outcome)]
  for (const fault of faults) run.parts.findings.add(operation, fault, outcome)
}

/** Conditions: without If-Match, with a stale one, with one for a thing that is not there, and If-None-Match of the tag just seen. */
async function breakConditions(run: Run, operation: DescribedOperation, valid: RequestCase): Promise<void> {
  const send = (headers: Record<string, string>, what: string, ...statuses: number[]) =>
    run.send(operation, { ...valid, headers: { ...valid.headers, ...headers } }, refusedWith(what, ...statuses, ...UNRELATED))
  const isSafe = operation.method === 'GET'
  if (takes(operation, 'if-match') || (isSafe && operation.responses[412] !== undefined)) {
    await send({ 'If-Match': '"no-such-tag"' }, 'an If-Match of another tag', 412)
    const isRequired = operation.parameters.some(({ name, required }) => required && name.toLowerCase() === 'if-match')
    if (isRequired) await run.send(operation, valid, refusedWith('no If-Match', 428, ...UNRELATED))
  }
  if (!isSafe || !takes(operation, 'if-none-match')) return
  const first = await run.send(operation, valid)
  const tag = first.headers.get('ETag')
  if (tag === null || first.status !== 200) return
  for (const condition of [tag, `W/${tag.replace(/^W\//, '')}`, `"another", ${tag}`, '*'])
    await run.send(operation, { ...valid, headers: { ...valid.headers, 'If-None-Match': condition } }, outcome => [
      ...refusedWith(`If-None-Match: ${condition}`, 304, ...UNRELATED)(outcome),
      ...(outcome.status === 304 && !outcome.headers.has('ETag')
        ? [{ check: 'conditions', message: '304 without the ETag that 200 has (RFC 9110, section 15.4.5)' }]
        : []),
    ])
}

/** A thing that does not exist. */
async function askForNothing(run: Run, operation: DescribedOperation, valid: RequestCase): Promise<void> {
  const name = pathNames(operation.path).at(-1)
  if (name === undefined || operation.responses[404] === undefined) return
  const { schema = {} } = operation.parameters.find(parameter => parameter.in === 'path' && parameter.name === name) ?? {}
  const { type, format } = run.parts.document.resolve(schema)
  const nothing = type === 'integer' ? 2_000_000_011 : format === 'uuid' ? '00000000-0000-4000-8000-00000000dead' : 'no-such-thing'
  const headers = takes(operation, 'if-match') ? { 'If-Match': '"no-such-tag"' } : {}
  const sent = { ...valid, path: { ...valid.path, [name]: nothing }, headers: { ...valid.headers, ...headers } }
  const idempotent = takes(operation, 'idempotency-key') ? await run.prepared(operation, sent) : sent
  const mayCreate = operation.method === 'PUT'
  await run.send(operation, idempotent, outcome =>
    outcome.status < 300 && !mayCreate ? [{ check: 'nothing found', message: `${outcome.status} for a thing that does not exist` }] : [],
  )
}

/** The same creation twice, and the deletion of what was there before: either may be in conflict with something. */
async function conflict(run: Run, operation: DescribedOperation, valid: RequestCase): Promise<void> {
  if (operation.responses[409] === undefined) return
  if (operation.method === 'POST') for (let time = 0; time < 2; time++) await run.send(operation, await run.prepared(operation, valid))
  // only what comes back: without reset nothing is deleted that the run did not create
  if (operation.method !== 'DELETE' || run.parts.reset === undefined) return
  for (const path of await run.parts.resources.of(operation)) {
    const { status } = await run.send(operation, await run.prepared(operation, { ...valid, path }))
    if (status === 409) return
  }
}

/** HEAD has what GET has, OPTIONS and a method that is not there tell which ones are. */
async function otherMethods(run: Run, operation: DescribedOperation, valid: RequestCase): Promise<void> {
  const { session, findings, document } = run.parts
  const methods = document.operations.filter(({ path }) => path === operation.path).map(({ method }) => method)
  if (operation.method === 'GET' && !methods.includes('HEAD')) {
    const get = await session.send(operation, valid)
    const head = await session.sendAs(operation, { ...get.request, method: 'HEAD' })
    const differs = ['ETag', 'Content-Type', 'Content-Length', 'Last-Modified'].find(
      // the length may be left out: it may be known only once the content is made (RFC 9110, section 9.3.2)
      name =>
        get.status === 200 &&
        get.headers.has(name) &&
        (head.headers.has(name) || name !== 'Content-Length') &&
        head.headers.get(name) !== get.headers.get(name),
    )
    const fault =
      head.status !== get.status
        ? `HEAD is ${head.status}, GET ${get.status}`
        : head.text !== ''
          ? 'HEAD has a body'
          : differs && `HEAD has another ${differs} than GET`
    if (fault) findings.add(operation, { check: 'HEAD', message: fault }, head)
  }
  const request = { ...sendableOf(operation, { ...valid, body: undefined }), body: undefined }
  const unsupported = ['PATCH', 'DELETE', 'PUT', 'POST'].find(method => !methods.includes(method))
  for (const method of ['OPTIONS', ...(unsupported ? [unsupported] : [])]) {
    if (methods.includes(method)) continue
    const outcome = await session.sendAs(operation, { ...request, method })
    const allowed = (outcome.headers.get('Allow') ?? '').split(/\s*,\s*/)
    const missing = methods.filter(one => !allowed.includes(one))
    const isRight = outcome.status === (method === 'OPTIONS' ? 200 : 405) || (method === 'OPTIONS' && outcome.status === 204)
    if (!isRight) findings.add(operation, { check: 'methods', message: `${method} is ${outcome.status}` }, outcome)
    else if (missing.length > 0)
      findings.add(operation, { check: 'methods', message: `${method}: Allow lacks ${missing.join(', ')}` }, outcome)
  }
}
