// Sends valid requests, first with values chosen on purpose, then with random ones. They must be
// accepted, answered as documented, and visible in later reads.
import fc from 'fast-check'
import { takesMergePatch } from '../judge/echo.js'
import type { Fault } from '../judge/report.js'
import type { Run } from '../judge/run.js'
import { isObject } from '../requests/alike.js'
import type { Drawn } from '../requests/cases.js'
import { type DescribedOperation, pathNames } from '../requests/document.js'
import { NoValueError } from '../requests/fitting.js'
import { OnPurpose } from '../requests/on-purpose.js'
import type { RequestCase } from '../requests/request-case.js'
import { NoResponseError, type Outcome } from '../send/session.js'
import { faultsOfReading } from './read-back.js'

/** How many things are deleted: each has to be created first. */
const DELETIONS = 10

/** How many conflicts of an operation are tried again with fresh data. */
const CONFLICTS = 20

/** How many writes of an operation are read back, one after the other. */
const READINGS = 30

/** How many requests for a stream without an end are sent. */
const STREAMS = 3

/** How many requests have a generated value for a field that is usually drawn. */
const MIXED = 2

/**
 * Sends valid requests of one operation, shrinks what fails, and goes on until nothing new is
 * found.
 */
export async function sendGenerated(
  run: Run,
  operation: DescribedOperation,
  runs: number,
): Promise<void> {
  const { cases, resources, drawn, findings, seed } = run.parts
  const known = await resources.of(operation)
  const arbitrary = cases.valid(operation, await resources.around(operation), await drawn())
  const numRuns = operation.method === 'DELETE' ? Math.min(runs, DELETIONS) : runs
  const examples = (await onPurpose(run, operation, arbitrary, Math.ceil(numRuns * 0.7))).map(
    (one): [RequestCase] => [one],
  )
  const sender = new Sender(run, operation, known.length > 0)
  let silent = 0
  let sendings = 0
  // each read of a stream takes its time
  const isEnough = () => sendings++ >= STREAMS && run.parts.session.isEndless(operation)
  // the same requests again, past the faults that are known, until no new one is found
  for (let round = 0; round < 4; round++) {
    let failed: { fault: Fault; outcome: Outcome } | undefined
    let isShrinking = false
    let stopped: unknown
    const property = fc.asyncProperty(arbitrary, async generated => {
      if (stopped || isEnough()) return
      if (isShrinking) await run.reset()
      // nothing shrinks what got no response: each try may take as long
      const sent = await sender.send(generated).catch(error => {
        if (!(error instanceof NoResponseError) || ++silent > 1) stopped = error
      })
      if (!sent) return
      const { fault, outcome } = sent
      if (!fault) return
      isShrinking = true
      failed = { fault, outcome }
      throw new Error(fault.message)
    })
    // without reset a smaller request would meet what the larger one has left
    const endOnFailure = run.parts.reset === undefined
    await fc.check(property, { seed, numRuns, endOnFailure, examples })
    if (stopped) throw stopped
    if (!failed) break
    findings.add(operation, failed.fault, failed.outcome, await sender.repeats(failed))
  }
  await mixValues(run, operation, known)
}

/** Requests with values on purpose, evenly over all of them if there are too many. */
async function onPurpose(
  run: Run,
  operation: DescribedOperation,
  arbitrary: fc.Arbitrary<RequestCase>,
  most: number,
): Promise<readonly RequestCase[]> {
  if (operation.method === 'DELETE') return []
  const { cases, drawn, seed } = run.parts
  const samples = fc.sample(arbitrary, { seed, numRuns: 5 })
  const valid = samples.find(({ body }) => body !== undefined) ?? samples[0]
  if (!valid) return []
  const names = Object.keys(await drawn())
  const isDrawn = (place: string, field: string) =>
    names.some(
      name => name === field || name.split(/[ .]/).includes(field) || name === `${place}.${field}`,
    )
  const all = new OnPurpose(cases.arbitraries, cases.judge).of(operation, valid, isDrawn)
  const varied = all.map((one, index) => withDrawn(one, samples[index % 5] ?? valid, isDrawn))
  const distinct = [...new Map(varied.map(one => [JSON.stringify(one), one])).values()]
  const given = withEachDrawn(fc.sample(arbitrary, { seed, numRuns: 50 }), names).slice(0, most / 2)
  // the first ones have many values at once
  const first = distinct.slice(0, Math.ceil((most - given.length) / 2))
  const rest = distinct.slice(first.length)
  const left = Math.max(1, most - given.length - first.length)
  const step = Math.max(1, Math.ceil(rest.length / left))
  return [...given, ...first, ...rest.filter((_, index) => index % step === 0)]
}

