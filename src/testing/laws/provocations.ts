// Requests with one thing wrong, each of which has to be refused, and in the documented way.
import { isDeepStrictEqual } from 'node:util'
import { gzipSync } from 'node:zlib'
import { sentIn } from '../judge/echo.js'
import type { Fault } from '../judge/report.js'
import { type Run, takes } from '../judge/run.js'
import { isObject } from '../requests/alike.js'
import { isStructured } from '../requests/cases.js'
import type { DescribedOperation } from '../requests/document.js'
import { EMPTY_CASE, type RequestCase, sendableOf } from '../requests/request-case.js'
import type { Outcome } from '../send/session.js'
import { otherMethods } from './other-methods.js'
import { lesserCredentials, twoCredentials, withoutCredentials } from './provoked-credentials.js'
import { askForNothing } from './unknown-things.js'

/** How many requests with a broken value are sent to an operation. */
const BROKEN = 24

export async function provoke(run: Run, operation: DescribedOperation): Promise<void> {
  for (const provocation of PROVOCATIONS)
    await run.attempt(operation, async () => {
      const valid = await run.sample(operation)
      if (valid) await provocation(run, operation, valid)
    })
}

const refusedWith =
  (what: string, ...statuses: readonly number[]) =>
  ({ status }: Outcome): readonly Fault[] =>
    statuses.includes(status)
      ? []
      : [
          {
            check: 'wrong data accepted',
            message: `${what}: ${status} instead of ${statuses.join(' or ')}`,
          },
        ]

/**
 * Statuses that a valid request may get for other reasons: credentials, limits, the thing's state.
 */
const UNRELATED = [401, 403, 404, 409, 429]

async function breakValues(
  run: Run,
  operation: DescribedOperation,
  valid: RequestCase,
): Promise<void> {
  const good = run.good.get(operation.name) ?? []
  // bodies in other media types have less to break
  const { body } = good.findLast(one => one.body?.mediaType.endsWith('json')) ?? valid
  const all = run.parts.cases.broken(operation, { ...valid, body })
  // evenly over all of them
  const some = all.filter(
    ({ isAlwaysSent }, index) => isAlwaysSent || index % Math.ceil(all.length / BROKEN) === 0,
  )
  for (const { what, sent } of some) {
    // another path may be that of other methods
    const others = what.startsWith('path.') ? [405] : []
    const expected = refusedWith(what, 400, 413, 422, ...UNRELATED, ...others)
    const prepared = await run.prepared(operation, sent)
    // `prepare` may write another body than it is given
    if (body && 'text' in body && isDeepStrictEqual(prepared.body, body) && sent.body !== body)
      continue
    await run.send(operation, prepared, expected)
  }
}

async function breakBody(
  run: Run,
  operation: DescribedOperation,
  valid: RequestCase,
): Promise<void> {
  if (operation.bodies.length === 0) return
  const mediaType = operation.bodies[0]?.mediaType ?? ''
  // its signature is that of the broken body, which is refused after it
  const broken = (body: RequestCase['body']) => run.prepared(operation, { ...valid, body })
  const send = async (body: RequestCase['body'], what: string, ...statuses: number[]) =>
    run.send(operation, await broken(body), refusedWith(what, ...statuses, ...UNRELATED))
  if (mediaType.endsWith('json')) {
    await send({ mediaType, text: '{"' }, 'a body that is not JSON', 400)
    await send(
      { mediaType, text: `${'['.repeat(5000)}${']'.repeat(5000)}` },
      'a body that is nested 5,000 times',
      400,
      413,
      422,
    )
    await send({ mediaType, text: `"${'x'.repeat(3_000_000)}"` }, 'a body of 3 MB', 413, 400, 422)
  }
  if (mediaType === 'application/x-www-form-urlencoded') {
    await send({ mediaType, text: 'x=%ff' }, 'a form that is not UTF-8', 400)
    await send({ mediaType, text: `x=${'x'.repeat(3_000_000)}` }, 'a form of 3 MB', 413, 400, 422)
  }
  if (mediaType === 'multipart/form-data') {
    const type = `${mediaType}; boundary=b`
    const field = `--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n${'x'.repeat(3_000_000)}\r\n--b--\r\n`
    await send(
      { mediaType: type, text: '--b\r\nContent-Disposition: form-data; name="x"' },
      'a multipart body that breaks off',
      400,
    )
    await send({ mediaType: type, text: field }, 'a field of 3 MB', 413, 400, 422)
  }
  // the document does not have the limit of bytes and text
  if (!isStructured(mediaType) && operation.responses[413] !== undefined)
    await run.send(
      operation,
      await broken({ mediaType: typeOf(valid) ?? mediaType, text: 'x'.repeat(3_000_000) }),
    )
  // a method that reads its body itself may accept any media type, unless it documents 415
  if (isStructured(mediaType) || operation.responses[415] !== undefined)
    await send(
      { mediaType: 'application/x-no-such-type', text: 'x' },
      'a body of another media type',
      415,
    )
}

