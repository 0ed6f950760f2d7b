// The laws of idempotency keys: what is sent twice happens once, and its key is for nothing else.
import fc from 'fast-check'
import { type Run, takes } from '../judge/run.js'
import type { DescribedOperation } from '../requests/document.js'
import type { RequestCase } from '../requests/request-case.js'
import type { Outcome } from '../send/session.js'
import { broken, type Law, read } from './law.js'

const REPEATED = 'a repeated key changes nothing'

/**
 * The same request with the same key, one after the other: one response, and nothing that can be
 * read has changed.
 */
export const repeatedKeyChangesNothing: Law = async (run, operation) => {
  const sent = await keyed(run, operation)
  const first = sent && (await run.send(operation, sent))
  if (!sent || !first || first.status >= 300) return
  const [before, again] = [
    await read(run, operation, sent.path),
    await read(run, operation, sent.path),
  ]
  const second = await run.send(operation, sent)
  const difference = differenceOf(first, second)
  if (difference) return broken(run, operation, REPEATED, difference, second)
  if (!second.headers.has('Idempotency-Replayed'))
    return broken(
      run,
      operation,
      REPEATED,
      'the second response does not say that it was replayed',
      second,
    )
  // a value that changes between reads proves nothing
  const after =
    before && again?.text === before.text ? await read(run, operation, sent.path) : undefined
  if (before && after && after.text !== before.text)
    broken(
      run,
      operation,
      REPEATED,
      'the response is the same, and what can be read has changed',
      second,
    )
}

/** A refusal of the method is an outcome, too: its repetition is refused alike. */
export const repeatedRefusalIsTheSame: Law = async (run, operation) => {
  const last = takes(operation, 'idempotency-key') ? run.refused.get(operation.name) : undefined
  if (!last?.sent || last.stage === 'arguments') return
  const { 'Idempotency-Key': _, ...headers } = last.sent.headers
  const sent = await run.prepared(operation, { ...last.sent, headers })
  const first = await run.send(operation, sent)
  if (![409, 422].includes(first.status) || first.stage === 'arguments') return
  const second = await run.send(operation, sent)
  const difference = differenceOf(first, second)
  if (difference) broken(run, operation, REPEATED, difference, second)
}

/** Both at once: one of them runs, the other is told to wait, or gets the same response. */
export const oneOfTwoRuns: Law = async (run, operation) => {
  for (let time = 0; time < TWICE; time++) {
    const sent = await keyed(run, operation)
    if (!sent) return
    const both = await Promise.all([run.send(operation, sent), run.send(operation, sent)])
    const [first, second] = both.filter(({ status }) => status < 300)
    // one was still running when the other came
    if (!first || !second) return
    const ran = both.filter(({ headers }) => !headers.has('Idempotency-Replayed'))
    if (ran.length > 1)
      return broken(
        run,
        operation,
        'of two requests with one key one runs',
        'both have run',
        second,
      )
  }
}

/** How often two requests are sent at once, until they meet. */
const TWICE = 3

/** The outcome of one caller is not replayed to another who has chosen the same key. */
export const keysAreOfOneCaller: Law = async (run, operation) => {
  const { session } = run.parts
  const callers = session.credentials.callers(operation)
  const sent = callers.length > 1 ? await keyed(run, operation) : undefined
  const first = sent && (await run.send(operation, sent))
  if (!first || first.status >= 300) return
  for (const caller of callers.slice(1)) {
    const second = await session.send(operation, sent, caller)
    if (second.headers.has('Idempotency-Replayed') && second.status < 300)
      return broken(run, operation, 'others', 'the outcome of another caller is replayed', second)
  }
}

/** A key that was used belongs to its request. */
export const keyIsForOneRequest: Law = async (run, operation) => {
  const sent = await keyed(run, operation)
  if (!sent?.body || !('value' in sent.body)) return
  const other = await otherThan(run, operation, sent)
  const first = other && (await run.send(operation, sent))
  if (!first || first.status >= 300) return
  const second = await run.send(operation, other)
  if (second.status !== 422)
    broken(
      run,
      operation,
      'a key is for one request',
      `${second.status} for another body under the same key, instead of 422`,
      second,
    )
}

/** If a key is required, a request without it is refused, and so is one whose key is malformed. */
export const noKeyIsRefused: Law = async (run, operation) => {
  const sent = await keyed(run, operation)
  if (!sent) return
  const isRequired = operation.parameters.some(
    ({ name, required }) => required && name.toLowerCase() === 'idempotency-key',
  )
  const { 'Idempotency-Key': _, ...headers } = sent.headers
  for (const key of [...(isRequired ? [undefined] : []), '"', 'x'.repeat(300)]) {
    const outcome = await run.send(operation, {
      ...sent,
      headers: key === undefined ? headers : { ...headers, 'Idempotency-Key': key },
    })
    if (![400, 401, 403, 429].includes(outcome.status))
      return broken(
        run,
        operation,
        'what is no key is refused',
        `${outcome.status} ${key ? 'for a malformed key' : 'without a key'}, instead of 400`,
        outcome,
      )
  }
}

/** A valid request with a key that nobody has used. */
async function keyed(run: Run, operation: DescribedOperation): Promise<RequestCase | undefined> {
  const valid = takes(operation, 'idempotency-key') ? await run.sample(operation) : undefined
  return valid && run.prepared(operation, valid)
}

function differenceOf(first: Outcome, second: Outcome): string | undefined {
  if (second.status !== first.status)
    return `the first response was ${first.status}, the second ${second.status}`
  if (second.text !== first.text) return 'the second response has another body'
  const name = ['Location', 'ETag', 'Content-Type'].find(
    name => first.headers.get(name) !== second.headers.get(name),
  )
  return name && `the second response has another ${name}`
}

/** The request with a body that cannot be taken for the same. */
async function otherThan(
  run: Run,
  operation: DescribedOperation,
  sent: RequestCase,
): Promise<RequestCase | undefined> {
  const arbitrary = run.parts.cases.valid(operation, [sent.path], await run.parts.drawn())
  const candidates = fc.sample(arbitrary, { seed: run.parts.seed + 1, numRuns: 50 })
  const other = candidates.find(
    ({ body }) =>
      body?.mediaType === sent.body?.mediaType && isOther(valueIn(sent), valueIn({ body })),
  )
  return other && { ...sent, body: other.body }
}

function valueIn({ body }: Pick<RequestCase, 'body'>): unknown {
  return body && 'value' in body ? body.value : undefined
}

/**
 * Whether a field that both have differs in more than its spelling: defaults, dates and numbers
 * have several.
 */
function isOther(left: unknown, right: unknown): boolean {
  if (typeof left === 'string' && typeof right === 'string') return essence(left) !== essence(right)
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null)
    return left !== null && typeof left === typeof right && left !== right
  return Object.entries(left).some(
    ([name, value]) =>
      Object.hasOwn(right, name) && isOther(value, (right as Record<string, unknown>)[name]),
  )
}

const essence = (text: string): string => text.toLowerCase().replace(/[^a-z1-9]/g, '')