/** Requests that together have the values that are given for fields of a body, each once. */
function withEachDrawn(
  samples: readonly RequestCase[],
  names: readonly string[],
): readonly RequestCase[] {
  const seen = new Set<string>()
  return samples.filter(({ body }) => {
    const value = body && 'value' in body && isObject(body.value) ? body.value : {}
    const drawn = Object.keys(value).filter(field =>
      names.some(name => name === field || name.endsWith(`.${field}`)),
    )
    const keys = drawn.map(field => JSON.stringify([field, value[field]]))
    const isNew = keys.some(key => !seen.has(key))
    for (const key of keys) seen.add(key)
    return isNew
  })
}

/** The request with another one's drawn fields: what is drawn may be taken, or not be there. */
function withDrawn(
  sent: RequestCase,
  other: RequestCase,
  isDrawn: (place: string, field: string) => boolean,
): RequestCase {
  const [own, given] = [sent.body, other.body]
  if (!own || !given || !('value' in own) || !('value' in given)) return sent
  if (own.mediaType !== given.mediaType) return sent
  const place = own.mediaType.endsWith('json') ? 'json' : 'form'
  const value = withFieldsOf(own.value, given.value, name => isDrawn(place, name))
  return { ...sent, path: other.path, body: { mediaType: own.mediaType, value } }
}

/** The value with some fields of another one; of lists, item by item. */
function withFieldsOf(value: unknown, other: unknown, isTaken: (name: string) => boolean): unknown {
  if (Array.isArray(value) && Array.isArray(other) && other.length > 0)
    return value.map((item, index) => withFieldsOf(item, other[index % other.length], isTaken))
  if (!isObject(value) || !isObject(other)) return value
  const taken = Object.entries(other).filter(([name]) => isTaken(name) && name in value)
  return { ...value, ...Object.fromEntries(taken) }
}

/** Sends the requests of one operation, and tells what is wrong with the responses. */
class Sender {
  #conflicts = 0
  #readings = 0

  constructor(
    readonly run: Run,
    readonly operation: DescribedOperation,
    readonly isKnown: boolean,
  ) {}

  async send(generated: RequestCase): Promise<{ fault: Fault | undefined; outcome: Outcome }> {
    const { run, operation } = this
    const outcome = await this.#sendFresh(generated)
    if (outcome.status < 400) run.remember(operation, outcome.sent as RequestCase)
    else run.refused.set(operation.name, outcome)
    const faults = await this.#faultsOf(outcome)
    return { fault: faults.find(fault => run.parts.findings.isNews(operation, fault)), outcome }
  }

  /** Whether the same request fails again, twice. */
  async repeats({ fault, outcome }: { fault: Fault; outcome: Outcome }): Promise<boolean> {
    const { run, operation } = this
    for (let time = 0; time < 2; time++) {
      await run.reset()
      this.#readings = 0
      const again = await run.parts.session
        .sendAs(operation, outcome.request, outcome.sent)
        .catch(() => undefined)
      const faults = again ? await this.#faultsOf(again, true) : []
      if (!faults.some(({ check }) => check === fault.check)) return false
    }
    return true
  }

  /** Sends a request; after a conflict with what others have left, once more with fresh data. */
  async #sendFresh(generated: RequestCase): Promise<Outcome> {
    const { run, operation } = this
    const isDeletion = operation.method === 'DELETE'
    const send = async () => {
      const created = isDeletion ? await run.create(operation.path) : undefined
      const sent = created ? { ...generated, path: created } : generated
      return run.exchange(operation, await run.prepared(operation, sent))
    }
    const outcome = await send()
    if (outcome.status !== 409 || !run.parts.reset || this.#conflicts++ > CONFLICTS) return outcome
    await run.reset()
    const again = await send()
    if (again.status < 300) run.contended.set(operation.name, generated)
    return again
  }