const typeOf = ({ body }: RequestCase): string | undefined => body?.mediaType

/** A body in gzip: read or refused with 415, and bounded by what it is when it is unpacked. */
async function compressBody(
  run: Run,
  operation: DescribedOperation,
  valid: RequestCase,
): Promise<void> {
  const { body } = valid
  if (!body) return
  const { session, checks, findings } = run.parts
  const isJson = 'value' in body && body.mediaType.endsWith('json')
  const json = {
    'a compressed body': { text: isJson ? JSON.stringify(body.value) : '', mayPass: true },
    'a compressed body of 3 MB': { text: `"${'x'.repeat(3_000_000)}"`, mayPass: false },
  }
  const broken = {
    'a compressed body that breaks off': { text: '"x"', mayPass: false, isBroken: true },
  }
  // a method that reads its body itself need not unpack it, unless it documents 413
  const bodies = {
    ...(isJson && json),
    ...((isStructured(body.mediaType) || operation.responses[413] !== undefined) && broken),
  }
  for (const [what, { text, mayPass, isBroken }] of Object.entries<Packed>(bodies)) {
    const packed = gzipSync(text)
    const outcome = await session.sendEncoded(
      operation,
      await run.prepared(operation, { ...valid, body: { mediaType: body.mediaType, text } }),
      'gzip',
      isBroken ? packed.subarray(0, 12) : packed,
    )
    const isRefused = mayPass ? [] : refusedWith(what, 413, 400, 415, 422, ...UNRELATED)(outcome)
    for (const fault of [...checks.faultsOf(operation, outcome), ...isRefused])
      findings.add(operation, fault, outcome)
  }
}

interface Packed {
  readonly text: string
  readonly mayPass: boolean
  /** Half of it is sent. */
  readonly isBroken?: boolean
}

/** Asks for a part of a file, and for one behind its end. */
async function askForParts(
  run: Run,
  operation: DescribedOperation,
  valid: RequestCase,
): Promise<void> {
  const { session, checks, findings } = run.parts
  const asked = {
    206: { Range: 'bytes=0-0' },
    416: { Range: 'bytes=9999999999-' },
  }
  if (operation.method !== 'GET') return
  for (const [status, headers] of Object.entries(asked)) {
    if (operation.responses[status] === undefined) continue
    const sent = { ...valid, headers: { ...valid.headers, ...headers } }
    const outcome = await session.send(operation, sent)
    for (const fault of checks.faultsOf(operation, outcome)) findings.add(operation, fault, outcome)
  }
}

async function breakQuery(
  run: Run,
  operation: DescribedOperation,
  valid: RequestCase,
): Promise<void> {
  // an operation that reads its query documents that it may be unreadable
  if (
    operation.responses[400] === undefined ||
    !operation.parameters.some(parameter => parameter.in === 'query')
  )
    return
  const prepared = await run.prepared(operation, valid)
  const authorized = run.parts.session.credentials.authorized(operation, prepared)
  const request = sendableOf(operation, authorized)
  const target = `${request.target}${request.target.includes('?') ? '&' : '?'}x=%ff`
  const outcome = await run.parts.session.sendAs(operation, { ...request, target })
  const faults = [
    ...run.parts.checks.faultsOf(operation, outcome),
    ...refusedWith('a query that is not UTF-8', 400, ...UNRELATED)(outcome),
  ]
  for (const fault of faults) run.parts.findings.add(operation, fault, outcome)
}

/**
 * Conditions: without If-Match, with a stale one, with one for a thing that is not there, and
 * If-None-Match of the tag just seen.
 */
async function breakConditions(
  run: Run,
  operation: DescribedOperation,
  valid: RequestCase,
): Promise<void> {
  const send = (headers: Record<string, string>, what: string, ...statuses: number[]) =>
    run.send(
      operation,
      { ...valid, headers: { ...valid.headers, ...headers } },
      refusedWith(what, ...statuses, ...UNRELATED),
    )
  const isSafe = ['GET', 'QUERY'].includes(operation.method)
  if (takes(operation, 'if-match') || (isSafe && operation.responses[412] !== undefined)) {
    await send({ 'If-Match': '"no-such-tag"' }, 'an If-Match of another tag', 412)
    const isRequired = operation.parameters.some(
      ({ name, required }) => required && name.toLowerCase() === 'if-match',
    )
    if (isRequired) await run.send(operation, valid, refusedWith('no If-Match', 428, ...UNRELATED))
  }
  if (!isSafe || !takes(operation, 'if-none-match')) return
  const first = await run.send(operation, valid)
  const tag = first.headers.get('ETag')
  if (tag === null || first.status !== 200) return
  // a thing that changes by itself has a different tag by now
  const again = await run.send(operation, valid)
  if (again.text !== first.text && again.headers.get('ETag') !== tag) return
  for (const condition of [tag, `W/${tag.replace(/^W\//, '')}`, `"another", ${tag}`, '*'])
    await run.send(
      operation,
      { ...valid, headers: { ...valid.headers, 'If-None-Match': condition } },
      outcome => [
        ...refusedWith(`If-None-Match: ${condition}`, 304, ...UNRELATED)(outcome),
        ...(outcome.status === 304 && !outcome.headers.has('ETag')
          ? [
              {
                check: 'conditions',
                message: '304 without the ETag that 200 has (RFC 9110, section 15.4.5)',
              },
            ]
          : []),
      ],
    )
}

/** An operation that documents a 406 may refuse a media type that it does not have. */
async function refuseAccept(
  run: Run,
  operation: DescribedOperation,
  valid: RequestCase,
): Promise<void> {
  if (operation.responses[406] === undefined) return
  const headers = { ...valid.headers, Accept: 'application/x-no-such-type' }
  await run.send(operation, await run.prepared(operation, { ...valid, headers }))
}

/**
 * The same creation twice, and the deletion of what was there before: either may be in conflict
 * with something.
 */
async function conflict(
  run: Run,
  operation: DescribedOperation,
  valid: RequestCase,
): Promise<void> {
  if (operation.responses[409] === undefined) return
  if (['PUT', 'PATCH'].includes(operation.method)) await takeOver(run, operation, valid)
  if (operation.method === 'POST')
    for (let time = 0; time < 2; time++)
      await run.send(operation, await run.prepared(operation, valid))
  await actBefore(run, operation, valid)
  // only what comes back: without reset nothing is deleted that the run did not create
  if (operation.method !== 'DELETE' || run.parts.reset === undefined) return
  for (const path of await run.parts.resources.of(operation)) {
    const { status } = await run.send(operation, await run.prepared(operation, { ...valid, path }))
    if (status === 409) return
  }
}

/** How many other actions on a thing are tried. */
const ACTIONS = 4

/** A write after another action on the same thing: what is returned cannot be renewed. */
async function actBefore(
  run: Run,
  operation: DescribedOperation,
  valid: RequestCase,
): Promise<void> {
  const item = operation.path.slice(0, operation.path.lastIndexOf('}') + 1)
  if (item === '' || run.parts.reset === undefined) return
  const actions = run.operations.filter(
    ({ method, path }) =>
      method === 'POST' && path !== operation.path && path.replace(/\/[^/{}]+\/?$/, '') === item,
  )
  for (const action of actions.slice(0, ACTIONS)) {
    await run.reset()
    const first = await run.sample(action, valid.path)
    if (!first || (await run.send(action, await run.prepared(action, first))).status >= 300)
      continue
    await run.send(operation, await run.prepared(operation, { ...valid, path: first.path }))
  }
  await run.reset()
}

/** How many things are given the fields of another one. */
const TAKERS = 4

/** A write with the fields that another thing has now: what is unique is taken. */
async function takeOver(
  run: Run,
  operation: DescribedOperation,
  valid: RequestCase,
): Promise<void> {
  const get = run.find('GET', operation.path)
  const known = get ? await run.parts.resources.of(operation) : []
  const [other] = known.slice(1)
  const given = sentIn(operation, valid)
  if (!get || !other || !valid.body || !given || !isObject(given.value)) return
  const { json } = await run.parts.session.send(get, { ...EMPTY_CASE, path: other })
  if (!isObject(json)) return
  const fields = run.parts.checks.echo.alike.fieldsOf(given.schema, given.value)
  const taken = Object.keys(fields).filter(name => name in json && json[name] !== null)
  const value = { ...given.value, ...Object.fromEntries(taken.map(name => [name, json[name]])) }
  if (run.parts.cases.judge.faultOf(given.schema, value) !== undefined) return
  const body = { mediaType: valid.body.mediaType, value }
  // what is unique may be so among some of them alone
  for (const path of known.filter(one => one !== other).slice(0, TAKERS)) {
    const sent = await run.prepared(operation, { ...valid, path, body })
    if ((await run.send(operation, sent)).status === 409) return
  }
}

const PROVOCATIONS = [
  breakValues,
  breakBody,
  compressBody,
  askForParts,
  breakQuery,
  withoutCredentials,
  twoCredentials,
  breakConditions,
  refuseAccept,
  askForNothing,
  otherMethods,
  lesserCredentials,
  conflict,
]