  async #faultsOf(outcome: Outcome, isKnown = this.isKnown): Promise<readonly Fault[]> {
    const { run, operation } = this
    const isRead = outcome.status < 300 && this.#readings++ < READINGS
    return [
      ...run.parts.checks.faultsOf(operation, outcome),
      ...refusalOf(operation, outcome, isKnown),
      ...(isRead ? await faultsOfReading(run, operation, outcome) : []),
    ]
  }
}

/**
 * Requests in which one field that is usually drawn is generated. They may be refused; they may not
 * fail, and what they write has to show.
 */
async function mixValues(
  run: Run,
  operation: DescribedOperation,
  known: readonly RequestCase['path'][],
): Promise<void> {
  const drawn = await run.parts.drawn()
  const { fieldsOf } = run.parts.document
  const fields = operation.bodies.flatMap(({ schema }) =>
    fieldsOf.call(run.parts.document, schema).map(field => field.replace(/^.*\./, '')),
  )
  const queries = operation.parameters.filter(({ in: place }) => place === 'query')
  const own = Object.keys(drawn).filter(
    name =>
      (name.startsWith(`${operation.name} `) && !name.includes(' path.')) ||
      fields.includes(name) ||
      queries.some(one => one.name === name),
  )
  for (const name of own) {
    const { [name]: _, ...others } = drawn
    const field = name.replace(/^.*[. ]/, '')
    const all = generatedFor(run, operation, known, others)
    for (const sent of all.filter(one => has(one, field)).slice(0, MIXED)) {
      const outcome = await run.exchange(operation, await run.prepared(operation, sent))
      const faults = [
        ...run.parts.checks.faultsOf(operation, outcome),
        ...(await faultsOfReading(run, operation, outcome)),
      ]
      for (const fault of faults) run.parts.findings.add(operation, fault, outcome)
    }
  }
}

/** Whether a request sets a field, at any depth of its body. */
function has({ query, body }: RequestCase, field: string): boolean {
  const isIn = (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).some(([name, one]) => (name === field && one != null) || isIn(one))
  return isIn(query) || (body !== undefined && 'value' in body && isIn(body.value))
}

/** Requests; none if a value cannot be generated, which is why it is drawn. */
function generatedFor(
  run: Run,
  operation: DescribedOperation,
  known: readonly RequestCase['path'][],
  drawn: Drawn,
): readonly RequestCase[] {
  try {
    const arbitrary = run.parts.cases.valid(operation, known, drawn)
    return fc.sample(arbitrary, { seed: run.parts.seed, numRuns: 10 * MIXED })
  } catch (error) {
    if (error instanceof NoValueError) return []
    throw error
  }
}

/**
 * Valid data that is refused: in `arguments` always a fault, later if nobody has declared that
 * status.
 */
function refusalOf(
  operation: DescribedOperation,
  { status, stage }: Outcome,
  isKnown: boolean,
): readonly Fault[] {
  if (status < 400 || status >= 500) return []
  if (stage === 'arguments')
    return [
      {
        check: 'valid data refused',
        message: `${status} for data that the document allows; if a rule of refine() refuses them, give \`values\` that keep it`,
      },
    ]
  // nothing is known to be there
  if (status === 404 && pathNames(operation.path).length > 0 && !isKnown) return []
  const described = operation.responses[status]
  if (described && !described.isOfArguments) return []
  // a part of what is not there yet lacks the rest of it
  if (status === 422 && described && takesMergePatch(operation)) return []
  const advice = `declare it, as with altResponse(${status}, { description: '…' }), or give \`values\` that succeed`
  return [
    {
      check: 'undeclared refusal',
      message: `${status} for data that the document allows, and the operation does not declare it: ${advice}`,
    },
  ]
}
